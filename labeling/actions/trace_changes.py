"""What is done to many listed traces at once: held out with their problems, or made gold by what a file says."""

from collections.abc import Sequence
from typing import NamedTuple

from django.db import transaction

from labeling.actions import audit_log
from labeling.actions.gold import make_gold
from labeling.count_words import count_of
from labeling.errors import NoTracesChanged, ProjectArchived
from labeling.models import Gold, Problem, Project, Trace, User


class Changed(NamedTuple):
    """How many problems or traces were changed, were so `already`, or lack the necessary facts (`unknown`)."""

    changed: int
    already: int
    unknown: int = 0


@transaction.atomic
def hold_out_traces(project: Project, *, by: User, ids: Sequence[int]) -> Changed:
    """Hold out the problems of these traces: no round takes their traces, no training learns from them, and existing
    labels stay. Counts problems. Raises ProjectArchived, NoTracesChanged.
    """
    _require_active(project)
    problems = set(Problem.objects.filter(project=project, traces__in=list(ids)).values_list("pk", flat=True))
    held = Problem.objects.filter(pk__in=sorted(problems), split=Problem.Split.TRAIN)
    changed = held.update(split=Problem.Split.HELD_OUT)
    if not changed:
        raise NoTracesChanged("All problems of these traces are already held out.")
    audit_log.record(
        "problems.hold_out", actor=by, project=project, target=count_of(changed, "problem"), problems=changed
    )
    return Changed(changed, already=len(problems) - changed)


@transaction.atomic
def make_traces_gold(project: Project, *, by: User, ids: Sequence[int]) -> Changed:
    """Make gold of the traces whose import says where they first go wrong, accepting that. Existing gold, and traces
    that no file says this about, stay as they are. Counts traces. Raises ProjectArchived, NoTracesChanged.
    """
    _require_active(project)
    picked = Trace.objects.filter(project=project, pk__in=list(ids))
    already = picked.filter(gold__status=Gold.Status.ACTIVE).count()
    known = picked.filter(recorded_first_error__isnull=False, is_path=False)
    fresh = known.exclude(gold__status=Gold.Status.ACTIVE).select_related("project").order_by("pk")
    made = [make_gold(trace, acceptable=[trace.recorded_first_error or 0], by=by) for trace in fresh]
    if not made:
        raise NoTracesChanged(
            "None of these traces can become gold here. A trace needs a first error from its import and must not be"
            " active gold. You can make a single trace gold on its own page."
        )
    return Changed(len(made), already, unknown=picked.count() - already - len(made))


def _require_active(project: Project) -> None:
    if project.status == Project.Status.ARCHIVED:
        raise ProjectArchived
