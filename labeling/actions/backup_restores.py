"""Restoring a backup: it is checked in full before anything is touched, and restored completely or not at all."""

import json
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.db import connections
from psycopg import Connection, sql
from psycopg.errors import InsufficientPrivilege

from annotation_app.postgres.own_objects import drop_own_objects, move_own_objects
from annotation_app.postgres.programs import connected_as_owner, run_program
from labeling.actions import audit_log, kept_files
from labeling.actions.backups import (
    DATA,
    DUMP,
    FORMAT,
    MANIFEST,
    MODELS,
    PASSING,
    known_migrations,
    rows_of_tables,
    sha256_of,
    size_of,
)
from labeling.actions.tar_files import unpack
from labeling.actions.training_runs import TRAINED
from labeling.errors import BackupRefused, RestoreBroken

# For other roles' connections, an owner who is not a superuser sees the role, but not the type. The server's own
# connections belong to no role.
OTHERS = """
    SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND (backend_type = 'client backend' OR backend_type IS NULL AND usesysid IS NOT NULL)
"""
GUARD = """
    SELECT count(*) FROM pg_trigger WHERE tgname = 'audit_is_append_only' AND tgenabled = 'O'
    AND tgrelid = to_regclass('public.labeling_auditevent')
"""
KEPT = (*kept_files.CACHED, TRAINED)  # in a bucket, if there is one
PUBLIC = "public"
ASIDE = "replaced_by_a_restore"  # the schema that keeps the old content until the new is in place
SEARCHES = "labeling.0094_search_in_steps"  # since this migration, indexes need pg_trgm
RESTORED, REPLACED = ".restored", ".replaced"
# Only the content of the schema: the schema already exists, with the extension that some indexes need.
RESTORING = (
    "--no-owner",
    "--no-privileges",
    "--single-transaction",
    "--exit-on-error",
    "--schema=public",
    "--dbname=",
)
NOT_EMPTY = "{what}. A restore replaces all of it. If that is what you want, add --over (make restore OVER=yes)."
# Pages, programs and files still have ids created since the backup: a label claimed then and submitted now must not
# belong to another trace. So no id from that time is used again.
SKIPPED_IDS = 1_000_000
SKIP_IDS = """
    SELECT setval(format('%%I.%%I', schemaname, sequencename)::regclass, coalesce(last_value, 0) + %(skipped)s)
    FROM pg_sequences WHERE schemaname = 'public' AND sequencename LIKE 'labeling%%'
"""
Json = dict[str, Any]


def restore_backup(folder: Path, *, over: bool = False) -> Json:
    """Restore the installation, and return the backup's manifest. Raises BackupRefused, RestoreBroken.

    Nothing changes until the database has loaded the dump, in one transaction. After that, the files are swapped.
    """
    manifest = read_manifest(folder)
    with connected_as_owner() as database:
        database.autocommit = True
        _refuse_wrong_place(database, manifest, over)
        targets = [(folder / DATA, settings.DATA_DIR)]
        if _members(folder / MODELS):
            targets.append((folder / MODELS, settings.MODELS_DIR))
        searches = SEARCHES in manifest["migrations"]
        with _unpacked(targets), _schema_emptied(database, searches=searches):
            server = database.info.server_version // 10000
            run_program("pg_restore", *RESTORING, folder / DUMP, server=server)
            _compare(database, manifest)
            database.execute(SKIP_IDS, {"skipped": SKIPPED_IDS})
    connections.close_all()
    call_command("migrate", "--no-input", verbosity=0)
    _note(folder, manifest)
    return manifest


def _note(folder: Path, manifest: Json) -> None:
    """Record since when the data is different. The backup's own entry is later than its dump."""
    about = {"folder": str(folder), "bytes": size_of(manifest), "made_at": manifest["begun_at"]}
    audit_log.record("backup.restore", actor=None, target=folder.name, **about)


