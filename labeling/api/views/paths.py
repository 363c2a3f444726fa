"""Choosing a path step by step: the path, the ratings of each step, and the rounds for this work."""

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, throttle_classes
from rest_framework.request import Request
from rest_framework.response import Response

from labeling import queries
from labeling.actions import path_rounds, paths
from labeling.api.answers import answer
from labeling.api.requests import read_body, signed_in
from labeling.api.serializers.paths import (
    OpenPathRoundIn,
    PathOut,
    PathReportOut,
    PathRoundIn,
    PathRoundPreview,
    ShowRestIn,
    SubmitStepIn,
    UndoStepIn,
    path_in_refusals,
    path_shown,
)
from labeling.api.serializers.rounds import RoundOut, with_counts
from labeling.api.throttles import StartThrottle
from labeling.queries.projects import RESEARCHER, get_project_as
from labeling.queries.rounds import get_visible_round


@extend_schema(responses=PathOut)
@api_view(["GET"])
def get_path(request: Request, label_id: int) -> Response:
    """The path of your own label with its open step. Researchers can also see anyone's finished path."""
    label = queries.labels.get_path_to_read(signed_in(request), label_id)
    return answer(PathOut, path_shown(paths.look_at_path(label)))


@extend_schema(request=ShowRestIn, responses=PathOut)
@api_view(["POST"])
def show_rest(request: Request, label_id: int) -> Response:
    """Show the other completions of the open step if the first is not great."""
    body = read_body(request, ShowRestIn)
    label = queries.labels.get_own_label_shown(signed_in(request), label_id)
    with path_in_refusals():
        return answer(PathOut, path_shown(paths.show_rest(label, **body)))


@extend_schema(request=SubmitStepIn, responses=PathOut)
@api_view(["POST"])
def submit_step(request: Request, label_id: int) -> Response:
    """Rate all shown completions. The next step is drawn from the great ones, or written. Exactly once per key."""
    body = read_body(request, SubmitStepIn)
    label = queries.labels.get_own_label_shown(signed_in(request), label_id)
    with path_in_refusals():
        return answer(PathOut, path_shown(paths.submit_step(label, **body)))


@extend_schema(request=UndoStepIn, responses=PathOut)
@api_view(["POST"])
def undo_step(request: Request, label_id: int) -> Response:
    """Open the last step again. Its previous outcome stays in the history."""
    body = read_body(request, UndoStepIn)
    label = queries.labels.get_own_label_shown(signed_in(request), label_id)
    with path_in_refusals():
        return answer(PathOut, path_shown(paths.undo_step(label, **body)))


@extend_schema(request=PathRoundIn, responses=PathRoundPreview)
@api_view(["POST"])
def preview_path_round(request: Request, slug: str) -> Response:
    """How many problems a round with these rules would hold."""
    body = read_body(request, PathRoundIn)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    return answer(PathRoundPreview, queries.paths.count_problems(project, body["config"]))


@extend_schema(request=OpenPathRoundIn, responses={201: RoundOut})
@api_view(["POST"])
@throttle_classes([StartThrottle])
def open_path_round(request: Request, slug: str) -> Response:
    """Queue problems to be solved step by step."""
    body = read_body(request, OpenPathRoundIn)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    round_ = path_rounds.open_path_round(project, by=signed_in(request), **body)
    return answer(RoundOut, with_counts([round_])[0], 201)


@extend_schema(responses=PathReportOut)
@api_view(["GET"])
def get_path_report(request: Request, round_id: int) -> Response:
    """How the steps of a round's paths were made, and how far labelers agree on the same completions."""
    round_ = get_visible_round(signed_in(request), round_id)
    return answer(PathReportOut, queries.path_report.path_report(round_))
