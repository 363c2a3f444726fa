"""Exports: freeze a set of labels, and write them to a file that is the same however often it is written."""

import hashlib
import importlib
import importlib.metadata
import sys
import time
from array import array
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import orjson
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from labeling import queries
from labeling.actions import audit_log, kept_files
from labeling.actions.export_counts import WITHOUT_ROWS, Counts
from labeling.actions.export_file import ExportFile, Written, hashes_path, open_truncated, sha256_of
from labeling.actions.export_requests import config_asked
from labeling.actions.jobs import Lease, LeaseLost, run_job, wake_worker
from labeling.actions.notices import tell_export_ready
from labeling.errors import ExportNotReady, FileChanged
from labeling.formats.export_config import LISTED_HASHES, ExportConfig
from labeling.formats.exporting import ExportedLabel
from labeling.formats.exports import EXPORT_FORMATS
from labeling.formats.exports.containers import CONTAINERS, JSON_LINES, PARQUET, Container
from labeling.formats.exports.export_format import ExportFormat, rows_of, why_silent
from labeling.models import Export, Project, User
from labeling.queries.gc_pause import gc_paused

FOLDER = "exports"  # in the data directory
HELD = 1000  # rows between two checks that the export is still ours
ROW_VERSION = 8  # part of the snapshot id: raise it when the same labels would give other bytes
NOTE_EVERY = 0.5  # seconds of work a kill loses: syncing to disk after each chunk took a third of the time
HANDOVER = 0.0002  # seconds
GZIP = "application/gzip"
CONTENT_TYPES = (*(container.content_type for container in CONTAINERS.values()), GZIP)
Json = dict[str, Any]


@transaction.atomic
def create_export(
    project: Project,
    *,
    by: User | None,
    format: str,
    filters: Json | None = None,
    switches: dict[str, str] | None = None,
    container: str = JSON_LINES.name,
    gzip: bool = False,
    roles: dict[str, str] | None = None,
    statements: dict[str, str] | None = None,
    wake: bool = True,
) -> Export:
    """Queue an export of the labels submitted before it first runs; with `wake`, wake a worker. Raises InvalidFields,
    ProjectTakenOut.

    `filters`: as in ExportConfig. `switches`, `container`: see docs/formats.md. All are recorded.
    """
    queries.projects.require_rows(project)
    config = config_asked(
        project, format, filters, switches, container=container, gzip=gzip, roles=roles, statements=statements
    )
    export = Export.objects.create(project=project, created_by=by, format=format, config=config.as_json())
    detail = {"format": format, "filters": config.filters, "switches": config.switches}
    audit_log.record("export.create", actor=by, project=project, target=f"export {export.pk}", **detail)
    if wake:
        wake_worker("worker.run_export", export.pk)
    return export


def count_labels(
    project: Project, *, format: str, filters: Json | None = None, switches: dict[str, str] | None = None, **about: Any
) -> dict[str, int]:
    """Return how many labels an export would hold if it were made now, and how many more (`excluded`) if none had been
    left out by hand. Takes the arguments of create_export. Raises InvalidFields.
    """
    config = config_asked(project, format, filters, switches, **about)
    asked = project, config.filters, config.switches
    return {"labels": len(queries.exports.label_ids(*asked)), "excluded": queries.exports.excluded_labels(*asked)}


@transaction.atomic
def repeat_export(export: Export, *, by: User | None) -> Export:
    """Create another export of the same snapshot: the same labels, and so the same bytes. Raises ExportNotReady."""
    if export.frozen_at is None:
        raise ExportNotReady("This export has not chosen its labels yet.", status=export.status)
    again = Export.objects.create(
        project=export.project,
        created_by=by,
        format=export.format,
        config=export.config,
        snapshot_id=snapshot_id(export, queries.exports.frozen_ids(export)),  # new if rows are now written differently
        label_ids=Export.objects.values_list("label_ids", flat=True).get(pk=export.pk),
        labels_total=export.labels_total,
        manifest={"left_out": export.manifest.get("left_out", {})},
        frozen_at=export.frozen_at,
    )
    audit_log.record("export.repeat", actor=by, project=export.project, target=f"export {again.pk}", of=export.pk)
    return again


