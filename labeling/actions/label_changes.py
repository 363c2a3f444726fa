"""What researchers do to many labels at once: leave out, include, send to review, ask again, tag; and undo.

No label is deleted or says anything different afterwards. A change records the labels it changed, and undoing it
restores only those.
"""

from collections.abc import Callable, Sequence
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from labeling import queries
from labeling.actions import audit_log
from labeling.count_words import count_of
from labeling.errors import InvalidFields, LabelChangeUndone, NoLabelsChanged, ProjectArchived
from labeling.models import Label, LabelChange, LabelTag, LabelView, Project, Task, User
from labeling.queries.label_list import LabelList
from labeling.queries.rounds import OPEN

Kind = LabelChange.Kind
MOST = 10_000  # labels per change
MOST_VIEWS = 20  # per person and project
NOTHING: dict[str, str] = {
    Kind.EXCLUDE: "All of these labels are already left out.",
    Kind.INCLUDE: "None of these labels is left out.",
    Kind.REVIEW: "No label was selected.",
    Kind.RELABEL: "None of their tasks can be labeled again. Only ordinary, unsettled work of an open round can."
    " Send them to review instead.",
    Kind.TAG: "All of these labels already have this tag.",
    Kind.UNTAG: "None of these labels has this tag.",
}


@transaction.atomic
def change_labels(
    project: Project,
    *,
    by: User,
    kind: str,
    ids: Sequence[int] = (),
    filters: dict[str, Any] | None = None,
    tag: str = "",
    because: str = "",
) -> LabelChange:
    """Apply a change to the labels with these ids, or to all that fit the filters, if the person may see them.

    Raises ProjectArchived, NoLabelsChanged, InvalidFields (filters: more than MOST labels fit).
    """
    if project.status == Project.Status.ARCHIVED:
        raise ProjectArchived
    changed = _DO[kind](_picked(project, by, ids, filters), tag)
    if not changed:
        raise NoLabelsChanged(NOTHING[kind])
    made = LabelChange.objects.create(
        project=project, kind=kind, label_ids=sorted(changed), tag=tag, because=because, by=by
    )
    about = {"change": made.pk, "labels": len(changed), "tag": tag, "because": because}
    audit_log.record(f"labels.{kind}", actor=by, project=project, target=count_of(len(changed), "label"), **about)
    return made


@transaction.atomic
def undo_label_change(change: LabelChange, *, by: User) -> LabelChange:
    """Undo a change wherever it is still in force. Raises LabelChangeUndone, ProjectArchived."""
    if change.project.status == Project.Status.ARCHIVED:
        raise ProjectArchived
    standing = LabelChange.objects.filter(pk=change.pk, undone_at=None)
    if not standing.update(undone_at=timezone.now(), undone_by=by):
        raise LabelChangeUndone
    change.refresh_from_db()
    _UNDO[change.kind](change.label_ids, change.tag)
    about = {"change": change.pk, "kind": change.kind, "labels": len(change.label_ids)}
    audit_log.record("labels.undo", actor=by, project=change.project, target=f"change {change.pk}", **about)
    return change


@transaction.atomic
def save_label_view(project: Project, person: User, *, name: str, filters: dict[str, str]) -> LabelView:
    """Save filters under a name, replacing any of that name. Raises InvalidFields (name: too many), ProjectTakenOut."""
    queries.projects.require_rows(project)
    own = LabelView.objects.filter(project=project, person=person)
    if own.exclude(name=name).count() >= MOST_VIEWS:
        raise InvalidFields(fields={"name": [f"You already have {MOST_VIEWS} views. Remove one first."]})
    return LabelView.objects.update_or_create(project=project, person=person, name=name, defaults={"filters": filters})[
        0
    ]


def remove_label_view(view: LabelView) -> None:
    """Remove saved filters."""
    view.delete()


def _picked(project: Project, by: User, ids: Sequence[int], filters: dict[str, Any] | None) -> list[int]:
    listed = LabelList(project, by)
    if filters is None:
        return listed.among(ids)
    found = listed.ids(filters, MOST + 1)
    if len(found) > MOST:
        raise InvalidFields(fields={"filters": [f"More than {MOST:,} labels fit. Narrow the filters."]})
    return found


def _set_excluded(ids: Sequence[int], excluded: bool) -> list[int]:
    changing = Label.objects.select_for_update(no_key=True).filter(pk__in=ids, excluded=not excluded).order_by("pk")
    changed = list(changing.values_list("pk", flat=True))
    Label.objects.filter(pk__in=changed).update(excluded=excluded)
    return changed


def _ask_again(ids: Sequence[int], _: str) -> list[int]:
    """Add a slot to each of their tasks, for a labeler who has not done it."""
    tasks = queries.label_list.relabelable(ids)
    still = Task.objects.filter(pk__in=tasks, withdrawn=None, settlement="", round__status__in=OPEN)
    locked = still.select_for_update(no_key=True, of=("self",)).order_by("pk")
    held = [task.pk for task in locked.only("pk")]
    Task.objects.filter(pk__in=held).update(labels_wanted=F("labels_wanted") + 1)
    return [tasks[task][0] for task in held]


def _ask_no_more(ids: Sequence[int], _: str) -> None:
    """Remove the slots that nobody has taken in the meantime."""
    tasks = Label.objects.filter(pk__in=ids).values_list("task_id", flat=True)
    locked = Task.objects.select_for_update(no_key=True).filter(pk__in=list(tasks), labels_wanted__gt=0)
    held = list(locked.order_by("pk").values_list("pk", flat=True))
    Task.objects.filter(pk__in=held).update(labels_wanted=F("labels_wanted") - 1)


def _tag(ids: Sequence[int], tag: str) -> list[int]:
    known = set(LabelTag.objects.filter(label__in=ids, tag=tag).values_list("label", flat=True))
    new = [pk for pk in ids if pk not in known]
    LabelTag.objects.bulk_create([LabelTag(label_id=pk, tag=tag) for pk in new], ignore_conflicts=True)
    return new


def _untag(ids: Sequence[int], tag: str) -> list[int]:
    found = LabelTag.objects.filter(label__in=ids, tag=tag)
    had = list(found.values_list("label", flat=True))
    found.delete()
    return had


# Each takes label ids and a tag, and returns the labels it changed.
_DO: dict[str, Callable[[Sequence[int], str], list[int]]] = {
    Kind.EXCLUDE: lambda ids, _: _set_excluded(ids, True),
    Kind.INCLUDE: lambda ids, _: _set_excluded(ids, False),
    Kind.REVIEW: lambda ids, _: list(ids),  # the row itself makes their tasks wait (queries.reviews)
    Kind.RELABEL: _ask_again,
    Kind.TAG: _tag,
    Kind.UNTAG: _untag,
}
_UNDO: dict[str, Callable[[Sequence[int], str], object]] = {
    Kind.EXCLUDE: _DO[Kind.INCLUDE],
    Kind.INCLUDE: _DO[Kind.EXCLUDE],
    Kind.REVIEW: lambda ids, _: None,
    Kind.RELABEL: _ask_no_more,
    Kind.TAG: _untag,
    Kind.UNTAG: _tag,
}
