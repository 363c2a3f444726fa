"""Finds pending migrations, for processes that only need to know that there are none.

Django's own method imports every migration, which costs ten megabytes for the rest of a process's life. If each file
has its row, there is nothing to plan, so migrations are imported only if a file has no row.
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from django.apps import apps
from django.db.migrations.recorder import MigrationRecorder
from django.utils.module_loading import module_has_submodule


def migrations_left(connection: Any) -> list[tuple[Any, bool]]:
    """Return the plan of `manage.py migrate`, empty if all migrations are applied. Raises DatabaseError."""
    if _on_disk() <= set(MigrationRecorder(connection).applied_migrations()):
        return []
    from django.db.migrations.executor import MigrationExecutor  # noqa: PLC0415  (see above)

    executor = MigrationExecutor(connection)
    return executor.migration_plan(executor.loader.graph.leaf_nodes())


def _on_disk() -> set[tuple[str, str]]:
    """Return the app and name of each migration, from the file names that Django would read."""
    found = set()
    for app in apps.get_app_configs():
        if app.module is not None and module_has_submodule(app.module, "migrations"):
            folder = import_module(f"{app.name}.migrations").__path__
            names = (one.name for one in iter_modules(folder) if not one.ispkg)
            found |= {(app.label, name) for name in names if name[0] not in "_~"}
    return found
