"""A project's rows, table by table, found through the foreign keys so that a new table is not forgotten."""

from typing import Any, NamedTuple

from django.apps import apps
from django.db.models import ForeignKey, Model
from psycopg import sql

from labeling.models import (
    AuditEvent,
    Delivery,
    Invitation,
    Membership,
    Notice,
    ProblemLetters,
    ProblemsWithoutLetters,
    Project,
    ProjectMove,
    TracesWithoutWords,
    TraceWords,
    Webhook,
)

# The record of who was in a project and what was done there stays when its rows go; nothing else does.
STAYING: frozenset[type[Model]] = frozenset(
    {AuditEvent, Membership, Notice, Delivery, Webhook, Invitation, ProjectMove}
)
# The database deletes these along with problems and traces, and queues them to be rebuilt when those return.
DERIVED: frozenset[type[Model]] = frozenset({TraceWords, TracesWithoutWords, ProblemLetters, ProblemsWithoutLetters})


class Table(NamedTuple):
    """A table: name, columns, condition that selects a project's rows, and number of steps from the project."""

    name: str
    columns: tuple[str, ...]
    where: sql.Composable
    depth: int


def tables_of(project: Project) -> list[Table]:
    """Return every table with rows of projects, furthest from the project first: their conditions read the others."""
    found: dict[type[Model], Table] = {}
    waiting = {model for model in _models() if model not in STAYING | DERIVED}
    own = {Project: sql.Literal(project.pk)}
    while waiting:
        reached = {model: table for model in waiting if (table := _table(model, found, own)) is not None}
        if not reached:
            break
        found |= reached
        waiting -= set(reached)
    return sorted(found.values(), key=lambda table: (-table.depth, table.name))


def _models() -> list[type[Model]]:
    return list(apps.get_app_config("labeling").get_models(include_auto_created=True))


def _table(model: type[Model], found: dict[type[Model], Table], own: dict[Any, sql.Literal]) -> Table | None:
    """Return the table, or None if no foreign key leads to a known one yet. Keys to the project itself come first."""
    if model is Project:
        return None
    keys = [field for field in model._meta.concrete_fields if isinstance(field, ForeignKey)]
    key = next((one for one in keys if one.related_model is Project), None)
    if key is not None:
        where = sql.SQL("{} = {}").format(sql.Identifier(key.column), own[Project])
        return _with(model, where, 1)
    known = [(found[one.related_model].depth, one) for one in keys if one.related_model in found and not one.null]
    if not known:
        return None
    depth, key = min(known, key=lambda one: one[0])
    parent = found[key.related_model]
    where = sql.SQL("{} IN (SELECT id FROM {} WHERE {})").format(
        sql.Identifier(key.column), sql.Identifier(parent.name), parent.where
    )
    return _with(model, where, depth + 1)


def _with(model: type[Model], where: sql.Composable, depth: int) -> Table:
    columns = tuple(str(one.column) for one in model._meta.concrete_fields if not getattr(one, "generated", False))
    return Table(model._meta.db_table, columns, where, depth)