@transaction.atomic
def export_without(export: Export, labels: set[int], *, by: User | None) -> Export:
    """Create another export of the same snapshot without some of its labels, and with nothing new."""
    kept = array("q", (pk for pk in queries.exports.frozen_ids(export) if pk not in labels))
    left_out = export.manifest.get("left_out", {})
    taken = export.labels_total - len(kept) + left_out.get("labelers", 0)
    again = Export.objects.create(
        project=export.project,
        created_by=by,
        format=export.format,
        config=export.config,
        snapshot_id=snapshot_id(export, kept),
        label_ids=queries.exports.packed_ids(kept),
        labels_total=len(kept),
        manifest={"left_out": {**left_out, "labelers": taken}},
        frozen_at=export.frozen_at,
    )
    audit_log.record("export.without", actor=by, project=export.project, target=f"export {again.pk}", of=export.pk)
    return again


def run_export(export_id: int) -> Export | None:
    """Write an export that is queued or whose worker died, from where that stopped. Returns None if it is not free."""
    return run_job(Export, export_id, _make, at_end=_tell_if_ready)


def _tell_if_ready(export: Export) -> None:
    if export.status == Export.Status.SUCCEEDED:
        tell_export_ready(export)


def _make(export: Export, lease: Lease) -> dict[str, Any]:
    with gc_paused(), short_switch_interval():
        if export.frozen_at is None:
            _freeze(export)
        return _write(export, lease)


@contextmanager
def short_switch_interval() -> Iterator[None]:
    """Shorten the interpreter's switch interval: the threads that read ahead need it each time Postgres has sent
    something. By default they may wait for five milliseconds, the time of making a hundred rows.
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(HANDOVER)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


@transaction.atomic
def _freeze(export: Export) -> None:
    """Choose the labels once and for all: whatever is submitted, taken back or revised later changes nothing."""
    queries.frozen_labels.hold_recent_labels(export.project)
    config = config_of(export)
    ids = queries.exports.label_ids(export.project, config.filters, config.switches)
    if format_of(export).even:
        ids = queries.export_columns.with_first(ids, queries.export_columns.columns_of(ids).first)
    export.snapshot_id = snapshot_id(export, ids)
    export.label_ids = queries.exports.packed_ids(ids)
    export.labels_total = len(ids)
    left_out = queries.export_left_out.left_out(export.project, config.filters, config.switches, ids)
    export.manifest = {"left_out": left_out}
    export.frozen_at = timezone.now()
    export.save(update_fields=["snapshot_id", "label_ids", "labels_total", "manifest", "frozen_at"])


def format_of(export: Export) -> ExportFormat:
    """Return the export's format."""
    return EXPORT_FORMATS[export.format]


def config_of(export: Export) -> ExportConfig:
    """Return the export's settings, whichever version stored them."""
    return ExportConfig.of(format_of(export), export.config)


def snapshot_id(export: Export, ids: "array[int]") -> str:
    """Return 64 hex digits that identify the bytes of an export: its labels, and everything that shapes their rows."""
    config = config_of(export)
    # A switch that is newer than existing snapshot ids must not change them while it does nothing.
    switches = {name: value for name, value in config.switches.items() if (name, value) != ("imported", "include")}
    shape: Json = {
        "project": export.project_id,
        "format": export.format,
        "switches": switches,
        "gzip": config.gzip,
        "version": ROW_VERSION,
    }
    if container_of(export) is PARQUET:
        shape["parquet"] = importlib.metadata.version("pyarrow")  # another version may pack differently
    return hashlib.sha256(orjson.dumps(shape, option=orjson.OPT_SORT_KEYS) + ids.tobytes()).hexdigest()


def file_path(export: Export) -> Path:
    """Return the path of an export's file. No part of it was typed by a person."""
    return _path(export, container_of(export))


