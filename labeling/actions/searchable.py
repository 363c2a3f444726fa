"""What *Data* is searched by, made by workers after problems and traces were written: letters, then words."""

import time

from labeling.actions.jobs import send_task
from labeling.actions.problem_letters import problems_wait, write_letters
from labeling.actions.trace_words import traces_wait, write_words

TASK = "worker.write_trace_words"
UNHEARD = 60  # seconds after which a message that no worker took is worth nothing: the sweep has sent another


def make_searchable(seconds: float) -> bool:
    """Make all that waits searchable, or for so many seconds. Answers whether it stopped with some left.

    Each has its turn, whatever becomes of the other.
    """
    end = time.monotonic() + seconds
    letters_left = False
    try:
        letters_left = write_letters(seconds / 2)
    finally:
        words_left = write_words(end - time.monotonic())
    return words_left or letters_left


def wake_writer() -> None:
    """Have a worker begin at once."""
    send_task(TASK, expires=UNHEARD)


def sweep_unsearched() -> bool:
    """Wake a worker if problems or traces wait; whether any do."""
    waiting = traces_wait() or problems_wait()
    if waiting:
        wake_writer()
    return waiting
