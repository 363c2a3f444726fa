"""Lets a migration be started again that ran while people worked and was killed half-way.

It is not one transaction, so what it has made stays. It has to continue there, and not stop at the first column that
"already exists".
"""

from typing import Any

from django.db.backends.postgresql.schema import DatabaseSchemaEditor

# What an interrupted CREATE INDEX CONCURRENTLY leaves behind: no query uses it, but every write keeps it up to date.
HALF_MADE = """
    SELECT FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
    WHERE relname = %s AND NOT indisvalid AND relnamespace = current_schema()::regnamespace
"""


class SchemaEditor(DatabaseSchemaEditor):
    """Django's schema editor. Outside a transaction, it leaves existing columns and indexes as they are."""

    sql_create_index_concurrently = (
        "CREATE INDEX CONCURRENTLY IF NOT EXISTS %(name)s ON %(table)s%(using)s"
        " (%(columns)s)%(include)s%(extra)s%(condition)s"
    )

    def __init__(self, connection: Any, collect_sql: bool = False, atomic: bool = True) -> None:
        super().__init__(connection, collect_sql, atomic)
        if not self.atomic_migration:
            self.sql_create_column = "ALTER TABLE %(table)s ADD COLUMN IF NOT EXISTS %(column)s %(definition)s"

    def add_index(self, model: Any, index: Any, concurrently: bool = False) -> None:
        """Add an index, after dropping a half-made one. Called by Django."""
        if concurrently and not self.collect_sql:
            self._drop_half_made(index.name)
        super().add_index(model, index, concurrently)

    def _drop_half_made(self, name: str) -> None:
        with self.connection.cursor() as cursor:
            cursor.execute(HALF_MADE, [name])
            if cursor.fetchone() is not None:
                cursor.execute(f"DROP INDEX CONCURRENTLY {self.quote_name(name)}")
