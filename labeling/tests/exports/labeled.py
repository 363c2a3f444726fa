"""Labels to export: made in the product, or imported."""

import gzip
import json
from pathlib import Path
from typing import Any

from labeling.actions.exports import create_export, finished_file, run_export
from labeling.actions.labels import claim_next_label, submit_label
from labeling.models import Export, Label, Project, Trace, User
from labeling.tests.factories import make_member, make_submission, open_round
from labeling.tests.imports.files import import_bytes, lines, neutral_row


def traces_of(project: Project, folder: Path, *rows: dict[str, Any]) -> list[Trace]:
    """Import neutral rows, and return their traces in order."""
    import_bytes(project, lines(*(rows or [neutral_row()])), folder)
    return list(Trace.objects.filter(project=project).order_by("id"))


def give_label(project: Project, ratings: list[int | None], labeler: User | None = None, **fields: Any) -> Label:
    """Submit a label the usual way, on the project's next task. Opens a round of all traces if there is none."""
    if not project.rounds.filter(status="labeling").exists():
        open_round(project, overlap=5)
    labeler = labeler or make_member(project)
    label = claim_next_label(labeler, project).label
    assert label is not None
    return submit_label(label, make_submission(ratings, **fields))


def exported(project: Project, format: str = "prm800k", **options: Any) -> tuple[list[dict[str, Any]], Export]:
    """Return the rows of a finished export, and the export."""
    export = run_export(create_export(project, by=None, format=format, **options).pk)
    assert export is not None
    assert export.status == "succeeded"
    return [json.loads(line) for line in contents(export).splitlines()], export


def contents(export: Export) -> bytes:
    """Return the bytes of an export, unpacked."""
    data = finished_file(export).read_bytes()
    return gzip.decompress(data) if export.config["gzip"] else data
