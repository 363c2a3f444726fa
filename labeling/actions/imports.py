"""Imports: accept a file and turn it into problems, traces and labels in one transaction."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

from django.conf import settings
from django.db import connection, transaction

from annotation_app.object_storage import in_bucket
from labeling.actions import audit_log, kept_files
from labeling.actions.gold import import_as_gold
from labeling.actions.import_files import (
    CHECKED_FILES,
    FOLDER,
    OVER,
    forget_older_checks,
    forget_upload,
    is_ours,
    removed_unless_recorded,
)
from labeling.actions.import_merge import merge, told_first_errors
from labeling.actions.import_reading import Reading, require_mapping
from labeling.actions.import_staging import Staging
from labeling.actions.import_traces import TraceMerge
from labeling.actions.imported_marks import by_name_alone, refuse_names
from labeling.actions.jobs import Lease, cancel_job, finish_job, finish_unless_stopped, run_job, wake_worker
from labeling.actions.problem_held_out import drop_held_out
from labeling.errors import FileGone, InvalidFields, NotImportable, ProjectArchived
from labeling.formats.faults import Fault, FaultLog, no_row
from labeling.formats.imports.agents.files import run_rows
from labeling.formats.imports.columns import NAME as COLUMNS
from labeling.formats.imports.import_format import LOST
from labeling.models import ImportJob, Project, User

NAME_LENGTH = 255
NOT_IMPORTED = "Nothing was imported: the file has faults. Fix them, or import again and skip the faulty rows."
WHOLE_FILE = frozenset(
    (
        *("other_format", "parquet_file", "arrow_file", "zstd_file", "archive", "pointer_file", "web_page"),
        *("binary_file", "bad_encoding", "not_json", "too_many_columns", "empty_file"),
        *("unknown_columns", "bad_parquet", "parquet_too_large", "name_taken"),
    )
)
Json = dict[str, Any]


def create_import(
    project: Project,
    *,
    by: User | None,
    uploaded: Path,
    file_name: str,
    format: str = "",
    dry_run: bool = False,
    skip_faulty: bool = False,
    as_gold: bool = False,
    labels_of: str = "",
    split: str = "",
    marks_of: str = "",
    mapping: Json | None = None,
) -> ImportJob:
    """Take over an uploaded file and queue its import. An empty `format` is detected from the first row.

    With `as_gold`, each row's trace becomes gold, and a row without a first error is faulty. With `labels_of`, what
    rows say about their steps becomes labels of an imported labeler of that name, or of the labeler a row names; with
    `marks_of`, it becomes scores of a machine of that name. `mapping` says what each column is, in place of a format.
    `split` is for problems whose rows give none; if it is empty, those of known benchmarks are held out. The file gets
    a name of our own; the given name is only ever displayed. Raises ProjectArchived, InvalidFields.
    """
    require_open(project)
    require_choice(format, mapping, labels_of, marks_of)
    folder = settings.DATA_DIR / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    kept = folder / uuid4().hex
    os.replace(uploaded, kept)
    kept.chmod(0o600)
    kept_files.put(kept)
    with removed_unless_recorded(kept):
        job = record_import(
            project,
            by=by,
            path=f"{FOLDER}/{kept.name}",
            file_name=file_name,
            format=format,
            dry_run=dry_run,
            skip_faulty=skip_faulty,
            as_gold=as_gold,
            labels_of=labels_of,
            split=split,
            marks_of=marks_of,
            mapping=mapping,
        )
    wake_worker("worker.run_import", job.pk)
    return job


def require_open(project: Project) -> None:
    """Raise ProjectArchived if the project no longer accepts imports."""
    if project.status == Project.Status.ARCHIVED:
        raise ProjectArchived


def require_choice(format: str, mapping: Json | None, labels_of: str, marks_of: str) -> None:
    """Raise InvalidFields if the request contradicts itself."""
    require_mapping(mapping or None)
    fields: dict[str, Any] = {}
    if mapping and format not in ("", COLUMNS):
        fields["format"] = ["Leave the format out: the mapping defines how rows are read."]
    if labels_of.strip() and marks_of.strip():
        fields["marks_of"] = ["Marks are from a machine or from a labeler: give only one of the two names."]
    if fields:
        raise InvalidFields(fields=fields)


def import_checked_file(
    checked: ImportJob,
    *,
    by: User,
    skip_faulty: bool = False,
    dry_run: bool = False,
    mapping: Json | None = None,
    marks_of: str | None = None,
    labels_of: str | None = None,
) -> ImportJob:
    """Import the file of a dry run, or a file that was refused for its faults, without another upload. Settings are
    those of the check unless given here. With `dry_run` the file is checked again, for example with another mapping.

    The file is handed over, so it is imported only once, however often this is called. Raises FileGone,
    ProjectArchived, NotImportable, InvalidFields.
    """
    if checked.status not in OVER or checked.report.get("imported", True) or not is_ours(checked):
        raise NotImportable
    asked: dict[str, Any] = {
        "format": "" if mapping else _chosen_format(checked),
        "mapping": mapping or checked.mapping,
        "labels_of": checked.labels_of if labels_of is None else labels_of,
        "marks_of": checked.marks_of if marks_of is None else marks_of,
        "split": checked.split,
    }
    require_choice(**{name: asked[name] for name in ("format", "mapping", "labels_of", "marks_of")})
    kept = settings.DATA_DIR / checked.path
    # Nothing can be renamed in a bucket: whoever clears the path on the row gets the file.
    if in_bucket() and not ImportJob.objects.filter(pk=checked.pk, path=checked.path).update(path=""):
        raise FileGone
    handed = kept.with_name(f"{uuid4().hex}.upload")
    try:
        kept_files.move_out(kept, handed)
    except FileNotFoundError as gone:
        said = (
            "The file was already imported, or was removed: it is kept for a day after its check, and a project keeps"
            f" only its newest {CHECKED_FILES}. Upload it again."
        )
        raise FileGone(said) from gone
    ImportJob.objects.filter(pk=checked.pk).update(head=[])
    return create_import(
        checked.project,
        by=by,
        uploaded=handed,
        file_name=checked.file_name,
        dry_run=dry_run,
        skip_faulty=skip_faulty,
        as_gold=checked.as_gold,
        **asked,
    )


def _chosen_format(checked: ImportJob) -> str:
    """Return the requested format, or the detected one, which reads the same rows.

    Return "" to detect it again if the check found that traces would be lost. That fault is reported only when nobody
    chose the format, because whoever chooses one knows what it leaves unread. A format set here would lose them
    silently.
    """
    kinds = {kind["kind"] for kind in checked.report.get("faults", {}).get("kinds", [])}
    return "" if checked.format == COLUMNS or LOST in kinds else checked.format


@transaction.atomic
def record_import(
    project: Project,
    *,
    by: User | None,
    path: str,
    file_name: str,
    format: str,
    dry_run: bool,
    skip_faulty: bool,
    as_gold: bool = False,
    labels_of: str = "",
    split: str = "",
    marks_of: str = "",
    mapping: Json | None = None,
) -> ImportJob:
    """Create the row of an import. `path` is relative to the data directory, or absolute if an operator named it."""
    job = ImportJob.objects.create(
        project=project,
        created_by=by,
        file_name=shown_name(file_name),
        path=path,
        format=COLUMNS if mapping else format,
        dry_run=dry_run,
        skip_faulty=skip_faulty,
        as_gold=as_gold,
        labels_of=labels_of.strip(),
        split=split,
        marks_of=marks_of.strip(),
        mapping=mapping or {},
        bytes_total=(settings.DATA_DIR / path).stat().st_size,
    )
    detail = {"file_name": job.file_name, "format": format, "dry_run": dry_run, "skip_faulty": skip_faulty}
    detail |= {"as_gold": as_gold, "labels_of": job.labels_of, "split": split, "marks_of": job.marks_of}
    audit_log.record("import.create", actor=by, project=project, target=f"import {job.pk}", **detail)
    return job


def shown_name(name: str) -> str:
    """Return a file's name as it may be displayed: no path, no control characters."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(character for character in last if character.isprintable())[:NAME_LENGTH] or "file"


