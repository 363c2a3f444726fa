"""Backups: the database at one moment, the files it names, and a manifest. Without a manifest it is not a backup."""

import hashlib
import json
import os
import shutil
import tarfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, NamedTuple

from django.conf import settings
from django.db.migrations.loader import MigrationLoader
from psycopg import Connection, sql

from annotation_app.postgres.programs import connected_as_owner, run_program
from labeling.actions import audit_log, kept_files
from labeling.actions.training_runs import TRAINED
from labeling.errors import BackupRefused

MANIFEST, DUMP, DATA, MODELS = "MANIFEST.json", "stepmark.dump", "data.tar", "models.tar"
FORMAT = 1  # of the manifest
PARTIAL = ".partial"  # ends the name of a backup that is being made, or was interrupted
IN_FLIGHT = ("imports",)  # in the data directory: files that a worker removes when it has finished
PASSING = {"uploads", ".restored", ".replaced"}  # also there: partial files, and what a running restore creates
STATES = "states"  # among trained PRMs: a cache that can be recreated
PIECE = 2**20
TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename"
Json = dict[str, Any]


class Made(NamedTuple):
    """The result of a backup."""

    folder: Path
    manifest: Json


def make_backup(target: Path, *, all_models: bool = False) -> Made:
    """Make a backup in a new folder in `target`, named by the time. People and workers may continue.

    Of MODELS_DIR, it contains what was trained here, or everything. Raises BackupRefused, leaving nothing behind that
    looks like a backup.
    """
    begun = datetime.now(UTC)
    folder = target / begun.strftime("%Y-%m-%dT%H-%M-%SZ")
    partial = folder.with_name(folder.name + PARTIAL)
    _make_folder(partial)
    try:
        manifest = _fill(partial, all_models)
        manifest |= {"begun_at": begun.isoformat(), "ended_at": datetime.now(UTC).isoformat()}
        _finish(partial, manifest)
    except BaseException as fault:
        shutil.rmtree(partial, ignore_errors=True)
        if isinstance(fault, OSError):
            raise BackupRefused(f"The backup failed, and nothing of it was kept: {fault}.") from fault
        raise
    partial.rename(folder)
    _note(folder, manifest)
    return Made(folder, manifest)


def _make_folder(folder: Path) -> None:
    """Create the folder. Raises BackupRefused if that fails, or if it is inside what is backed up."""
    for kept in (settings.DATA_DIR, settings.MODELS_DIR):
        if folder.resolve().is_relative_to(kept.resolve()):
            raise BackupRefused(f"{folder.parent} is inside {kept}, which is backed up. Choose a folder outside it.")
    try:
        folder.mkdir(mode=0o700, parents=True)
    except OSError as fault:
        raise BackupRefused(f"{folder} cannot be made: {fault.strerror}.") from fault


def _fill(folder: Path, all_models: bool) -> Json:
    """Add files, dump, files: files that a worker removes in the meantime are already in, new ones get in too."""
    with tarfile.open(folder / DATA, "w") as data:
        early = _add_tree(data, settings.DATA_DIR, only=IN_FLIGHT)
        early |= _add_objects(data, IN_FLIGHT, early, folder)
        with connected_as_owner() as snapshot:
            manifest = _dump(snapshot, folder / DUMP)
        early |= _add_tree(data, settings.DATA_DIR, without=early)
        _add_objects(data, kept_files.CACHED, early, folder)
    _pack_models(folder / MODELS, all_models)
    return manifest


def _dump(snapshot: Connection[Any], path: Path) -> Json:
    """Dump and count one snapshot: the counts match the dump, however much is written in the meantime."""
    snapshot.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    [name] = snapshot.execute("SELECT pg_export_snapshot()").fetchone() or [""]
    server = snapshot.info.server_version // 10000
    options = ["--format=custom", "--no-privileges", "--schema=public", f"--snapshot={name}", f"--file={path}"]
    run_program("pg_dump", *options, server=server)
    path.chmod(0o600)
    return {
        "format": FORMAT,
        "stepmark": settings.VERSION,
        "build": settings.BUILD,
        "postgres": server,
        "migrations": _migrations(snapshot),
        "rows": rows_of_tables(snapshot),
    }


