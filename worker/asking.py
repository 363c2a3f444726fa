"""Sends requests to a server, a limited number at once, and yields answers as they arrive. Chunks share a process's
limit, so the next chunk's requests start before all answers of the last one are in.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from operator import length_hint
from queue import Empty, SimpleQueue
from typing import Any, Generic, NamedTuple, TypeVar

from labeling.generation.sampling import Sample
from worker.chat import ChatServer

LOOK = 1.0  # seconds between two checks of whether to stop
FEW_UNREAD, MANY_UNREAD = 0.5, 4.0  # unread answers, per request that may be in flight

About = TypeVar("About")


class Batch(NamedTuple, Generic[About]):
    """Samples of one problem, or other subject, that are requested together: consecutive numbers."""

    about: About
    numbers: list[int]


class Room:
    """Requests that a process may have in flight, over all lines to one server. Lines are served in the order in which
    they joined; later ones take what is left.

    `hungry` is set once fewer requests are waiting than may be in flight: starting a chunk takes a while, in which a
    fast server would answer them all. It stays unset while a thread is `beginning`.
    """

    def __init__(self) -> None:
        self.lines: list[Line[Any]] = []
        self.beginning: set[int] = set()  # threads about to join
        self.in_air = 0
        self.hungry = threading.Event()
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None

    def join(self, line: "Line[Any]") -> None:
        """Send a line's requests from now on."""
        with self._lock:
            self.lines.append(line)
            self.beginning.discard(threading.get_ident())
            if self._pool is None:
                self._pool = ThreadPoolExecutor(line.in_flight, thread_name_prefix="generating")

    @contextmanager
    def begins(self) -> Iterator[None]:
        """Mark this thread as about to join, for the block; it may turn out not to."""
        with self._lock:
            self.beginning.add(threading.get_ident())
            self.hungry.clear()
        try:
            yield
        finally:
            with self._lock:
                self.beginning.discard(threading.get_ident())
            self.refill()  # if nothing was requested, there is still room

    def leave(self, line: "Line[Any]") -> None:
        """Send nothing more for the line. Its requests in flight keep their room until they end."""
        with self._lock:
            self.lines.remove(line)
            if not self.lines:
                self._end_threads()
        self.refill()

    def refill(self) -> None:
        """Send as many requests as may be in flight."""
        with self._lock:
            self._submit(self._fill())

    def _fill(self) -> list[tuple["Line[Any]", Batch[Any]]]:
        """Return what to request now, and count it as in flight. Needs the lock."""
        found = []
        for line in self.lines:
            while self.in_air < line.in_flight and (batch := line.following()) is not None:
                self.in_air, line.in_air = self.in_air + 1, line.in_air + 1
                found.append((line, batch))
        waiting = sum(line.waiting for line in self.lines)
        if not self.beginning and all(waiting < line.in_flight for line in self.lines):
            self.hungry.set()
        return found

    def _submit(self, found: Iterable[tuple["Line[Any]", Batch[Any]]]) -> None:
        for line, batch in found:
            assert self._pool is not None
            self._pool.submit(self._send, line, batch)

    def _send(self, line: "Line[Any]", batch: Batch[Any]) -> None:
        """Send the request and wait for its answer; then do the next one at once, whichever line it belongs to."""
        following: tuple[Line[Any], Batch[Any]] | None = (line, batch)
        while following is not None:
            line, batch = following
            following = self.landed(line, batch.about, line.answer_to(batch))

    def stop(self, fault: BaseException) -> None:
        """End every line with this fault. May be called from any thread."""
        with self._lock:
            for line in self.lines:
                line.failed = True
                line.answered.put((None, fault))

    def landed(
        self, line: "Line[Any]", about: Any, found: list[Sample] | BaseException
    ) -> tuple["Line[Any]", Batch[Any]] | None:
        """Take in a request that has ended, and return what its thread should request next. Both need the lock only
        once, because hundreds of threads compete for it.
        """
        with self._lock:
            line.answered.put((about, found))
            self.in_air, line.in_air = self.in_air - 1, line.in_air - 1
            following = self._fill()
            self._submit(following[1:])
        return following[0] if following else None

    def _end_threads(self) -> None:
        """End the threads without waiting for those still being cut off; each of them still calls `landed`."""
        if self._pool is not None:
            self._pool.shutdown(wait=False)
            self._pool = None


