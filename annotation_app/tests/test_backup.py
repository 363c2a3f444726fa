"""`make backup` and `make restore`: everything is restored, a partial backup never is, nothing is replaced unasked."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

from annotation_app.local.pytest_servers import copy_template
from annotation_app.tests.running_installation import BASE_DIR

TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
ROWS = "SELECT count(*), md5(coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '')) FROM {} t"
OWNER = "CREATE ROLE {} LOGIN CREATEROLE PASSWORD 'secret'"
NAMES = ("stepmark.dump", "data.tar", "models.tar")
FILES = {"exports/1.jsonl": "{}\n", "imports/waiting": "a row", "releases/1.zip": "rows", "uploads/x.upload": "half"}
MODELS = {"trained/p-1/head.safetensors": "weights", "trained/states/1": "cache", "Qwen/config.json": "{}"}
LINKED = {"releases/1/rows.jsonl", "projects/p.tar", "trained/p-1/config.json"}
KEPT_FILES = {"exports/1.jsonl", "imports/waiting", "releases/1.zip", "trained/p-1/head.safetensors", *LINKED}
FIRST_STEPS = """
from django.core.management import call_command
from labeling.actions import audit_log
from labeling.actions.people import create_person
call_command("migrate", "--no-input", verbosity=0)
create_person(username="ada", password="a long enough sentence 7", is_superuser=True)
audit_log.record("test", actor=None)
"""
REFUSALS = """
from django.core.management import CommandError, call_command
from django.db import connection
commands = {commands}
for words in commands:
    if words is commands[-1]:
        connection.ensure_connection()
    try:
        call_command(*words)
        print("not refused:", words)
    except CommandError as refused:
        print(refused)
"""
REFUSED = (
    "which is backed up",
    "cannot be made: Not a directory",
    "OVER=yes",
    "not a complete backup",
    "is missing",
    "hash differs",
    "newer than this one",
    "labeling_user: 1 rows instead of 2",
    "with another backup format",
    "comes from PostgreSQL 99",
    "could not be restored: '../way_out' is not one of our files",
    "Stop web, workers and beat",
)


def database(name: str, role: str = "") -> str:
    """Return the URL of another database on this run's server, for another role if one is named."""
    parts = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}")
    return urlunsplit(parts._replace(netloc=f"{role}:secret@") if role else parts)


