"""Reads about the queue: tasks by state, and why a labeler gets none."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, Min, OuterRef, Prefetch, Q, QuerySet
from django.utils import timezone

from labeling.errors import NotFound
from labeling.models import Label, Project, Round, Task, User
from labeling.queries.held_labels import HELD, is_held_by, refuse_holder
from labeling.queries.prepared_sql import execute_prepared, one_line
from labeling.queries.projects import RESEARCHER, get_project_by_id_as
from labeling.queries.traces import finished_labels

# This many tasks can be done without a network.
MOST_AHEAD = 5
# How many tasks one of the labelers at work may lease ahead: their share of the free tasks and of those they already
# hold ahead. Free tasks are counted only up to what all of them together could have.
SHARE_AHEAD = one_line("""
    WITH hands AS (
        SELECT count(DISTINCT labeler_id) FILTER (WHERE labeler_id <> %(labeler)s) + 1 AS count,
            count(*) FILTER (WHERE labeler_id = %(labeler)s AND status = 'prefetched') AS own
        FROM labeling_label WHERE project_id = %(project)s AND status IN ('open', 'prefetched')
    ), free AS (
        SELECT count(*) AS count FROM (
            SELECT FROM labeling_round round JOIN labeling_task task ON task.round_id = round.id
            WHERE round.project_id = %(project)s AND round.status = 'labeling' AND task.labels_wanted > 0
            LIMIT %(most)s * (SELECT count FROM hands)) wanted
    )
    SELECT greatest(1, least(%(most)s, (free.count + hands.own) / hands.count)) FROM hands, free
""")


@dataclass(frozen=True)
class Empty:
    """Why there is nothing to label now, and what may change that."""

    code: str
    detail: str
    tasks_left: int = 0
    next_free_in_seconds: int | None = None


@dataclass(frozen=True)
class Claim:
    """What a labeler holds after a claim: the label to work on, the one leased ahead, and those after that."""

    label: Label | None
    next: Label | None = None
    empty: Empty | None = None  # why there is no label
    further: Sequence[int] = ()  # labels leased ahead behind the next, in order
    leased: Label | None = None  # the one of these that the claim leased; None if it leased several


def share_ahead(labeler: User, project: Project, wanted: int) -> int:
    """Return how many of `wanted` tasks a labeler may lease ahead, leaving as many to each of the others at work."""
    named = {"labeler": labeler.pk, "project": project.pk, "most": min(wanted, MOST_AHEAD)}
    [[share]] = execute_prepared(SHARE_AHEAD, named)
    return int(share)


def get_visible_task(user: User, task_id: int) -> Task:
    """Return a task of a project in which this person is a researcher or admin, with its labels.

    Raises NotFound, and LabelHeld while they are labeling it themselves.
    """
    task = (
        Task.objects.select_related("round__project", "trace__problem")
        .prefetch_related("trace__completions", Prefetch("labels", queryset=finished_labels()))
        .filter(pk=task_id)
        .first()
    )
    if task is None:
        raise NotFound
    get_project_by_id_as(user, task.round.project_id, RESEARCHER)
    refuse_holder(user, task.trace)
    return task


def browse_tasks(project: Project, user: User, asked: dict[str, Any]) -> QuerySet[Task]:
    """The project's tasks, narrowed by round, kind, state (waiting, in_progress, done) and `q`.

    Tasks that the person is labeling are left out: the list says which tasks are gold.
    """
    tasks = Task.objects.filter(round__project=project).select_related("round", "trace__problem")
    tasks = tasks.defer("trace__typed_steps")
    tasks = tasks.exclude(is_held_by(user, trace="trace"))
    if asked.get("round"):
        tasks = tasks.filter(round=asked["round"])
    if asked.get("kind"):
        tasks = tasks.filter(kind=asked["kind"])
    if asked.get("q"):
        tasks = tasks.filter(trace__problem__text__icontains=asked["q"])
    started = Exists(Label.objects.filter(task=OuterRef("pk"), status__in=[*HELD, Label.Status.SUBMITTED]))
    held = Exists(Label.objects.filter(task=OuterRef("pk"), status__in=HELD))
    match asked.get("state"):
        case "waiting":
            tasks = tasks.filter(~started, labels_wanted__gt=0)
        case "in_progress":
            tasks = tasks.filter(started).filter(Q(labels_wanted__gt=0) | Q(held))
        case "done":
            tasks = tasks.filter(~held, labels_wanted=0)
    return tasks


def label_counts(tasks: list[Task]) -> dict[int, dict[str, int]]:
    """Return, per task id, the numbers of its submitted and held labels. One query."""
    rows = (
        Label.objects.filter(task__in=[task.pk for task in tasks])
        .values("task")
        .annotate(
            submitted=Count("pk", filter=Q(status=Label.Status.SUBMITTED)),
            open=Count("pk", filter=Q(status__in=HELD)),
        )
    )
    return {row["task"]: {"submitted": row["submitted"], "open": row["open"]} for row in rows}


def why_empty(labeler: User, project: Project) -> Empty:
    """Return the real reason why a claim found nothing."""
    if project.status == Project.Status.ARCHIVED:
        return Empty("project_archived", "This project is archived, so there is nothing to label.")
    if not Round.objects.filter(project=project, status=Round.Status.LABELING).exists():
        return Empty("no_open_round", "No round is open now. A researcher must open the next one.")
    held = _held_by_others(labeler, project).aggregate(n=Count("pk"), first=Min("leased_until"))
    left, next_free = held["n"], held["first"]
    if left == 0:
        return Empty("all_done_for_you", "You have labeled every task available to you. Thank you.")
    wait = max(0, round((next_free - timezone.now()).total_seconds()))
    minutes = max(1, round(wait / 60))
    return Empty(
        "all_being_labeled",
        f"{left} left, {'but it is' if left == 1 else 'but all are'} being labeled. The next may become free in"
        f" about {minutes} minute{'' if minutes == 1 else 's'}.",
        left,
        wait,
    )


def _held_by_others(labeler: User, project: Project) -> QuerySet[Label]:
    """The held labels of tasks that this labeler could get if they became free."""
    had = Label.objects.filter(task=OuterRef("task"), labeler=labeler).exclude(status=Label.Status.EXPIRED)
    return Label.objects.filter(
        ~Exists(had),
        project=project,
        status__in=HELD,
        surplus=False,
        task__kind=Task.Kind.WORK,  # others' gold never becomes free, and "n left" must not count it
        task__round__status=Round.Status.LABELING,
    ).exclude(leased_until=None)
