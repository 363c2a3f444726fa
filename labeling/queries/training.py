"""Reads about training runs, the available bases, and the PRM that is a project's selector."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from labeling.errors import NotFound
from labeling.models import Project, Promotion, Round, ScoreCount, StepScorer, TrainingRun, User
from labeling.queries.projects import RESEARCHER, get_project_by_id_as
from labeling.queries.rounds import round_counts
from labeling.queries.sources import sources_of

Json = dict[str, Any]

PUBLISHED = (Round.Status.LABELING, Round.Status.PAUSED, Round.Status.CLOSED)


def trainable_rounds(project: Project, ids: Sequence[int] | None = None) -> list[Round]:
    """Return the project's rounds that labelers saw, and imported ones, newest first; or those with these ids."""
    rounds = Round.objects.filter(project=project, status__in=PUBLISHED, opened_at__isnull=False)
    rounds |= Round.objects.filter(project=project, imported=True)
    return list((rounds if ids is None else rounds.filter(pk__in=ids)).order_by("-number"))


def training_options(project: Project) -> dict[str, Any]:
    """Return the bases, rounds and sources of machine labels that a person can choose from. Six queries."""
    rounds = trainable_rounds(project)
    counts = round_counts(rounds)
    return {
        "bases": list(settings.TRAINING_BASES),
        "rounds": [
            {
                "id": one.pk,
                "number": one.number,
                "name": one.name,
                "status": one.status,
                "labels": counts[one.pk]["submitted"] + counts[one.pk]["surplus"],
            }
            for one in rounds
        ],
        "sources": teachers(project),
    }


def teachers(project: Project) -> list[dict[str, Any]]:
    """Return the sources of machine labels that marked traces of the project. Two queries."""
    found = ScoreCount.objects.filter(project=project, traces__gt=0).values_list("scorer", "traces")
    marks = dict(found)
    return [
        {"id": one.pk, "name": one.name, "kind": one.kind, "marks": marks[one.pk]}
        for one in sources_of(project).filter(pk__in=marks)
    ]


def runs_of(project: Project) -> QuerySet[TrainingRun]:
    """The project's runs without what only a run's own page shows."""
    runs = TrainingRun.objects.filter(project=project).select_related("created_by", "prm")
    return runs.defer("label_ids", "points", "log")


def get_visible_run(user: User, run_id: int) -> TrainingRun:
    """Return a run of a project in which this person is a researcher or admin. Raises NotFound."""
    runs = TrainingRun.objects.select_related("project", "created_by", "prm").defer("label_ids")
    found = runs.filter(pk=run_id).first()
    if found is None:
        raise NotFound
    get_project_by_id_as(user, found.project_id, RESEARCHER)
    return found


def rounds_by_id(runs: Sequence[TrainingRun]) -> dict[int, Round]:
    """Return the rounds that these runs learned from. One query."""
    return Round.objects.only("number", "name").in_bulk({pk for run in runs for pk in run.round_ids})


def advised_threshold(scorer: StepScorer) -> float | None:
    """Return the best threshold on the validation labels of the PRM's training here; None if none was chosen."""
    run = getattr(scorer, "training_run", None)
    chosen = run.report.get("meta", {}).get("threshold") if run else None
    return float(chosen["value"]) if chosen else None


def selector_of(project: Project) -> Promotion | None:
    """Return the promotion that made the project's selector; None if none was chosen."""
    promotions = Promotion.objects.filter(project=project).select_related("scorer", "before", "by")
    return promotions.order_by("-pk").first()


def promotions_of(project: Project) -> QuerySet[Promotion]:
    """All changes of the selector."""
    return Promotion.objects.filter(project=project).select_related("scorer", "before", "by")


def closes_of(runs: Iterable[int]) -> dict[int, Round]:
    """Return, by run, the round whose close began it; if it waited for several, the last one. One query."""
    closed = Round.objects.filter(training__in=list(runs)).only("number", "name", "training_id")
    return {one.training_id: one for one in closed.order_by("closed_at", "number") if one.training_id is not None}


def learning_of(project: Project) -> Json | None:
    """Return the learning curve of the newest step training that has one. One query, or two if there is one."""
    run = (
        TrainingRun.objects.filter(project=project, status=TrainingRun.Status.SUCCEEDED)
        .exclude(target=TrainingRun.Target.OUTCOME)
        .exclude(report__learning_curve=None)
        .filter(report__has_key="learning_curve")
        .order_by("-pk")
        .values("pk", "name", "finished_at", "report__learning_curve")
        .first()
    )
    if run is None:
        return None
    curve = run["report__learning_curve"]
    about = {"run": run["pk"], "name": run["name"], "finished_at": run["finished_at"], "curve": curve}
    return {**about, "at_close_of": closes_of([run["pk"]]).get(run["pk"])}