def read_manifest(folder: Path) -> Json:
    """Return the manifest of a complete backup: every file exists and has its hash. Raises BackupRefused."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text())
    except (OSError, ValueError, RecursionError) as fault:
        raise BackupRefused(f"{folder} is not a complete backup: its {MANIFEST} is missing or unreadable.") from fault
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise BackupRefused(
            f"{folder} was made by a version of Stepmark with another backup format. Restore it with that version."
        )
    for about in manifest["files"]:
        _require_file(folder / about["name"], about)
    if newer := sorted(set(manifest["migrations"]) - known_migrations()):
        said = f"{folder} comes from Stepmark {manifest['stepmark']}, which is newer than this one ({settings.VERSION})"
        raise BackupRefused(f"{said}: it lacks the migration {newer[0]}. Install the newer version, then restore.")
    return dict(manifest)


def _require_file(path: Path, about: Json) -> None:
    if not path.is_file():
        raise BackupRefused(f"{path} is missing: the backup is incomplete. Nothing was changed.")
    with path.open("rb") as file:
        if path.stat().st_size != about["bytes"] or sha256_of(file) != about["sha256"]:
            raise BackupRefused(f"{path} has changed since the backup: its hash differs. Nothing was changed.")


def _refuse_wrong_place(database: Connection[Any], manifest: Json, over: bool) -> None:
    [others] = database.execute(OTHERS).fetchone() or [0]
    if others:
        said = f"The database has {others} other open connections. Stop web, workers and beat first."
        raise BackupRefused(said)
    server = database.info.server_version // 10000
    if server < manifest["postgres"]:
        raise BackupRefused(f"The backup comes from PostgreSQL {manifest['postgres']}, but this server is {server}.")
    if over:
        return
    if rows_of_tables(database).get("labeling_user"):
        raise BackupRefused(NOT_EMPTY.format(what="The database already has people in it"))
    for kept in (settings.DATA_DIR, settings.MODELS_DIR):
        if kept.is_dir() and any(path.is_file() for path in kept.rglob("*")):
            raise BackupRefused(NOT_EMPTY.format(what=f"{kept} already has files in it"))


def _members(archive: Path) -> list[str]:
    with tarfile.open(archive) as opened:
        return opened.getnames()


@contextmanager
def _unpacked(targets: list[tuple[Path, Path]]) -> Iterator[None]:
    """Unpack the files next to their places, and move them in once the block succeeds."""
    fresh = [folder / RESTORED for _, folder in targets]
    try:
        for (archive, _), made in zip(targets, fresh, strict=True):
            shutil.rmtree(made, ignore_errors=True)
            made.mkdir(mode=0o700, parents=True)
            with tarfile.open(archive) as opened:
                unpack(opened, made)
        yield
        for (_, folder), made in zip(targets, fresh, strict=True):
            _swap(folder, made)
    except (OSError, tarfile.TarError) as fault:
        raise BackupRefused(
            f"The files could not be restored: {fault}. Free some space, then restore again."
        ) from fault
    finally:
        for made in fresh:
            shutil.rmtree(made, ignore_errors=True)


def _swap(folder: Path, fresh: Path) -> None:
    """Rename inside the folder, which may be a mount. In models, replace only what the backup contains."""
    replaced = folder / REPLACED
    shutil.rmtree(replaced, ignore_errors=True)
    replaced.mkdir(mode=0o700)
    coming = {path.name for path in fresh.iterdir()}
    for old in sorted(folder.iterdir()):
        if old.name not in PASSING and (old.name in coming or folder == settings.DATA_DIR):
            old.rename(replaced / old.name)
    for path in sorted(fresh.iterdir()):
        path.rename(folder / path.name)
    shutil.rmtree(replaced)
    for name in sorted(coming & set(KEPT)):
        kept_files.put_folder(folder / name)


@contextmanager
def _schema_emptied(database: Connection[Any], *, searches: bool) -> Iterator[None]:
    """Make room for the dump. The old content is dropped if the block succeeds, and restored if it fails. `searches`:
    create the extension that the dump's trigram indexes need.
    """
    aside = sql.Identifier(ASIDE)
    try:
        with database.transaction():
            database.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(aside))
            database.execute(sql.SQL("CREATE SCHEMA {}").format(aside))
            move_own_objects(database, PUBLIC, ASIDE)
            if searches:
                database.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public")
    except InsufficientPrivilege as fault:
        raise BackupRefused(f"OWNER_DATABASE_URL must name the owner of the database: {fault}") from fault
    try:
        yield
    except BaseException:
        with database.transaction():
            drop_own_objects(database, PUBLIC)
            move_own_objects(database, ASIDE, PUBLIC)
            database.execute(sql.SQL("DROP SCHEMA {}").format(aside))
        raise
    database.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(aside))


def _compare(database: Connection[Any], manifest: Json) -> None:
    """Raise RestoreBroken if the rows or the audit log's guard differ from the backup."""
    here = rows_of_tables(database)
    wrong = [
        f"{name}: {here.get(name)} rows instead of {kept}"
        for name, kept in manifest["rows"].items()
        if here.get(name) != kept
    ]
    if wrong:
        raise RestoreBroken(
            f"The restored rows differ from the backup, so the restore was undone. {'; '.join(wrong[:5])}."
        )
    [guards] = database.execute(GUARD).fetchone() or [0]
    if not guards:
        raise RestoreBroken("The audit log was restored without its guard, so the restore was undone.")
