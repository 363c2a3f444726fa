"""Reads about trainings begun when rounds close: which are waiting, what they learn from, what became of the newest."""

from typing import Any

from django.conf import settings
from django.db.models import Prefetch, Q, prefetch_related_objects

from labeling.formats.training import resolved_switches
from labeling.models import Label, Project, Round, Task, TrainingRun
from labeling.queries.rounds import round_counts
from labeling.queries.training import trainable_rounds
from labeling.queries.training_examples import preview, too_little

Json = dict[str, Any]
UNDER_WAY = (TrainingRun.Status.QUEUED, TrainingRun.Status.RUNNING)
HEAVY = ("label_ids", "points", "report", "data")


def is_wanted_at(round_: Round) -> bool:
    """Return whether the close of this round begins a training: it has labels of work, and its project trains at each
    close. Gold and screening teach nothing. Two queries.
    """
    if not Project.objects.filter(pk=round_.project_id, trains_at_close=True).exists():
        return False
    submitted = Label.objects.filter(task__round=round_, status=Label.Status.SUBMITTED)
    return submitted.filter(task__kind=Task.Kind.WORK).exists()


def projects_due() -> list[Project]:
    """Return the projects with rounds whose close has not begun its training yet. One query."""
    return list(Project.objects.filter(rounds__training_due=True).distinct().order_by("pk"))


def rounds_to_learn(project: Project) -> list[Round]:
    """Return the closed rounds that hold labels, including imported ones: those the form offers, without open ones.

    They are read at one moment, so that a round closed meanwhile is neither learned from nor considered done. The round
    closed last comes last. Three queries.
    """
    closed = [one for one in trainable_rounds(project) if one.closed_at is not None]
    counts = round_counts(closed)
    held = [one for one in closed if counts[one.pk]["submitted"] + counts[one.pk]["surplus"]]
    return sorted(held, key=lambda one: (one.closed_at, one.number))


def refused_at_close(project: Project, closing: int) -> str:
    """Return why a training at the close of this round could learn nothing now; empty if it could. A round of another
    project adds nothing. About four queries.
    """
    ids = {one.pk for one in rounds_to_learn(project)} | {one.pk for one in trainable_rounds(project, [closing])}
    like = newest_training(project)
    if (like.base if like else next(iter(settings.TRAINING_BASES), "")) not in settings.TRAINING_BASES:
        return "There is no base model to train from. Ask the operator to name one in TRAINING_BASES."
    switches = resolved_switches(like.switches if like else {})
    return too_little(preview(project, sorted(ids), switches), switches)


def under_way(project: Project) -> int | None:
    """Return the project's training that runs or waits for a worker, whoever began it; the newest of several."""
    found = TrainingRun.objects.filter(project=project, status__in=UNDER_WAY).order_by("-pk")
    return found.values_list("pk", flat=True).first()


def newest_training(project: Project) -> TrainingRun | None:
    """Return the newest training of steps that was neither stopped nor failed; the next one copies its settings."""
    runs = TrainingRun.objects.filter(project=project).exclude(target=TrainingRun.Target.OUTCOME)
    ended_badly = (TrainingRun.Status.FAILED, TrainingRun.Status.CANCELLED)
    return runs.exclude(status__in=ended_badly).defer(*HEAVY, "log").order_by("-pk").first()


def name_trainings(rounds: list[Round]) -> None:
    """Fetch only the names of the trainings that the rounds' closes began. One query, or none if none began."""
    prefetch_related_objects(rounds, Prefetch("training", TrainingRun.objects.only("name")))


def training_at_close(project: Project) -> Json:
    """Return whether the project trains at each close, and what became of the newest close with labels: its round, and
    the run that it began, or `due` (and the training it waits behind), or why none was begun. Two queries.
    """
    noted = Q(training_due=True) | Q(training__isnull=False) | ~Q(training_error="")
    rounds = Round.objects.filter(noted, project=project, closed_at__isnull=False).select_related("training")
    heavy = ["report", "selection", *(f"training__{name}" for name in HEAVY)]
    newest = rounds.defer(*heavy).order_by("-closed_at", "-number").first()
    due = newest is not None and newest.training_due
    return {
        "on": project.trains_at_close,
        "has_base": bool(settings.TRAINING_BASES),
        "round": newest,
        "closed_at": newest and newest.closed_at,
        "due": due,
        "behind": under_way(project) if due else None,
        "run": newest and newest.training,
        "error": newest.training_error if newest else "",
    }
