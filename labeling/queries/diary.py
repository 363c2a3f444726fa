"""Reads of a labeler's diary: what the labeler did in a project, and the filters of that list."""

from django.db.models import Q, QuerySet

from labeling.models import Label, Project, User
from labeling.queries.haste import only_hasty, project_floor_ms
from labeling.queries.labels import with_trace

RESULTS = {
    "error": Q(finish_reason=Label.FinishReason.FOUND_ERROR),
    "no_error": Q(finish_reason=Label.FinishReason.SOLUTION),
    "bad_problem": Q(finish_reason=Label.FinishReason.BAD_PROBLEM),
    "give_up": Q(finish_reason=Label.FinishReason.GIVE_UP),
    "unfinished": Q(status__in=[Label.Status.EXPIRED, Label.Status.RELEASED]),
}


def own_labels(labeler: User, project: Project) -> QuerySet[Label]:
    """Return the labeler's labels in a project, newest first: submitted, or lost with work in them."""
    shown = (Label.Status.SUBMITTED, Label.Status.EXPIRED, Label.Status.RELEASED)
    found = with_trace(Label.objects).filter(project=project, labeler=labeler, status__in=shown)
    return found.exclude(status__in=shown[1:], draft__isnull=True).prefetch_related("step_labels")


def narrow_own_labels(
    labels: QuerySet[Label], *, project: Project, search: str = "", result: str = "", hasty: bool = False
) -> QuerySet[Label]:
    """Narrow `own_labels` to those with this text in their problem, with this result (a key of RESULTS), or hasty. No
    filter asks for anything in which gold differs. One query for the floor if `hasty` is set.
    """
    if search:
        labels = labels.filter(task__trace__problem__text__icontains=search)
    if hasty:
        labels = only_hasty(labels, project_floor_ms(project))
    return labels.filter(RESULTS[result]) if result else labels
