"""Gradings: grade a project's traces, look at the differences, apply them."""

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, throttle_classes
from rest_framework.request import Request
from rest_framework.response import Response

from labeling import queries
from labeling.actions import gradings, jobs
from labeling.api.answers import answer
from labeling.api.pages import PAGE_PARAMETERS, page_of, paged
from labeling.api.requests import read_body, signed_in
from labeling.api.serializers.gradings import (
    BrowseDifferencesIn,
    GradingDifference,
    GradingIn,
    GradingOut,
    LeaveOutIn,
)
from labeling.api.throttles import StartThrottle
from labeling.queries.projects import RESEARCHER, get_project_as


@extend_schema(responses=paged(GradingOut), parameters=PAGE_PARAMETERS)
@api_view(["GET"])
def list_gradings(request: Request, slug: str) -> Response:
    """A project's gradings, newest first."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    gradings = queries.grading.gradings_of(project)
    return page_of(request, gradings, GradingOut)


@extend_schema(request=GradingIn, responses={201: GradingOut})
@api_view(["POST"])
@throttle_classes([StartThrottle])
def create_grading(request: Request, slug: str) -> Response:
    """Queue a grading. It changes no trace until it is applied."""
    body = read_body(request, GradingIn)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    job = gradings.create_grading(project, by=signed_in(request), **body)
    return _grading(request, job.pk, 201)


@extend_schema(responses=GradingOut)
@api_view(["GET"])
def get_grading(request: Request, grading_id: int) -> Response:
    """One grading with its progress and findings."""
    return _grading(request, grading_id)


@extend_schema(responses=paged(GradingDifference), parameters=[BrowseDifferencesIn, *PAGE_PARAMETERS])
@api_view(["GET"])
def list_grading_differences(request: Request, grading_id: int) -> Response:
    """The traces whose outcome would change. Can be filtered by outcome, previous outcome and reason."""
    asked = BrowseDifferencesIn(data=request.query_params)
    asked.is_valid(raise_exception=True)
    job = queries.grading.get_visible_grading(signed_in(request), grading_id)
    differing = queries.grading.differences(job, **asked.validated_data)
    return page_of(request, differing, GradingDifference, order=("trace_id",))


@extend_schema(request=None, responses=GradingOut)
@api_view(["POST"])
def apply_grading(request: Request, grading_id: int) -> Response:
    """Give the traces the outcomes that the grading found."""
    job = queries.grading.get_visible_grading(signed_in(request), grading_id)
    gradings.apply_grading(job, by=signed_in(request))
    return _grading(request, grading_id)


@extend_schema(request=LeaveOutIn, responses=GradingOut)
@api_view(["POST"])
def leave_out_difference(request: Request, grading_id: int) -> Response:
    """Leave one trace unchanged when the grading is applied, or include it again."""
    body = read_body(request, LeaveOutIn)
    job = queries.grading.get_visible_grading(signed_in(request), grading_id)
    gradings.leave_out(job, by=signed_in(request), **body)
    return _grading(request, grading_id)


@extend_schema(request=None, responses=GradingOut)
@api_view(["POST"])
def cancel_grading(request: Request, grading_id: int) -> Response:
    """Cancel a grading, or stop applying it. Outcomes that were already applied are kept."""
    job = queries.grading.get_visible_grading(signed_in(request), grading_id)
    jobs.cancel_job(job, by=signed_in(request))
    return _grading(request, grading_id)


def _grading(request: Request, grading_id: int, status: int = 200) -> Response:
    return answer(GradingOut, queries.grading.get_visible_grading(signed_in(request), grading_id), status)
