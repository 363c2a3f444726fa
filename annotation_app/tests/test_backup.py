"""The commands that docs/operations.md gives for back up and restore bring everything back."""

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

from annotation_app.local.postgres import installed_binaries
from annotation_app.local.pytest_servers import copy_template

BASE_DIR = Path(__file__).resolve().parent.parent.parent
PAGE = (BASE_DIR / "docs" / "operations.md").read_text()
PEOPLE = "SELECT username, password FROM labeling_user ORDER BY id"


def database(name: str) -> str:
    """The URL of another database on this run's server."""
    return urlunsplit(urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}"))


def as_role(url: str, name: str) -> str:
    """The same database for another role."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=f"{name}:secret@"))


def manage(*command: str, **env: str) -> None:
    """Run a command of manage.py in another installation."""
    subprocess.run([sys.executable, "manage.py", *command], cwd=BASE_DIR, env={**os.environ, **env}, check=True)


def run_block(word: str, **env: str) -> None:
    """Run the page's block marked ```sh `word` as a shell would."""
    found = re.search(rf"```sh {word}\n(.*?)```", PAGE, flags=re.DOTALL)
    assert found
    path = f"{installed_binaries() / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    subprocess.run(["bash", "-euc", found[1]], cwd=BASE_DIR, env={**os.environ, "PATH": path, **env}, check=True)


@pytest.mark.slow
def test_what_was_backed_up_comes_back_over_a_damaged_installation(tmp_path: Path) -> None:
    with psycopg.connect(database("postgres"), autocommit=True) as server:
        server.execute("CREATE DATABASE to_restore_into")
    app = f"app_{os.getpid()}"
    env = {
        "OWNER_DATABASE_URL": copy_template("to_back_up"),
        "DATABASE_URL": as_role(database("to_back_up"), app),
        "DATA_DIR": str(tmp_path / "data"),
        "BACKUP": str(tmp_path / "kept"),
    }
    manage("migrate", "--no-input", **env)
    account = {"DJANGO_SUPERUSER_PASSWORD": "a-long-password", "DJANGO_SUPERUSER_EMAIL": "ada@example.org"}
    manage("createsuperuser", "--no-input", "--username", "ada", **env, **account)
    (tmp_path / "data" / "exports").mkdir()
    (tmp_path / "data" / "exports" / "1.jsonl").write_text("{}\n")
    with psycopg.connect(env["DATABASE_URL"]) as source:
        people = source.execute(PEOPLE).fetchall()

    run_block("backup", **env)
    with psycopg.connect(env["OWNER_DATABASE_URL"]) as source:
        source.execute("UPDATE labeling_user SET username = 'overwritten'")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    run_block("restore", **env)
    other = {
        "OWNER_DATABASE_URL": database("to_restore_into"),
        "DATABASE_URL": as_role(database("to_restore_into"), app),
    }
    run_block("restore", **{**env, **other, "DATA_DIR": str(elsewhere)})

    for name in ("to_back_up", "to_restore_into"):
        with psycopg.connect(as_role(database(name), app)) as restored:
            assert restored.execute(PEOPLE).fetchall() == people
    assert people[0][0] == "ada"
    assert (elsewhere / "exports" / "1.jsonl").read_text() == "{}\n"
