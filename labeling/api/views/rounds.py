"""Plain rounds, their tasks, and the traces they choose from."""

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, throttle_classes
from rest_framework.request import Request
from rest_framework.response import Response

from labeling import queries
from labeling.actions import rounds
from labeling.api.answers import answer
from labeling.api.kept_answers import kept_answer
from labeling.api.pages import PAGE_PARAMETERS, page_of, paged
from labeling.api.requests import read_body, signed_in
from labeling.api.serializers.overview import OverviewOut
from labeling.api.serializers.rounds import ChooseTracesIn, OpenRoundIn, RoundOut, with_counts
from labeling.api.serializers.traces import (
    BrowseTasksIn,
    RoundPreview,
    TaskOut,
    TaskSummary,
    TraceOut,
    with_label_counts,
)
from labeling.api.throttles import StartThrottle
from labeling.queries.error_and_score_filters import refuse_to_count_held
from labeling.queries.projects import RESEARCHER, get_project_as


@extend_schema(request=ChooseTracesIn, responses=RoundPreview)
@api_view(["POST"])
def preview_round(request: Request, slug: str) -> Response:
    """How many traces a round with these rules would hold, and three of them."""
    body = read_body(request, ChooseTracesIn)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    config = queries.drawing.named(project, body["config"])
    refuse_to_count_held(signed_in(request), project, config.filter)
    return kept_answer(project, "round_preview", config=config.as_json())


@extend_schema(responses=paged(RoundOut), parameters=PAGE_PARAMETERS)
@api_view(["GET"])
def list_rounds(request: Request, slug: str) -> Response:
    """A project's rounds, newest first."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    return page_of(request, queries.rounds.rounds_of(project), RoundOut, order=("-number",), prepared=with_counts)


@extend_schema(request=OpenRoundIn, responses={201: RoundOut})
@api_view(["POST"])
@throttle_classes([StartThrottle])
def open_round(request: Request, slug: str) -> Response:
    """Queue traces for labeling: immediately, or by workers if there are many (`preparing`)."""
    body = read_body(request, OpenRoundIn)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    config = queries.drawing.named(project, body.pop("config"))
    queries.drawing.require_shown(project, body["machine"])
    round_ = rounds.open_round(project, by=signed_in(request), config=config, **body)
    return answer(RoundOut, with_counts([round_])[0], 201)


@extend_schema(responses=RoundOut)
@api_view(["GET"])
def get_round(request: Request, round_id: int) -> Response:
    """One round with its progress."""
    return answer(RoundOut, with_counts([queries.rounds.get_visible_round(signed_in(request), round_id)])[0])


@extend_schema(request=None, responses=RoundOut)
@api_view(["POST"])
def pause_round(request: Request, round_id: int) -> Response:
    """Pause a round: none of its tasks are served."""
    round_ = queries.rounds.get_visible_round(signed_in(request), round_id)
    return answer(RoundOut, with_counts([rounds.pause_round(round_, by=signed_in(request))])[0])


@extend_schema(request=None, responses=RoundOut)
@api_view(["POST"])
def resume_round(request: Request, round_id: int) -> Response:
    """Resume a paused round."""
    round_ = queries.rounds.get_visible_round(signed_in(request), round_id)
    return answer(RoundOut, with_counts([rounds.resume_round(round_, by=signed_in(request))])[0])


@extend_schema(request=None, responses=RoundOut)
@api_view(["POST"])
def close_round(request: Request, round_id: int) -> Response:
    """Close the round, permanently."""
    round_ = queries.rounds.get_visible_round(signed_in(request), round_id)
    return answer(RoundOut, with_counts([rounds.close_round(round_, by=signed_in(request))])[0])


@extend_schema(responses=TraceOut)
@api_view(["GET"])
def get_trace(request: Request, trace_id: int) -> Response:
    """One trace with all its labels."""
    return answer(TraceOut, queries.traces.get_visible_trace(signed_in(request), trace_id))


@extend_schema(responses=paged(TaskSummary), parameters=[BrowseTasksIn, *PAGE_PARAMETERS])
@api_view(["GET"])
def list_tasks(request: Request, slug: str) -> Response:
    """A project's tasks. Can be filtered by round, state, kind and text."""
    asked = BrowseTasksIn(data=request.query_params)
    asked.is_valid(raise_exception=True)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    tasks = queries.tasks.browse_tasks(project, signed_in(request), asked.validated_data)
    return page_of(request, tasks, TaskSummary, order=("id",), prepared=with_label_counts)


@extend_schema(responses=TaskOut)
@api_view(["GET"])
def get_task(request: Request, task_id: int) -> Response:
    """One task: its trace with all labels."""
    return answer(TaskOut, queries.tasks.get_visible_task(signed_in(request), task_id))


@extend_schema(responses=OverviewOut)
@api_view(["GET"])
def get_overview(request: Request, slug: str) -> Response:
    """A project's progress, label mix and people."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    return kept_answer(project, "overview")
