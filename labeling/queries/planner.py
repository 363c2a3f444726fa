"""What Postgres knows of rows that were just written.

It plans by statistics that autovacuum renews when a tenth of a table has changed. Until then a project, a round or a
job whose rows were written a moment ago has none in its eyes, and the next statement that joins them goes through all
for each. So whoever writes many rows that later statements join says so here.
"""

from typing import Any

from django.db.backends.utils import CursorWrapper

MANY = 1_000  # rows; fewer change no plan
# What statements join and filter by is in a B-tree, a number, a date or a word. Statistics of long texts, lists and
# JSON are most of what ANALYZE takes (of a trace's steps alone: a second), and autovacuum makes them when it comes by.
SHORT = """
    SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum)
    FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid
    WHERE attrelid = %(table)s::regclass AND attnum > 0 AND NOT attisdropped AND (
        typlen > 0 OR typname = 'varchar'
        OR attnum IN (
            SELECT unnest(indkey) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
            JOIN pg_am ON pg_am.oid = relam WHERE indrelid = %(table)s::regclass AND amname = 'btree'))
"""


def note_written(cursor: CursorWrapper, table: str, rows: int) -> None:
    """Renew the statistics of `table`, to which so many rows were added; nothing where they are few."""
    if rows >= MANY:
        cursor.execute(SHORT, {"table": table})
        cursor.execute(f"ANALYZE {table} ({cursor.fetchone()[0]})")


def make_temporary(cursor: CursorWrapper, name: str, rows: str, about: dict[str, Any]) -> int:
    """Keep what the query `rows` gives until the commit, with its statistics; how many there are.

    Autovacuum never sees a temporary table, and without statistics Postgres takes it for a few pages.
    """
    cursor.execute(f"CREATE TEMP TABLE {name} ON COMMIT DROP AS {rows}", about)
    count = cursor.rowcount
    cursor.execute(f"ANALYZE {name}")
    return count
