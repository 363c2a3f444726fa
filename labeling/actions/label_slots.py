"""The slots of a task: `Task.labels_wanted` counts the free ones. None is taken twice, however many claims race.

A gold task counts none: its slots belong to the labelers whose plan contains it (`gold_plans`).
"""

from collections.abc import Sequence

from django.db import connection, transaction
from django.db.models import F

from labeling import queries
from labeling.actions.gold_plans import has_plan, next_gold, note_served
from labeling.models import Label, Project, Task, User
from labeling.queries.lost_gold_slots import gold_slot_is_gone
from labeling.queries.planner import note_written
from labeling.queries.prepared_sql import execute_prepared, one_line
from labeling.queries.sql_slots import fill

# The first task of a round that this labeler may get. The list of statuses repeats that of the index
# `one_label_a_task_and_labeler`, so that the look-up can use the index. OFFSET 0 keeps it a look-up:
# as a join, one bad estimate made it compare every task with every label.
NEXT_TASK = """
    SELECT task.id FROM labeling_task task
    WHERE task.round_id = {round} AND task.labels_wanted > 0 AND NOT EXISTS (
        SELECT FROM labeling_label label
        WHERE label.task_id = task.id AND label.labeler_id = %(labeler)s
        AND label.status IN ('prefetched', 'open', 'submitted', 'expired', 'released') OFFSET 0)
    AND {not_another_path}
    {where}
    ORDER BY task.order_key, task.id LIMIT 1
"""
# If several labelers choose a path through a problem, each path is a task, and nobody gets two of them. Only tasks of
# such rounds have the reason, so for other tasks this is one comparison.
NOT_ANOTHER_PATH = """(task.reason <> 'path' OR NOT EXISTS (
        SELECT FROM labeling_label own JOIN labeling_task had ON had.id = own.task_id
        JOIN labeling_trace made ON made.id = had.trace_id JOIN labeling_trace wanted ON wanted.id = task.trace_id
        WHERE own.labeler_id = %(labeler)s AND had.round_id = task.round_id AND made.problem_id = wanted.problem_id
        AND own.status IN ('prefetched', 'open', 'submitted', 'expired', 'released') OFFSET 0))"""
# The counter on the task is decremented under the task's own lock, and tasks that other claimers have
# locked are skipped: two racing claimers never both get the last slot.
TAKE_SLOT = """
    UPDATE labeling_task SET labels_wanted = labels_wanted - 1
    WHERE id = {next_task} RETURNING id, trace_id, round_id
"""
UNLESS_LOCKED = " FOR UPDATE OF task SKIP LOCKED"
# If tasks want several labels, the queue may begin with thousands that this labeler has labeled and nobody
# else yet. So look among the first, then behind the labeler's latest work, then everywhere. (Asking for the
# latest by a range of one labeler leaves `label_latest` as the only index that gives their order.)
AMONG_THE_FIRST = """
    AND (task.order_key, task.id) <= (
        SELECT order_key, id FROM (
            SELECT order_key, id FROM labeling_task WHERE round_id = {round} AND labels_wanted > 0
            ORDER BY order_key, id LIMIT 20) first
        ORDER BY order_key DESC, id DESC LIMIT 1)
"""
BEHIND_OWN_WORK = """
    AND (task.order_key, task.id) > (
        SELECT order_key, id FROM (
            SELECT done.order_key, done.id FROM labeling_label label JOIN labeling_task done ON done.id = label.task_id
            WHERE label.labeler_id BETWEEN %(labeler)s AND %(labeler)s AND done.round_id = {round}
            ORDER BY label.labeler_id DESC, label.id DESC LIMIT 20) latest
        ORDER BY order_key DESC, id DESC LIMIT 1)
"""
# For projects that serve several traces of a problem in a row: the next task of the problem of the labeler's latest
# label, until that many of the latest labels are all on it. Revisions do not count as labels here. A session contains
# at most one trace that several people label, its first: second opinions come from others. It never contains a trace
# the labeler has had before, in any round. Gold and screening have their own plan.
IN_SESSION = f"""
    SELECT task.id FROM (
        SELECT (array_agg(problem_id ORDER BY id DESC))[1] AS problem FROM (
            SELECT id, problem_id FROM labeling_label latest WHERE latest.labeler_id = %(labeler)s
            AND latest.project_id = %(project)s AND latest.supersedes_id IS NULL
            AND latest.status NOT IN ('expired', 'released') ORDER BY latest.id DESC LIMIT %(session)s) latest
        HAVING count(*) < %(session)s OR count(DISTINCT problem_id) > 1) session
    JOIN labeling_trace trace ON trace.problem_id = session.problem
    JOIN labeling_task task ON task.trace_id = trace.id JOIN labeling_round served ON served.id = task.round_id
    WHERE task.labels_wanted > 0 AND task.kind = 'work' AND served.status = 'labeling' AND served.overlap = 1
    AND NOT EXISTS (
        SELECT FROM labeling_label own JOIN labeling_task had ON had.id = own.task_id
        WHERE own.labeler_id = %(labeler)s AND had.trace_id = trace.id)
    AND {NOT_ANOTHER_PATH}
    {{where}}
    ORDER BY served.priority DESC, served.number, task.order_key, task.id LIMIT 1{UNLESS_LOCKED}
"""
EVERYWHERE = ""


