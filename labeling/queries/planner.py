"""Statistics for Postgres' planner about rows that were written a moment ago.

Postgres plans by statistics that autovacuum renews when a tenth of a table has changed. Until then, it assumes that a
new project, round or job has no rows, and the next statement that joins them scans all of them for each row. So code
that writes many rows which later statements join reports them here.
"""

from typing import Any

from django.db.backends.utils import CursorWrapper

MANY = 1_000  # rows; fewer do not change a plan
# Statements join and filter by columns that are in a B-tree or hold a number, a date or a word. Statistics of long
# texts, lists and JSON take up most of ANALYZE's time (a trace's steps alone: a second); autovacuum makes those on its
# next run.
SHORT = """
    SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum)
    FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid
    WHERE attrelid = %(table)s::regclass AND attnum > 0 AND NOT attisdropped AND (
        typlen > 0 OR typname = 'varchar'
        OR attnum IN (
            SELECT unnest(indkey) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
            JOIN pg_am ON pg_am.oid = relam WHERE indrelid = %(table)s::regclass AND amname = 'btree'))
"""


# How many of a column's most frequent values are kept and, at 300 rows each, how many rows are read; ANALYZE's time
# depends on it. If a project's or round's rows are a fifth of the table, at most four other values can be more
# frequent. So the table's size divided by the rows written is enough to tell them apart; Postgres' default of 100 is
# more.
LEAST = 30
ENOUGH = """
    SELECT usual, CASE WHEN reltuples < 0 THEN usual
        ELSE least(usual, greatest(%(least)s, ceil((reltuples + %(rows)s) / %(rows)s)::int)) END
    FROM pg_class, (SELECT current_setting('default_statistics_target')::int AS usual) AS setting
    WHERE oid = %(table)s::regclass
"""


def note_written(cursor: CursorWrapper, table: str, rows: int) -> None:
    """Renew the statistics of `table` after this many rows were added; do nothing if they are few."""
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
    """Store the result of the query `rows` until the commit, with statistics. Return the number of rows.

    Autovacuum never processes a temporary table. Without statistics, Postgres assumes that it has a few pages.
    """
    cursor.execute(f"CREATE TEMP TABLE {name} ON COMMIT DROP AS {rows}", about)
    count = cursor.rowcount
    cursor.execute(f"ANALYZE {name}")
    return count
