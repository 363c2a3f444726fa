"""A project taken out to a file or brought back from the browser, by a worker, in a folder of the data directory."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction

from annotation_app.object_storage import in_bucket
from labeling.actions import audit_log
from labeling.actions.jobs import Lease, finish_job, run_job, wake_worker
from labeling.actions.project_archives import bring_back_project, refuse_work, take_out_project
from labeling.errors import ArchiveRefused
from labeling.models import Project, ProjectMove, User
from labeling.queries.retention import count_rows

MOVE = "worker.move_project"
FOLDER = "projects"  # in the data directory, so that backups include the files
IN_BUCKET = (
    "This site keeps its files in a bucket, and workers do not share their disks. Ask an operator:"
    " manage.py take_out_project {slug} --to FOLDER, and bring_back_project FILE."
)
GONE = "{file} is no longer in {folder}. Put it back there, or ask an operator: manage.py bring_back_project FILE."
HERE = "{slug} is not taken out: its rows are here."
MOVING = "{slug} is already being moved."
Direction = ProjectMove.Direction


def folder() -> Path:
    """Return the folder of projects' files."""
    return Path(settings.DATA_DIR) / FOLDER


def why_not(project: Project) -> str:
    """Return why the project can be neither taken out nor brought back now, or "" if it can."""
    try:
        _require_movable(project)
    except ArchiveRefused as refused:
        return refused.detail
    return ""


def _require_movable(project: Project) -> None:
    if in_bucket():
        raise ArchiveRefused(IN_BUCKET.format(slug=project.slug))
    if _waiting(project):
        raise ArchiveRefused(MOVING.format(slug=project.slug))
    if not project.taken_out:
        refuse_work(project)
    elif not (folder() / project.taken_out["file"]).is_file():
        raise ArchiveRefused(GONE.format(file=project.taken_out["file"], folder=folder()))


def _waiting(project: Project) -> bool:
    return ProjectMove.objects.filter(project=project, status__in=("queued", "running")).exists()


@transaction.atomic
def move_project(project: Project, direction: str, *, by: User) -> ProjectMove:
    """Queue taking a project out, or bringing it back. Raises ArchiveRefused."""
    locked = Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    _require_movable(locked)
    if bool(locked.taken_out) != (direction == Direction.BACK):
        said = HERE if direction == Direction.BACK else "{slug} is already taken out."
        raise ArchiveRefused(said.format(slug=locked.slug))
    rows = int(locked.taken_out["rows"]) if locked.taken_out else count_rows(locked)
    move = ProjectMove.objects.create(project=locked, direction=direction, rows_total=rows, created_by=by)
    audit_log.record("project.move", actor=by, project=locked, target=f"project {locked.slug}", direction=direction)
    wake_worker(MOVE, move.pk)
    return move


def run_move(move_id: int) -> ProjectMove | None:
    """Do a waiting move. Doing it twice does no harm: a project that is out, or back, stays so."""

    def work(move: ProjectMove, lease: Lease) -> dict[str, Any] | None:
        def tell(rows: int | None) -> None:
            lease.require()
            # After the last row, the total, whatever was counted beforehand: the page then says in words what is left.
            done = move.rows_total if rows is None else lease.progress.get("rows_done", 0) + rows
            lease.progress = {"rows_done": done}

        project = Project.objects.get(pk=move.project_id)
        out = bool(project.taken_out)
        if move.direction == Direction.OUT and not out:
            take_out_project(project, folder(), tell=tell)
        elif move.direction == Direction.BACK and project.taken_out:
            bring_back_project(folder() / project.taken_out["file"], tell=tell)
        lease.end()  # it is done, even if somebody has asked to stop since
        finish_job(move, ProjectMove.Status.SUCCEEDED, error="", rows_done=move.rows_total)
        return None

    return run_job(ProjectMove, move_id, work)
