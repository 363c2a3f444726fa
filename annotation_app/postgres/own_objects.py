"""Moves an application's objects from one schema to another and back; objects of extensions stay.

An extension's functions belong to its creator; for a trusted extension, that is the server's superuser. An owner of
the database who is not a superuser cannot move those functions or the extension, but can move all tables, sequences,
views, types and functions of its own.
"""

from typing import Any

from psycopg import Connection, sql

# The kind as ALTER and DROP call it, and the name within its schema. A column's sequence moves with its table, and so
# does the type of a table's rows.
OBJECTS = """
    WITH made AS (
        SELECT 'pg_class'::regclass AS catalog, oid, CASE relkind WHEN 'S' THEN 'SEQUENCE' WHEN 'v' THEN 'VIEW'
            WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'f' THEN 'FOREIGN TABLE' ELSE 'TABLE' END AS kind,
            quote_ident(relname) AS name
        FROM pg_class WHERE relnamespace = to_regnamespace(%(schema)s) AND relkind IN ('r', 'p', 'v', 'm', 'S', 'f')
            AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid
                AND refclassid = 'pg_class'::regclass AND deptype IN ('a', 'i') AND relkind = 'S')
        UNION ALL SELECT 'pg_proc'::regclass, oid, 'ROUTINE',
            format('%%I(%%s)', proname, pg_get_function_identity_arguments(oid))
        FROM pg_proc WHERE pronamespace = to_regnamespace(%(schema)s)
        UNION ALL SELECT 'pg_type'::regclass, oid, CASE typtype WHEN 'd' THEN 'DOMAIN' ELSE 'TYPE' END,
            quote_ident(typname)
        FROM pg_type WHERE typnamespace = to_regnamespace(%(schema)s) AND (typtype IN ('e', 'd') OR typtype = 'c' AND
            (SELECT relkind FROM pg_class WHERE pg_class.oid = typrelid) = 'c')
    )
    SELECT kind, name FROM made WHERE NOT EXISTS (
        SELECT FROM pg_depend WHERE classid = catalog AND objid = made.oid AND deptype = 'e')
"""


def move_own_objects(database: Connection[Any], source: str, target: str) -> None:
    """Move them to another schema. Raises psycopg.errors.InsufficientPrivilege for objects of another owner."""
    for kind, name in _objects(database, source):
        database.execute(f"ALTER {kind} {_within(source, name)} SET SCHEMA {sql.Identifier(target).as_string()}")


def drop_own_objects(database: Connection[Any], schema: str) -> None:
    """Drop them and everything that depends on them."""
    for kind, name in _objects(database, schema):
        database.execute(f"DROP {kind} IF EXISTS {_within(schema, name)} CASCADE")


def _objects(database: Connection[Any], schema: str) -> list[tuple[str, str]]:
    return database.execute(OBJECTS, {"schema": schema}).fetchall()


def _within(schema: str, name: str) -> str:
    return f"{sql.Identifier(schema).as_string()}.{name}"
