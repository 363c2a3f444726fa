"""What a researcher or admin is labeling now: its task, trace and gold item are closed to them until they are done."""

from django.db.models import Exists, OuterRef, Q

from labeling.errors import LabelHeld
from labeling.models import Label, Problem, Project, Trace, User

HELD = (Label.Status.OPEN, Label.Status.PREFETCHED)


def refuse_holder(user: User, trace: Trace) -> None:
    """Raise LabelHeld if the person is labeling the trace, or has it leased ahead: they may not look up whether it is
    gold, or what others say of it.
    """
    of_it = Q(task__trace=trace) | Q(task__gold_path__gold__trace=trace)
    if trace.is_path:  # another path through the same problem tells what to look for
        of_it |= Q(problem=trace.problem_id, task__trace__is_path=True)
    if Label.objects.filter(of_it, labeler=user, project=trace.project_id, status__in=HELD).exists():
        raise LabelHeld


def refuse_holder_of_problem(user: User, problem: Problem) -> None:
    """Raise LabelHeld if the person is labeling any trace of the problem, or has one leased ahead: what is known of the
    steps that other traces share with it tells what to look for.
    """
    of_it = Q(task__trace__problem=problem) | Q(task__gold_path__gold__trace__problem=problem)
    if Label.objects.filter(of_it, labeler=user, project=problem.project_id, status__in=HELD).exists():
        raise LabelHeld(
            "You are labeling a trace of this problem, or it is your next. Submit or release your label, then look here"
            " again."
        )


def held_traces(user: User, project: Project) -> list[int]:
    """Return the traces the person is labeling. Lists they can open leave these out. One query."""
    held = Label.objects.filter(labeler=user, project=project, status__in=HELD)
    both = held.values_list("task__trace", "task__gold_path__gold__trace")
    return [trace for pair in both for trace in pair if trace is not None]


def is_held_by(user: User, *, trace: str) -> Exists:
    """Return, for lists, whether the person is labeling what the column `trace` names."""
    of_it = Q(task__trace=OuterRef(trace)) | Q(task__gold_path__gold__trace=OuterRef(trace))
    return Exists(Label.objects.filter(of_it, labeler=user, status__in=HELD))
