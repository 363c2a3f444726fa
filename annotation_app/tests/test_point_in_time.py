"""Restoring to a moment between two labels, as in docs/operations.md, from a base backup and an archive of the log."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from annotation_app.local.postgres import Postgres
from annotation_app.local.process import server_account

ARCHIVE = "wal_level=replica\narchive_mode=on\narchive_command='test ! -f {0}/%f && cp %p {0}/%f'\narchive_timeout=60\n"
BACK = """
hot_standby = off
restore_command = 'cp {archive}/%f %p'
recovery_target_time = '{at}'
recovery_target_action = 'promote'
"""


def server(folder: Path) -> Postgres:
    """A server that archives its log next to its data."""
    return Postgres(folder / "postgres", "secret", server_account(), durable=False, max_connections=20)


def owned(path: Path, like: Path) -> Path:
    """Create a folder owned by the server's own user."""
    path.mkdir(mode=0o700, exist_ok=True)
    shutil.chown(path, like.stat().st_uid, like.stat().st_gid)
    return path


def first_labels(postgres: Postgres, base: Path) -> str:
    """Create a label, a base backup, a label, the moment, and an unwanted label; all of the log is archived."""
    command = [str(postgres.binaries / "bin" / "pg_basebackup"), f"--dbname={postgres.url}", f"--pgdata={base}"]
    with psycopg.connect(postgres.url, autocommit=True) as database:
        database.execute("CREATE TABLE label (said text)")
        database.execute("INSERT INTO label VALUES ('before the base backup')")
        subprocess.run([*command, "--wal-method=stream", "--checkpoint=fast"], check=True)
        database.execute("INSERT INTO label VALUES ('before the moment')")
        [moment] = database.execute("SELECT clock_timestamp()").fetchone() or [""]
        database.execute("INSERT INTO label VALUES ('after the moment')")
        database.execute("SELECT pg_switch_wal()")
    return str(moment)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the user who runs the server may enter, with a path short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="stepmark-pitr-", dir="/tmp") as made:
        Path(made).chmod(0o711)
        yield Path(made)


@pytest.mark.slow
def test_the_archive_brings_the_database_back_to_a_moment_between_two_labels(folder: Path) -> None:
    postgres = server(folder)
    postgres.start()
    postgres.stop()
    archive = owned(postgres.folder / "archive", postgres.data)
    with (postgres.data / "postgresql.conf").open("a") as configuration:
        configuration.write(ARCHIVE.format(archive))
    postgres.start()
    base = folder / "base"
    moment = first_labels(postgres, base)
    postgres.stop()  # waits until the log is archived

    shutil.rmtree(postgres.data)
    base.rename(postgres.data)
    (postgres.data / "recovery.signal").touch()
    with (postgres.data / "postgresql.conf").open("a") as configuration:
        configuration.write(BACK.format(archive=archive, at=moment))
    for path in (postgres.data, *postgres.data.rglob("*")):
        shutil.chown(path, archive.stat().st_uid, archive.stat().st_gid)
    postgres.start()
    with psycopg.connect(postgres.url, autocommit=True) as database:
        kept = [said for (said,) in database.execute("SELECT said FROM label").fetchall()]
        [read_only] = database.execute("SELECT pg_is_in_recovery()").fetchone() or [None]
    postgres.stop()
    assert kept == ["before the base backup", "before the moment"]
    assert read_only is False, "it is promoted, and people can go on"
