"""Reads about releases: their labels and labelers, and where else a released label went."""

from array import array
from collections.abc import Iterable
from typing import Any

from django.db import connection
from django.db.models import F, Q, QuerySet
from django.db.models.expressions import RawSQL

from labeling.errors import NotFound, NotInRelease
from labeling.models import (
    Export,
    Label,
    LabelAudit,
    LabelAuditItem,
    Project,
    Release,
    ReleasePush,
    ReviewDecision,
    TrainingRun,
    User,
)
from labeling.queries.exports import frozen_ids, unpacked_ids
from labeling.queries.held_labels import is_held_by, refuse_holder
from labeling.queries.labeler_ids import LabelerIds
from labeling.queries.projects import ADMIN, RESEARCHER, get_project_by_id_as, require_role, role_reaches

Json = dict[str, Any]
BY_LABELER = """
    SELECT label.labeler_id, count(*) FROM labeling_label AS label WHERE label.id = ANY(%s::bigint[])
    GROUP BY label.labeler_id ORDER BY count(*) DESC, label.labeler_id
"""
RUN_STEPS = "task__trace__typed_steps"  # an agent's run may be 50 MB, and none of these reads shows it
RELATED = ("project", "created_by", "released_by", "withdrawn_by", "supersedes")


def releases_of(project: Project) -> QuerySet[Release]:
    """The project's releases."""
    return Release.objects.filter(project=project).select_related(*RELATED)


def get_visible_release(user: User, release_id: int, role: str = RESEARCHER) -> Release:
    """Return a release of a project in which this person is a researcher or above. Its project has their role.

    Raises NotFound, and PermissionDenied if a person who may read it lacks `role`.
    """
    found = Release.objects.select_related(*RELATED).filter(pk=release_id).first()
    if found is None:
        raise NotFound
    found.project = get_project_by_id_as(user, found.project_id, RESEARCHER)
    require_role(found.project, role)
    return found


def release_before(release: Release, asked: str) -> Release:
    """Return the project's release with the id `asked`, or, if that is empty, the one this release supersedes.

    Raises NotFound.
    """
    pk = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 19 else None
    wanted = pk if asked else release.supersedes_id
    found = releases_of(release.project).filter(pk=wanted).first() if wanted else None
    if found is None:
        raise NotFound
    return found


def exports_in(release: Release) -> list[Export]:
    """Return its exports without their frozen ids, in the order of the folder."""
    return list(release.exports.defer("label_ids").select_related("project").order_by("pk"))


def pushes_of(release: Release) -> QuerySet[ReleasePush]:
    """The places it was pushed to, newest first."""
    return release.pushes.select_related("created_by").order_by("-pk")


def label_ids(release: Release) -> "array[int]":
    """Return the labels of all its exports, each once, ascending. One query per export."""
    return array("q", sorted({pk for export in exports_in(release) for pk in frozen_ids(export)}))


def withdrawn_releases(project: Project) -> QuerySet[Release]:
    """The withdrawn releases, which every later manifest lists as withdrawn."""
    return Release.objects.filter(project=project, state=Release.State.WITHDRAWN).order_by("withdrawn_at", "pk")


def labels_in(release: Release, reader: User, *, labeler: str = "", trace: int | None = None) -> QuerySet[Label]:
    """The released labels, of one labeler (salted id) or trace, without those on traces the reader is labeling."""
    labels = Label.objects.filter(pk__in=_unnested(label_ids(release)))
    if labeler:
        labels = labels.filter(labeler__in=people_called(release.project, labeler))
    if trace:
        labels = labels.filter(task__trace=trace)
    related = ("labeler", "guideline", "task__round__scorer", "task__trace__problem", "project")
    return labels.exclude(is_held_by(reader, trace="task__trace")).select_related(*related).defer(RUN_STEPS)


def labelers_in(release: Release) -> list[tuple[User, str, int]]:
    """Return everyone whose labels it holds, with their salted id and number of labels, most labels first. Two queries
    in addition to those for the ids.
    """
    with connection.cursor() as cursor:
        cursor.execute(BY_LABELER, [list(label_ids(release))])
        rows = cursor.fetchall()
    people, ids = User.objects.in_bulk([pk for pk, _ in rows]), LabelerIds(release.project)
    return [(people[pk], ids.of_person(people[pk]), count) for pk, count in rows]


def released_id(project: Project, labeler: User) -> str:
    """Return the id that stands for a labeler in the project's files."""
    return LabelerIds(project).of_person(labeler)


