"""A worker's turn at a source's run.

It processes several chunks at a time, so that the server is never idle while a chunk's last answers arrive, are graded
and written. Each chunk is a job with its own lease; other workers finish what this one did not.
"""

import os
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing
from functools import partial
from queue import SimpleQueue
from time import monotonic

from django.db import connection

from labeling.actions import source_runs
from labeling.configs import SourceConfig
from labeling.grading import Grade, Question
from labeling.grading.process_pool import GradingPool
from labeling.models import SourceChunk, StepScorer
from labeling.queries.sources import waiting_chunk
from worker.asking import LOOK, Room
from worker.marking import TOGETHER, mark_chunk

AT_ONCE = 4  # chunks at most: while some are graded and written, the next one's requests use the room they leave


def mark_chunks(chunk_id: int, seconds: float) -> None:
    """Mark a chunk's traces; if its source uses a server, also other chunks of the run, for `seconds`.

    This thread does the grading for the others: grading processes end with the thread that started them.
    """
    chunk = SourceChunk.objects.select_related("run__scorer").filter(pk=chunk_id).first()
    if chunk is None:
        return
    with GradingPool(processes=os.cpu_count() or 1, together=TOGETHER) as pool:
        if chunk.run.scorer.kind in StepScorer.ASK_A_SERVER:
            Turn(chunk, monotonic() + seconds).take(pool)
        else:
            source_runs.run_chunk(chunk_id, partial(mark_chunk, grade=pool.grade))


class Turn:
    """The chunks that one message makes a worker take: the message's own, and those after it."""

    def __init__(self, chunk: SourceChunk, until: float) -> None:
        self.chunk, self.until = chunk, until
        self.rolls_out = chunk.run.scorer.kind == StepScorer.Kind.ROLLOUTS
        self.room, self.run_budget = Room(), source_runs.RunBudget()
        self.over = threading.Event()  # set when no chunk is waiting
        self.next = threading.Lock()  # held while looking for a waiting chunk
        self.to_grade: SimpleQueue[tuple[list[Question], Future[list[Grade]]] | None] = SimpleQueue()

    def take(self, pool: GradingPool) -> None:
        """Do all the work. Raises what a chunk's thread raised."""
        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="chunk") as threads:
            taken = [threads.submit(self._take_first), *(threads.submit(self._follow) for _ in range(AT_ONCE - 1))]
            for one in taken:
                one.add_done_callback(lambda _: self.to_grade.put(None))
            self._grade_all(pool)
        for one in taken:
            one.result()

    def grade(self, questions: Iterable[Question]) -> Iterator[Grade]:
        """Return grades in the order of the questions, for the chunks' threads; the processes' thread computes them."""
        told: Future[list[Grade]] = Future()
        self.to_grade.put((list(questions), told))
        return iter(told.result())

    def _grade_all(self, pool: GradingPool) -> None:
        """Grade until all chunk threads are done. Whatever ends this thread ends their chunks, too."""
        running, ended = AT_ONCE, None
        while running:
            try:
                if (asked := self.to_grade.get()) is None:
                    running -= 1
                elif ended is not None:
                    asked[1].set_exception(ended)
                else:
                    _grade(pool, *asked)
            except BaseException as fault:  # noqa: BLE001 (raised once nobody waits for grades)
                ended = fault
                self._end()
                self.room.stop(fault)
        if ended is not None:
            raise ended

    def _take_first(self) -> None:
        """Do the message's own chunk and those after it; nothing if that chunk is no longer to be done."""
        with closing(connection):
            try:
                if self._take_own():
                    self._take_waiting()
            finally:
                self._end()

    def _follow(self) -> None:
        with closing(connection):
            self._take_waiting()

    def _take_waiting(self) -> None:
        """Do one chunk after another, each once there is room for its requests."""
        while not self.over.is_set():
            with ExitStack() as beginning:
                with self.next:
                    if (following := self._following()) is not None:
                        beginning.enter_context(self.room.begins())
                if following is not None:
                    source_runs.run_chunk(following, self._work, self.run_budget)

    def _following(self) -> int | None:
        """Return a waiting chunk, if there is room for its requests; end the turn if none is waiting."""
        if not self.room.hungry.wait(LOOK) or self.over.is_set():
            return None
        following = None if monotonic() > self.until else waiting_chunk(self.chunk.run_id)
        if following is None:
            self._end()
        return following

    def _take_own(self) -> bool:
        """Do the message's own chunk. Return whether it was this worker's turn."""
        with self.room.begins():
            return source_runs.run_chunk(self.chunk.pk, self._work, self.run_budget) is not None

    def _work(self, chunk: SourceChunk, config: SourceConfig, writer: source_runs.MarkWriter) -> None:
        if self.rolls_out:
            self.to_grade.put(([], Future()))  # so that the libraries are loaded before there is something to grade
        mark_chunk(chunk, config, writer, grade=self.grade, room=self.room)

    def _end(self) -> None:
        """Take no further chunks."""
        self.over.set()
        self.room.hungry.set()


def _grade(pool: GradingPool, questions: list[Question], told: "Future[list[Grade]]") -> None:
    """Grade, or only prepare if there are no questions yet. Errors go to whoever asked."""
    try:
        if not questions:
            pool.prepare()
        told.set_result(list(pool.grade(questions)))
    except BaseException as fault:
        told.set_exception(fault)
        if not isinstance(fault, Exception):
            raise
