"""Reads about imports."""

import re
from itertools import islice
from typing import Any

from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet

from labeling.errors import NotFound
from labeling.formats.imports.column_guess import fits, guessed
from labeling.formats.normalise import problem_key
from labeling.models import ImportJob, Problem, Project, User
from labeling.queries.projects import RESEARCHER, get_project_by_id_as

HAS_HEAD = ExpressionWrapper(~Q(head=[]), BooleanField())


def imports_of(project: Project) -> QuerySet[ImportJob]:
    """Return a project's imports, without their first rows."""
    return _imports().filter(project=project).select_related("created_by").defer("head")


def get_visible_import(user: User, import_id: int) -> ImportJob:
    """Return an import of a project in which this person is a researcher or admin. Raises NotFound."""
    found = _imports().select_related("project", "created_by").filter(pk=import_id).first()
    if found is None:
        raise NotFound
    get_project_by_id_as(user, found.project_id, RESEARCHER)
    return found


def _imports() -> QuerySet[ImportJob]:
    return ImportJob.objects.annotate(can_map=HAS_HEAD)


def head_rows(job: ImportJob) -> list[tuple[int, dict[str, Any]]]:
    """Return the lines and rows that were kept of a file, with their keys as they were in it."""
    return [(kept["line"], {name: kept["row"][name] for name in kept["names"]}) for kept in job.head]


SPACE = re.compile(r"\s+")
MOST_WORDS = 500  # of a text, in which a known problem is searched for
LOOKED_BACK = 50  # imports with a mapping


def suggested_mapping(job: ImportJob) -> tuple[dict[str, str], int | None]:
    """Return a first mapping of a file's columns: the one it was read with, that of the newest import with such columns
    (and its id), or one guessed from the columns' names.
    """
    rows = [row for _, row in head_rows(job)]
    if job.mapping:
        return job.mapping, None
    earlier = ImportJob.objects.filter(project=job.project_id).exclude(mapping={}).order_by("-pk")
    for pk, mapping in earlier.values_list("pk", "mapping")[:LOOKED_BACK]:
        if fits(mapping, rows):
            return mapping, pk
    return guessed(rows), None


def known_beginning(project_id: int, text: str) -> str | None:
    """Return the project's longest problem that the text begins with and continues after, as written in the text."""
    ends = [space.start() for space in islice(SPACE.finditer(text.rstrip()), MOST_WORDS)]
    found = {problem_key(text[:end]): text[:end] for end in ends if text[:end].strip()}
    known = Problem.objects.filter(project=project_id, text_hash__in=list(found)).values_list("text_hash", flat=True)
    return max((found[bytes(key)] for key in known), key=len, default=None)
