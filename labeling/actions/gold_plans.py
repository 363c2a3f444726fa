"""A labeler's plan of a round's gold, for claims on the slow path. The fast path reads it in its own statement.

Call everything here except `spread_gold` inside a transaction, while it is the labeler's turn
(`label_leases.lock_labeler`).
"""

import math
from collections.abc import Collection

from django.db.models import Count, F, Sum

from labeling import queries
from labeling.models import GoldPlan, Round, User
from labeling.quality.gold_schedule import Spread, draw_for, fair_share, positions_of, spread_again

# Labels per label asked at first, if the overlap adapts (docs/quality.md, *Replay*: 2.30 for 2).
ASKED_AGAIN = 1.15


def next_gold(labeler: User, round_id: int, *, at_the_end: bool = False) -> int | None:
    """Take the gold task that is due now out of the plan and return it; with `at_the_end`, any that is left. Returns
    None if none is due.
    """
    plan = _plan_of(labeler, round_id)
    if plan.next >= len(plan.tasks) or (plan.positions[plan.next] > plan.served and not at_the_end):
        return None
    task_id = plan.tasks[plan.next]
    GoldPlan.objects.filter(pk=plan.pk).update(next=F("next") + 1, served=F("served") + 1)
    return task_id


def has_plan(labeler: User, round_id: int) -> bool:
    """Return whether the labeler began in the round. Labelers who join when no work is left for them never begin, as
    they would meet nothing but gold.
    """
    return GoldPlan.objects.filter(round=round_id, labeler=labeler).exists()


def note_served(labeler: User, task_id: int) -> None:
    """Note that an ordinary task went to the labeler: their next gold is one task closer, if the round has any."""
    GoldPlan.objects.filter(round__tasks=task_id, labeler=labeler).update(served=F("served") + 1)


def forget_gold(task_ids: Collection[int]) -> None:
    """Remove tasks that left the queue from every plan in which they are still to come."""
    plans = GoldPlan.objects.filter(tasks__overlap=list(task_ids)).order_by("pk").select_for_update()
    for plan in plans:
        kept = [
            (task, position)
            for number, (task, position) in enumerate(zip(plan.tasks, plan.positions, strict=True))
            if number < plan.next or task not in task_ids
        ]
        plan.tasks, plan.positions = [task for task, _ in kept], [position for _, position in kept]
        plan.save(update_fields=["tasks", "positions"])


def spread_gold() -> int:
    """Spread the remaining gold again if labelers of an open round do more or less than expected. Returns the number of
    plans changed.

    The clock (beat) calls this every few seconds. A plan that a claim is changing waits until the next time.
    """
    changed = 0
    for round_ in Round.objects.filter(status=Round.Status.LABELING, gold_count__gt=0):
        plans = list(GoldPlan.objects.filter(round=round_).order_by("pk"))
        spreads = [Spread(plan.positions, plan.next, plan.served, plan.until, plan.since) for plan in plans]
        for number, until in spread_again(spreads, work=_work_of(round_), most=round_.task_count):
            plan = plans[number]
            as_read = GoldPlan.objects.filter(pk=plan.pk, served=plan.served, next=plan.next, tasks=plan.tasks)
            changed += as_read.update(positions=spreads[number].again(until), until=until)
    return changed


def _work_of(round_: Round) -> int:
    """Return how many labels of work the round is expected to take."""
    once = round_.task_count * round_.overlap
    return round(once * ASKED_AGAIN) if round_.adapts else once


def _plan_of(labeler: User, round_id: int) -> GoldPlan:
    """Return the labeler's plan, creating it at their first claim in the round."""
    plan = GoldPlan.objects.filter(round=round_id, labeler=labeler).first()
    if plan is not None:
        return plan
    round_ = Round.objects.select_related("project").get(pk=round_id)
    draw = draw_for(round_.project.export_salt, "gold", round_id, labeler.pk)
    tasks = queries.gold.tasks_for(labeler, round_)
    draw.shuffle(tasks)
    before = GoldPlan.objects.filter(round=round_).aggregate(
        plans=Count("pk"), served=Sum("served", default=0), gold=Sum("next", default=0)
    )
    work = _work_of(round_)
    left = max(0, work - before["served"] + before["gold"])
    labelers = max(queries.gold.labelers_of(round_.project), before["plans"] + 1)
    share = max(1, fair_share(left, round_.task_count, labelers))
    # If less than a share of the whole round is left, most of what they get would be gold, so they get less of it.
    whole = max(1, fair_share(work, round_.task_count, labelers))
    tasks = tasks[: math.ceil(len(tasks) * min(1, max(1, left) / whole))]
    return GoldPlan.objects.create(
        round=round_,
        labeler=labeler,
        positions=positions_of(len(tasks), share, draw),
        tasks=tasks,
        until=len(tasks) + share,
        since=before["served"],
    )
