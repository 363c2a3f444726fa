"""The database as in an earlier version, and its migration."""

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
# Where tests begin, on the way back from today to the first version. The whole way takes a minute. So a run goes back
# once, as far as needed, and leaves a database at each stop, which can be copied in a fraction of a second.
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
    """Yield the models of the version that ends with the migration `name`, and a function to migrate to a later one."""
    with earlier_database(name):
        yield _models(name), _migrate


@contextmanager
def earlier_database(name: str) -> Iterator[str]:
    """Have Django use a database that was migrated back to `name`, one of STOPS. Yields its URL.

    It is dropped at the end, so nothing has to be migrated forward again.
    """
    with _used_by_django(_left_at(name)) as (_, url):
        yield url


def _left_at(name: str) -> str:
    """Return the database that the run leaves at this stop. Waits while another process is on the way."""
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
    """Migrate on from the last stop. The database gets its name at the end, so a half-migrated one is never used."""
    with _used_by_django(last) as (copy, _):
        _go(stop)
        connection.close()
        with server() as to:
            to.execute(sql.SQL("ALTER DATABASE {} RENAME TO {}").format(*map(sql.Identifier, (copy, database))))


@contextmanager
def _used_by_django(template: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the URL of a copy."""
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
    connection.close()  # its prepared statements were for other columns


def _models(name: str) -> Any:
    return MigrationLoader(None).project_state([("labeling", name)]).apps


@contextmanager
def without_looking_for_rubbish() -> Iterator[None]:
    """Switch off garbage collection, as `manage.py migrate` does: it takes a third of the time."""
    gc.disable()
    yield
    gc.enable()
