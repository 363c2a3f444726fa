"""What may be deleted, and how much there is: old drafts, first rows in reports, rollouts; and a project's rows."""

from datetime import timedelta
from typing import Any

from django.db import connection, models
from django.db.models import QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone
from psycopg import sql

from labeling.errors import InvalidFields, PermissionDenied
from labeling.models import ImportJob, Label, Project, SourceText, StepScorer, User
from labeling.queries.project_rows import tables_of

LEAST_DAYS = 7  # drafts are kept at least this long: people come back to them
Counts = dict[str, int]


def old_drafts(days: int, project: Project | None = None) -> QuerySet[Label]:
    """The labels with drafts that nobody will continue: they ended without a submission at least `days` days ago."""
    over = (Label.Status.EXPIRED, Label.Status.RELEASED)
    ended = Coalesce("leased_until", "last_seen_at", "claimed_at")  # old labels have no lease end any more
    found = Label.objects.alias(ended=ended).filter(status__in=over, ended__lt=_before(days)).exclude(draft=None)
    return found.filter(project=project) if project else found


def old_heads(days: int, project: Project | None = None) -> QuerySet[ImportJob]:
    """The imports that ended at least `days` days ago and whose report still has the file's first rows."""
    found = ImportJob.objects.filter(finished_at__lt=_before(days)).exclude(head=[])
    return found.filter(project=project) if project else found


def old_rollouts(days: int, project: Project | None = None) -> QuerySet[SourceText]:
    """The rollouts and judges' texts of sources whose last run ended at least `days` days ago; one row per trace."""
    still = models.Count("runs", models.Q(runs__finished_at=None))
    ended = StepScorer.objects.annotate(last=models.Max("runs__finished_at"), still=still)
    found = SourceText.objects.filter(scorer__in=ended.filter(last__lt=_before(days), still=0).values("pk"))
    return found.filter(trace__project=project) if project else found


def count_old(days: int, project: Project | None = None) -> Counts:
    """Count each kind."""
    kinds: dict[str, QuerySet[Any]] = {
        "drafts": old_drafts(days, project),
        "heads": old_heads(days, project),
        "rollouts": old_rollouts(days, project),
    }
    return {name: rows.count() for name, rows in kinds.items()}


def count_rows(project: Project) -> int:
    """Count all rows that go with a project, table by table."""
    total = 0
    with connection.cursor() as cursor:
        for table in tables_of(project):
            asked = sql.SQL("SELECT count(*) FROM {} WHERE {}").format(sql.Identifier(table.name), table.where)
            cursor.execute(asked)
            total += int(cursor.fetchone()[0])
    return total


def get_retention(project: Project, days: int) -> dict[str, Any]:
    """Return what a project's retention page shows, except its row count and whether it can move."""
    return {
        "old": count_old(days, project),
        "file": (project.taken_out or {}).get("file", ""),
        "move": project.moves.select_related("created_by").order_by("-pk").first(),
    }


def taken_out_projects(person: User) -> list[str]:
    """Return the projects whose rows are in a file now and may be theirs. Superusers label without being members."""
    found = Project.objects.filter(taken_out__isnull=False)
    if not person.is_superuser:
        found = found.filter(pk__in=person.memberships.values("project"))
    return list(found.order_by("slug").values_list("slug", flat=True))


def require_superuser(user: User) -> None:
    """Raise PermissionDenied unless the person is a superuser."""
    if not user.is_superuser:
        raise PermissionDenied("Only the site's administrators can do this. Ask one of them.")


def get_named_person(username: str) -> User:
    """Return the person with this user name. Raises InvalidFields (username)."""
    person = User.objects.filter(username=username).first()
    if person is None:
        raise InvalidFields(fields={"username": [f"There is no person called {username}."]})
    return person


def _before(days: int) -> Any:
    return timezone.now() - timedelta(days=days)