class Line(Generic[About]):
    """Requests about one chunk of work, and their unread answers: at most `unread` for each request that may be in
    flight. If the caller is slower than the server for long, the server waits.
    """

    def __init__(
        self,
        ask: Callable[[Batch[About]], list[Sample]],
        batches: Iterator[Batch[About]],
        in_flight: int,
        may_ask: Callable[[], bool],
        unread: float,
        room: Room,
    ) -> None:
        self.ask, self.batches, self.in_flight, self.may_ask, self.room = ask, batches, in_flight, may_ask, room
        self.most_unread = int(unread * in_flight)
        self.answered: SimpleQueue[tuple[About, list[Sample] | BaseException]] = SimpleQueue()
        self.in_air = 0
        self.is_hungry = False  # it has nothing to request for now
        self.failed = False

    @property
    def busy(self) -> bool:
        """Whether anything is in flight or unread."""
        return self.in_air > 0 or not self.answered.empty()

    @property
    def waiting(self) -> int:
        """The number of requests still to be sent, as far as it is known."""
        return length_hint(self.batches, 0)

    def following(self) -> Batch[About] | None:
        """Return the next batch to request, if one may be. Only the room calls this."""
        self.is_hungry = False
        if self.failed or self.answered.qsize() > self.most_unread or not self.may_ask():
            return None
        batch = next(self.batches, None)
        self.is_hungry = batch is None
        return batch

    def answer_to(self, batch: Batch[About]) -> list[Sample] | BaseException:
        """Send the request and wait for the answer. A fault is returned, and raised where the answers are read."""
        try:
            return self.ask(batch)
        except BaseException as fault:  # noqa: BLE001 (kept)
            self.failed = True
            return fault

    def came(self) -> tuple[list[tuple[About, list[Sample]]], BaseException | None]:
        """Return the answers that arrived, after at most LOOK seconds for the first, and a fault, if any, to raise once
        the answers are kept.
        """
        found: list[tuple[About, list[Sample]]] = []
        fault: BaseException | None = None
        try:
            about, said = self.answered.get(timeout=LOOK)
            while True:
                if isinstance(said, BaseException):
                    fault = fault or said
                else:
                    found.append((about, said))
                about, said = self.answered.get_nowait()
        except Empty:
            return found, fault


def answers(
    server: ChatServer,
    ask: Callable[[Batch[About]], list[Sample]],
    batches: Iterator[Batch[About]],
    stop: Callable[[], None],
) -> Iterator[tuple[About, list[Sample]]]:
    """Yield each batch's samples as they arrive, with `in_flight` requests at once."""
    for came in answers_together(server, ask, batches, stop, unread=FEW_UNREAD):
        yield from came


def answers_together(
    server: ChatServer,
    ask: Callable[[Batch[About]], list[Sample]],
    batches: Iterator[Batch[About]],
    stop: Callable[[], None],
    may_ask: Callable[[], bool] = lambda: True,
    *,
    unread: float = MANY_UNREAD,
    room: Room | None = None,
) -> Iterator[list[tuple[About, list[Sample]]]]:
    """Do the same, with all answers that arrived meanwhile in one list. Nothing is sent while `may_ask` is false.

    A thread that has its answer sends the next batch at once: the server is kept busy while the caller grades or
    writes. `batches` may yield more once the caller has seen an answer. Other lines may share the `room`.
    """
    room = room or Room()
    line = Line(ask, batches, server.client.in_flight, may_ask, unread, room)
    room.join(line)
    try:
        room.refill()
        while line.busy or not line.is_hungry:
            came, fault = line.came()
            fault = fault or told(stop)
            if fault is None:
                room.refill()  # so that nothing waits while the caller processes the answers
            if came:
                yield came
            if fault is not None:
                raise fault
            line.is_hungry = False  # the caller may have put more into `batches`
            room.refill()
        stop()
    finally:  # threads still waiting for the server are cut off and end; nobody waits for them
        room.leave(line)
        server.client.stop()


def told(stop: Callable[[], None]) -> Exception | None:
    """Return the reason to stop, if there is one."""
    try:
        stop()
    except Exception as why:  # noqa: BLE001 (raised once what came is kept)
        return why
    return None