def run_import(job_id: int) -> ImportJob | None:
    """Do an import that is queued or whose worker died, wholly or not at all. Returns None if it is not free."""
    return run_job(ImportJob, job_id, _import_file, at_end=_forget_file)


class ListAdded(Exception):
    """A list of held-out problems was added during the merge, and it holds out rows of this file."""


def _import_file(job: ImportJob, lease: Lease) -> None:
    """Read, stage and merge. The data and the job's success are committed together or not at all.

    Raises FileGone.
    """
    asked = job.format
    while True:
        job.format = asked  # the previous attempt detected it from the first row; nobody chose it
        with suppress(ListAdded):
            return _read_and_merge(job, lease)


def _read_and_merge(job: ImportJob, lease: Lease) -> None:
    """Read and merge once. Raises ListAdded, FileGone or ProjectArchived, having written nothing."""
    with _opened(job) as raw, transaction.atomic(), connection.cursor() as cursor:
        traces = TraceMerge(cursor, job)
        with Staging(cursor, job.project_id, traces) as staging:
            faults, reading = _stage_file(job, raw, staging, lease)
            reading.without_label += staging.without_label
            told = reading.report()
            staging.finish()
        traces.move(staging.problem_count, staging.row_no)
        if traces.refuses_more():
            raise ListAdded
        traces.end()
        faults.add(drop_held_out(cursor, job.format))
        faults.add(refuse_names(cursor, job.project))
        counts = merge(cursor, job, traces)
        if job.as_gold:
            counts["gold"] = import_as_gold(job.project, told_first_errors(cursor, job), by=job.created_by)
        if traces.refuses_more(until_the_end=True):
            raise ListAdded
        imported = not job.dry_run and (job.skip_faulty or not faults.total)
        if not imported and "marks" in counts:
            counts["marks"] = by_name_alone(counts["marks"])
        report = {**told, **counts, "faults": faults.as_json(), "imported": imported}
        lease.require()
        lease.end()
        ending = {"report": report, "format": job.format, "rows_done": told["rows"], "bytes_done": job.bytes_total}
        if imported:
            finish_unless_stopped(job, **ending)
        else:
            transaction.set_rollback(True)
    if not imported:
        status = ImportJob.Status.SUCCEEDED if job.dry_run else ImportJob.Status.FAILED
        ending["head"] = reading.head
        finish_job(job, status, error="" if job.dry_run else _why_nothing(faults), **ending)


