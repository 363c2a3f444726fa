"""What processes of the version before send while tables are brought up to date, and what is said to it.

From the last migration on that they could not live with: until it they have to be stopped.
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

# What claims, drafts, submissions and leases of jobs read and write; all other tables are asked once, in the end.
BUSY = {"user", "label", "task", "trace", "round", "importjob", "export", "roundchunk", "goldplan", "goldresult"}
Said = dict[tuple[str, str], str]


def last_that_stops() -> str:
    """The name of the migration after which processes of the version before may run."""
    return [name for name, _ in reasons_to_stop(unapplied(connection))][-1]


def tables_they_do_not_know() -> set[str]:
    """Those that are still to be made, by the names of their models."""
    made = (operation for migration, _ in unapplied(connection) for operation in migration.operations)
    return {operation.name_lower for operation in made if isinstance(operation, CreateModel)}


class OldProcesses:
    """They know the tables as they were after the migration `since`, but for those that came since their version."""

    def __init__(self, since: str, without: set[str]) -> None:
        self.since, self.without = since, without
        self.apps: Any = None
        self.expected: Said = {}
        self.differing: dict[str, Said] = {}  # migration -> what was said otherwise after it

    def hear_of(self, migration: str, state: Any) -> None:
        """A migration is done."""
        if migration == self.since:
            self.apps = state.clone().apps  # later migrations change what this one left
            self.expected = self.say()
        elif self.apps is not None:
            said = self.say(BUSY)
            self.differing[migration] = {asked: now for asked, now in said.items() if now != self.expected[asked]}

    def say(self, names: set[str] | None = None) -> Said:
        """A read of every column that they know, a change of all of them, and a new row, table by table."""
        said: Said = {}
        for model in self.apps.get_app_config("labeling").get_models():
            if model._meta.model_name not in self.without and (names is None or model._meta.model_name in names):
                said |= say_to(model)
        return said


def say_to(model: Any) -> Said:
    """One table."""
    name, found = model._meta.model_name, []
    said = {(name, "read"): attempt(lambda: found.extend(model._base_manager.all()[:1]))}
    for one in found:
        said[name, "change"] = attempt(lambda one=one: one.save(force_update=True))
        said[name, "new"] = attempt(lambda one=one: write_again(one))
    return said


def attempt(statement: Any) -> str:
    """What Postgres says to it, by its code; nothing of it stays."""
    try:
        with transaction.atomic():
            statement()
            transaction.set_rollback(True)
    except DatabaseError as fault:
        return str(getattr(fault.__cause__, "sqlstate", fault))
    return "done"


def write_again(row: Any) -> None:
    """As a new row; a table that wants it to be the only one says so, after it has looked at every column."""
    if not isinstance(row._meta.pk, models.CompositePrimaryKey):
        row.pk = None
    row.save(force_insert=True)


@contextmanager
def told_of_each_migration(old: OldProcesses) -> Iterator[None]:
    """Whoever migrates within the block, as Django's executor ends each migration."""
    apply_migration = MigrationExecutor.apply_migration

    def apply_and_tell(self: Any, state: Any, migration: Any, *args: Any, **options: Any) -> Any:
        after = apply_migration(self, state, migration, *args, **options)
        if migration.app_label == "labeling":
            old.hear_of(migration.name, after)
        return after

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MigrationExecutor, "apply_migration", apply_and_tell)
        yield
