"""Reads about projects: fetching one with permission, its counts, guidelines and audit log."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.core.cache import cache
from django.db.models import CharField, Count, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models import Value as V

from labeling.errors import NotFound, PermissionDenied, ProjectTakenOut
from labeling.models import (
    AuditEvent,
    GoldPlan,
    Guideline,
    Label,
    Membership,
    Problem,
    Project,
    Round,
    Task,
    Trace,
    User,
)
from labeling.queries.audit_names import targets_named
from labeling.queries.audit_words import acts_called
from labeling.queries.large_projects import state_of
from labeling.queries.prepared_sql import Columns, execute_prepared, one_line

ANNOTATOR = Membership.Role.ANNOTATOR.value
RESEARCHER = Membership.Role.RESEARCHER.value
ADMIN = Membership.Role.ADMIN.value
LADDER = (ANNOTATOR, RESEARCHER, ADMIN)
COUNTS_KEPT = 30  # seconds
THE_MACHINE = "the machine"  # the audit log's name for whoever did what no person did

PROJECT = Columns(Project)
PROJECT_OF_MEMBER = one_line(f"""
    SELECT {PROJECT.of("project")}, membership.role FROM labeling_project project
    JOIN labeling_membership membership ON membership.project_id = project.id
    WHERE project.slug = %(slug)s AND membership.user_id = %(user)s AND membership.is_active
""")


def role_reaches(role: str, least: str) -> bool:
    """Return whether `role` is `least` or above on the ladder annotator < researcher < admin."""
    return LADDER.index(role) >= LADDER.index(least)


def visible_projects(user: User) -> QuerySet[Project]:
    """The projects this person can see, each with `my_role`. A superuser is admin everywhere."""
    if user.is_superuser:
        return Project.objects.annotate(my_role=V(ADMIN, output_field=CharField()))
    mine = Membership.objects.filter(project=OuterRef("pk"), user=user, is_active=True)
    return Project.objects.annotate(my_role=Subquery(mine.values("role"))).exclude(my_role=None)


def get_project_as(user: User, slug: str, role: str) -> Project:
    """Return the project, with `my_role`, if this person's role in it is `role` or above. One query.

    Raises NotFound if the person is not an active member, PermissionDenied if their role is lower.
    """
    project = visible_projects(user).filter(slug=slug).first() if user.is_superuser else _project_of(user, slug)
    if project is None:
        raise NotFound
    require_role(project, role)
    return project


def _project_of(member: User, slug: str) -> Project | None:
    for row in execute_prepared(PROJECT_OF_MEMBER, {"slug": slug, "user": member.pk}):
        values = iter(row)
        project: Project = PROJECT.read(values)
        project.my_role = next(values)  # type: ignore[attr-defined]  # as by visible_projects
        return project
    return None


def get_project_by_id_as(user: User, project_id: int, role: str) -> Project:
    """Do the same as `get_project_as`, for things that are addressed by their own id and know their project.

    Raises NotFound for every refusal, so as not to reveal that the thing exists. The same goes for a request from
    another project's page (`project_of_page`), where the thing would appear under that project's name.
    """
    project = visible_projects(user).filter(pk=project_id).first()
    if project is None or not role_reaches(project.my_role, role):  # type: ignore[attr-defined]  # by visible_projects
        raise NotFound
    if project.slug != (getattr(user, "project_of_page", None) or project.slug):
        raise NotFound
    return project


def require_role(project: Project, role: str) -> None:
    """Raise PermissionDenied unless the project's `my_role` reaches `role`."""
    if not role_reaches(project.my_role, role):  # type: ignore[attr-defined]  # by visible_projects
        raise PermissionDenied(needed=role)


def with_counts(projects: Iterable[Project]) -> list[Project]:
    """Add `counts` to each project: problems, traces, tasks_wanting, labels_submitted, open_rounds."""
    found = list(projects)
    ids = [project.pk for project in found]
    as_annotator = [project.pk for project in found if getattr(project, "my_role", None) == ANNOTATOR]
    wanting = Task.objects.filter(round__status=Round.Status.LABELING, labels_wanted__gt=0)
    counts = {
        "problems": _count(Problem.objects.all(), "project_id", ids),
        "traces": _count(Trace.objects.all(), "project_id", ids),
        "tasks_wanting": _count(wanting, "round__project_id", ids),
        "labels_submitted": _count(_labels_here(as_annotator), "project_id", ids),
        "open_rounds": _count(Round.objects.filter(status=Round.Status.LABELING), "project_id", ids),
    }
    if as_annotator:
        counts["tasks_wanting"] |= left_for_labelers(as_annotator)
    for project in found:
        own = {name: by_id.get(project.pk, 0) for name, by_id in counts.items()}
        project.counts = own  # type: ignore[attr-defined]  # read by ProjectOut
    return found