def _why_nothing(faults: FaultLog) -> str:
    """Return the job's error: the fault itself if it is the only one and of the whole file, else a general one."""
    found = [fault for examples in faults.examples.values() for fault in examples]
    if len(found) != 1 or found[0].kind not in WHOLE_FILE:
        return NOT_IMPORTED
    return f"Nothing was imported. Found: {found[0].found}. The report says what to do."


def _opened(job: ImportJob) -> BinaryIO:
    return kept_files.opened(settings.DATA_DIR / job.path)


def _stage_file(job: ImportJob, raw: BinaryIO, staging: Staging, lease: Lease) -> tuple[FaultLog, Reading]:
    """Stage every good row. Returns the faults, and what was learned about the rows."""
    faults, reading = FaultLog(), Reading(job)

    def pulse() -> None:
        """Note progress and obey a stop, also in parts without rows: people follow it, and can stop it."""
        lease.progress = {"bytes_done": raw.tell(), "rows_done": reading.rows}
        lease.require()

    pulse()
    other: Fault | None = None
    for line in run_rows(raw, pulse):
        reading.rows += 1
        if line.row is None:
            faults.add([line.fault] if line.fault else [])
            continue
        row = reading.without_secrets(line.row)
        reading.keep(row, line.number, line.size)
        other = other or reading.refuses(row, line.number)
        if other and reading.has_head:
            break
        if other:
            continue
        parsed, found = reading.parse(row, line.number)
        staging.moves_early = not reading.asks_for_problems
        faults.add(found)
        written = [staging.add(line.number, line.size, row, one.row, one.marks) for one in parsed]
        faults.add(staging.take_faults())
        if any(written):
            pulse()
    pulse()
    faults.add([other] if other else [])
    if reading.rows == 0:
        faults.add([no_row()])
    return faults, reading


def cancel_import(job: ImportJob, *, by: User) -> ImportJob:
    """Stop an import. Nothing of it is kept. Raises JobFinished."""
    return cancel_job(job, by=by, at_end=_forget_file)


def _forget_file(job: ImportJob) -> None:
    """Remove an upload that is no longer needed. One that was only checked can still be imported, for a day."""
    if is_ours(job) and not job.report.get("imported", True):
        forget_older_checks(job.project_id)
    else:
        forget_upload(job)
