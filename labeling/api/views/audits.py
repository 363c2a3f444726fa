"""Marks accepted in bulk after an audit, and how seeing a machine's marks affected labelers."""

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, throttle_classes
from rest_framework.request import Request
from rest_framework.response import Response

from labeling import queries
from labeling.actions import acceptances
from labeling.api.answers import answer
from labeling.api.pages import PAGE_PARAMETERS, page_of, paged
from labeling.api.requests import read_body, signed_in
from labeling.api.serializers.audits import AcceptanceOut, AcceptedMarkOut, AcceptMarksIn, MachineReportOut
from labeling.api.throttles import StartThrottle
from labeling.errors import NotFound
from labeling.queries.projects import ADMIN, RESEARCHER, get_project_as


@extend_schema(responses=paged(AcceptanceOut), parameters=PAGE_PARAMETERS)
@api_view(["GET"])
def list_acceptances(request: Request, slug: str) -> Response:
    """All bulk acceptances, newest first, including withdrawn ones."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    return page_of(request, queries.audits.acceptances_of(project), AcceptanceOut)


@extend_schema(request=AcceptMarksIn, responses={201: AcceptanceOut})
@api_view(["POST"])
@throttle_classes([StartThrottle])
def accept_marks(request: Request, slug: str) -> Response:
    """Accept a source's marks of unlabeled traces, if its random sample reaches the required agreement."""
    body = read_body(request, AcceptMarksIn)
    project = get_project_as(signed_in(request), slug, ADMIN)
    source = queries.drawing.require_scorer(project, body["source"], "source")
    made = acceptances.accept_marks(project, source, by=signed_in(request), filter=body["filter"])
    return answer(AcceptanceOut, made, 201)


@extend_schema(request=None, responses=AcceptanceOut)
@api_view(["POST"])
def withdraw_acceptance(request: Request, acceptance_id: int) -> Response:
    """Withdraw an acceptance and remove all its marks."""
    found = queries.audits.get_visible_acceptance(signed_in(request), acceptance_id, ADMIN)
    return answer(AcceptanceOut, acceptances.withdraw_acceptance(found, by=signed_in(request)))


@extend_schema(responses=paged(AcceptedMarkOut), parameters=PAGE_PARAMETERS)
@api_view(["GET"])
def list_accepted_marks(request: Request, acceptance_id: int) -> Response:
    """The accepted marks, one per row, each with its source."""
    found = queries.audits.get_visible_acceptance(signed_in(request), acceptance_id)
    return page_of(request, queries.audits.marks_of(found), AcceptedMarkOut, order=("trace_id",))


@extend_schema(responses=MachineReportOut)
@api_view(["GET"])
def get_machine_report(request: Request, round_id: int) -> Response:
    """For a round that shows a machine's marks: time saved, changes made, and wrong marks repeated."""
    found = queries.machine_report.machine_report(queries.rounds.get_visible_round(signed_in(request), round_id))
    if found is None:
        raise NotFound("This round shows no machine marks.")
    return answer(MachineReportOut, found)
