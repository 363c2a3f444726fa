"""Rows that wait for a worker, which works through them in batches, the newest first, for as long as it has time.

Ranges of ids wait. Triggers note them in the writer's own transaction (migrations 0108 and 0110): one row for each
inserting statement, without any lock. A batch is one transaction: if it is killed at any line, its rows still wait.
If somebody changes a row in the meantime, it is noted again, and so read again.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from django.db.models import Model

from labeling.queries.sql_slots import fill

LAST = 2**63 - 1  # above every id
RANGES = 100  # from which a batch takes its rows: rows written one by one are a range each
# One worker at a time does this; the others do what people wait for.
MINE = "SELECT pg_try_advisory_xact_lock(hashtext(%(table)s))"
TAKE = """
    SELECT id, project_id, lowest, highest FROM {waiting} WHERE id < %(before)s
    ORDER BY id DESC LIMIT %(most)s FOR UPDATE SKIP LOCKED
"""
# `project_id + 0` makes Postgres search by ids: an index on `project_id` would give all of a project's rows each time.
NEWEST = """
    SELECT id FROM {rows} WHERE project_id + 0 = %(project)s AND id BETWEEN %(lowest)s AND %(highest)s
    ORDER BY id DESC LIMIT %(most)s
"""


class Range(NamedTuple):
    """Waiting rows of a project, by their ids. Some may be deleted, and others may have written ids in between."""

    id: int
    project: int
    lowest: int
    highest: int


class Backlog(NamedTuple):
    """One kind of work that is left to a worker."""

    waiting: type[Model]  # ranges of ids
    rows: type[Model]  # what the ids belong to
    write: Callable[[CursorWrapper, list[int]], None]  # does it for the rows with these ids that still exist
    batch: int  # rows

    def waits(self) -> bool:
        """Return whether there is anything to do."""
        return self.waiting._default_manager.exists()

    def work_off(self, seconds: float) -> bool:
        """Write batches until nothing waits, or for this many seconds. Returns whether it stopped with some left."""
        end = time.monotonic() + seconds
        before = LAST  # so that a batch skips the ranges of earlier ones, deleted but not vacuumed
        while time.monotonic() < end:
            least = self.write_batch(before)
            if least is None and before == LAST:
                return False
            before = LAST if least is None else least
        return True

    def write_batch(self, before: int) -> int | None:
        """Write a batch of ranges with ids under `before`. Returns where the next continues; None: nothing to do."""
        tables = {"waiting": self.waiting._meta.db_table, "rows": self.rows._meta.db_table}
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(MINE, {"table": tables["waiting"]})
            if not cursor.fetchone()[0]:
                return None
            cursor.execute(fill(TAKE, waiting=tables["waiting"]), {"before": before, "most": RANGES})
            left, at = self.batch, None
            for waiting in map(Range._make, cursor.fetchall()):
                cursor.execute(fill(NEWEST, rows=tables["rows"]), {**waiting._asdict(), "most": left})
                taken = [row for (row,) in cursor.fetchall()]
                if taken:
                    self.write(cursor, taken)
                self._take_off(waiting, taken, left)
                left, at = left - len(taken), waiting.id
                if left <= 0:
                    return at + 1  # some of this range may be left
            return at

    def _take_off(self, waiting: Range, taken: list[int], most: int) -> None:
        """Remove what was taken of a range. The rest keeps waiting."""
        it = self.waiting._default_manager.filter(pk=waiting.id)
        if len(taken) < most or taken[-1] == waiting.lowest:
            it.delete()
        else:
            it.update(highest=taken[-1] - 1)
