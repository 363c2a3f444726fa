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


# How many of a column's most frequent values are kept, and with 300 rows for each, how many are looked at: what ANALYZE
# takes goes by it. Where the rows of a project or a round are the fifth part of all, four others at most can have more.
# So the table's size by what was written is enough to tell them from all others, and Postgres' own 100 is more.
LEAST = 30
ENOUGH = """
    SELECT usual, CASE WHEN reltuples < 0 THEN usual
        ELSE least(usual, greatest(%(least)s, ceil((reltuples + %(rows)s) / %(rows)s)::int)) END
    FROM pg_class, (SELECT current_setting('default_statistics_target')::int AS usual) AS setting
    WHERE oid = %(table)s::regclass
"""


def note_written(cursor: CursorWrapper, table: str, rows: int) -> None:
    """Renew the statistics of `table`, to which so many rows were added; nothing where they are few."""
    if rows < MANY:
        return
    cursor.execute(SHORT, {"table": table})
    [columns] = cursor.fetchone()
    cursor.execute(ENOUGH, {"table": table, "rows": rows, "least": LEAST})
    usual, enough = cursor.fetchone()
    cursor.execute(f"SET LOCAL default_statistics_target = {enough}")
    cursor.execute(f"ANALYZE {table} ({columns})")
    cursor.execute(f"SET LOCAL default_statistics_target = {usual}")


def make_temporary(cursor: CursorWrapper, name: str, rows: str, about: dict[str, Any]) -> int:
    """Keep what the query `rows` gives until the commit, with its statistics; how many there are.

    Autovacuum never sees a temporary table, and without statistics Postgres takes it for a few pages.
    """
    cursor.execute(f"CREATE TEMP TABLE {name} ON COMMIT DROP AS {rows}", about)
    count = cursor.rowcount
    cursor.execute(f"ANALYZE {name}")
    return count
