"""What a staged round could choose from, what it chose, and choosing again."""

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from labeling import queries
from labeling.actions import round_selection
from labeling.api.answers import With, answer
from labeling.api.requests import read_body, signed_in
from labeling.api.serializers.round_stages import PoolCountIn, SelectionRulesIn
from labeling.api.serializers.rounds import RoundOut, with_counts
from labeling.api.serializers.selection import PoolCountOut, SelectionOut
from labeling.errors import NotFound
from labeling.queries.error_and_score_filters import refuse_to_count_held
from labeling.queries.projects import RESEARCHER, get_project_as
from labeling.queries.rounds import get_visible_round


@extend_schema(request=PoolCountIn, responses=PoolCountOut)
@api_view(["POST"])
def count_pool(request: Request, slug: str) -> Response:
    """How much there is to choose from, and roughly what a round with these rules would choose."""
    body = read_body(request, PoolCountIn)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    asked, config = body, body["config"]
    refuse_to_count_held(signed_in(request), project, config.filter)
    prm = queries.step_scorers.get_scorer(project, asked["prm"])
    pool = None
    if asked["round"] is not None:
        again = get_visible_round(signed_in(request), asked["round"])
        if again.project_id != project.pk:
            raise NotFound
        pool = round_selection.pool_of(again)
    counted = queries.round_pool.count_pool(project, config, seed=asked["seed"], scorer=prm, pool=pool)
    return answer(PoolCountOut, {**counted, "samples": queries.candidates.samples_to_make(project, config)})


@extend_schema(responses=SelectionOut)
@api_view(["GET"])
def get_selection(request: Request, round_id: int) -> Response:
    """The selection of a round compared with its pool, with a few of the traces."""
    round_ = get_visible_round(signed_in(request), round_id)
    summary = queries.selection_summary.get_summary(round_)
    tasks, step_scores = queries.selection_summary.sample(round_)
    shown = [With(task, step_scores=step_scores.get(task.trace_id)) for task in tasks]
    return answer(SelectionOut, {**summary, "sample": shown})


@extend_schema(request=SelectionRulesIn, responses=RoundOut)
@api_view(["POST"])
def reselect_round(request: Request, round_id: int) -> Response:
    """Have a worker select the tasks of an unpublished round again by other rules. Watch its progress."""
    body = read_body(request, SelectionRulesIn)
    round_ = get_visible_round(signed_in(request), round_id)
    round_ = round_selection.reselect_round(round_, by=signed_in(request), **body)
    return answer(RoundOut, with_counts([round_])[0])
