"""Backups and restores that are impossible: each says why, and leaves everything unchanged."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from psycopg import sql

from labeling.actions.backups import MANIFEST, make_backup
from labeling.tests.jobs.small_disk import fill, small_disk
from labeling.tests.upgrade import installation

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["small_disk"]  # a fixture
GUARD = "ALTER TABLE labeling_auditevent {} TRIGGER audit_is_append_only"
TABLES = "SELECT count(*) FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"


@pytest.fixture(autouse=True)
def data(settings: Any, tmp_path: Path) -> Path:
    """The data directory, with a pending upload; the folder of models is next to it."""
    settings.DATA_DIR, settings.MODELS_DIR = tmp_path / "data", tmp_path / "models"
    (settings.DATA_DIR / "imports").mkdir(parents=True)
    (settings.DATA_DIR / "imports" / "1.upload").write_bytes(b"x" * 20_000)
    return Path(settings.DATA_DIR)


@pytest.fixture
def empty_database() -> Iterator[None]:
    """Connect Django to it as its owner, and to the run's own database before and after."""
    name = f"restored_{uuid4().hex[:8]}"
    installation.make(name)
    before = installation.connect_to(name)
    yield
    installation.connect_to(before)
    installation.drop(name)


def asked(statement: sql.Composed | str) -> Any:
    """The first value that the database answers with; it is left alone then."""
    with connection.cursor() as cursor:
        cursor.execute(statement)
        found = cursor.fetchone()[0] if cursor.description else None
    connection.close()
    return found


@contextmanager
def a_stranger_as_owner(settings: Any) -> Iterator[None]:
    """OWNER_DATABASE_URL names a role that owns nothing and may read nothing."""
    name = f"stranger_{uuid4().hex[:8]}"
    asked(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'secret'").format(sql.Identifier(name)))
    settings.OWNER_DATABASE = {**connection.settings_dict, "USER": name, "PASSWORD": "secret"}
    yield
    settings.OWNER_DATABASE = None
    asked(sql.SQL("DROP ROLE {}").format(sql.Identifier(name)))


def unguarded(target: Path) -> Path:
    """A backup of an installation whose audit log somebody had opened to changes."""
    asked(GUARD.format("DISABLE"))
    try:
        return make_backup(target).folder
    finally:
        asked(GUARD.format("ENABLE"))


def test_a_disk_that_is_full_leaves_nothing_that_looks_like_a_backup(small_disk: Path) -> None:
    target, filler = small_disk / "kept", fill(small_disk)
    with pytest.raises(CommandError, match="The backup failed, and nothing of it was kept: .*No space left"):
        call_command("backup", "--to", str(target))
    assert list(target.iterdir()) == []
    filler.unlink()
    call_command("backup", "--to", str(target))
    [folder] = target.iterdir()
    call_command("restore", str(folder), "--check")


@pytest.mark.parametrize("manifest", [b"[" * 200_000, b"[]", b"7", b"\xff", b'{"format": 7}'], ids=lambda one: one[:9])
def test_a_folder_with_a_manifest_that_is_none_is_refused_in_words(tmp_path: Path, manifest: bytes) -> None:
    (tmp_path / MANIFEST).write_bytes(manifest)
    with pytest.raises(CommandError, match="not a complete backup|with another backup format"):
        call_command("restore", str(tmp_path), "--check")


def test_who_may_not_read_the_tables_makes_no_half_backup(settings: Any, tmp_path: Path) -> None:
    with a_stranger_as_owner(settings), pytest.raises(CommandError, match="pg_dump failed: .*permission denied"):
        call_command("backup", "--to", str(tmp_path / "kept"))
    assert list((tmp_path / "kept").iterdir()) == []


def test_a_restore_that_would_write_over_files_or_bring_an_open_audit_log_changes_nothing(
    settings: Any, data: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    folder = unguarded(tmp_path / "kept")
    request.getfixturevalue("empty_database")

    def refusal(words: str, *options: str) -> None:
        with pytest.raises(CommandError, match=words):
            call_command("restore", str(folder), *options)
        assert asked(TABLES) == 0
        assert [path.name for path in data.rglob("*")] == ["imports", "1.upload"]

    refusal("data already has files in it. A restore replaces all of it")
    with a_stranger_as_owner(settings):
        refusal("OWNER_DATABASE_URL must name the owner", "--over")
    refusal("The audit log was restored without its guard, so the restore was undone", "--over")
