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

LOOK = 1.0  # seconds between two looks at whether to stop
FEW_UNREAD, MANY_UNREAD = 0.5, 4.0  # answers that nobody has looked at, for each request that may be in the air

About = TypeVar("About")


class Batch(NamedTuple, Generic[About]):
    """Samples of one problem, or of whatever else they are about, that are asked for together: consecutive numbers."""

    about: About
    numbers: list[int]


class Room:
    """Requests that a process may have in the air, over all lines at one server. Who came first is served first, and
    those behind take what is left. `hungry` is set once fewer requests wait than may be in the air: a chunk takes a
    while to begin, and meanwhile a fast server has answered them all. It is not while somebody is `beginning`."""

    def __init__(self) -> None:
        self.lines: list[Line[Any]] = []
        self.beginning: set[int] = set()  # threads that will join
        self.in_air = 0
        self.hungry = threading.Event()
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None

    def join(self, line: "Line[Any]") -> None:
        """Have a line's requests sent."""
        with self._lock:
            self.lines.append(line)
            self.beginning.discard(threading.get_ident())
            if self._pool is None:
                self._pool = ThreadPoolExecutor(line.in_flight, thread_name_prefix="generating")

    @contextmanager
    def begins(self) -> Iterator[None]:
        """This thread is about to join, or turns out not to."""
        with self._lock:
            self.beginning.add(threading.get_ident())
            self.hungry.clear()
        try:
            yield
        finally:
            with self._lock:
                self.beginning.discard(threading.get_ident())
            self.refill()  # where nothing was asked for there is still room

    def leave(self, line: "Line[Any]") -> None:
        """Send nothing more for it. Its requests in the air keep their room until they end."""
        with self._lock:
            self.lines.remove(line)
            if not self.lines:
                self._end_threads()
        self.refill()

    def refill(self) -> None:
        """Ask for as much as may be in the air."""
        with self._lock:
            self._submit(self._fill())

    def _fill(self) -> list[tuple["Line[Any]", Batch[Any]]]:
        """What is to be asked for now; it counts as in the air. Under the lock."""
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
        """Ask, and wait for the answer; then for what is next at once, whichever line's it is."""
        following: tuple[Line[Any], Batch[Any]] | None = (line, batch)
        while following is not None:
            line, batch = following
            following = self.landed(line, batch.about, line.answer_to(batch))

    def stop(self, fault: BaseException) -> None:
        """End every line with this. From any thread."""
        with self._lock:
            for line in self.lines:
                line.failed = True
                line.answered.put((None, fault))

    def landed(
        self, line: "Line[Any]", about: Any, found: list[Sample] | BaseException
    ) -> tuple["Line[Any]", Batch[Any]] | None:
        """A request has ended. Returns what its thread is to ask for next. One turn at the lock for both, as hundreds
        of threads come for it."""
        with self._lock:
            line.answered.put((about, found))
            self.in_air, line.in_air = self.in_air - 1, line.in_air - 1
            following = self._fill()
            self._submit(following[1:])
        return following[0] if following else None

    def _end_threads(self) -> None:
        """Nobody waits for those that are still being cut off; each of them still says that it has landed."""
        if self._pool is not None:
            self._pool.shutdown(wait=False)
            self._pool = None


class Line(Generic[About]):
    """Requests about one chunk of work, and the answers that nobody has looked at: at most `unread` for each that may
    be in the air. Where the caller is slower than the server for long, the server waits."""

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
        self.is_hungry = False  # it has nothing to ask for, for now
        self.failed = False

    @property
    def busy(self) -> bool:
        """Whether something is in the air, or unread."""
        return self.in_air > 0 or not self.answered.empty()

    @property
    def waiting(self) -> int:
        """Requests that are yet to be sent, as far as that is known."""
        return length_hint(self.batches, 0)

    def following(self) -> Batch[About] | None:
        """What is to be asked for next, if anything may be. Called by the room alone."""
        self.is_hungry = False
        if self.failed or self.answered.qsize() > self.most_unread or not self.may_ask():
            return None
        batch = next(self.batches, None)
        self.is_hungry = batch is None
        return batch

    def answer_to(self, batch: Batch[About]) -> list[Sample] | BaseException:
        """Ask, and wait for the answer; a fault is raised where the answers are read."""
        try:
            return self.ask(batch)
        except BaseException as fault:  # noqa: BLE001 (kept)
            self.failed = True
            return fault

    def came(self) -> tuple[list[tuple[About, list[Sample]]], BaseException | None]:
        """What came, waiting for the first of it for LOOK seconds; and a fault, after what can be kept."""
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
    """Each batch's samples as they come, `in_flight` requests at once."""
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
    """The same, with all that came meanwhile in one list. Nothing is asked for while `may_ask` says no.

    Who is done asking asks for the next batch at once: the server is kept busy while the caller grades or writes.
    `batches` may hold more once the caller has seen an answer. Others may be in the same `room`.
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
                room.refill()  # so that nothing waits while the caller looks at what came
            if came:
                yield came
            if fault is not None:
                raise fault
            line.is_hungry = False  # the caller may have put more into `batches`
            room.refill()
        stop()
    finally:  # threads that still wait for the server are cut off and end; nobody waits for them
        room.leave(line)
        server.client.stop()


def told(stop: Callable[[], None]) -> Exception | None:
    """Why the work is to end, if it is."""
    try:
        stop()
    except Exception as why:  # noqa: BLE001 (raised once what came is kept)
        return why
    return None
