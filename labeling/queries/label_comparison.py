"""The labels of a settled trace side by side, for the labelers who made them; never before it is settled."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.utils import timezone

from labeling.errors import NotSettled
from labeling.models import Label, Task, User
from labeling.queries.labels import get_own_label_shown
from labeling.queries.traces import finished_labels

# Who settled a trace by submitting may take that back for a minute (labeling.actions.labels.REOPEN_SECONDS): until then
# nobody looks.
UNDO = timedelta(seconds=60)


def may_compare(label: Label, now: datetime) -> bool:
    """Whether this labeler may see the other labels of the trace: once it is settled and, in a round with gold, that is
    closed. No query."""
    task = label.task
    if label.status != Label.Status.SUBMITTED or task.settled_at is None or task.round.keeps_quiet:
        return False
    return task.settlement == Task.Settlement.RULED or task.settled_at + UNDO <= now


def get_comparison(labeler: User, label_id: int) -> tuple[Label, Sequence[Label]]:
    """One's own label of a settled trace with its trace, and all labels that count, one's own among them.

    Raises NotFound for another's label, NotSettled.
    """
    own = get_own_label_shown(labeler, label_id)
    if not may_compare(own, timezone.now()):
        raise NotSettled
    own.task.refresh_from_db(fields=["verdict"])
    stands = finished_labels().filter(task=own.task_id).exclude(status=Label.Status.SUPERSEDED)
    return own, [label for label in stands if not label.surplus or label.pk == own.pk]
