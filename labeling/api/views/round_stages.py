"""Rounds that workers prepare: start, follow, cancel and publish one."""

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, throttle_classes
from rest_framework.request import Request
from rest_framework.response import Response

from labeling import queries
from labeling.actions import round_plans, round_schedules, round_stages, rounds
from labeling.api.answers import answer
from labeling.api.requests import read_body, signed_in
from labeling.api.serializers.round_stages import RoundProgressOut, StartRoundIn
from labeling.api.serializers.rounds import RoundOut, ScheduleNextIn, with_counts
from labeling.api.throttles import StartThrottle
from labeling.queries.projects import RESEARCHER, get_project_as
from labeling.queries.rounds import get_visible_round


@extend_schema(request=StartRoundIn, responses={201: RoundOut})
@api_view(["POST"])
@throttle_classes([StartThrottle])
def start_round(request: Request, slug: str) -> Response:
    """Have workers prepare a round. Labelers get no task of it until somebody publishes it."""
    body = read_body(request, StartRoundIn)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    asked = dict(body)
    prm = queries.step_scorers.get_scorer(project, asked.pop("prm"))
    round_ = round_stages.start_round(project, by=signed_in(request), scorer=prm, **asked)
    return answer(RoundOut, with_counts([round_])[0], 201)


@extend_schema(responses=RoundProgressOut)
@api_view(["GET"])
def get_round_progress(request: Request, round_id: int) -> Response:
    """How far workers have come with a round, stage by stage."""
    round_ = get_visible_round(signed_in(request), round_id)
    return answer(RoundProgressOut, queries.round_progress.round_progress(round_, round_plans.stages_of(round_)))


@extend_schema(request=None, responses=RoundOut)
@api_view(["POST"])
def cancel_round(request: Request, round_id: int) -> Response:
    """Cancel a round that was not published."""
    round_ = get_visible_round(signed_in(request), round_id)
    return answer(RoundOut, with_counts([rounds.cancel_round(round_, by=signed_in(request))])[0])


@extend_schema(request=None, responses=RoundOut)
@api_view(["POST"])
def publish_round(request: Request, round_id: int) -> Response:
    """Publish a round: its selected tasks are served."""
    round_ = get_visible_round(signed_in(request), round_id)
    return answer(RoundOut, with_counts([rounds.publish_round(round_, by=signed_in(request))])[0])


@extend_schema(request=ScheduleNextIn, responses=RoundOut)
@api_view(["PUT"])
def schedule_next(request: Request, round_id: int) -> Response:
    """Have workers prepare the next round once a given share of this one is labeled. A person publishes it."""
    body = read_body(request, ScheduleNextIn)
    round_ = get_visible_round(signed_in(request), round_id)
    return answer(RoundOut, with_counts([round_schedules.schedule_next(round_, by=signed_in(request), **body)])[0])
