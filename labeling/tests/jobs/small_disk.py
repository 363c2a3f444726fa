"""A small file system, for tests of a full disk."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from django.db import connection


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Make a folder on a file system of 4 MB. Only root may mount one."""
    folder = tmp_path / "small"
    folder.mkdir(mode=0o700)
    mount(folder)
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.fixture
def small_tablespace() -> Iterator[Path]:
    """Make a tablespace `small` of Postgres with 4 MB. Yields its folder. It must be empty at the end."""
    folder = Path(tempfile.mkdtemp(prefix="stepmark-small-"))  # where another user's Postgres can reach it
    mount(folder)
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('data_directory')")
            owner = os.stat(cursor.fetchone()[0])
            os.chown(folder, owner.st_uid, owner.st_gid)
            cursor.execute(f"CREATE TABLESPACE small LOCATION '{folder}'")
            yield folder
            cursor.execute("DROP TABLESPACE small")
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)
        folder.rmdir()


def mount(folder: Path) -> None:
    """Mount a file system of 4 MB there, or skip the test."""
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder], check=False, capture_output=True)
    if made.returncode:
        pytest.skip(f"a small file system cannot be mounted here: {made.stderr.decode().strip()}")


def give_room(folder: Path) -> None:
    """Enlarge this file system."""
    subprocess.run(["mount", "-o", "remount,size=64m", folder], check=True)


def fill(folder: Path) -> Path:
    """Write a file that fills the rest of the file system."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(bytes(65536)):
            pass
    assert shutil.disk_usage(folder).free == 0
    return filler
