"""Training runs, and the PRM that a person promotes to be the project's selector."""

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, throttle_classes
from rest_framework.request import Request
from rest_framework.response import Response

from labeling import queries
from labeling.actions import step_scorer_promotions, training_runs
from labeling.api.answers import answer
from labeling.api.pages import PAGE_PARAMETERS, page_of, paged
from labeling.api.requests import read_body, signed_in
from labeling.api.serializers.training import (
    AtCloseIn,
    PreviewTrainingIn,
    PromoteIn,
    PromotionNewsIn,
    PromotionNewsOut,
    PromotionOut,
    RollBackIn,
    TrainingAtCloseOut,
    TrainingOptionsOut,
    TrainingPreviewOut,
    TrainingRunIn,
    TrainingRunOut,
    TrainingRunSummary,
    with_rounds,
)
from labeling.api.throttles import StartThrottle
from labeling.queries.projects import RESEARCHER, get_project_as


@extend_schema(responses=paged(TrainingRunSummary), parameters=PAGE_PARAMETERS)
@api_view(["GET"])
def list_training_runs(request: Request, slug: str) -> Response:
    """A project's training runs, newest first."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    return page_of(request, queries.training.runs_of(project), TrainingRunSummary, prepared=with_rounds)


@extend_schema(request=TrainingRunIn, responses={201: TrainingRunOut})
@api_view(["POST"])
@throttle_classes([StartThrottle])
def create_training_run(request: Request, slug: str) -> Response:
    """Queue a training on the labels that the rounds hold when it runs."""
    body = read_body(request, TrainingRunIn)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    run = training_runs.create_training_run(project, by=signed_in(request), **body)
    return answer(TrainingRunOut, with_rounds([run])[0], 201)


@extend_schema(responses=TrainingOptionsOut)
@api_view(["GET"])
def get_training_options(request: Request, slug: str) -> Response:
    """The bases and rounds that you can train from."""
    return answer(
        TrainingOptionsOut, queries.training.training_options(get_project_as(signed_in(request), slug, RESEARCHER))
    )


@extend_schema(responses=TrainingAtCloseOut, parameters=[AtCloseIn])
@api_view(["GET"])
def get_training_at_close(request: Request, slug: str) -> Response:
    """What became of the training that was to start when a round was last closed."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    asked = AtCloseIn(data=request.query_params)
    asked.is_valid(raise_exception=True)
    closing = asked.validated_data.get("closing")
    refused = queries.training_at_close.refused_at_close(project, closing) if closing else ""
    return answer(TrainingAtCloseOut, {**queries.training_at_close.training_at_close(project), "refused": refused})


@extend_schema(request=PreviewTrainingIn, responses=TrainingPreviewOut)
@api_view(["POST"])
def preview_training(request: Request, slug: str) -> Response:
    """What a training run over these rounds would learn from."""
    body = read_body(request, PreviewTrainingIn)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    return answer(TrainingPreviewOut, training_runs.preview_training(project, **body))


@extend_schema(responses=TrainingRunOut)
@api_view(["GET"])
def get_training_run(request: Request, run_id: int) -> Response:
    """One training run with its curves and log."""
    return answer(TrainingRunOut, with_rounds([queries.training.get_visible_run(signed_in(request), run_id)])[0])


@extend_schema(request=None, responses=TrainingRunOut)
@api_view(["POST"])
def cancel_training_run(request: Request, run_id: int) -> Response:
    """Stop a training run. It makes no PRM."""
    run = queries.training.get_visible_run(signed_in(request), run_id)
    return answer(TrainingRunOut, with_rounds([training_runs.cancel_training(run, by=signed_in(request))])[0])


@extend_schema(responses=paged(PromotionOut), parameters=PAGE_PARAMETERS)
@api_view(["GET"])
def list_promotions(request: Request, slug: str) -> Response:
    """Every change of the project's selector, newest first. The first one is in force."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    promoted = queries.training.promotions_of(project)
    return page_of(request, promoted, PromotionOut)


@extend_schema(responses=PromotionNewsOut, parameters=[PromotionNewsIn])
@api_view(["GET"])
def get_promotion_news(request: Request, slug: str) -> Response:
    """The reasons against making a PRM the selector, most serious first."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    asked = PromotionNewsIn(data=request.query_params)
    asked.is_valid(raise_exception=True)
    prm = queries.step_scorers.require_prm(project, asked.validated_data["prm"])
    return answer(PromotionNewsOut, {"results": queries.promotion_news.promotion_news(project, prm)})


@extend_schema(request=PromoteIn, responses={201: PromotionOut})
@api_view(["POST"])
def promote_prm(request: Request, slug: str) -> Response:
    """Make a PRM the selector of the project's next rounds."""
    body = read_body(request, PromoteIn)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    prm = queries.step_scorers.require_prm(project, body["prm"])
    promotion = step_scorer_promotions.promote_prm(project, prm, by=signed_in(request), note=body["note"])
    return answer(PromotionOut, promotion, 201)


@extend_schema(request=RollBackIn, responses={201: PromotionOut})
@api_view(["POST"])
def roll_back_promotion(request: Request, slug: str) -> Response:
    """Make the previous selector the selector again."""
    body = read_body(request, RollBackIn)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    promotion = step_scorer_promotions.roll_back_promotion(project, by=signed_in(request), **body)
    return answer(PromotionOut, promotion, 201)
