"""The labels of a settled trace side by side, for the labelers who made them; never before it is settled."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, F, Q, Window
from django.utils import timezone

from labeling.errors import NotSettled
from labeling.models import Label, Project, Round, Task, User
from labeling.queries.labels import get_own_label_shown
from labeling.queries.paths import makes_path
from labeling.queries.traces import finished_labels

# How long a submission may be taken back (labeling.actions.labels). Until then, others' labels of a trace that it
# settled are shown to nobody.
UNDO = timedelta(seconds=60)
DIFFERENCES_SHOWN = 20


def may_compare(label: Label, now: datetime) -> bool:
    """Return whether this labeler may see the other labels of the trace: once the trace is settled and, in a round with
    gold, the round is closed. No query.
    """
    task = label.task
    if label.status != Label.Status.SUBMITTED or task.settled_at is None or task.round.keeps_quiet:
        return False
    if task.settlement != Task.Settlement.RULED and makes_path(label):  # paths to one answer have no steps in common
        return False
    return task.settlement == Task.Settlement.RULED or task.settled_at + UNDO <= now


def own_differences(labeler: User, project: Project) -> dict[str, Any]:
    """Return how often the labeler's labels differ from what was settled, and where, latest first. Two queries.

    Only traces that `may_compare` lets them see count. A label that gave up has nothing to compare.
    """
    now = timezone.now()
    own = Label.objects.filter(project=project, labeler=labeler, status=Label.Status.SUBMITTED)
    told = (
        own.exclude(finish_reason=Label.FinishReason.GIVE_UP)
        .filter(
            Q(task__settlement=Task.Settlement.RULED) | Q(task__settled_at__lte=now - UNDO),
            Q(task__round__gold_count=0) | Q(task__round__status=Round.Status.CLOSED),
            task__settled_at__isnull=False,
        )
        .exclude(task__settlement=Task.Settlement.AGREED, task__trace__is_path=True)
    )
    differing = told.exclude(verdict=F("task__verdict")).exclude(verdict=None, task__verdict=None)
    counts = told.aggregate(compared=Count("pk"))
    latest = differing.select_related("task__round", "task__trace__problem").defer("task__trace__typed_steps")
    latest = latest.order_by("-id")
    rows = list(latest.annotate(differed=Window(Count("pk")))[:DIFFERENCES_SHOWN])
    return {
        **counts,
        "differed": rows[0].differed if rows else 0,
        "latest": [
            {
                "label_id": label.pk,
                "round": label.task.round.number,
                "problem": label.task.trace.problem.text[:160],
                "verdict": label.verdict,
                "settled": label.task.verdict,
                "ruled": label.task.settlement == Task.Settlement.RULED,
            }
            for label in rows
        ],
    }


def get_comparison(labeler: User, label_id: int) -> tuple[Label, Sequence[Label]]:
    """Return the labeler's own label of a settled trace, with the trace, and all labels that count, including that one.

    Raises NotFound for another labeler's label, and NotSettled.
    """
    own = get_own_label_shown(labeler, label_id)
    if not may_compare(own, timezone.now()):
        raise NotSettled
    own.task.refresh_from_db(fields=["verdict"])
    stands = finished_labels().filter(task=own.task_id).exclude(status=Label.Status.SUPERSEDED)
    return own, [label for label in stands if not label.surplus or label.pk == own.pk]
