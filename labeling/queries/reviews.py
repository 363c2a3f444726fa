"""The tasks waiting for a reviewer, and everything needed to decide about one."""

from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Prefetch, QuerySet
from django.db.models.expressions import RawSQL

from labeling.errors import NotFound
from labeling.models import Label, Project, ReviewKind, Round, StepReply, Task, Trace, User
from labeling.queries.held_labels import is_held_by, refuse_holder
from labeling.queries.labels import NOT_EXCLUDED, VOTE
from labeling.queries.projects import RESEARCHER, get_project_by_id_as
from labeling.queries.sql_slots import fill
from labeling.queries.traces import finished_labels

# One row per reason: its kind, the task, and since when. Revised and surplus labels give none. A label that was left
# out by hand, or whose right answer is known, gives no reason based on its ratings; what it says about the trace still
# needs to be read.
OF_LABELS = """
    SELECT '{kind}', label.task_id, {at} FROM labeling_label label {join}
    WHERE label.project_id = %(project)s AND label.status = 'submitted' AND {condition}
"""
OF_WORK = "JOIN labeling_task task ON task.id = label.task_id AND task.kind = 'work'"
OPEN = "round.status NOT IN ('closed', 'cancelled')"  # other rounds settle nothing any more, so nobody needs to decide
SOURCES: dict[str, str] = {
    ReviewKind.NO_CONSENSUS: f"""
        SELECT 'no_consensus', task.id, (
            SELECT max(label.submitted_at) FROM labeling_label label WHERE label.task_id = task.id)
        FROM labeling_task task JOIN labeling_round round ON round.id = task.round_id
        WHERE task.settlement = 'no_consensus' AND task.withdrawn IS NULL AND round.project_id = %(project)s
            AND {OPEN}
    """,
    # With adaptive overlap, the machine asks for more labels; here nothing does, so every difference needs a person.
    ReviewKind.DISAGREEMENT: f"""
        SELECT 'disagreement', task.id, differing.at
        FROM labeling_round round JOIN labeling_task task ON task.round_id = round.id
        CROSS JOIN LATERAL (
            SELECT max(label.submitted_at) AS at, count(DISTINCT {fill(VOTE, label="label")}) AS votes,
                count(DISTINCT label.run_marks->>'decisive_error') AS decisive
            FROM labeling_label label
            WHERE label.task_id = task.id AND label.status = 'submitted' AND NOT label.surplus
                AND {NOT_EXCLUDED}) differing
        WHERE round.project_id = %(project)s AND round.overlap > 1 AND round.overlap_most = 0
            AND task.kind = 'work' AND task.labels_wanted = 0 AND task.settled_at IS NULL AND task.withdrawn IS NULL
            AND {OPEN} AND (differing.votes > 1 OR differing.decisive > 1)
    """,
    ReviewKind.CONTRADICTION: fill(
        OF_LABELS,
        kind="contradiction",
        at="label.submitted_at",
        join=OF_WORK,
        condition=f"label.confirmations <> '[]' AND {NOT_EXCLUDED}",
    ),
    ReviewKind.FLAGGED: fill(
        OF_LABELS,
        kind="flagged",
        at="label.submitted_at",
        join=f"{OF_WORK} JOIN labeling_steplabel step ON step.label_id = label.id",
        condition=f"step.flagged AND {NOT_EXCLUDED}",
    ),
    ReviewKind.COMMENT: fill(
        OF_LABELS,
        kind="comment",
        at="label.submitted_at",
        join="JOIN labeling_stepcomment said ON said.label_id = label.id",
        condition="TRUE",
    ),
    **{
        kind: fill(
            OF_LABELS,
            kind=kind,
            at="label.submitted_at",
            join="JOIN labeling_tracereport report ON report.label_id = label.id",
            condition=f"report.kind = '{kind}'",
        )
        for kind in ("split_badly", "answer_wrong")
    },
    ReviewKind.BAD_PROBLEM: fill(
        OF_LABELS,
        kind="bad_problem",
        at="label.submitted_at",
        join=OF_WORK,
        condition=f"label.finish_reason = 'bad_problem' AND {NOT_EXCLUDED}",
    ),
    ReviewKind.ASKED_FOR: fill(
        OF_LABELS,
        kind="asked_for",
        at="change.at",
        join="JOIN labeling_labelchange change ON label.id = ANY(change.label_ids)"
        " AND change.project_id = label.project_id AND change.kind = 'review' AND change.undone_at IS NULL",
        condition="TRUE",
    ),
}
WAITING = """
    SELECT source.kind, source.task, max(source.at) AS at FROM ({sources}) AS source (kind, task, at)
    WHERE NOT EXISTS (
        SELECT FROM labeling_reviewdecision decision
        WHERE decision.task_id = source.task AND decision.kind = source.kind AND decision.at >= source.at)
    GROUP BY source.kind, source.task
"""
COUNTS = """
    SELECT kind, count(DISTINCT task) FROM ({waiting}) AS waiting
    WHERE %(round)s::bigint IS NULL OR task IN (SELECT id FROM labeling_task WHERE round_id = %(round)s)
    GROUP BY GROUPING SETS ((kind), ())
"""
OF_TASKS = "SELECT task, kind, at FROM ({waiting}) AS waiting WHERE task = ANY(%(tasks)s) ORDER BY task, kind"


