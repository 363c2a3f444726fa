"""What commands share: opening the given project and file, and describing a file's faults."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from labeling.formats.faults import FOUND_LENGTH
from labeling.models import Project

FAULTY = 2  # exit code: the file has faults and nothing was imported
SHOWN_PER_KIND = 5


def project_of(slug: str) -> Project:
    """Return the project. Raises CommandError."""
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        raise CommandError(f"There is no project {slug}. Make it in the browser first.")
    return project


def require_file(file: Path) -> None:
    """Check that the file exists. Raises CommandError."""
    if not file.is_file():
        raise CommandError(f"There is no file {file}.")


def fault_lines(report: Mapping[str, Any], most: int = SHOWN_PER_KIND) -> Iterator[str]:
    """List each kind of fault with its count, and at most `most` of its examples with what to do."""
    for kind in report["faults"]["kinds"]:
        yield f"  {kind['count']:,} x {kind['kind']}"
        for fault in kind["examples"][:most]:
            field = f", {fault['field']}" if fault["field"] else ""
            yield f"    line {fault['line']}{field}: {fault['found'][:FOUND_LENGTH]} -> {fault['do']}"
