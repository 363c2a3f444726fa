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


# ANALYZE keeps this many of a column's most frequent values and reads 300 rows for each, so its cost is proportional.
# A project or round whose rows were just written must be among the values kept. That takes as many values as there are
# larger projects, which Postgres mostly knows, or at most as many as projects of the same size would fit in the table.
# It must also be found often enough among the rows that are read: 20 times.
LEAST = 30
MET = 15  # 300 rows / 20
USUAL = "SELECT reset_val::int AS usual FROM pg_settings WHERE name = 'default_statistics_target'"
# For each foreign key: how many values have at least half of these rows. Null if the list may be cut off there.
LARGER = """
    SELECT CASE WHEN larger < cardinality(most_common_freqs) OR larger = n_distinct THEN larger + 1 END AS needed
    FROM pg_attribute JOIN pg_stats USING (attname), LATERAL (
        SELECT count(*) AS larger FROM unnest(most_common_freqs) AS share
        WHERE share * reltuples * 2 >= %(rows)s) AS counted
    WHERE attrelid = pg_class.oid AND atttypid = 'bigint'::regtype AND most_common_freqs IS NOT NULL
        AND (schemaname, tablename) = (relnamespace::regnamespace::text, relname) AND NOT inherited
"""
ENOUGH = f"""
    SELECT current_setting('default_statistics_target')::int, CASE WHEN reltuples < 0 THEN usual
        ELSE least(usual, greatest(%(least)s, ceil(parts / %(met)s), least(parts, needed)))::int END
    FROM pg_class, ({USUAL}) AS setting,
    LATERAL (SELECT ceil((reltuples + %(rows)s) / %(rows)s) AS parts) AS written,
    LATERAL (SELECT CASE WHEN bool_and(needed IS NOT NULL) THEN max(needed) END AS needed FROM ({LARGER}) AS of_column)
        AS known
    WHERE oid = %(table)s::regclass
"""

# Temporary tables are read by the next statement. Its plan only needs the number of rows and of different values, and
# 3,000 rows are enough to estimate those.
ROUGH = 10


def look_roughly(cursor: CursorWrapper) -> None:
    """Make ANALYZE read fewer rows until the transaction ends, except in `note_written`."""
    cursor.execute(f"SET LOCAL default_statistics_target = {ROUGH}")


def note_written(cursor: CursorWrapper, table: str, rows: int) -> None:
    """Renew the statistics of `table` after this many rows were added; do nothing if they are few."""
    if rows < MANY:
        return
    cursor.execute(SHORT, {"table": table})
    [columns] = cursor.fetchone()
    cursor.execute(ENOUGH, {"table": table, "rows": rows, "least": LEAST, "met": MET})
    before, enough = cursor.fetchone()
    cursor.execute(f"SET LOCAL default_statistics_target = {enough}")
    cursor.execute(f"ANALYZE {table} ({columns})")
    cursor.execute(f"SET LOCAL default_statistics_target = {before}")


def make_temporary(cursor: CursorWrapper, name: str, rows: str, about: dict[str, Any]) -> int:
    """Store the result of the query `rows` until the commit, with statistics. Return the number of rows.

    Autovacuum never processes a temporary table. Without statistics, Postgres assumes that it has a few pages.
    """
    cursor.execute(f"CREATE TEMP TABLE {name} ON COMMIT DROP AS {rows}", about)
    count = cursor.rowcount
    cursor.execute(f"ANALYZE {name}")
    return count