def _path(export: Export, container: Container) -> Path:
    ending = container.ending + (".gz" if config_of(export).gzip else "")
    return Path(settings.DATA_DIR) / FOLDER / f"{export.pk}{ending}"


def container_of(export: Export) -> Container:
    """Return the file type that holds the export's rows."""
    return CONTAINERS[config_of(export).container]


def content_type(export: Export) -> str:
    """Return the media type of the file to download."""
    return GZIP if config_of(export).gzip else container_of(export).content_type


def file_stem(export: Export) -> str:
    """Return the name of an export's downloads without their ending: letters, digits, hyphens, underscores."""
    return f"{export.project.slug}-{export.format}-{export.pk}"


def file_name(export: Export) -> str:
    """Return the name under which an export's file is downloaded."""
    return f"{file_stem(export)}{''.join(file_path(export).suffixes)}"


def file_to_download(export: Export, *, by: User, link: bool = False) -> Path | str:
    """Return the finished file, or with `link` the address to get it from. The audit log records who downloaded it.

    Raises ExportNotReady, FileChanged.
    """
    require_finished(export)
    path, name, kind = file_path(export), file_name(export), content_type(export)
    address = kept_files.link_to(path, file_name=name, content_type=kind, size=export.bytes) if link else None
    found = address or finished_file(export)
    audit_log.record("export.download", actor=by, project=export.project, target=f"export {export.pk}")
    return found


def finished_file(export: Export) -> Path:
    """Return the finished file on this disk, after checking it and the list of its row hashes against the recorded
    hashes.

    Raises ExportNotReady while the file is being written, or if it was lost, and FileChanged.
    """
    require_finished(export)
    path = file_path(export)
    kept_files.fetch_if_missing(path, export.sha256)
    kept_files.fetch_if_missing(hashes_path(path), _hash_of_list(export))
    return path


def is_intact(export: Export) -> bool:
    """Return whether a finished export's file and the list of its row hashes exist and have the recorded hashes."""
    path, listed = file_path(export), _hash_of_list(export)
    try:
        if not kept_files.fetch_if_missing(path, export.sha256):
            return False
        return not listed or kept_files.fetch_if_missing(hashes_path(path), listed)
    except FileChanged:
        return False


def _hash_of_list(export: Export) -> str:
    return str(export.manifest.get("row_hashes", {}).get("sha256_of_list", ""))


def require_finished(export: Export) -> None:
    """Raise ExportNotReady while the file is being written, or if it was lost."""
    if export.status != Export.Status.SUCCEEDED:
        raise ExportNotReady(
            "This export is not finished. Look again when its status is succeeded.", status=export.status
        )
    if not kept_files.exists(file_path(export)):
        raise ExportNotReady("The file is no longer on the server. Make the export again.", status=export.status)


def _write(export: Export, lease: Lease) -> Json:
    """Write the chunks that are missing. Returns the column values of a finished export."""
    path, format, config = _path(export, JSON_LINES), format_of(export), config_of(export)
    ids, ends = queries.exports.in_file_order(queries.exports.frozen_ids(export), format.group, format.chunk)
    before = export.checkpoint
    if before.get("labels", 0) not in (0, *ends):
        before = {}  # begun by a version with other chunks
    written = Written(before.get("bytes", 0), before.get("rows", 0))
    with closing(ExportFile(path, config.gzip, written)) as file:
        resumed = file.written == written
        counts = Counts(before.get("counts", {}) if resumed else {})
        start = before.get("labels", 0) if resumed else 0
        own_keys = queries.export_columns.columns_of(ids).own_keys if format.even else []
        nothing = dict.fromkeys(own_keys)
        noted = time.monotonic()
        read = {"remarks": format.remarks, "rollouts": format.rollouts}
        for end, labels in queries.exports.chunks_to_write(export.project, ids, ends, start, **read):
            lease.require()
            whole = [label.with_own_keys(nothing) for label in labels] if nothing else labels
            silent: list[ExportedLabel] = []
            rows = list(rows_of(format, whole, config.switches, silent))
            counts.add(labels)
            counts.by_name[WITHOUT_ROWS].update(why_silent(format, label) for label in silent)
            file.append(rows)
            if end == len(ids) or time.monotonic() > noted + NOTE_EVERY:
                file.sync()
                _note_progress(export, end, file.written, counts)
                noted = time.monotonic()
        file.finish()
        written = file.written
        if container_of(export) is PARQUET:
            path = _packed_as_parquet(export, path, lease)
    relative = str(path.relative_to(settings.DATA_DIR))
    size = path.stat().st_size
    ending: Json = {"path": relative, "bytes": size, "rows": written.rows, "labels_done": len(ids)}
    ending["sha256"] = sha256_of(path)
    ending["manifest"] = _manifest(export, path, counts, ending)
    lease.require()
    kept_files.put(path, hashes_path(path))
    return ending


