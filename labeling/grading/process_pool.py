"""Grades answers in processes that can be killed: an answer may exhaust its limits, never the worker.

`sympy` can be made to compute forever or to take all memory (`9^{9^9}`), and it can swallow a soft limit. So each
process has an address space limit from the kernel, and one that answers late is ended by SIGKILL and replaced.
The processes are forked by a small server (labeling.grading.process_child), not by the worker, which has threads and
connections. `multiprocessing` is not used because it refuses to have children inside a Celery process.
"""

import json
import os
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import TracebackType

from labeling.grading import UNGRADED, Grade, Question

BASE_DIR = Path(__file__).resolve().parent.parent.parent
SECONDS = 1.0
MEMORY = 2**30  # bytes of address space; the libraries alone take about a quarter
FOR_EACH = 0.02  # of the time for one question, for each further one in the message
READY_AHEAD = 1024  # grades per process that may wait for an earlier one: about as long as a bomb takes
TEXT = 24_000  # characters read from the end of a trace, or of an answer

Asked = Sequence[tuple[int, Question]]  # the numbered questions of one message


class PoolBroken(RuntimeError):
    """The processes cannot be started: see what they wrote to standard error."""


@dataclass(slots=True)
class Running:
    """A process, its current questions, and its deadline (by the monotonic clock)."""

    pid: int
    connection: Connection
    server: subprocess.Popen[bytes]
    questions: Asked = ()
    deadline: float = 0.0
    asked_again: bool = False


