"""Statements that processes of the previous version send while tables are upgraded, and Postgres's answers.

They begin at the last migration that old processes could not live with. Until then, those must be stopped.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, models, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.operations import CreateModel
from django.db.utils import DatabaseError

from annotation_app.postgres.upgrades import reasons_to_stop, unapplied

# Tables used by claims, drafts, submissions and leases of jobs. All other tables are asked once, at the end.
BUSY = {"user", "label", "task", "trace", "round", "importjob", "export", "roundchunk", "goldplan", "goldresult"}
Said = dict[tuple[str, str], str]


def last_that_stops() -> str:
    """Return the name of the migration after which processes of the previous version may run."""
    return [name for name, _ in reasons_to_stop(unapplied(connection))][-1]


def tables_they_do_not_know() -> set[str]:
    """Return the tables that are still to be made, by the names of their models."""
    made = (operation for migration, _ in unapplied(connection) for operation in migration.operations)
    return {operation.name_lower for operation in made if isinstance(operation, CreateModel)}


class OldProcesses:
    """Old processes: they know the tables as after the migration `since`, except those newer than their version."""

    def __init__(self, since: str, without: set[str]) -> None:
        self.since, self.without = since, without
        self.apps: Any = None
        self.expected: Said = {}
        self.differing: dict[str, Said] = {}  # migration -> answers that differed after it

    def hear_of(self, migration: str, state: Any) -> None:
        """Ask again after a migration."""
        if migration == self.since:
            self.apps = state.clone().apps  # later migrations change this state
            self.expected = self.say()
        elif self.apps is not None:
            said = self.say(BUSY)
            self.differing[migration] = {asked: now for asked, now in said.items() if now != self.expected[asked]}

    def say(self, names: set[str] | None = None) -> Said:
        """For each table, read every column that they know, change all of them, and write a new row."""
        said: Said = {}
        for model in self.apps.get_app_config("labeling").get_models():
            if model._meta.model_name not in self.without and (names is None or model._meta.model_name in names):
                said |= say_to(model)
        return said


def say_to(model: Any) -> Said:
    """Do this for one table."""
    name, found = model._meta.model_name, []
    said = {(name, "read"): attempt(lambda: found.extend(model._base_manager.all()[:1]))}
    for one in found:
        said[name, "change"] = attempt(lambda one=one: one.save(force_update=True))
        said[name, "new"] = attempt(lambda one=one: write_again(one))
    return said


def attempt(statement: Any) -> str:
    """Execute the statement, undo it, and return "done" or the code of Postgres's error."""
    try:
        with transaction.atomic():
            statement()
            transaction.set_rollback(True)
    except DatabaseError as fault:
        return str(getattr(fault.__cause__, "sqlstate", fault))
    return "done"


def write_again(row: Any) -> None:
    """Write it as a new row. A unique constraint refuses it only after Postgres has checked every column."""
    if not isinstance(row._meta.pk, models.CompositePrimaryKey):
        row.pk = None
    row.save(force_insert=True)


@contextmanager
def told_of_each_migration(old: OldProcesses) -> Iterator[None]:
    """Tell `old` of each migration within the block, when Django's executor has finished it."""
    apply_migration = MigrationExecutor.apply_migration

    def apply_and_tell(self: Any, state: Any, migration: Any, *args: Any, **options: Any) -> Any:
        after = apply_migration(self, state, migration, *args, **options)
        if migration.app_label == "labeling":
            old.hear_of(migration.name, after)
        return after

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MigrationExecutor, "apply_migration", apply_and_tell)
        yield