def imported_names(release: Release) -> list[str]:
    """Return the names given by an import that appear in its files as they are, without a salt to hide them."""
    imported = (one for one in labelers_in(release) if one[0].kind == User.Kind.IMPORTED)
    return [name for who, name, _ in imported if name == who.external_id]


def newest_with(project: Project, label: int | None) -> int | None:
    """Return the id of the newest release that holds a label; None if there is none."""
    found = (one.pk for one in releases_of(project).order_by("-pk") if label in label_ids(one)) if label else iter(())
    return next(found, None)


def people_called(project: Project, labeler: str) -> list[int]:
    """Return the people whom an id in the project's files names."""
    found, ids = User.objects.filter(labels__project=project).distinct(), LabelerIds(project)
    return [person.pk for person in found if ids.of_person(person) == labeler]


def sees_names(project: Project) -> bool:
    """Return whether the reader, whose role is set on the project, may see who is behind a salted id."""
    return role_reaches(project.my_role, ADMIN)  # type: ignore[attr-defined]  # by visible_projects


def get_released_label(release: Release, reader: User, label_id: int) -> Label:
    """Return one released label. Raises NotInRelease, and LabelHeld if the reader is labeling its trace."""
    if label_id not in set(label_ids(release)):
        raise NotInRelease(f"{release.title} does not contain label {label_id}.")
    related = ("labeler", "guideline", "task__round__scorer", "task__trace__problem", "project", "supersedes")
    label = Label.objects.select_related(*related).defer(RUN_STEPS).get(pk=label_id)
    refuse_holder(reader, label.task.trace)
    return label


def reviews_of(label: Label) -> Json:
    """Return what reviewers did about a label: decisions on its task, its ruling, and blind reviews of audits."""
    decisions = ReviewDecision.objects.filter(task=label.task_id).select_related("by").order_by("at")
    ruling = Label.objects.filter(task=label.task_id, status=Label.Status.RULING).select_related("labeler").first()
    over = LabelAudit.Status.FINISHED, LabelAudit.Status.UNDONE  # until then, the arms are kept secret
    audits = LabelAuditItem.objects.filter(label=label, reviewed_at__isnull=False, label_audit__status__in=over)
    later = Label.objects.filter(supersedes=label).first()
    return {
        "decisions": list(decisions),
        "ruling": ruling,
        "audits": list(audits.order_by("pk")),
        "superseded_by": later and later.pk,
    }


def went_into(project: Project, labels: Iterable[int]) -> Json:
    """Return the releases, and the training runs with their PRMs, that hold any of these labels, each with how many."""
    wanted = set(labels)
    releases = [(release, len(wanted.intersection(label_ids(release)))) for release in releases_of(project)]
    frozen = TrainingRun.objects.filter(project=project, frozen_at__isnull=False).select_related("prm")
    runs = [(run, len(wanted.intersection(unpacked_ids(run.label_ids)))) for run in frozen.order_by("-pk")]
    return {
        "releases": sorted((one for one in releases if one[1]), key=lambda one: -one[0].pk),
        "runs": [one for one in runs if one[1]],
    }


def labels_by(project: Project, people: Iterable[int]) -> list[int]:
    """Return the ids of all labels that these labelers finished in the project, whatever their status is now."""
    finished = Q(status__in=[Label.Status.SUBMITTED, Label.Status.SUPERSEDED, Label.Status.RULING])
    return list(Label.objects.filter(finished, project=project, labeler__in=list(people)).values_list("pk", flat=True))


def labels_by_labeler(project: Project, labeler: str) -> list[int]:
    """Return the labels of whoever has this id in the project's files. Raises NotFound if nobody has it."""
    people = people_called(project, labeler)
    if not people:
        raise NotFound
    return labels_by(project, people)


def ratings_of(label: Label) -> list[int | None]:
    """Return its ratings along the path, by step."""
    given = dict(label.step_labels.filter(completion=None).values_list(F("step_index"), F("rating")))
    return [given.get(step) for step in range(len(label.task.trace.steps))]


def _unnested(ids: "array[int]") -> RawSQL:
    return RawSQL("SELECT unnest(%s::bigint[])", [list(ids)])


def labels_with_traces(ids: Iterable[int]) -> QuerySet[Label]:
    """The labels with these ids, with their traces."""
    return Label.objects.filter(pk__in=list(ids)).select_related("task__trace").defer(RUN_STEPS).order_by("pk")