def with_kept_counts(project: Project) -> Project:
    """Add `counts` to one project. Every page asks for them, so those of a large project may be COUNTS_KEPT old, except
    for its annotators. Anything done in the project, labels aside, triggers a recount.
    """
    state = state_of(project)
    if not state.large or getattr(project, "my_role", None) == ANNOTATOR:
        return with_counts([project])[0]
    key = f"counts:{project.pk}:{state.newest_event}"
    kept = cache.get(key)
    if kept is None:
        kept = with_counts([project])[0].counts  # type: ignore[attr-defined]  # set there
        cache.set(key, kept, COUNTS_KEPT)
    project.counts = kept  # type: ignore[attr-defined]  # read by ProjectOut
    return project


def left_for_labelers(ids: list[int]) -> dict[int, int]:
    """Return, per project, how many labels its open rounds still need, with gold. Every submission lowers it by one.

    The number of tasks on the queue would not change at a gold task, and so reveal which one it was. Two queries.
    """
    standing = Q(tasks__labels__status=Label.Status.SUBMITTED, tasks__labels__surplus=False)
    rounds = Round.objects.filter(project__in=ids, status=Round.Status.LABELING)
    plans = GoldPlan.objects.filter(round__in=rounds).values_list("round").annotate(Sum("tasks__len"))
    gold = dict(plans.order_by())
    left = dict.fromkeys(ids, 0)
    for project, pk, tasks, overlap, done in rounds.annotate(done=Count("tasks__labels", filter=standing)).values_list(
        "project", "pk", "task_count", "overlap", "done"
    ):
        left[project] += max(0, tasks * overlap + gold.get(pk, 0) - done)
    return left


def _labels_here(as_annotator: list[int]) -> QuerySet[Label]:
    """The submitted labels that were not imported: as Home counts them, labels of work and without surplus ones.

    For the projects `as_annotator`, all of them: a count that does not change would reveal which task was gold.
    """
    here = Label.objects.filter(status=Label.Status.SUBMITTED, task__round__imported=False)
    as_home = Q(surplus=False, task__kind__in=Task.IN_FIGURES)
    return here.filter(as_home | Q(project__in=as_annotator))


def _count(rows: QuerySet, column: str, ids: list[int]) -> dict[int, int]:
    grouped = rows.filter(**{f"{column}__in": ids}).values_list(column).annotate(Count("pk"))
    return dict(grouped.order_by())


def newest_guideline(project: Project) -> Guideline | None:
    """Return the guidelines in force; None if none has been published yet."""
    return Guideline.objects.filter(project=project).order_by("-version").first()


def get_guideline(project: Project, version: int) -> Guideline:
    """Return one published version. Raises NotFound."""
    guideline = Guideline.objects.filter(project=project, version=version).first()
    if guideline is None:
        raise NotFound
    return guideline


def project_guidelines(project: Project) -> QuerySet[Guideline]:
    """All published versions, without their texts."""
    return Guideline.objects.filter(project=project).select_related("created_by").defer("body")


def project_audit(project: Project, asked: Mapping[str, Any] | None = None) -> QuerySet[AuditEvent]:
    """The audit events of the project. `asked` narrows them by `who` (part of a name, also of THE_MACHINE), `what`
    (part of the action's name or words, or of its target), `since` and `until` (moments); empty values are ignored.
    """
    found = AuditEvent.objects.filter(project=project).select_related("actor")
    asked = {name: value for name, value in (asked or {}).items() if value}
    if who := asked.get("who"):
        named = Q(actor__display_name__icontains=who) | Q(actor__username__icontains=who)
        found = found.filter(named | Q(actor=None) if who.casefold() in THE_MACHINE else named)
    if what := asked.get("what"):
        named = Q(target__in=targets_named(project, what)) | Q(action__in=acts_called(what))
        found = found.filter(Q(action__icontains=what) | Q(target__icontains=what) | named)
    if "since" in asked:
        found = found.filter(at__gte=asked["since"])
    if "until" in asked:
        found = found.filter(at__lt=asked["until"])
    return found


def require_rows(project: Project) -> None:
    """Raise ProjectTakenOut if the project's rows are in a file: what is created now might conflict with them when they
    return.
    """
    if Project.objects.filter(pk=project.pk, taken_out__isnull=False).exists():
        raise ProjectTakenOut
