"""An installation's database as a plain SQL file: write one, and load one on the server of this run."""

import gzip
import os
import subprocess
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
from django.db import connection

from annotation_app.local.postgres import installed_binaries

OWNER = "somebody"  # may only own a database: a hosted Postgres grants no more
PLAIN = ("--no-owner", "--no-privileges", "--no-comments", "--exclude-schema=clock", "--restrict-key=stepmark")
NOT_KEPT = ("--exclude-table-data=django_session", "--exclude-table-data=axes_*")  # logins of the time of the dump


def dumped(name: str) -> str:
    """Return the database as SQL that any owner of an empty one can load."""
    return _run("pg_dump", *PLAIN, *NOT_KEPT, f"--dbname={_url(name)}")


def load(file: Path, name: str) -> None:
    """Make the database `name`, owned by a role without rights, and load a gzipped dump into it as that owner."""
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:
        with suppress(psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):  # another process of this run
            server.execute(f"CREATE ROLE {OWNER} LOGIN PASSWORD '{OWNER}'")
        server.execute(f"CREATE DATABASE {name} OWNER {OWNER}")
    sql = gzip.decompress(file.read_bytes()).decode()
    _run("psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", f"--dbname={_url(name, OWNER)}", sql=sql)


def make(name: str) -> None:
    """Make an empty database."""
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")


def connect_to(name: str) -> str:
    """Have Django use this database from now on. Return the name of the previous one."""
    before: str = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = name
    return before


def drop(name: str) -> None:
    """Remove a database, and cut its connections."""
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:
        server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def _url(name: str, user: str = "") -> str:
    parts = urlsplit(os.environ["DATABASE_URL"])
    if user:
        parts = parts._replace(netloc=f"{user}:{user}@")
    return urlunsplit(parts._replace(path=f"/{name}"))


def _run(program: str, *options: str, sql: str = "") -> str:
    command = [str(installed_binaries() / "bin" / program), *options]
    done = subprocess.run(command, input=sql, text=True, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{program} failed: {done.stderr[:2000]}")
    return done.stdout
