"""The files of imports: kept until their import is over, for a day if they were only checked, and then removed."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import accumulate
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone

from annotation_app.object_storage import in_bucket
from labeling.actions import kept_files
from labeling.models import ImportJob, ScoreImport

FOLDER = "imports"  # in the data directory
STRAY_SECONDS = 24 * 3600
CHECKED_FILES = 20  # per project, of files not imported
CHECKED_BYTES = 100 * 2**30
OVER = (ImportJob.Status.SUCCEEDED, ImportJob.Status.FAILED, ImportJob.Status.CANCELLED)


@contextmanager
def removed_unless_recorded(file: Path) -> Iterator[None]:
    """Remove the file if the block fails: a file that no row names would stay forever."""
    try:
        yield
    except BaseException:
        kept_files.forget(file)
        raise


def forget_stray_uploads() -> int:
    """Remove uploads left behind a day ago or earlier by a server that was killed. Returns the number of files."""
    folder, before = Path(settings.FILE_UPLOAD_TEMP_DIR), time.time() - STRAY_SECONDS
    stray = [file for file in folder.glob("*.upload*") if file.is_file() and kept_files.changed_at(file) < before]
    for file in stray:
        file.unlink(missing_ok=True)
    return len(stray)


def forget_old_uploads() -> int:
    """Remove the uploads of imports that ended a day ago or earlier: files that were only checked or refused, and what
    a worker left that died when its import had ended. Returns the number of files.
    """
    before = timezone.now() - timedelta(seconds=STRAY_SECONDS)
    ended = {"status__in": OVER, "finished_at__range": (before - timedelta(days=7), before)}
    ImportJob.objects.filter(**ended).exclude(head=[]).update(head=[])
    return sum(_forget_uploads_of(model, **ended) for model in (ImportJob, ScoreImport))


def _forget_uploads_of(model: type[ImportJob] | type[ScoreImport], **ended: Any) -> int:
    old: list[ImportJob | ScoreImport] = list(model.objects.filter(**ended, path__startswith=f"{FOLDER}/").only("path"))
    left = [job for job in old if kept_files.exists(settings.DATA_DIR / job.path)]
    for job in left:
        forget_upload(job)
    if in_bucket():  # so that they are not asked for again
        model.objects.filter(pk__in=[job.pk for job in old]).update(path="")
    return len(left)


def forget_older_checks(project_id: int) -> int:
    """Keep only the newest of a project's checked or refused files. Returns the number removed."""
    fresh = timezone.now() - timedelta(seconds=STRAY_SECONDS)
    checked = ImportJob.objects.filter(
        project=project_id,
        status__in=OVER,
        finished_at__gt=fresh,
        path__startswith=f"{FOLDER}/",
        report__imported=False,
    )
    here = [job for job in checked.order_by("-finished_at", "-pk") if kept_files.exists(settings.DATA_DIR / job.path)]
    sums = list(accumulate(job.bytes_total for job in here))
    older = [job for n, job in enumerate(here) if n and (n >= CHECKED_FILES or sums[n] > CHECKED_BYTES)]
    for job in older:
        kept_files.forget(settings.DATA_DIR / job.path)
    ImportJob.objects.filter(pk__in=[job.pk for job in older]).update(head=[], **({"path": ""} if in_bucket() else {}))
    return len(older)


def is_ours(job: ImportJob | ScoreImport) -> bool:
    """Return whether the file was uploaded, rather than named by an operator on the command line."""
    return job.path.startswith(f"{FOLDER}/")


def forget_upload(job: ImportJob | ScoreImport) -> None:
    """Remove the file of an import that is over. A file that an operator named stays."""
    if is_ours(job):
        kept_files.forget(settings.DATA_DIR / job.path)
