"""The demo's files, imported like a person's upload."""

import time
from pathlib import Path

from labeling.actions.imports import record_import, run_import
from labeling.models import ImportJob, Project, User

FOLDER = Path(__file__).resolve().parent.parent / "demo"
IMPORT_SECONDS = 120
UNFINISHED = (ImportJob.Status.QUEUED, ImportJob.Status.RUNNING)


def import_demo_file(project: Project, admin: User, path: Path, format: str) -> None:
    """Import one of the demo's files. Raises RuntimeError if that fails."""
    job = record_import(
        project, by=admin, path=str(path), file_name=path.name, format=format, dry_run=False, skip_faulty=False
    )
    run_import(job.pk)
    deadline = time.monotonic() + IMPORT_SECONDS
    job.refresh_from_db()
    while job.status in UNFINISHED and time.monotonic() < deadline:  # a worker claimed it first
        time.sleep(0.2)
        job.refresh_from_db()
    if job.status != ImportJob.Status.SUCCEEDED:
        raise RuntimeError(f"{path.name} of the demo was not imported ({job.status}): {job.error or job.report}")
