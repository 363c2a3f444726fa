"""Turns for long work: no project uses all processes of the queue cpu, and one process stays free for short work.

Otherwise, an import of hours, or a server that takes an hour to answer, would keep leases, gold, notices and everyone's
small jobs waiting as long. Work that gets no turn leaves its row queued; the sweep wakes a worker for it again, and so
does the end of a turn. Turns are stored in Valkey with a short expiry that a thread extends: a process that dies loses
its turn.
"""

import logging
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar

from django.core.cache import caches

from annotation_app.caches import FAULTS
from labeling.actions.jobs import sweep_jobs
from labeling.actions.round_stages import sweep_rounds
from labeling.queries.workers import processes_serving

logger = logging.getLogger(__name__)
QUEUE = "cpu"  # gpu workers have one process per card, and their jobs resume where they stopped
KEPT = 30  # seconds without a sign of life after which a turn is over
SIGN_OF_LIFE = 10.0
HERE = socket.gethostname()
WAITED = "turn:waited"  # set when work got no turn and may have one now
Given = TypeVar("Given")


def most_together(processes: int) -> int:
    """Return how many long tasks may run at once: all processes but one, if there are three or more."""
    return processes if processes < 3 else processes - 1


def most_of_project(processes: int) -> int:
    """Return how many of those one project may have."""
    return max(1, most_together(processes) - 1)


@contextmanager
def turn(project_id: int) -> Iterator[bool]:
    """Yield whether the project's work may begin now; the turn ends with the block.

    Without Valkey, or if no worker gave a sign of life, all work may begin: a failure of turns must not stop work.
    """
    processes = processes_serving(QUEUE)
    if not processes:
        yield True
        return
    held: list[str] = []
    mine = f"{HERE}/{os.getpid()}"
    try:
        for about, most in ((f"project:{project_id}", most_of_project(processes)), ("all", most_together(processes))):
            slot = _taken(f"turn:{QUEUE}:{about}", most, mine)
            if slot is None:
                caches["valkey"].set(WAITED, 1, KEPT * 10)
                yield False
                return
            held.append(slot)
    except FAULTS:
        logger.warning("Valkey is away: long work takes no turns")
        yield True
        return
    finally:
        if len(held) == 1:
            _give_back(held)
    with _kept(held):
        yield True


def one_long_job_per_project(
    project_of: Callable[..., int | None],
) -> Callable[[Callable[..., Given]], Callable[..., Given | None]]:
    """Decorate long work: it does not begin, and returns None, while it is not its project's turn. `project_of`
    receives the work's arguments and returns None if this work is short.
    """

    def decorate(work: Callable[..., Given]) -> Callable[..., Given | None]:
        @wraps(work)
        def begin(*about: Any) -> Given | None:
            project_id = project_of(*about)
            if project_id is None:
                return work(*about)
            done = None
            with turn(project_id) as begun:
                if begun:
                    done = work(*about)
            if begun:
                _wake_who_waited()
            return done

        return begin

    return decorate


def _taken(name: str, most: int, mine: str) -> str | None:
    keys = [f"{name}:{n}" for n in range(most)]
    free = next((key for key in keys if caches["valkey"].add(key, mine, KEPT)), None)
    # Only if none is free. Two that look at the same time may both take the dead one's slot: one extra task, once.
    return free or next((key for key in keys if _is_of_the_dead(key) and caches["valkey"].add(key, mine, KEPT)), None)


def _is_of_the_dead(key: str) -> bool:
    """Delete a turn whose process was killed on this machine. Those of other machines expire."""
    host, _, pid = str(caches["valkey"].get(key) or "").rpartition("/")
    if host != HERE:
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        caches["valkey"].delete(key)
        return True
    return False


@contextmanager
def _kept(held: list[str]) -> Iterator[None]:
    over = threading.Event()

    def keep() -> None:
        while not over.wait(SIGN_OF_LIFE):
            try:
                for key in held:
                    caches["valkey"].touch(key, KEPT)
            except FAULTS:
                logger.warning("Valkey is away: no sign of life of a turn")

    thread = threading.Thread(target=keep, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        _give_back(held)


def _give_back(held: list[str]) -> None:
    try:
        caches["valkey"].delete_many(held)
    except FAULTS:
        logger.warning("Valkey is away: a turn ends in %d s", KEPT)


def _wake_who_waited() -> None:
    try:
        if not caches["valkey"].delete(WAITED):
            return
    except FAULTS:
        return
    sweep_jobs(new_ones=True)
    sweep_rounds()
