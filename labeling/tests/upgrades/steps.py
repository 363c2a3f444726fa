"""The database as an earlier version had it, and what becomes of it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection
from django.db.migrations.executor import MigrationExecutor

Migrate = Callable[[str], Any]


@contextmanager
def earlier_version(name: str) -> Iterator[tuple[Any, Migrate]]:
    """The models of the version that ends with the migration `name`, and the way to a later one's by its name.

    At the end the tables are today's again.
    """
    try:
        yield _migrate([("labeling", name)]), lambda later: _migrate([("labeling", later)])
    finally:
        leaves = MigrationExecutor(connection).loader.graph.leaf_nodes()
        _migrate([node for node in leaves if node[0] == "labeling"])


def _migrate(target: list[tuple[str, str]]) -> Any:
    executor = MigrationExecutor(connection)
    executor.migrate(target)
    connection.close()  # with the statements that it prepared for other columns
    return executor.loader.project_state(target).apps
