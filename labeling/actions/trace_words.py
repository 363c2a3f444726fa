"""Words of steps, made searchable after the steps were written (actions/backlog.py)."""

from django.db import OperationalError, transaction
from django.db.backends.utils import CursorWrapper
from psycopg.errors import ProgramLimitExceeded

from labeling.actions.backlog import Backlog
from labeling.models import Trace, TracesWithoutWords
from labeling.queries.sql_slots import fill

# It reads the state at the locking of the range, or a newer one. A trace cannot be deleted in the meantime, and nothing
# is written for a deleted one.
WRITE = """
    INSERT INTO labeling_tracewords (trace_id, project_id, words)
    SELECT id, project_id, {words} FROM labeling_trace WHERE id = ANY(%(taken)s) FOR KEY SHARE
    ON CONFLICT (trace_id) DO UPDATE SET words = excluded.words
"""
ALL = "labeling_step_words(steps)"
# The words of this many characters fit into the megabyte that a vector holds, whatever the alphabet and hyphens.
FEWER = "to_tsvector('pg_catalog.english', left(array_to_string(steps, E'\\n'), 50000))"


def _write(cursor: CursorWrapper, taken: list[int]) -> None:
    """Write all at once. If one has more words than a vector holds, write each alone, and only that one's beginning."""
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


WORDS = Backlog(TracesWithoutWords, Trace, _write, batch=200)