def next_task(where: str, *, round_id: str = "%(round)s") -> str:
    """Return the statement that finds the next task in part `where` of the round that the SQL `round_id` names."""
    part = fill(where, round=round_id) if where else EVERYWHERE
    return fill(NEXT_TASK, where=part, round=round_id, not_another_path=NOT_ANOTHER_PATH)


LOOK = {where: one_line(next_task(where)) for where in (AMONG_THE_FIRST, BEHIND_OWN_WORK, EVERYWHERE)}
TAKE = [one_line(fill(TAKE_SLOT, next_task=f"({found}{UNLESS_LOCKED})")) for found in LOOK.values()]


TAKE_IN_SESSION = one_line(fill(TAKE_SLOT, next_task=f"({fill(IN_SESSION, where='')})"))


def note_growth(tasks: int) -> None:
    """Tell the planner that this many tasks were added: it keeps plans, and one for a nearly empty table is slow."""
    with connection.cursor() as cursor:
        note_written(cursor, "labeling_task", tasks)


def next_slot(labeler: User, project: Project, *, wait: bool) -> int | None:
    """Take the next slot for this labeler and return its task. With `wait`, wait for locks held by others."""
    return (_wait_for_slot if wait else take_next_slot)(labeler, project)


def take_next_slot(labeler: User, project: Project) -> int | None:
    """Take a slot of the first task in the open rounds that this labeler may get. Returns the task's id.

    If the project has problem sessions, the next trace of the current problem comes first. Then comes gold, when the
    labeler's plan of the round has it; the rest of it comes when the round has nothing else for them. A round that
    has no work for labelers who join has no gold for them either.

    Returns None if there is none, or if other claimers have locked all of them. Never waits.
    """
    if project.session_traces:
        named = {"labeler": labeler.pk, "project": project.pk, "session": project.session_traces}
        for task_id, *_ in execute_prepared(TAKE_IN_SESSION, named):
            note_served(labeler, task_id)
            return task_id
    for round_id, gold in queries.rounds.open_rounds(project):
        begins = bool(gold) and (has_plan(labeler, round_id) or _ask(LOOK[EVERYWHERE], round_id, labeler) is not None)
        if begins and (task_id := next_gold(labeler, round_id)) is not None:
            return task_id
        for statement in TAKE:
            task_id = _ask(statement, round_id, labeler)
            if task_id is not None:
                if gold:
                    note_served(labeler, task_id)
                return task_id
        if begins and (task_id := next_gold(labeler, round_id, at_the_end=True)) is not None:
            return task_id
    return None