class Installation:
    """A separate installation: a database with two roles, a folder of data, one of models."""

    def __init__(self, folder: Path, name: str, *, owned: bool = False) -> None:
        """`owned`: an empty database whose owner is not a superuser, as on a managed server."""
        name = f"{name}_{uuid4().hex[:8]}"
        owner = f"owner_{name}" if owned else ""
        self.data, self.models = folder / name / "data", folder / name / "models"
        if owned:
            with psycopg.connect(database("postgres"), autocommit=True) as server:
                server.execute(sql.SQL(OWNER).format(sql.Identifier(owner)))
                server.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(*map(sql.Identifier, (name, owner))))
        else:
            copy_template(name)
        self.data.mkdir(parents=True, mode=0o700)
        self.env = {
            "OWNER_DATABASE_URL": database(name, owner),
            "DATABASE_URL": database(name, f"app_of_{name}" if owned else f"app_{os.getpid()}"),
            "DATA_DIR": str(self.data),
            "MODELS_DIR": str(self.models),
        }

    def write(self) -> None:
        """Create an account, an entry in the audit log, and files."""
        self.run(FIRST_STEPS)
        for folder, files in ((self.data, FILES), (self.models, MODELS)):
            for name, text in files.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(text)

        (self.data / "releases" / "1").mkdir()
        os.link(self.data / "exports" / "1.jsonl", self.data / "releases" / "1" / "rows.jsonl")  # as packing does
        other_disk = self.data.with_name("other_disk")
        other_disk.mkdir()
        (other_disk / "p.tar").write_text("a project")
        (self.data / "projects").symlink_to(other_disk)
        (self.models / "trained" / "p-1" / "config.json").symlink_to(self.models / "Qwen" / "config.json")
        os.mkfifo(self.data / "exports" / "pipe")

    def run(self, script: str) -> str:
        """Return a script's output inside this installation."""
        return self._call([sys.executable, "manage.py", "shell", "--no-imports", "-v0", "-c", script])

    def make(self, *words: str) -> str:
        """Run `make backup` or `make restore`, as an operator types it."""
        return self._call(["make", "--no-print-directory", f"BIN={Path(sys.executable).parent}", *words])

    def refusals(self, *commands: list[str]) -> list[str]:
        """What each of these commands of manage.py says; the last with a connection open beside it."""
        return self.run(REFUSALS.format(commands=commands)).strip().splitlines()

    def _call(self, command: list[str]) -> str:
        env = {**os.environ, **self.env}
        done = subprocess.run(command, cwd=BASE_DIR, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def rows(self) -> dict[str, tuple[int, str]]:
        """Return each table's number of rows, and a hash of them."""
        with psycopg.connect(self.env["OWNER_DATABASE_URL"]) as owner:
            names = [name for (name,) in owner.execute(TABLES).fetchall()]
            counted = {name: owner.execute(sql.SQL(ROWS).format(sql.Identifier(name))).fetchone() for name in names}
        return {name: found for name, found in counted.items() if found}

    def rows_beside_the_audit_log(self) -> dict[str, tuple[int, str]]:
        """Return everything that a restore restores exactly."""
        return {name: found for name, found in self.rows().items() if name != "labeling_auditevent"}

    def files(self) -> dict[str, str]:
        """Return the contents of the two folders."""
        found: dict[str, str] = {}
        for folder in (self.data, self.models):
            found |= {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}
        return found


def the_audit_log_is_guarded(place: Installation) -> None:
    """Not even the owner can change an entry."""
    with psycopg.connect(place.env["OWNER_DATABASE_URL"]) as owner, pytest.raises(psycopg.Error, match="append-only"):
        owner.execute("DELETE FROM labeling_auditevent")
    with psycopg.connect(place.env["DATABASE_URL"]) as app, pytest.raises(psycopg.errors.InsufficientPrivilege):
        app.execute("UPDATE labeling_auditevent SET action = 'nothing'")


def broken_copies(kept: Path, scratch: Path) -> list[str]:
    """Yield broken backups: without a manifest, a file missing, a byte changed, from a newer version, with fewer rows
    than it says, of another kind, from a newer PostgreSQL, with a name that leads out of the folder.
    """
    copies = [Path(shutil.copytree(kept, scratch / str(number))) for number in range(8)]
    (copies[0] / "MANIFEST.json").unlink()
    (copies[1] / "data.tar").unlink()
    with (copies[2] / "stepmark.dump").open("r+b") as dump:
        dump.write(b"X")
    with tarfile.open(copies[7] / "data.tar", "w") as data:
        data.addfile(tarfile.TarInfo("../way_out"))
    changes: list[dict[str, object]] = [{"migrations": ["labeling.9999_x"]}, {"rows": {"labeling_user": 2}}]
    changes += [{"format": 2}, {"postgres": 99}, {"files": [about(copies[7] / name) for name in NAMES]}]
    for copy, change in zip(copies[3:], changes, strict=True):
        manifest = json.loads((copy / "MANIFEST.json").read_text())
        (copy / "MANIFEST.json").write_text(json.dumps(manifest | change))
    return [str(copy) for copy in copies]


def about(path: Path) -> dict[str, object]:
    """As a manifest has it."""
    data = path.read_bytes()
    return {"name": path.name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def what_cannot_be_is_refused(here: Installation, kept: Path, scratch: Path) -> None:
    """Expect a clear error message, and unchanged rows and files."""
    before = here.rows(), here.files()
    over = [["restore", copy, "--over"] for copy in (*broken_copies(kept, scratch), str(kept))]
    places = [f"{here.data}/within", f"{kept}/MANIFEST.json/within"]
    said = here.refusals(*(["backup", "--to", place] for place in places), ["restore", str(kept)], *over)
    for found, word in zip(said, REFUSED, strict=True):
        assert word in found
    assert (here.rows(), here.files()) == before


def damage(here: Installation) -> None:
    """Make changes that a restore has to undo."""
    with psycopg.connect(here.env["OWNER_DATABASE_URL"]) as owner:
        owner.execute("UPDATE labeling_user SET username = 'overwritten'")
        owner.execute("CREATE TABLE of_a_later_version (id bigint REFERENCES labeling_user)")
    (here.data / "exports" / "2.jsonl").write_text("of later\n")


def the_audit_log_tells_of_it(place: Installation, kept: Path) -> None:
    """What it had, and that it was restored from what; which is the last backup that there is."""
    with psycopg.connect(place.env["OWNER_DATABASE_URL"]) as owner:
        told = owner.execute("SELECT action, target FROM labeling_auditevent ORDER BY id").fetchall()
    assert [action for action, _ in told] == ["person.create", "test", "backup.restore"]
    assert told[-1] == ("backup.restore", kept.name)
    said = place.run("from labeling.queries.outside_checks import last_backup; print(last_backup()['at'].isoformat())")
    assert said.strip() == json.loads((kept / "MANIFEST.json").read_text())["begun_at"]


def ids_of_what_is_lost_are_not_given_again(place: Installation) -> None:
    """An id from after the backup that a page still holds must not become another object's."""
    with psycopg.connect(place.env["OWNER_DATABASE_URL"]) as owner:
        for table in ("labeling_label", "labeling_task", "labeling_round"):
            newest, given = owner.execute(
                f"SELECT coalesce(max(id), 0), nextval(pg_get_serial_sequence('{table}', 'id')) FROM {table}"
            ).fetchone() or (0, 0)
            assert given > newest + 500_000, table


@pytest.mark.slow
def test_what_was_backed_up_comes_back_and_nothing_less_and_nowhere_unasked(tmp_path: Path) -> None:
    here, elsewhere = Installation(tmp_path, "to_back_up"), Installation(tmp_path, "to_restore_into", owned=True)
    here.write()
    before = here.rows_beside_the_audit_log()
    here.make("backup", f"TO={tmp_path / 'kept'}")
    [kept] = (tmp_path / "kept").iterdir()
    assert [path.name for path in (kept, *kept.iterdir()) if path.stat().st_mode & 0o077] == []
    damage(here)
    what_cannot_be_is_refused(here, kept, tmp_path)

    here.make("restore", f"FROM={kept}", "OVER=yes")
    elsewhere.make("restore", f"FROM={kept}")
    damage(elsewhere)
    [told] = elsewhere.refusals(["restore", str(kept), "--over"])
    assert "Stop web, workers and beat" in told, "an owner who is no superuser is shown less of who is connected"
    elsewhere.make("restore", f"FROM={kept}", "OVER=yes")
    for place, others in ((here, {"Qwen/config.json", "uploads/x.upload"}), (elsewhere, set())):
        the_audit_log_tells_of_it(place, kept)
        assert place.rows_beside_the_audit_log() == before
        assert set(place.files()) == KEPT_FILES | others
        the_audit_log_is_guarded(place)
        ids_of_what_is_lost_are_not_given_again(place)
