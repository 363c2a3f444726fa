"""A project taken out into a file, and brought back: all of its rows and files, or nothing.

The project itself stays, archived and empty, with its people and its audit log. The rest exists only in the file. Ids
are kept and not reused in the meantime, so that the project comes back as it was.
"""

import hashlib
import json
import os
import re
import shutil
import tarfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
from django.conf import settings
from django.db import DataError, IntegrityError, OperationalError, ProgrammingError, connection, transaction
from psycopg import sql

from annotation_app.object_storage import in_bucket
from labeling.actions import audit_log
from labeling.actions.backups import sha256_of
from labeling.actions.forgetting import forget_in_what_came_back
from labeling.actions.tar_files import unpack
from labeling.actions.training_runs import TRAINED
from labeling.errors import ArchiveRefused
from labeling.models import Project, ProjectMove
from labeling.models.jobs import Job
from labeling.queries.project_rows import Table, tables_of

MANIFEST = "MANIFEST.json"
FORMAT = 1  # of the manifest
NO_MANIFEST = "{path} has no complete " + MANIFEST + ": it is damaged, or not the file of a project."
SLUG = re.compile("[-a-zA-Z0-9_]+")
ENDING = ".stepmark.tar"
PIECE = 2**20
FIRST = "labeling_label"  # restored before its tasks, so that the trigger that counts labels finds no tasks
ACTIVE = "{slug} is not archived. Archive it first (Settings, or PATCH status), so that nobody works in it."
BUSY = "{slug} has a waiting or running {kind}. Cancel it, or wait until it has ended."
STANDING = "Rows of other projects refer to rows of {slug}, so nothing was taken out: {why}"
CHANGED = "{slug} was changed in the meantime, so nothing was taken out. Try again."
# Errors of PostgreSQL for rows that do not fit. COPY bypasses Django, so psycopg's own are listed too.
NOT_FITTING = (
    *(IntegrityError, DataError, ProgrammingError),
    *(psycopg.IntegrityError, psycopg.DataError, psycopg.ProgrammingError),
)
Json = dict[str, Any]
Tell = Callable[[int | None], None]


def _untold(rows: int | None) -> None:
    """Ignore the progress."""


def take_out_project(project: Project, target: Path, *, tell: Tell = _untold) -> Path:
    """Write a project's rows and files to a new file in the folder `target`, and delete them here. Raises
    ArchiveRefused.

    `tell` is called with the number of rows of each table, then with None: the rest (files, rows to delete, keys to
    check) cannot be counted and may take longer. If `tell` raises, everything stops. The file is complete on disk
    before the first row is deleted. If this is interrupted at any moment, all rows are still in the database.
    """
    now = datetime.now(UTC)
    path = _made(target) / f"{project.slug}-{now:%Y-%m-%dT%H-%M-%SZ}{ENDING}"
    partial = path.with_name(f"{path.name}.partial")
    try:
        with transaction.atomic(durable=True), TemporaryDirectory(dir=target) as scratch:
            files = _write(project, partial, Path(scratch), now, tell)
            _delete_rows(project)
            partial.rename(path)  # last: if the reply to the commit is lost, the file exists
            _sync(target)
    except BaseException as fault:
        partial.unlink(missing_ok=True)
        raise _in_words(fault, project) from fault
    for file in files:
        shutil.rmtree(file) if file.is_dir() else file.unlink(missing_ok=True)
    return path


def bring_back_project(path: Path, *, tell: Tell = _untold) -> Project:
    """Restore the project as it was when this file was made, except for people forgotten since. It stays archived.

    Raises ArchiveRefused, having changed nothing.

    `tell`: as in `take_out_project`.
    """
    with _opened(path) as archive:
        manifest = _manifest(archive, path)
        project = _taken_out_into(manifest, path)
        with TemporaryDirectory(dir=settings.DATA_DIR) as scratch:
            _unpack(archive, manifest, Path(scratch))
            try:
                with transaction.atomic(durable=True):
                    _bring_rows(project, manifest, Path(scratch), tell)
                    _bring_files(Path(scratch) / "files")
            except (*NOT_FITTING, OSError) as fault:
                raise ArchiveRefused(f"{path} could not be brought back, and nothing was changed: {fault}") from fault
    return project


def _made(target: Path) -> Path:
    """Create the folder and return it. Raises ArchiveRefused if it cannot be created."""
    try:
        target.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as fault:
        raise ArchiveRefused(f"{target} cannot be made: {fault.strerror}.") from fault
    return target


def _in_words(fault: BaseException, project: Project) -> BaseException:
    if isinstance(fault, IntegrityError):
        return ArchiveRefused(STANDING.format(slug=project.slug, why=str(fault).strip().split("\n")[-1]))
    if isinstance(fault, OperationalError) and any(word in str(fault) for word in ("serialize", "deadlock")):
        return ArchiveRefused(CHANGED.format(slug=project.slug))
    if isinstance(fault, OSError):
        return ArchiveRefused(f"Writing the file failed, and nothing was taken out: {fault}.")
    return fault