class GradingPool:
    """`processes` graders with a wall time and an address space limit for each answer. Only one thread may use a pool.

    `together`: how many questions go into one message, for threads with much else to do. Each adds FOR_EACH to the time
    of one. If that is not enough, or the process ends, each is asked again on its own. The thread that makes the pool
    must outlive it: when it ends, the kernel ends the processes (Linux).
    """

    def __init__(
        self, processes: int = 2, *, seconds: float = SECONDS, memory: int = MEMORY, together: int = 1
    ) -> None:
        self.processes = processes
        self.seconds = seconds
        self.memory = memory
        self.together = together
        self.replaced = 0  # processes that were killed or died
        self._idle: list[Running] = []
        self._busy: dict[Connection, Running] = {}
        self._alone: deque[tuple[int, Question]] = deque()  # to be asked again, one by one
        self._server: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def __enter__(self) -> "GradingPool":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End every process. The pool can be used again later."""
        for running in (*self._idle, *self._busy.values()):
            running.connection.close()
        self._idle.clear()
        self._busy.clear()
        if self._control is not None:
            self._control.close()
        if self._server is not None:
            self._server.kill()  # its children end with it
            self._server.wait()
        self._server = self._control = None

    def prepare(self) -> None:
        """Start the server; it loads its libraries while the caller waits for answers to grade. Returns at once."""
        if self._control is None:
            self._start_server()

    def grade(self, questions: Iterable[Question]) -> Generator[Grade, None, None]:
        """Yield the grades of the questions, in order, as soon as they and those before them are known.

        Questions are taken as processes become free. If a grade took too long, took too much memory or killed its
        process, it is ungraded with reason `timed_out`, `out_of_memory` or `crashed`. Raises PoolBroken.
        """
        waiting = enumerate(questions)
        done: dict[int, Grade] = {}
        next_out, more = 0, True
        try:
            while True:
                while len(self._busy) < self.processes:
                    room = more and len(done) < READY_AHEAD * self.processes
                    if asked := self._alone_again() or (tuple(islice(waiting, self.together)) if room else ()):
                        self._ask(asked)
                        continue
                    more = more and not room
                    break
                while next_out in done:
                    yield done.pop(next_out)
                    next_out += 1
                if not self._busy and not more:
                    return
                self._collect(done)
        finally:
            self._alone.clear()
            for running in list(self._busy.values()):  # the caller stopped early: nobody waits for these
                self._end(running)

    def _alone_again(self) -> Asked:
        return (self._alone.popleft(),) if self._alone else ()

    def _ask(self, asked: Asked, *, again: bool = False) -> None:
        text = json.dumps([_shortened(question) for _, question in asked]).encode()
        running = self._idle.pop() if self._idle else self._start()
        try:
            running.connection.send_bytes(text)
        except OSError:  # it died while idle, so this question is not to blame
            self._end(running)
            running = self._start()
            running.connection.send_bytes(text)
        running.questions, running.asked_again = asked, again
        running.deadline = time.monotonic() + self.seconds * (1 + FOR_EACH * (len(asked) - 1))
        self._busy[running.connection] = running

    def _collect(self, done: dict[int, Grade]) -> None:
        """Wait for grades or for the next deadline."""
        if not self._busy:
            return
        now = time.monotonic()
        soonest = min(running.deadline for running in self._busy.values())
        # A finished grade counts, however late the caller collects it.
        for connection in wait(list(self._busy), max(0.0, soonest - now)):
            assert isinstance(connection, Connection)
            running = self._busy.get(connection)
            if running is not None:
                self._receive(running, done)
        now = time.monotonic()
        late = [running for running in list(self._busy.values()) if running.deadline <= now]
        for running in late:
            if not running.connection.poll():
                self._end(running)
                self._give_up(running.questions, "timed_out", done)

    def _receive(self, running: Running, done: dict[int, Grade]) -> None:
        """Take the grades. A process that ran out of something stopped grading, and is replaced."""
        try:
            grades = [Grade(*grade) for grade in json.loads(running.connection.recv_bytes())]
        except (EOFError, OSError):
            self._end(running)
            if running.server.poll() is not None and not running.asked_again:
                self._ask(running.questions, again=True)  # the server died, and this process with it
            else:
                self._give_up(running.questions, "crashed", done)
            return
        done.update(zip((number for number, _ in running.questions), grades, strict=False))
        self._alone.extend(running.questions[len(grades) :])
        if grades[-1].reason in ("out_of_memory", "too_deep"):
            self._end(running)
        else:
            del self._busy[running.connection]
            self._idle.append(running)

    def _give_up(self, asked: Asked, why: str, done: dict[int, Grade]) -> None:
        """Give up a question that was asked alone; of several, any may be the cause, so each is asked alone."""
        if len(asked) > 1:
            self._alone.extend(asked)
        else:
            done.update((number, Grade(UNGRADED, why)) for number, _ in asked)

    def _start(self) -> Running:
        """Start a process, and also the server if there is none or it died."""
        for attempt in (1, 2):
            ours, theirs = socket.socketpair()
            with theirs:
                try:
                    pid = self._request(b"fork", theirs.fileno())
                except OSError as fault:
                    ours.close()
                    self._drop_server()
                    if attempt == 2:
                        raise PoolBroken("The grading processes cannot be started.") from fault
                    continue
            assert self._server is not None
            return Running(pid, Connection(ours.detach()), self._server)
        raise AssertionError("unreachable")

    def _end(self, running: Running) -> None:
        """Kill a process; the next question gets a new one."""
        self._busy.pop(running.connection, None)
        running.connection.close()
        self.replaced += 1
        if running.server is not self._server:
            return  # it ended with its server
        try:
            self._request(b"%d" % running.pid)
        except OSError:
            self._drop_server()  # so this process has ended too

    def _request(self, request: bytes, *descriptors: int) -> int:
        """Ask the server to fork or to kill. Raises OSError if it has ended."""
        if self._control is None:
            self._start_server()
        assert self._control is not None
        socket.send_fds(self._control, [request], list(descriptors))
        answer = self._control.recv(64)
        if not answer:
            raise ConnectionResetError
        return int(answer)

    def _start_server(self) -> None:
        self._control, theirs = socket.socketpair()
        arguments = [str(theirs.fileno()), str(os.getpid()), str(self.memory)]
        with theirs:
            self._server = subprocess.Popen(
                [sys.executable, "-m", "labeling.grading.process_child", *arguments],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                cwd=BASE_DIR,
                env={"PATH": os.environ.get("PATH", ""), "PYTHONHASHSEED": "0"},  # keep secrets away from models' text
            )

    def _drop_server(self) -> None:
        """Discard the server, which has died with all its processes."""
        for running in self._idle:
            running.connection.close()
        self._idle.clear()
        if self._control is not None:
            self._control.close()
        if self._server is not None:
            self._server.kill()
            self._server.wait()
        self._server = self._control = None


def _shortened(question: Question) -> Question:
    """Return the question with only the text that the rules read, so that no trace makes a message slow."""
    text, steps = 0, []
    for step in reversed(question.steps):
        steps.append(step[-TEXT:])
        text += len(steps[-1])
        if text >= TEXT:
            break
    return question._replace(
        steps=tuple(reversed(steps)),
        final_answer=question.final_answer and question.final_answer[:TEXT],
        truth=question.truth and question.truth[:TEXT],
        accepted=tuple(truth[:TEXT] for truth in question.accepted),
    )
