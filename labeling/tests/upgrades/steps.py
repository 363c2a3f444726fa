"""The database as an earlier version had it, and what becomes of it."""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from annotation_app.local.pytest_servers import copy_template
from labeling.tests.upgrade import installation

Migrate = Callable[[str], Any]


@contextmanager
def earlier_version(name: str) -> Iterator[tuple[Any, Migrate]]:
    """The models of the version that ends with the migration `name`, and the way to a later one's by its name.

    In a database of its own, which is thrown away: nothing has to be brought up to date again.
    """
    database = f"earlier_{uuid4().hex}"
    copy_template(database)
    before = installation.connect_to(database)
    try:
        yield _migrate(name), _migrate
    finally:
        installation.connect_to(before)
        installation.drop(database)


def _migrate(name: str) -> Any:
    target = [("labeling", name)]
    executor = MigrationExecutor(connection)
    with without_looking_for_rubbish():
        executor.migrate(target)
    connection.close()  # with the statements that it prepared for other columns
    return executor.loader.project_state(target).apps


@contextmanager
def without_looking_for_rubbish() -> Iterator[None]:
    """As `manage.py migrate`: a third of what migrating takes."""
    gc.disable()
    yield
    gc.enable()