@dataclass(frozen=True)
class Reviewed:
    """A task as its reviewer sees it: with its labels and replies, and the kinds of review it waits for."""

    task: Task
    waiting: list[str]
    replies: list[StepReply]
    held: int
    newer: int | None  # the task of the trace's version with the repaired split, in the same round
    older: int | None


def waiting_for(reader: User, project: Project, kind: str = "") -> QuerySet[Task]:
    """The waiting tasks this reviewer may open: none they are labeling themselves."""
    return waiting_tasks(project, kind).exclude(is_held_by(reader, trace="trace"))


def waiting_tasks(project: Project, kind: str = "") -> QuerySet[Task]:
    """The project's tasks that wait for a reviewer, for any reason or for one `kind`."""
    found = f"SELECT task FROM ({_waiting(kind)}) AS waiting"
    waiting = Task.objects.filter(pk__in=RawSQL(found % {"project": "%s"}, _repeated(found, project)))
    return waiting.select_related("round", "trace__problem").defer("trace__typed_steps")


def waiting_counts(project: Project, round: int | None = None) -> dict[str, Any]:
    """Count the waiting tasks of a project or one of its rounds, by `kinds` and in total (`tasks`). Every kind has an
    entry. One query.
    """
    counts = dict(_rows(fill(COUNTS, waiting=_waiting()), {"project": project.pk, "round": round}))
    return {"tasks": counts.pop(None, 0), "kinds": dict.fromkeys(ReviewKind.values, 0) | counts}


def kinds_of(project: Project, tasks: list[Task]) -> dict[int, list[str]]:
    """Return the reasons for which each of these tasks waits. One query."""
    kinds: dict[int, list[str]] = {task.pk: [] for task in tasks}
    about = {"project": project.pk, "tasks": list(kinds)}
    for task, kind, _ in _rows(fill(OF_TASKS, waiting=_waiting()), about) if kinds else ():
        kinds[task].append(kind)
    return kinds


def get_reviewable_task(user: User, task_id: int) -> Task:
    """Return a task of a project in which this person is a researcher or admin, with its project.

    Raises NotFound, and LabelHeld while they are labeling it themselves.
    """
    tasks = Task.objects.select_related("round__project", "trace__problem", "trace__project")
    found = tasks.defer("trace__typed_steps").filter(pk=task_id).first()
    if found is None:
        raise NotFound
    get_project_by_id_as(user, found.round.project_id, RESEARCHER)
    refuse_holder(user, found.trace)
    return found


def reviewed(task: Task) -> Reviewed:
    """Return everything about a task that a reviewer needs to decide."""
    project = task.round.project
    fetched = (
        Task.objects.select_related("round__project", "trace__problem", "trace__project", "trace__replaced_by")
        .prefetch_related("trace__completions", "decisions__by")
        .prefetch_related(Prefetch("labels", queryset=finished_labels()))
        .get(pk=task.pk)
    )
    held = Label.objects.filter(task=task, status__in=(Label.Status.OPEN, Label.Status.PREFETCHED)).count()
    replies = StepReply.objects.filter(task=task).select_related("author", "labeler").order_by("pk")
    older = fetched.trace.replaces.first()
    return Reviewed(
        fetched,
        kinds_of(project, [fetched])[task.pk],
        list(replies),
        held,
        newer=task_in(fetched.round, fetched.trace.replaced_by),
        older=task_in(fetched.round, older),
    )


def task_in(round_: Round, trace: Trace | None) -> int | None:
    """Return the id of a trace's task in the round; None if there is no such trace or task."""
    if trace is None:
        return None
    return Task.objects.filter(round=round_, trace=trace).values_list("pk", flat=True).first()


def threads_of(labeler: User, project: Project) -> QuerySet[StepReply]:
    """The replies to a labeler's comments, and their own answers, newest first; only this labeler's."""
    own = StepReply.objects.filter(labeler=labeler, task__round__project=project)
    return own.select_related("author", "task__trace__problem", "task__round").defer("task__trace__typed_steps")


def has_open_round(task: Task) -> bool:
    """Return whether the task's round may still change."""
    return task.round.status != Round.Status.CLOSED


def _waiting(kind: str = "") -> str:
    sources = [SOURCES[kind]] if kind else SOURCES.values()
    return fill(WAITING, sources=" UNION ALL ".join(sources))


def _repeated(statement: str, project: Project) -> list[int]:
    return [project.pk] * statement.count("%(project)s")


def _rows(statement: str, named: dict[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, named)
        return cursor.fetchall()
