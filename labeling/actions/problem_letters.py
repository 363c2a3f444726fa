"""Letters of problems, by which they are found, made after the problems were written: by a worker, the newest first.

What waits are ranges of ids that triggers note in the writer's own transaction (migration 0108). A batch is one
transaction: killed at any line, its problems still wait. Until then a search reads their texts (queries/words_asked).
"""

from typing import NamedTuple

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper

from labeling.actions.backlog import work_off
from labeling.models import ProblemsWithoutLetters

BATCH = 1_000  # problems
RANGES = 100  # of which a batch takes its problems: those that were written one by one are a range each
# At once one worker does it, and the others do what people wait for.
MINE = "SELECT pg_try_advisory_xact_lock(hashtext('problem letters'))"
TAKE = """
    SELECT id, project_id, lowest, highest FROM labeling_problemswithoutletters WHERE id < %(before)s
    ORDER BY id DESC LIMIT %(most)s FOR UPDATE SKIP LOCKED
"""
# By ids: no index of projects has `project_id + 0`, which would give all of a project's problems each time.
NEWEST = """
    SELECT id FROM labeling_problem WHERE project_id + 0 = %(project)s AND id BETWEEN %(lowest)s AND %(highest)s
    ORDER BY id DESC LIMIT %(most)s
"""
# A statement of its own: what it reads is as it was when the range was locked, or newer. Of a problem that is gone
# nothing is written, and none can go meanwhile.
WRITE = """
    INSERT INTO labeling_problemletters (problem_id, project_id, text)
    SELECT id, project_id, text FROM labeling_problem WHERE id = ANY(%(taken)s) FOR KEY SHARE
    ON CONFLICT (problem_id) DO UPDATE SET text = excluded.text WHERE labeling_problemletters.text <> excluded.text
"""


class Range(NamedTuple):
    """Problems of a project that wait, by their ids."""

    id: int
    project: int
    lowest: int
    highest: int


def write_letters(seconds: float) -> bool:
    """Write letters until no problem waits, or for so many seconds. Answers whether it stopped with some left."""
    return work_off(_write_batch, seconds)


def problems_wait() -> bool:
    """Whether any wait for their letters."""
    return ProblemsWithoutLetters.objects.exists()


def _write_batch(before: int) -> int | None:
    """Of ranges with ids under `before`; where the next batch goes on, None where there was nothing to do."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(MINE)
        if not cursor.fetchone()[0]:
            return None
        cursor.execute(TAKE, {"before": before, "most": RANGES})
        left = BATCH
        at = None
        for waiting in map(Range._make, cursor.fetchall()):
            written = _write(cursor, waiting, left)
            left -= written
            at = waiting.id
            if left <= 0:
                return at + 1  # some of this one may be left
        return at


def _write(cursor: CursorWrapper, waiting: Range, most: int) -> int:
    """Write at most so many of a range, the newest, and leave the rest of it waiting; how many it wrote."""
    cursor.execute(NEWEST, {**waiting._asdict(), "most": most})
    taken = [problem for (problem,) in cursor.fetchall()]
    if taken:
        cursor.execute(WRITE, {"taken": taken})
    of_range = ProblemsWithoutLetters.objects.filter(pk=waiting.id)
    if len(taken) < most or taken[-1] == waiting.lowest:
        of_range.delete()
    else:
        of_range.update(highest=taken[-1] - 1)
    return len(taken)
