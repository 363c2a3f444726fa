"""The database as an earlier version had it, and what becomes of it."""

import fcntl
import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from psycopg import sql

from annotation_app.local.pytest_servers import LOCK, TEMPLATE, copy_template, server
from labeling.tests.upgrade import installation

Migrate = Callable[[str], Any]
# Where tests begin, on the way back from today to the first version. Going all of it takes a minute, so a run goes it
# once, as far as it is asked for, and leaves a database at each stop, which is copied in a fraction of a second.
STOPS = (
    "0099_unsure_scores",
    "0098_next_rounds",
    "0093_project_moves",
    "0068_release_words",
    "0031_gold_results_to_weigh",
    "0027_verdict_fits",
    "0001_version_0_1_0",
)


@contextmanager
def earlier_version(name: str) -> Iterator[tuple[Any, Migrate]]:
    """The models of the version that ends with the migration `name`, and the way to a later one's by its name."""
    with earlier_database(name):
        yield _models(name), _migrate


@contextmanager
def earlier_database(name: str) -> Iterator[str]:
    """Django uses a database that went back to the migration `name`, one of STOPS; its URL.

    It is thrown away: nothing has to be brought up to date again.
    """
    with _used_by_django(_left_at(name)) as (_, url):
        yield url


def _left_at(name: str) -> str:
    """The database that the run leaves at this stop. Who asks for it while another process is on the way waits."""
    with Path(os.environ[LOCK]).with_name("earlier.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        last = TEMPLATE
        for stop in STOPS[: STOPS.index(name) + 1]:
            database = f"left_at_{stop[:4]}"
            if not _is_there(database):
                _go_back(last, stop, database)
            last = database
    return last


def _go_back(last: str, stop: str, database: str) -> None:
    """On from the stop before. It gets its name at the end: what a fault left half-way is nothing to begin with."""
    with _used_by_django(last) as (copy, _):
        _go(stop)
        connection.close()
        with server() as to:
            to.execute(sql.SQL("ALTER DATABASE {} RENAME TO {}").format(*map(sql.Identifier, (copy, database))))


@contextmanager
def _used_by_django(template: str) -> Iterator[tuple[str, str]]:
    """The name and the URL of a copy."""
    name = f"earlier_{uuid4().hex}"
    url = copy_template(name, template)
    before = installation.connect_to(name)
    try:
        yield name, url
    finally:
        installation.connect_to(before)
        installation.drop(name)


def _is_there(database: str) -> bool:
    with server() as asked:
        return asked.execute("SELECT FROM pg_database WHERE datname = %s", [database]).fetchone() is not None


def _migrate(name: str) -> Any:
    _go(name)
    return _models(name)


def _go(name: str) -> None:
    with without_looking_for_rubbish():
        MigrationExecutor(connection).migrate([("labeling", name)])
    connection.close()  # with the statements that it prepared for other columns


def _models(name: str) -> Any:
    return MigrationLoader(None).project_state([("labeling", name)]).apps


@contextmanager
def without_looking_for_rubbish() -> Iterator[None]:
    """As `manage.py migrate`: a third of what migrating takes."""
    gc.disable()
    yield
    gc.enable()
