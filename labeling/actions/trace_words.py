"""Words of steps, made searchable after the steps were written: by a worker, in small batches, the newest traces first.

What waits is a table that triggers fill in the writer's own transaction (migration 0106). A batch is one transaction:
killed at any line, its traces still wait.
"""

from django.db import OperationalError, connection, transaction
from django.db.backends.utils import CursorWrapper
from psycopg.errors import ProgramLimitExceeded

from labeling.actions.backlog import work_off
from labeling.models import TraceWithoutWords
from labeling.queries.sql_slots import fill

BATCH = 200  # traces; who changes the steps of one of them waits so long
# At once one worker does it, and the others do what people wait for.
MINE = "SELECT pg_try_advisory_xact_lock(hashtext('trace words'))"
TAKE = """
    SELECT trace_id FROM labeling_tracewithoutwords WHERE trace_id < %(before)s
    ORDER BY trace_id DESC LIMIT %(most)s FOR UPDATE SKIP LOCKED
"""
# A statement of its own: what it reads is as it was when the rows above were locked, or newer. The trace cannot go
# meanwhile; of one that is gone nothing is written.
WRITE = """
    INSERT INTO labeling_tracewords (trace_id, project_id, words)
    SELECT id, project_id, {words} FROM labeling_trace WHERE id = ANY(%(taken)s) FOR KEY SHARE
    ON CONFLICT (trace_id) DO UPDATE SET words = excluded.words
"""
ALL = "labeling_step_words(steps)"
# Of this many characters no words take more than the megabyte that a vector holds, whatever the alphabet and hyphens.
FEWER = "to_tsvector('pg_catalog.english', left(array_to_string(steps, E'\\n'), 50000))"
DONE = "DELETE FROM labeling_tracewithoutwords WHERE trace_id = ANY(%(taken)s)"


def write_words(seconds: float) -> bool:
    """Make words searchable until none waits, or for so many seconds. Answers whether it stopped with some left."""
    return work_off(_write_batch, seconds)


def traces_wait() -> bool:
    """Whether any wait for their words."""
    return TraceWithoutWords.objects.exists()


def _write_batch(before: int) -> int | None:
    """Of traces with ids under `before`; the lowest id of the batch, None where there was nothing to do."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(MINE)
        if not cursor.fetchone()[0]:
            return None
        cursor.execute(TAKE, {"before": before, "most": BATCH})
        taken = [trace for (trace,) in cursor.fetchall()]
        if not taken:
            return None
        _write(cursor, taken)
        cursor.execute(DONE, {"taken": taken})
        return min(taken)


def _write(cursor: CursorWrapper, taken: list[int]) -> None:
    """All at once; where one has more words than a vector holds, each by itself, and of that one its beginning."""
    try:
        with transaction.atomic():
            cursor.execute(fill(WRITE, words=ALL), {"taken": taken})
    except OperationalError as fault:
        if not isinstance(fault.__cause__, ProgramLimitExceeded):
            raise
        if len(taken) == 1:
            cursor.execute(fill(WRITE, words=FEWER), {"taken": taken})
        else:
            for one in taken:
                _write(cursor, [one])
