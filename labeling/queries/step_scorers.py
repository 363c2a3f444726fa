"""Reads about PRMs: which ones a project may use, and how many of its traces each has scored."""

from django.db.models import Q, QuerySet

from labeling.errors import InvalidFields
from labeling.models import Project, ScoreCount, StepScorer


def prms_of(project: Project) -> QuerySet[StepScorer]:
    """The PRMs that a project may use: its own and those for every project, the newest first."""
    own = StepScorer.objects.filter(Q(project=None) | Q(project=project)).select_related("training_run")
    return own.defer(*(f"training_run__{name}" for name in ("label_ids", "points", "log"))).order_by("-pk")


def get_prm(project: Project, prm_id: int | None) -> StepScorer | None:
    """The PRM of that id, None for none. Raises InvalidFields where the project cannot use it."""
    if prm_id is None:
        return None
    prm = prms_of(project).filter(pk=prm_id).first()
    if prm is None:
        raise InvalidFields(fields={"prm": ["There is no such PRM. Choose one of this project's list."]})
    return prm


def require_prm(project: Project, prm_id: int) -> StepScorer:
    """The PRM of that id. Raises InvalidFields where the project cannot use it."""
    prm = get_prm(project, prm_id)
    assert prm is not None
    return prm


def scored_counts(project: Project) -> dict[int, int]:
    """Per PRM, how many traces of the project have a score or a reason for none. One query."""
    return dict(ScoreCount.objects.filter(project=project).values_list("scorer", "traces"))
