"""The complete typed steps of a run, one by one, and their pictures: of a label that you work on, of an item that
you review blind, or of any trace.
"""

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from labeling import queries
from labeling.api.answers import answer, picture
from labeling.api.requests import signed_in
from labeling.api.serializers.runs import TypedStepOut, WholeStepIn
from labeling.queries.run_steps import step_image, typed_step

PICTURES = {(200, kind): OpenApiTypes.BINARY for kind in ("image/png", "image/jpeg", "image/gif", "image/webp")}


def _inside(request: Request) -> str:
    asked = WholeStepIn(data=request.query_params)
    asked.is_valid(raise_exception=True)
    return str(asked.validated_data["inside"])


@extend_schema(responses=TypedStepOut, parameters=[WholeStepIn])
@api_view(["GET"])
def get_typed_step(request: Request, label_id: int, place: int) -> Response:
    """One complete step of the agent's run that you label. `place` counts from 0."""
    label = queries.labels.get_own_label_shown(signed_in(request), label_id)
    return answer(TypedStepOut, {"step": typed_step(label.task.trace, place, _inside(request))})


@extend_schema(responses=TypedStepOut, parameters=[WholeStepIn])
@api_view(["GET"])
def get_trace_step(request: Request, trace_id: int, place: int) -> Response:
    """One complete step of a run. `place` counts from 0."""
    trace = queries.traces.get_visible_trace(signed_in(request), trace_id)
    return answer(TypedStepOut, {"step": typed_step(trace, place, _inside(request))})


@extend_schema(responses=TypedStepOut, parameters=[WholeStepIn])
@api_view(["GET"])
def get_item_step(request: Request, item_id: int, place: int) -> Response:
    """One complete step of the agent's run that you review blind. `place` counts from 0."""
    item = queries.label_audits.get_reviewable_item(signed_in(request), item_id)
    return answer(TypedStepOut, {"step": typed_step(item.label.task.trace, place, _inside(request))})


@extend_schema(responses=PICTURES)
@api_view(["GET"])
def get_step_image(request: Request, label_id: int, sha256: str) -> HttpResponse:
    """A picture of the run that you label."""
    label = queries.labels.get_own_label_shown(signed_in(request), label_id)
    found = step_image(label.task.trace, sha256)
    return picture(bytes(found.data), found.content_type)


@extend_schema(responses=PICTURES)
@api_view(["GET"])
def get_item_image(request: Request, item_id: int, sha256: str) -> HttpResponse:
    """A picture of the run that you review blind."""
    item = queries.label_audits.get_reviewable_item(signed_in(request), item_id)
    found = step_image(item.label.task.trace, sha256)
    return picture(bytes(found.data), found.content_type)


@extend_schema(responses=PICTURES)
@api_view(["GET"])
def get_trace_image(request: Request, trace_id: int, sha256: str) -> HttpResponse:
    """A picture of a run."""
    found = step_image(queries.traces.get_visible_trace(signed_in(request), trace_id), sha256)
    return picture(bytes(found.data), found.content_type)