def _sync(path: Path) -> None:
    """Sync to disk what was written, so that it survives a power cut."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _write(project: Project, partial: Path, scratch: Path, now: datetime, tell: Tell) -> list[Path]:
    """Write the file from one database snapshot of the project. Returns the files on this disk that it contains."""
    with connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    locked = Project.objects.select_for_update().get(pk=project.pk)
    refuse_work(locked)
    manifest: Json = {
        "format": FORMAT,
        "stepmark": settings.VERSION,
        "project": {"id": locked.pk, "slug": locked.slug},
        "made_at": now.isoformat(),
        "tables": [],
        "files": [],
    }
    files = _files_of(locked)
    with tarfile.open(partial, "w") as archive:
        partial.chmod(0o600)
        for table in tables_of(locked):
            about = _copy_out(table, scratch / "rows")
            tell(about["rows"])
            archive.add(scratch / "rows", f"rows/{table.name}")
            manifest["tables"].append({"name": table.name, "columns": table.columns, **about})
        tell(None)
        for file in _each(files):
            name = f"files/{_name(file)}"
            archive.add(file, name, recursive=False)
            with file.open("rb") as opened:
                manifest["files"].append({"name": name, "sha256": sha256_of(opened)})
        (scratch / MANIFEST).write_text(json.dumps(manifest, indent=1))
        archive.add(scratch / MANIFEST, MANIFEST)
    _sync(partial)
    rows = sum(table["rows"] for table in manifest["tables"])
    locked.taken_out = {"file": partial.name.removesuffix(".partial"), "at": manifest["made_at"], "rows": rows}
    locked.taken_out |= {"sha256": hashlib.sha256((scratch / MANIFEST).read_bytes()).hexdigest()}
    locked.save(update_fields=["taken_out"])
    audit_log.record(
        "project.take_out", actor=None, project=locked, target=f"project {locked.slug}", **locked.taken_out
    )
    return files


def refuse_work(project: Project) -> None:
    """Raise ArchiveRefused if the project is taken out already, or if people or jobs may be working in it."""
    if project.taken_out:
        raise ArchiveRefused(f"{project.slug} is already taken out, into {project.taken_out['file']}.")
    if project.status != Project.Status.ARCHIVED:
        raise ArchiveRefused(ACTIVE.format(slug=project.slug))
    kinds: Sequence[Any] = Job.__subclasses__()
    for kind in (one for one in kinds if one is not ProjectMove):
        if kind._default_manager.filter(project=project, status__in=("queued", "running")).exists():
            raise ArchiveRefused(BUSY.format(kind=kind._meta.verbose_name, slug=project.slug))


def _copy_out(table: Table, path: Path) -> Json:
    """Write a table's rows in PostgreSQL's own text format. Returns count and hash, to check them later."""
    asked = sql.SQL("COPY (SELECT {} FROM {} WHERE {}) TO STDOUT").format(
        _columns(table.columns), sql.Identifier(table.name), table.where
    )
    with connection.cursor() as cursor, path.open("wb") as file:
        with cursor.copy(asked) as rows:
            for piece in rows:
                file.write(piece)
        count = cursor.cursor.rowcount
    with path.open("rb") as written:
        return {"rows": count, "sha256": sha256_of(written)}


def _columns(names: Sequence[str]) -> sql.Composable:
    return sql.SQL(", ").join(map(sql.Identifier, names))


def _delete_rows(project: Project) -> None:
    with connection.cursor() as cursor:
        for table in tables_of(project):
            cursor.execute(sql.SQL("DELETE FROM {} WHERE {}").format(sql.Identifier(table.name), table.where))
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # rows that depend on these fail here, not at the commit


def _files_of(project: Project) -> list[Path]:
    """Return exports, releases and trained PRMs on this disk. In a bucket they stay: names are never reused."""
    if in_bucket():
        return []
    found: list[Path] = []
    for folder, ids in (("exports", project.exports), ("releases", project.releases)):
        for pk in ids.values_list("pk", flat=True).order_by("pk"):
            found += sorted(
                {*(settings.DATA_DIR / folder).glob(f"{pk}.*"), *(settings.DATA_DIR / folder).glob(f"{pk}")}
            )
    trained = settings.MODELS_DIR / TRAINED
    runs = project.training_runs.values_list("pk", flat=True).order_by("pk")
    found += [trained / f"{project.slug}-{pk}" for pk in runs if (trained / f"{project.slug}-{pk}").is_dir()]
    return found


def _each(files: Sequence[Path]) -> Iterator[Path]:
    for file in files:
        yield from sorted(one for one in file.rglob("*") if one.is_file()) if file.is_dir() else [file]


def _name(file: Path) -> str:
    """Return the file's path below the data directory, or below `models`."""
    if file.is_relative_to(settings.DATA_DIR):
        return str(file.relative_to(settings.DATA_DIR))
    return str(Path("models") / file.relative_to(settings.MODELS_DIR))


