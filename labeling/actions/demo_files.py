"""The demo's files, imported as a person's upload is."""

import time
from pathlib import Path

from labeling.actions.imports import record_import, run_import
from labeling.models import ImportJob, Project, User

FOLDER = Path(__file__).resolve().parent.parent / "demo"
IMPORT_SECONDS = 120
UNFINISHED = (ImportJob.Status.QUEUED, ImportJob.Status.RUNNING)


def import_demo_file(project: Project, admin: User, path: Path, format: str) -> None:
    """Import a file of the demo's. Raises RuntimeError where that did not work."""
    job = record_import(
        project, by=admin, path=str(path), file_name=path.name, format=format, dry_run=False, skip_faulty=False
    )
    run_import(job.pk)
    deadline = time.monotonic() + IMPORT_SECONDS
    job.refresh_from_db()
    while job.status in UNFINISHED and time.monotonic() < deadline:  # a worker was quicker to claim it
        time.sleep(0.2)
        job.refresh_from_db()
    if job.status != ImportJob.Status.SUCCEEDED:
        raise RuntimeError(f"{path.name} of the demo was not imported ({job.status}): {job.error or job.report}")
