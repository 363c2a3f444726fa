"""Whether web and workers of the previous version can run during the migrations, and which of them are running now."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.core.management import CommandError
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.operations import (
    AddField,
    CreateModel,
    DeleteModel,
    RemoveField,
    RenameField,
    RenameModel,
    SeparateDatabaseAndState,
)
from django.db.migrations.operations.base import Operation
from django.db.models import NOT_PROVIDED

# Connections of the role that serves people; a connection as the owner is somebody who maintains the database. An owner
# who is not a superuser is shown neither the type of such connections nor where they come from.
CONNECTED = """
    SELECT CASE WHEN backend_type IS NULL THEN 'not shown to the owner' ELSE coalesce(host(client_addr), 'this machine')
        END, count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND usename = %s AND pid <> pg_backend_pid()
        AND coalesce(backend_type, 'client backend') = 'client backend'
    GROUP BY 1 ORDER BY 1
"""
STILL_THERE = (
    "{migration} {why}: web, workers and beat of the previous version fail on it, and {count} connections of {role} are"
    " open ({places}). Stop them first, or use --anyway if they belong to a connection pool or to you. Nothing was"
    " changed."
)


def reasons_to_stop(plan: Iterable[tuple[Migration, bool]]) -> Iterator[tuple[str, str]]:
    """Yield each migration of a plan that breaks processes of the previous version, and what it does to them."""
    new: set[str] = set()  # tables that no old process knows
    for migration, _ in plan:
        operations = list(_each(migration.operations))
        new |= {operation.name_lower for operation in operations if isinstance(operation, CreateModel)}
        why = next(filter(None, (_stops(operation, new) for operation in operations)), None)
        if why:
            yield migration.name, why


def unapplied(connection: Any) -> list[tuple[Migration, bool]]:
    """Return what migrating would do. The plan is empty if no tables exist yet, because nothing uses those."""
    executor = MigrationExecutor(connection)
    if not any(app == "labeling" for app, _ in executor.loader.applied_migrations):
        return []
    return executor.migration_plan(executor.loader.graph.leaf_nodes())


def refuse_others(connection: Any, role: str) -> None:
    """Raise CommandError if migrating would break running processes."""
    found = next(reasons_to_stop(unapplied(connection)), None)
    if found is None:
        return
    with connection.cursor() as cursor:
        cursor.execute(CONNECTED, [role])
        others = cursor.fetchall()
    if others:
        places = ", ".join(f"{place}: {count}" for place, count in others)
        count = sum(count for _, count in others)
        raise CommandError(STILL_THERE.format(migration=found[0], why=found[1], count=count, role=role, places=places))


def _each(operations: Sequence[Operation]) -> Iterator[Operation]:
    """Yield each operation. If one changes tables and state differently, yield the state's: it has the names."""
    for operation in operations:
        if isinstance(operation, SeparateDatabaseAndState):
            yield from _each(operation.state_operations)
        else:
            yield operation


def _stops(operation: Operation, new: set[str]) -> str | None:
    """Return what an old statement would fail on: a name that it uses, or a value that it does not send."""
    if isinstance(operation, RenameModel):
        return f"renames {operation.old_name}"
    if isinstance(operation, DeleteModel) and operation.name_lower not in new:
        return f"drops {operation.name}"
    if isinstance(operation, RenameField | RemoveField) and operation.model_name_lower in new:
        return None
    if isinstance(operation, RenameField):
        return f"renames {operation.model_name}.{operation.old_name}"
    if isinstance(operation, RemoveField):
        return f"drops {operation.model_name}.{operation.name}"
    if isinstance(operation, AddField) and operation.model_name_lower not in new:
        field = operation.field
        if not (field.null or field.many_to_many or field.generated) and field.db_default is NOT_PROVIDED:
            return f"adds {operation.model_name}.{operation.name} without a default in the database"
    return None
