"""Leasing a label to a labeler: the steps of every claim on the slow path, which takes locks in a fixed order.

The labeler's own row comes first, then labels (open before prefetched), then tasks by id.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Max, Min
from django.utils import timezone

from labeling import queries
from labeling.models import Label, Project, Task, User
from labeling.queries.people import keep_active
from labeling.queries.tasks import Claim, Empty

# Where a labeler's next task comes from: returns a newly leased label of this status, or the reason why there is none
# (None: not known yet). Called while it is the labeler's turn, for the open label before those leased ahead.
Source = Callable[[Label.Status], Label | Empty | None]


@transaction.atomic
def claim_from(source: Source, labeler: User, project: Project, *, ahead: int) -> Claim:
    """Claim what the labeler holds, and lease what they lack from the source, up to `ahead` labels ahead."""
    keep_active(labeler)
    held = queries.labels.held_labels(labeler, project)
    waiting = [label for label in held if label.status == Label.Status.PREFETCHED]
    found = next((label for label in held if label.status == Label.Status.OPEN), None) or (
        open_label(waiting.pop(0)) if waiting else source(Label.Status.OPEN)
    )
    if not isinstance(found, Label):
        return Claim(None, empty=found)
    held_ahead = len(waiting)
    while len(waiting) < ahead and isinstance(leased := source(Label.Status.PREFETCHED), Label):
        waiting.append(leased)
    new = waiting[max(1, held_ahead) :] if len(waiting) == held_ahead + 1 else []
    queries.labels.load_traces([found, *waiting[:1], *new])
    further = [label.pk for label in waiting[1:]]
    return Claim(found, waiting[0] if waiting else None, further=further, leased=new[0] if new else None)


def lock_labeler(labeler: User) -> None:
    """Make two tabs of one labeler wait for each other."""
    list(User.objects.filter(pk=labeler.pk).select_for_update(no_key=True).values_list("pk"))


def lease_end(project: Project, now: datetime) -> datetime:
    """Return until when a label that is claimed or worked on `now` is held."""
    return now + timedelta(minutes=project.lease_minutes)


def lease_task(labeler: User, project: Project, task_id: int, status: Label.Status) -> Label:
    """Create a label, open or prefetched, on a task whose slot has been taken."""
    now = timezone.now()
    return Label.objects.create(
        project=project,
        task_id=task_id,
        labeler=labeler,
        problem_id=Task.objects.values_list("trace__problem", flat=True).get(pk=task_id),
        status=status,
        ahead=_place_ahead(labeler, project) if status == Label.Status.PREFETCHED else 0,
        claimed_at=now,
        opened_at=now if status == Label.Status.OPEN else None,
        last_seen_at=now,
        leased_until=lease_end(project, now),
        guideline=queries.labels.current_guideline(project),
    )


def hold_again(label: Label, status: Label.Status) -> Label:
    """Give a labeler's earlier label back to them, open or leased ahead."""
    return open_label(label) if status == Label.Status.OPEN else lease_ahead(label)


def open_label(label: Label) -> Label:
    """Open a label for its labeler, starting now."""
    now = timezone.now()
    label.status = Label.Status.OPEN
    label.opened_at = label.opened_at or now
    label.last_seen_at = now
    label.leased_until = lease_end(label.project, now)
    label.save(update_fields=["status", "opened_at", "last_seen_at", "leased_until", "surplus"])
    return label


def lease_ahead(label: Label, *, first: bool = False) -> Label:
    """Hold a label for its labeler after the open one and all waiting ones; with `first`, before the waiting ones."""
    label.ahead = _place_ahead(label.labeler, label.project, first=first)
    label.status = Label.Status.PREFETCHED
    label.leased_until = lease_end(label.project, timezone.now())
    label.save(update_fields=["status", "leased_until", "surplus", "ahead"])
    return label


def _place_ahead(labeler: User, project: Project, *, first: bool = False) -> int:
    waiting = Label.objects.filter(project=project, labeler=labeler, status=Label.Status.PREFETCHED)
    places = waiting.aggregate(first=Min("ahead"), last=Max("ahead"))
    if places["last"] is None:
        return 1
    return int(places["first"]) - 1 if first else int(places["last"]) + 1