def _wait_for_slot(labeler: User, project: Project) -> int | None:
    """Do `take_next_slot`, but wait for tasks that others have locked: a slot may be left.

    Call it before any task is locked. If a task turns out to be taken, its lock is released before waiting
    for the next one, so that two calls cannot deadlock.
    """
    for round_id, gold in queries.rounds.open_rounds(project):
        while (task_id := _ask(LOOK[EVERYWHERE], round_id, labeler)) is not None:
            before = transaction.savepoint()
            if take_slot(task_id):
                if gold:
                    note_served(labeler, task_id)
                return task_id
            transaction.savepoint_rollback(before)
    return None


def lock_tasks(task_ids: list[int]) -> None:
    """Lock tasks until the transaction ends, in the same order everywhere."""
    list(Task.objects.filter(pk__in=task_ids).order_by("pk").select_for_update(no_key=True).values("pk"))


def take_slot(task_id: int) -> bool:
    """Take one of the task's slots, if one is free. A labeler's slot in a gold task always stays theirs."""
    free = Task.objects.filter(pk=task_id, labels_wanted__gt=0)
    if free.update(labels_wanted=F("labels_wanted") - 1) == 1:
        return True
    return Task.objects.filter(pk=task_id).exclude(kind=Task.Kind.WORK).exists()


def retake_slot(label: Label) -> bool:
    """Take a slot for a label whose lease was lost, if one is free.

    Nobody else takes the slot of a gold task. It still counts as taken when a slot for work would be: after an absence,
    what comes back or counts must not reveal which is which.
    """
    gone = gold_slot_is_gone(label)  # checked for work too, so that both take the same time
    if label.task.kind == Task.Kind.GOLD and (label.surplus or gone):
        return False
    return take_slot(label.task_id)


def regains_slot(label: Label, *, of_any_path: Sequence[int] = ()) -> bool:
    """Do `retake_slot` for a labeler who asks for this label. A slot is work, so a paused labeler gets none.

    During a screening, they get only its tasks, and may continue one. `of_any_path`: the tasks of
    `queries.paths.slots_for`, locked; a path whose own slot is gone moves to the first of them with a free one.
    """
    if label.task.kind != Task.Kind.SCREENING and queries.labeler_quality.is_barred(label.labeler, label.project):
        return False
    return retake_slot(label) or any(_moves_to(label, task) for task in of_any_path if task != label.task_id)


def _moves_to(label: Label, task_id: int) -> bool:
    if not take_slot(task_id):
        return False
    Label.objects.filter(pk=label.pk).update(task=task_id)
    label.task_id = task_id
    queries.labels.load_traces([label])
    return True


def lost_label_with_slot(labeler: User, project: Project) -> Label | None:
    """Return the labeler's latest label with a lost lease and a free slot, and take the slot."""
    while (lost := queries.labels.lost_label_to_resume(labeler, project)) is not None:
        if retake_slot(lost):
            lost.surplus = False
            return lost
        if lost.task.kind != Task.Kind.GOLD:
            return None
        # Note this, so that not every later claim has to check it again, which would take longer.
        Label.objects.filter(pk=lost.pk).update(leased_until=None)
    return None


def return_slot(task_id: int) -> None:
    """Free one of a locked task's slots. It is only counted if the task is withdrawn, and gone if a reviewer settled
    it.

    Gold and screening have no slots.
    """
    task = Task.objects.filter(pk=task_id, kind=Task.Kind.WORK).exclude(settlement=Task.Settlement.RULED)
    if not task.filter(withdrawn=None).update(labels_wanted=F("labels_wanted") + 1):
        task.update(withdrawn=F("withdrawn") + 1)


def _ask(statement: str, round_id: int, labeler: User) -> int | None:
    """Return the task id that the statement finds."""
    return next(
        (task_id for task_id, *_ in execute_prepared(statement, {"round": round_id, "labeler": labeler.pk})), None
    )
