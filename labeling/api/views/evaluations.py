"""Evaluation sets, evaluations of PRMs on them, and comparisons of two evaluations."""

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, throttle_classes
from rest_framework.request import Request
from rest_framework.response import Response

from labeling import queries
from labeling.actions import evaluations, jobs
from labeling.api.answers import answer
from labeling.api.kept_answers import kept_body
from labeling.api.pages import PAGE_PARAMETERS, page_of, paged
from labeling.api.requests import read_body, signed_in
from labeling.api.serializers.evaluations import (
    BrowseEvaluationsIn,
    CompareIn,
    ComparisonOut,
    EvaluationIn,
    EvaluationOut,
    EvaluationSetIn,
    EvaluationSetOut,
    EvaluationSetsOut,
    EvaluationSummary,
)
from labeling.api.serializers.model_history import ModelHistoryOut
from labeling.api.throttles import StartThrottle
from labeling.queries.evaluations import get_visible_evaluation
from labeling.queries.projects import RESEARCHER, get_project_as


@extend_schema(responses=EvaluationSetsOut)
@api_view(["GET"])
def list_evaluation_sets(request: Request, slug: str) -> Response:
    """A project's evaluation sets, newest first, and what a new set could contain."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    found = queries.evaluations.sets_of(project).order_by("-pk")
    recorded = kept_body(project, "recorded_sources", {})["recorded"]
    return answer(EvaluationSetsOut, {"results": found, "recorded": recorded})


@extend_schema(request=EvaluationSetIn, responses={201: EvaluationSetOut})
@api_view(["POST"])
@throttle_classes([StartThrottle])
def create_evaluation_set(request: Request, slug: str) -> Response:
    """Freeze an evaluation set. From now on, no training run learns from its problems."""
    body = read_body(request, EvaluationSetIn)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    made = evaluations.create_evaluation_set(project, by=signed_in(request), **body)
    return answer(EvaluationSetOut, made, 201)


@extend_schema(responses=paged(EvaluationSummary), parameters=[BrowseEvaluationsIn, *PAGE_PARAMETERS])
@api_view(["GET"])
def list_evaluations(request: Request, slug: str) -> Response:
    """A project's evaluations, newest first. Can be filtered by set or PRM."""
    asked = BrowseEvaluationsIn(data=request.query_params)
    asked.is_valid(raise_exception=True)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    found = queries.evaluations.evaluations_of(project, **asked.validated_data)
    return page_of(request, found, EvaluationSummary)


@extend_schema(request=EvaluationIn, responses={201: EvaluationOut})
@api_view(["POST"])
@throttle_classes([StartThrottle])
def create_evaluation(request: Request, slug: str) -> Response:
    """Queue an evaluation of a PRM on a set."""
    body = read_body(request, EvaluationIn)
    asked = dict(body)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    prm = queries.step_scorers.require_prm(project, asked.pop("prm"))
    chosen = queries.evaluations.get_set(project, asked.pop("evaluation_set"))
    made = evaluations.create_evaluation(project, by=signed_in(request), scorer=prm, evaluation_set=chosen, **asked)
    return answer(EvaluationOut, made, 201)


@extend_schema(responses=ComparisonOut, parameters=[CompareIn])
@api_view(["GET"])
def compare_evaluations(request: Request, slug: str) -> Response:
    """Compare two evaluations on the same set."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    asked = CompareIn(data=request.query_params)
    asked.is_valid(raise_exception=True)
    left, right = queries.evaluations.get_two(project, **asked.validated_data)
    return answer(ComparisonOut, evaluations.compare(left, right))


@extend_schema(responses=EvaluationOut)
@api_view(["GET"])
def get_evaluation(request: Request, evaluation_id: int) -> Response:
    """One evaluation with its progress and figures."""
    return answer(EvaluationOut, get_visible_evaluation(signed_in(request), evaluation_id))


@extend_schema(request=None, responses=EvaluationOut)
@api_view(["POST"])
def cancel_evaluation(request: Request, evaluation_id: int) -> Response:
    """Cancel an evaluation. Scores that it has already written are kept."""
    found = get_visible_evaluation(signed_in(request), evaluation_id)
    return answer(EvaluationOut, jobs.cancel_job(found, by=signed_in(request)))


@extend_schema(responses=ModelHistoryOut)
@api_view(["GET"])
def get_model_history(request: Request, slug: str) -> Response:
    """Scorers, trainings, evaluations and promotions on one timeline, with a leaderboard for each evaluation set."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    return answer(ModelHistoryOut, queries.model_history.model_history(project))
