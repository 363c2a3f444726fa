"""Reads about imports."""

from django.db.models import QuerySet

from labeling.errors import NotFound
from labeling.models import ImportJob, Project, User
from labeling.queries.projects import RESEARCHER, get_project_by_id_as


def imports_of(project: Project) -> QuerySet[ImportJob]:
    """A project's imports."""
    return ImportJob.objects.filter(project=project).select_related("created_by")


def get_visible_import(user: User, import_id: int) -> ImportJob:
    """An import of a project in which this person is a researcher or admin. Raises NotFound."""
    found = ImportJob.objects.select_related("project", "created_by").filter(pk=import_id).first()
    if found is None:
        raise NotFound
    get_project_by_id_as(user, found.project_id, RESEARCHER)
    return found
