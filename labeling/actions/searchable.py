"""The search index of *Data*, built by workers after problems and traces are written: letters, then words."""

import time

from labeling.actions.jobs import send_task
from labeling.actions.problem_letters import LETTERS
from labeling.actions.trace_words import WORDS

TASK = "worker.write_trace_words"
UNHEARD = 60  # seconds after which an unread message expires: the sweep has sent another


def make_searchable(seconds: float) -> bool:
    """Make everything that waits searchable, or stop after this many seconds. Returns whether some is left.

    Each kind gets its turn, whatever happens to the other.
    """
    end = time.monotonic() + seconds
    letters_left = False
    try:
        letters_left = LETTERS.work_off(seconds / 2)
    finally:
        words_left = WORDS.work_off(end - time.monotonic())
    return words_left or letters_left


def wake_writer() -> None:
    """Have a worker start at once."""
    send_task(TASK, expires=UNHEARD)


def sweep_unsearched() -> bool:
    """Wake a worker if problems or traces wait. Returns whether any do."""
    waiting = WORDS.waits() or LETTERS.waits()
    if waiting:
        wake_writer()
    return waiting
