"""What Postgres knows of rows that were just written.

It plans by statistics that autovacuum renews when a tenth of a table has changed. Until then a project, a round or a
job whose rows were written a moment ago has none in its eyes, and the next statement that joins them goes through all
for each. So whoever writes many rows that later statements join says so here.
"""

from typing import Any

from django.db.backends.utils import CursorWrapper

MANY = 1_000  # rows; fewer change no plan


def note_written(cursor: CursorWrapper, table: str, rows: int) -> None:
    """Renew the statistics of `table`, to which so many rows were added; nothing where they are few."""
    if rows >= MANY:
        cursor.execute(f"ANALYZE {table}")


def make_temporary(cursor: CursorWrapper, name: str, rows: str, about: dict[str, Any]) -> int:
    """Keep what the query `rows` gives until the commit, with its statistics; how many there are.

    Autovacuum never sees a temporary table, and without statistics Postgres takes it for a few pages.
    """
    cursor.execute(f"CREATE TEMP TABLE {name} ON COMMIT DROP AS {rows}", about)
    count = cursor.rowcount
    cursor.execute(f"ANALYZE {name}")
    return count
