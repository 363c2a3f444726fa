"""A project's models on one timeline (scorers, trainings, evaluations, promotions), and a leaderboard for each set.

Figures come from the evaluations' frozen reports. Two rows of a set are comparable if both were measured on the set as
it is now (`current`). Only a comparison of two evaluations shows a difference: the intervals of rows are not paired.
"""

from collections.abc import Iterator
from typing import Any

from django.db.models import F, Q

from labeling.models import Evaluation, EvaluationSet, Project, Promotion, StepScorer, TrainingRun
from labeling.queries.step_scorers import knows_origin
from labeling.queries.training import closes_of, learning_of, selector_of

Json = dict[str, Any]
MOST = 100  # of each kind
LEADING = ("auc", "first_error_accuracy", "processbench_f1", "f1_negative", "ece")
MOST_SETS = 20
KINDS = ("made", "trained", "evaluated", "promoted")


def model_history(project: Project) -> Json:
    """Return the events, newest first, and a leaderboard for each evaluation set, newest set first. Eleven queries."""
    events = [*_made(project), *_trained(project), *_evaluated(project), *_promoted(project)]
    promotion = selector_of(project)
    return {
        "events": sorted(events, key=lambda one: (one["at"], KINDS.index(one["kind"])), reverse=True),
        "selector": promotion.scorer if promotion else None,
        "learning": learning_of(project),
        "leaderboards": leaderboards(project, promotion.scorer_id if promotion else None),
    }


def leaderboards(project: Project, selector: int | None) -> list[Json]:
    """Return, for each set with a finished evaluation, every scorer's newest evaluation, highest step AUC first."""
    sets = EvaluationSet.objects.filter(project=project, evaluations__status="succeeded").distinct()
    boards: dict[int, Json] = {one.pk: {"set": one, "rows": []} for one in sets.order_by("-pk")[:MOST_SETS]}
    found = (
        Evaluation.objects.filter(evaluation_set__in=list(boards), status=Evaluation.Status.SUCCEEDED)
        .order_by("evaluation_set", "scorer", "-pk")
        .distinct("evaluation_set", "scorer")
        .select_related("scorer__training_run")
        .defer("report", "scorer__training_run__label_ids", "scorer__training_run__points", "scorer__training_run__log")
        .annotate(figures=F("report__figures"), beats=F("report__beats_baseline"), said_wrong=F("report__said_wrong"))
    )
    for one in found:
        board = boards[one.evaluation_set_id]
        board["rows"].append(_row(one, board["set"], selector))
    for board in boards.values():
        board["rows"].sort(key=_by_auc)
    return list(boards.values())


def _by_auc(row: Json) -> float:
    """Sort by AUC; rows without one come last."""
    return next((-figure["value"] for figure in row["figures"] if figure["name"] == "auc" and figure["value"]), 1.0)


def _row(one: Any, of: EvaluationSet, selector: int | None) -> Json:
    by_name = {figure["name"]: figure for figure in one.figures or []}
    run = getattr(one.scorer, "training_run", None)
    return {
        "evaluation": one.pk,
        "prm": one.scorer,
        "at": one.finished_at or one.created_at,
        "threshold": one.threshold,
        "labels": run.labels_total if run else None,
        "selector": one.scorer_id == selector,
        "beats_baseline": one.beats,
        "never_wrong": one.said_wrong == 0,
        "origin_known": knows_origin(one.scorer),
        "current": one.set_hash == of.set_hash,
        "figures": [by_name[name] for name in LEADING if name in by_name],
    }


def _event(kind: str, **about: Any) -> Json:
    blank = {
        "prm": None,
        "by": None,
        "labels": None,
        "set": "",
        "auc": None,
        "beats_baseline": None,
        "status": "succeeded",
        "note": "",
        "of": "",
        "at_close_of": None,
    }
    return {"kind": kind, **blank, **about}


def _made(project: Project) -> Iterator[Json]:
    """Yield the connected, registered or imported scorers, site-wide ones too. Trained ones appear as trainings."""
    usable = Q(project=project) | Q(project=None)
    found = StepScorer.objects.filter(usable, training_run=None).select_related("created_by")
    for one in found.order_by("-pk")[:MOST]:
        yield _event("made", id=one.pk, at=one.created_at, by=one.created_by, prm=one, of=one.kind)


def _trained(project: Project) -> Iterator[Json]:
    found = TrainingRun.objects.filter(project=project).select_related("created_by", "prm")
    runs = list(found.defer("label_ids", "points", "log", "report").order_by("-pk")[:MOST])
    closes = closes_of(one.pk for one in runs)
    for one in runs:
        about = {"id": one.pk, "by": one.created_by, "prm": one.prm, "labels": one.labels_total or None}
        when = {"at": one.finished_at or one.created_at, "at_close_of": closes.get(one.pk)}
        yield _event("trained", status=one.status, note=one.name, **when, **about)


def _evaluated(project: Project) -> Iterator[Json]:
    found = Evaluation.objects.filter(project=project).select_related("created_by", "scorer", "evaluation_set")
    told = found.defer("report").annotate(figures=F("report__figures"), beats=F("report__beats_baseline"))
    for one in told.order_by("-pk")[:MOST]:
        auc = next((figure for figure in one.figures or [] if figure["name"] == "auc"), None)
        about = {"id": one.pk, "by": one.created_by, "prm": one.scorer, "set": one.evaluation_set.name, "auc": auc}
        when = {"at": one.finished_at or one.created_at}
        yield _event("evaluated", status=one.status, beats_baseline=one.beats, **when, **about)


def _promoted(project: Project) -> Iterator[Json]:
    for one in Promotion.objects.filter(project=project).select_related("scorer", "by").order_by("-pk")[:MOST]:
        yield _event("promoted", id=one.pk, at=one.at, by=one.by, prm=one.scorer, note=one.note)