@contextmanager
def _opened(path: Path) -> Iterator[tarfile.TarFile]:
    """Open a project's file. Raises ArchiveRefused if it cannot be read."""
    try:
        with tarfile.open(path) as archive:
            yield archive
    except (OSError, tarfile.TarError) as fault:
        raise ArchiveRefused(f"{path} cannot be read as a project's file: {fault}.") from fault


def _manifest(archive: tarfile.TarFile, path: Path) -> Json:
    """Return the manifest with the hash of its bytes, by which the project recognises it."""
    try:
        found = archive.extractfile(MANIFEST)
    except KeyError:
        found = None
    if found is None:
        raise ArchiveRefused(NO_MANIFEST.format(path=path))
    written = found.read()
    try:
        manifest: Json = json.loads(written)
    except (ValueError, RecursionError) as fault:
        raise ArchiveRefused(NO_MANIFEST.format(path=path)) from fault
    if not isinstance(manifest, dict):
        raise ArchiveRefused(NO_MANIFEST.format(path=path))
    if manifest.get("format") != FORMAT:
        raise ArchiveRefused(f"{path} was made by a version of Stepmark with another file format. Use that version.")
    return manifest | {"sha256": hashlib.sha256(written).hexdigest()}


def _taken_out_into(manifest: Json, path: Path) -> Project:
    about = manifest.get("project")
    about = about if isinstance(about, dict) else {}
    slug = about.get("slug")
    if not isinstance(slug, str) or not SLUG.fullmatch(slug) or not isinstance(about.get("id"), int):
        raise ArchiveRefused(NO_MANIFEST.format(path=path))
    project = Project.objects.filter(pk=about["id"], slug=slug).first()
    if project is None:
        raise ArchiveRefused(f"{path} is the file of the project {slug}, which this installation does not have.")
    if not project.taken_out:
        raise ArchiveRefused(f"{project.slug} is not taken out: its rows are here.")
    if project.taken_out["sha256"] != manifest["sha256"]:
        raise ArchiveRefused(f"This is another file: {project.slug} was taken out into {project.taken_out['file']}.")
    return project


def _unpack(archive: tarfile.TarFile, manifest: Json, scratch: Path) -> None:
    """Unpack everything the manifest names, and check each hash. Raises ArchiveRefused."""
    named = {f"rows/{table['name']}": table["sha256"] for table in manifest["tables"]}
    named |= {file["name"]: file["sha256"] for file in manifest["files"]}
    unpack(archive, scratch, only=named)
    for name, wanted in named.items():
        if not (scratch / name).is_file() or _hash(scratch / name) != wanted:
            raise ArchiveRefused(f"{name} in the file is missing or was changed. Nothing was changed here.")


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return sha256_of(file)


def _bring_rows(project: Project, manifest: Json, scratch: Path, tell: Tell) -> None:
    """Restore the rows. Constraints are checked at the end, so apart from FIRST the order does not matter."""
    locked = Project.objects.select_for_update().get(pk=project.pk)
    if locked.taken_out != project.taken_out:
        raise ArchiveRefused(f"{project.slug} is already being brought back.")
    ours = {table.name for table in tables_of(project)}
    with connection.cursor() as cursor:
        for table in sorted(manifest["tables"], key=lambda one: one["name"] != FIRST):
            if table["name"] not in ours:
                raise ArchiveRefused(f"This version has no table {table['name']}. Use Stepmark {manifest['stepmark']}.")
            came = _copy_in(cursor, table, scratch / "rows" / table["name"])
            if came != table["rows"]:
                raise ArchiveRefused(f"{came} rows of {table['name']} came back, not {table['rows']}.")
            tell(came)
        tell(None)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    locked.taken_out = None
    locked.save(update_fields=["taken_out"])
    gone = forget_in_what_came_back(locked)  # the file does not know who was forgotten since
    project.refresh_from_db()
    about = {"forgotten": gone} if gone else {}
    audit_log.record("project.bring_back", actor=None, project=locked, target=f"project {locked.slug}", **about)


def _copy_in(cursor: Any, table: Json, path: Path) -> int:
    asked = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table["name"]), _columns(table["columns"]))
    with path.open("rb") as file, cursor.copy(asked) as rows:
        while piece := file.read(PIECE):
            rows.write(piece)
    return int(cursor.cursor.rowcount)


def _bring_files(folder: Path) -> None:
    """Move the files into place. One with the same name was left by an interrupted take-out, and is identical."""
    for path in sorted(one for one in folder.rglob("*") if one.is_file()) if folder.is_dir() else ():
        name = path.relative_to(folder)
        models = name.parts[0] == "models"
        to = settings.MODELS_DIR / name.relative_to("models") if models else settings.DATA_DIR / name
        to.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        shutil.move(path, to)
