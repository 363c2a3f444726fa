"""`python -m labeling.grading.process_child`: forks the processes that grade answers. Started by `process_pool`.

It loads sympy once and has a single thread and no connections, so a fork takes milliseconds and is safe.
"""

import gc
import json
import os
import resource
import signal
import socket
import sys
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import Any

from labeling.grading import UNGRADED, Grade, Question
from labeling.grading.grader import grade
from labeling.grading.parent_death import die_with_parent

# One answer of each shape: what is parsed here is parsed fast in every fork.
WARM_UP = (
    *(
        r"\frac{1}{2}+\sqrt{8}",
        r"\frac{\sqrt{3}}{2\sqrt{5}} - \frac{a+b}{c}",
        r"3\sqrt[3]{2} \cdot x^{2} y",
        "7i-2 + (3+4i)",
    ),
    *(
        "x(3x + 5) + 7",
        "2x^2 - 12x + 4",
        "(x+1)(x-2)",
        r"-\frac{3}{4}x + \frac{1}{2}",
        r"y = 2x + 3",
        "f(x)=2x",
        "3*(4 - 1) / 2",
    ),
    *(
        r"12\pi - 4",
        r"\frac{49\pi}{4}",
        r"e^{i\pi} + \ln 2 + \log_2 3",
        r"\sin(30) + \cos 2x + \tan^{-1} 3",
        "5! + 2^{10}",
    ),
    *(
        r"\binom{5}{2}",
        r"\begin{pmatrix}1\\2\end{pmatrix}",
        r"|x - 2|",
        r"x^2+2x+1 > (x+1)^2",
        "a_{1} + a_2",
        r"10\% + 1.5",
    ),
)


def main(control_fd: int, parent_pid: int, memory: int) -> None:
    """Serve requests on the control socket until it is closed. A request to fork carries a socket for the new
    process.
    """
    die_with_parent(parent_pid)
    for expression in WARM_UP:  # fills the parser's caches, which the forks share
        grade(Question((), expression, r"\pi"))
    gc.collect()
    gc.freeze()
    control = socket.socket(fileno=control_fd)
    children: set[int] = set()
    while True:
        request, descriptors, _, _ = socket.recv_fds(control, 64, 1)
        if not request:
            return  # the children end with this process
        if descriptors:
            child = _fork(descriptors[0], control, memory)
            children.add(child)
            control.sendall(b"%d\n" % child)
        else:
            if int(request) in children:  # else it belonged to an earlier server, and the id may have been reused
                children.remove(int(request))
                _kill(int(request))
            control.sendall(b"0\n")


def _fork(descriptor: int, control: socket.socket, memory: int) -> int:
    """Fork a process that grades what arrives on the socket. Return its id."""
    server = os.getpid()
    process = os.fork()
    if process:
        os.close(descriptor)
        return process
    control.close()
    die_with_parent(server)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _grade_all(Connection(descriptor))
    os._exit(0)


def _grade_all(connection: Connection) -> None:
    """Answer messages of questions, in JSON, until the other end closes."""
    while True:
        try:
            asked = json.loads(connection.recv_bytes())
        except EOFError:
            return
        connection.send_bytes(json.dumps(list(_grades(asked))).encode())


def _grades(asked: list[list[Any]]) -> Iterator[Grade]:
    """Yield grades until memory or depth runs out; the remaining questions are asked in another process."""
    for steps, *others, accepted in asked:
        try:
            yield grade(Question(tuple(steps), *others)._replace(accepted=tuple(accepted)))
        except (MemoryError, RecursionError) as fault:
            yield Grade(UNGRADED, "out_of_memory" if isinstance(fault, MemoryError) else "too_deep")
            return


def _kill(process: int) -> None:
    """Kill a child and reap it. It was not reaped before, so its id cannot belong to another process."""
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:4]))
