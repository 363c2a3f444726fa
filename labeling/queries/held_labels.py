"""What a researcher or admin is labeling at the moment: its task, trace and gold item are closed to them until then."""

from django.db.models import Exists, OuterRef

from labeling.errors import LabelHeld
from labeling.models import Label, Project, Trace, User

HELD = (Label.Status.OPEN, Label.Status.PREFETCHED)


def refuse_holder(user: User, trace: Trace) -> None:
    """Raises LabelHeld where the person is labeling the trace, or has it leased ahead: they may not look up whether it
    is gold, or what others say of it."""
    if Label.objects.filter(labeler=user, project=trace.project_id, status__in=HELD, task__trace=trace).exists():
        raise LabelHeld


def held_traces(user: User, project: Project) -> list[int]:
    """The traces that the person is labeling: a list that is open to them leaves these out. One query."""
    held = Label.objects.filter(labeler=user, project=project, status__in=HELD)
    return list(held.values_list("task__trace", flat=True))


def is_held_by(user: User, *, trace: str) -> Exists:
    """For lists: the person is labeling what the column `trace` names."""
    return Exists(Label.objects.filter(labeler=user, status__in=HELD, task__trace=OuterRef(trace)))