def _packed_as_parquet(export: Export, lines: Path, lease: Lease) -> Path:
    """Pack the JSON lines on disk into a Parquet file and remove them. A run that fails here starts again from them."""
    path, about = file_path(export), {"stepmark_format": export.format, "stepmark_snapshot": export.snapshot_id}
    parquet = importlib.import_module("labeling.formats.parquet")  # takes fifty megabytes that no other export needs
    with lines.open("rb") as rows, open_truncated(path) as file:
        parquet.write_parquet(_while_held(rows, lease), format_of(export).columns, about, file)
    hashes_path(lines).replace(hashes_path(path))
    lines.unlink()
    return path


def _while_held(rows: Iterable[bytes], lease: Lease) -> Iterator[bytes]:
    for number, row in enumerate(rows):
        if number % HELD == 0:
            lease.require()
        yield row


def _note_progress(export: Export, labels: int, written: Written, counts: Counts) -> None:
    """Note that the chunk is on disk, so that a later run continues after it. Raises LeaseLost."""
    checkpoint = {"labels": labels, "bytes": written.bytes, "rows": written.rows, "counts": counts.as_json()}
    mine = Export.objects.filter(pk=export.pk, lease_token=export.lease_token, status=Export.Status.RUNNING)
    done = {"labels_done": labels, "rows": written.rows, "bytes": written.bytes}
    if not mine.update(checkpoint=checkpoint, **done):
        raise LeaseLost


def _manifest(export: Export, path: Path, counts: Counts, ending: Json) -> Json:
    """Return the manifest: how the file was made, what is in it, and what is not known (PROTOCOL, other formats)."""
    config, counted = config_of(export), counts.as_json()
    hashes = hashes_path(path)
    few = ending["rows"] <= LISTED_HASHES
    made_by = queries.release_facts.made_by(queries.exports.frozen_ids(export))
    return {
        "project": export.project.slug,
        "format": export.format,
        "snapshot_id": export.snapshot_id,
        "frozen_at": export.frozen_at.isoformat() if export.frozen_at else None,
        "stepmark_build": settings.BUILD,
        "filters": queries.exports.told_filters(export.project, config),
        "switches": config.switches,
        "labels": ending["labels_done"],
        "rows": ending["rows"],
        "left_out": export.manifest.get("left_out", {}),
        WITHOUT_ROWS: counted[WITHOUT_ROWS],
        "ratings": counted["ratings"],
        "ratings_along_the_path": counted["path"],
        "finish_reasons": counted["finish_reasons"],
        "rounds": counted["rounds"],
        "guideline_versions": counted["guideline_versions"],
        "grader_versions": counted["grader_versions"],
        "prm_versions": made_by.prms,
        "file": {
            **{name: ending[name] for name in ("bytes", "sha256")},
            "container": config.container,
            "gzip": config.gzip,
        },
        "row_hashes": {
            "algorithm": "SHA-256 of each row as a line of JSON without its newline, in hex",
            "sha256_of_list": sha256_of(hashes),
            "list": hashes.read_text().split() if few else None,
        },
        "roles": config.roles_with(made_by.answers),
        "statements": config.statements,
    }
