"""Overlap that adapts: after each submission a task is settled, wants one more label, or waits for a reviewer.

The decision is made under the task's lock from all its labels (`labeling.quality.consensus` is the rule). So it does
not matter how often or in which order this runs: a duplicate submission asks nobody twice.
"""

from django.db import connection
from django.db.models import F
from django.utils import timezone

from labeling.actions.path_consensus import resolve_answers
from labeling.errors import InvalidFields
from labeling.models import Project, Round, Task
from labeling.protocol.choose_step import CHOOSE_STEP
from labeling.quality.consensus import AskedOverlap, Decision, Overlap, decide, overlap_faults
from labeling.queries.labels import BAD_PROBLEM_VOTE, VOTE
from labeling.queries.sql_slots import fill

Settlement = Task.Settlement

# One row per label that counts: its vote, and whether it is still being worked on.
VOTES = f"""
    SELECT {fill(VOTE, label="label")}, label.status <> 'submitted'
    FROM labeling_label label
    WHERE label.task_id = %s AND label.status IN ('submitted', 'open', 'prefetched') AND NOT label.surplus
"""


def overlap_of(project: Project, asked: AskedOverlap) -> Overlap:
    """Return the requested overlap. The default is the project's; a bare overlap is fixed. Raises InvalidFields."""
    own = project.default_overlap_asked
    if asked.base is None:
        most = own.most if asked.most is None else asked.most
        asked = AskedOverlap(own.base, own.needed if asked.needed is None else asked.needed, most)
    return require_overlap(asked)


def require_overlap(asked: AskedOverlap, *, prefix: str = "") -> Overlap:
    """Return the overlap if it is fixed (most and needed 0) or its numbers fit together. Raises InvalidFields."""
    numbers = asked.base or 1, asked.needed or 0, asked.most or 0
    if faults := overlap_faults(*numbers):
        raise InvalidFields(fields={f"{prefix}overlap_{name}": [fault] for name, fault in faults.items()})
    return Overlap(*numbers)


def overlap_columns(overlap: Overlap) -> dict[str, int]:
    """Return a round's columns, as `Round.overlap_rule` reads them."""
    return {"overlap": overlap.base, "overlap_needed": overlap.needed, "overlap_most": overlap.most}


def resolve_consensus(task: Task) -> None:
    """Decide again what follows from a task's labels. Call it last in the transaction that changed one of them.

    Does nothing if the overlap is fixed, the task is gold, a reviewer has settled it, or it was taken off the queue.
    Takes the task's lock or, if paths are chosen, the locks of all paths of the problem.
    """
    if task.round.protocol == CHOOSE_STEP.name:
        resolve_answers(task)
        return
    if not task.round.adapts or task.kind != Task.Kind.WORK:
        return
    held = Task.objects.select_for_update(no_key=True, of=("self",)).select_related("round")
    now = held.get(pk=task.pk)
    if now.settlement == Settlement.RULED or now.withdrawn is not None:
        return
    decision = _decide(now)
    _write(now, decision)
    task.settlement, task.settled_at = now.settlement, now.settled_at


def _decide(task: Task) -> Decision:
    """Decide from the labels. While one is wanted or being worked on, the decision is only that more is coming."""
    with connection.cursor() as cursor:
        cursor.execute(VOTES, [task.pk])
        votes = cursor.fetchall()
    if task.labels_wanted or any(working for _, working in votes):
        return Decision("ask")
    return decide([vote for vote, _ in votes], task.round.overlap_rule)


def _write(task: Task, decision: Decision) -> None:
    before = (task.settlement, task.settled_at, task.verdict)
    task.settlement, task.settled_at, task.verdict = "", None, None
    if decision.state == "settled":
        task.settlement, task.settled_at = Settlement.AGREED, before[1] or timezone.now()
        vote = decision.verdict
        task.verdict = vote if isinstance(vote, int) and vote != BAD_PROBLEM_VOTE else None
    elif decision.state == "no_consensus":
        task.settlement = Settlement.NO_CONSENSUS
    if (task.settlement, task.settled_at, task.verdict) != before:
        task.save(update_fields=["settlement", "settled_at", "verdict"])
    if decision.ask and task.round.status != Round.Status.CLOSED:
        Task.objects.filter(pk=task.pk).update(labels_wanted=F("labels_wanted") + decision.ask)