def rows_of_tables(connection: Connection[Any]) -> dict[str, int]:
    """Return the number of rows of each table."""
    counts = {}
    for (table,) in connection.execute(TABLES).fetchall():
        counted = connection.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table))).fetchone()
        counts[table] = int(counted[0]) if counted else 0
    return counts


def _migrations(connection: Connection[Any]) -> list[str]:
    found = connection.execute("SELECT app || '.' || name FROM django_migrations ORDER BY 1").fetchall()
    return sorted({name for (name,) in found})


def known_migrations() -> set[str]:
    """Return the migrations of the running code, including those that squashed ones replace."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    replaced = {key for migration in loader.disk_migrations.values() for key in migration.replaces}
    return {".".join(key) for key in {*loader.disk_migrations, *replaced}}


def _add_tree(archive: tarfile.TarFile, folder: Path, *, only: Any = None, without: Any = ()) -> set[str]:
    """Add the files of a folder, or of its folders in `only`. A file that disappears in the meantime is skipped."""
    added = set()
    for path in _files(folder, only):
        name = str(path.relative_to(folder))
        if name in without:
            continue
        try:
            archive.add(path.resolve(), name, recursive=False)
        except FileNotFoundError:
            continue
        added.add(name)
    return added


def _files(folder: Path, only: Any) -> Iterator[Path]:
    """Yield every file below it, following links to other disks, but no sockets and no broken links."""
    for inside, folders, names in os.walk(folder, followlinks=True):
        if Path(inside) == folder:
            folders[:] = [one for one in folders if one not in PASSING and (only is None or one in only)]
            names = [] if only is not None else names
        folders.sort()
        yield from (path for path in (Path(inside) / name for name in sorted(names)) if path.is_file())


def _add_objects(archive: tarfile.TarFile, folders: Sequence[str], without: set[str], scratch: Path) -> set[str]:
    """Add what the bucket has in these folders and the archive lacks. Each file is on this disk for a moment."""
    added = {name for name in kept_files.names() if name.startswith(tuple(f"{one}/" for one in folders))} - without
    for name in sorted(added):
        kept_files.fetch(name, scratch / "fetched")
        archive.add(scratch / "fetched", name.removeprefix(f"{kept_files.MODELS}/"), recursive=False)
        (scratch / "fetched").unlink()
    return added


def _pack_models(path: Path, everything: bool) -> None:
    with tarfile.open(path, "w") as archive:
        found = _files(settings.MODELS_DIR, None if everything else (TRAINED,))
        added = set()
        for model in found if settings.MODELS_DIR.is_dir() else ():
            name = model.relative_to(settings.MODELS_DIR)
            if name.parts[:2] != (TRAINED, STATES):
                archive.add(model.resolve(), str(name), recursive=False)
                added.add(f"{kept_files.MODELS}/{name}")
        _add_objects(archive, [kept_files.MODELS], added, path.parent)


def _finish(folder: Path, manifest: Json) -> None:
    """Write the hashes of all files, then the manifest, and sync them before the backup gets its name."""
    manifest["files"] = []
    for name in (DUMP, DATA, MODELS):
        path = folder / name
        path.chmod(0o600)
        with path.open("rb+") as file:
            os.fsync(file.fileno())
            manifest["files"].append({"name": name, "bytes": path.stat().st_size, "sha256": sha256_of(file)})
    with (folder / MANIFEST).open("w") as file:
        os.fchmod(file.fileno(), 0o600)
        json.dump(manifest, file, indent=2)
        file.flush()
        os.fsync(file.fileno())


def sha256_of(file: IO[bytes]) -> str:
    """Return the hash of what is left to read."""
    return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]


def size_of(manifest: Json) -> int:
    """Return the size of a backup's files in bytes."""
    return sum(int(file["bytes"]) for file in manifest["files"])


def _note(folder: Path, manifest: Json) -> None:
    """Record the backup for the operator's page, whichever machine made it."""
    audit_log.record("backup.make", actor=None, target=folder.name, folder=str(folder), bytes=size_of(manifest))
