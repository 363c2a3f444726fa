"""Noise triage: made, reviewed blind, ended, and its report."""

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from labeling import queries
from labeling.actions import label_audits as triages
from labeling.api.pages import PAGE_PARAMETERS, page_of, paged
from labeling.api.requests import read_body, signed_in
from labeling.api.serializers.label_audits import (
    BlindItem,
    CreateTriageIn,
    HoldNextIn,
    NextItemOut,
    TriageCounts,
    TriageOut,
    TriageQuestionIn,
    TriageSummary,
    blind_out,
    next_out,
    triage_out,
    triages_out,
)
from labeling.api.serializers.reviews import SettleTaskIn
from labeling.api.tables import CSV, csv_file
from labeling.queries.label_audits import get_reviewable_item, get_visible_triage
from labeling.queries.projects import RESEARCHER, get_project_as


@extend_schema(responses=paged(TriageSummary), parameters=PAGE_PARAMETERS)
@api_view(["GET"])
def list_triages(request: Request, slug: str) -> Response:
    """A project's triages, newest first."""
    reader = signed_in(request)
    project = get_project_as(reader, slug, RESEARCHER)
    found = queries.label_audits.triages_of(project)
    return Response(page_of(request, found, shape=lambda page: triages_out(page, reader)))


@extend_schema(request=CreateTriageIn, responses={201: TriageOut})
@api_view(["POST"])
def create_triage(request: Request, slug: str) -> Response:
    """Choose labels that a PRM finds unlikely and a random control, to be reviewed blind."""
    body = read_body(request, CreateTriageIn)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    prm = queries.step_scorers.require_prm(project, body.pop("prm"))
    made = triages.create_triage(project, by=signed_in(request), scorer=prm, **body)
    return Response(triage_out(made, signed_in(request)), status=201)


@extend_schema(request=TriageQuestionIn, responses=TriageCounts)
@api_view(["POST"])
def preview_triage(request: Request, slug: str) -> Response:
    """What a triage by this PRM could choose from, and why the other labels are left out."""
    body = read_body(request, TriageQuestionIn)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    prm = queries.step_scorers.require_prm(project, body["prm"])
    triages.require_usable(prm)
    return Response(queries.label_audits.count_labels(project, prm, body["round"]))


@extend_schema(responses=TriageOut)
@api_view(["GET"])
def get_triage(request: Request, triage_id: int) -> Response:
    """One triage; with its report once it is over."""
    triage = get_visible_triage(signed_in(request), triage_id)
    return Response(triage_out(triage, signed_in(request)))


@extend_schema(responses={(200, CSV): OpenApiTypes.BINARY})
@api_view(["GET"])
def download_triage(request: Request, triage_id: int) -> HttpResponse:
    """Every label of a triage that is over, a line each."""
    triage = get_visible_triage(signed_in(request), triage_id)
    triages.require_over(triage)
    return csv_file(f"{triage.project.slug}-triage-{triage.pk}.csv", queries.label_audit_report.table(triage))


@extend_schema(request=HoldNextIn, responses=NextItemOut)
@api_view(["POST"])
def hold_next_item(request: Request, triage_id: int) -> Response:
    """The next trace to review, held for half an hour; null where none is left for this person."""
    body = read_body(request, HoldNextIn)
    reader = signed_in(request)
    triage = get_visible_triage(reader, triage_id)
    return Response(next_out(triage, triages.hold_next_item(triage, by=reader, **body), reader))


@extend_schema(responses=BlindItem)
@api_view(["GET"])
def get_triage_item(request: Request, item_id: int) -> Response:
    """A trace to review, with what one said of it before."""
    reader = signed_in(request)
    return Response(blind_out(get_reviewable_item(reader, item_id), reader))


@extend_schema(request=SettleTaskIn, responses=BlindItem)
@api_view(["POST"])
def review_item(request: Request, item_id: int) -> Response:
    """Say what one finds; it can be changed until the triage ends."""
    body = read_body(request, SettleTaskIn)
    reader = signed_in(request)
    return Response(blind_out(triages.review_item(get_reviewable_item(reader, item_id), by=reader, **body), reader))


@extend_schema(request=None, responses=TriageOut)
@api_view(["POST"])
def finish_triage(request: Request, triage_id: int) -> Response:
    """End it: corrections become rulings, and the report is shown."""
    triage = get_visible_triage(signed_in(request), triage_id)
    return Response(triage_out(triages.finish_triage(triage, by=signed_in(request)), signed_in(request)))


@extend_schema(request=None, responses=TriageOut)
@api_view(["POST"])
def cancel_triage(request: Request, triage_id: int) -> Response:
    """End it and change nothing."""
    triage = get_visible_triage(signed_in(request), triage_id)
    return Response(triage_out(triages.cancel_triage(triage, by=signed_in(request)), signed_in(request)))


@extend_schema(request=None, responses=TriageOut)
@api_view(["POST"])
def undo_triage(request: Request, triage_id: int) -> Response:
    """Withdraw the rulings of a finished triage; its reviews and its report stay."""
    triage = get_visible_triage(signed_in(request), triage_id)
    return Response(triage_out(triages.undo_triage(triage, by=signed_in(request)), signed_in(request)))
