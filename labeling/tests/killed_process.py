"""A process for tests that dies as if by SIGKILL at a chosen call: always at the same place, on any machine."""

import atexit
import json
import os
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from django.conf import settings
from django.db import connection

SETUP = "import django; django.setup(); import labeling.actions.exports, labeling.actions.imports"
Loaded = tuple[str, dict[str, str]]  # the code and the environment
RUNNING: list[tuple[Loaded, "subprocess.Popen[str]"]] = []  # one at most


def run_until_call(code: str, function: str, times: int, *, load: str = SETUP) -> None:
    """Run `code` in a separate process on the test's database; it dies at the `times`-th call of `function`.

    `function` is a file of ours and a name in it: "actions/imports.py:merge". Raises AssertionError if the process
    ended otherwise.
    """
    run_until_each_call(load, [(code, function, times)])


def run_until_each_call(load: str, deaths: Sequence[tuple[str, str, int]]) -> None:
    """Do `run_until_call` for each of these, one after the other. `load` loads once what they all need.

    `load` must neither connect to anything nor start a thread: each death is a fork of the process it leaves.
    """
    parent = process_with(load)
    endings = [ending_of(parent, death) for death in deaths]
    wrong = [
        f"It ended with {ending} before call {times} of {function}."
        for ending, (_, function, times) in zip(endings, deaths, strict=True)
        if ending != -signal.SIGKILL
    ]
    assert wrong == []


def process_with(load: str) -> subprocess.Popen[str]:
    """Return the process whose forks die: the previous test's if it loaded the same, else a new one in its place."""
    wanted = (load, environment())
    loaded, parent = RUNNING.pop() if RUNNING else (None, None)
    if parent is None or parent.poll() is not None or loaded != wanted:
        end(parent)
        parent = start(*wanted)
        atexit.register(end, parent)
    RUNNING.append((wanted, parent))
    return parent


def environment() -> dict[str, str]:
    """Return our environment, with the test's database."""
    database = connection.settings_dict["NAME"]
    url = urlunsplit(urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{database}"))
    ours = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
    ours |= {"DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "annotation_app.settings"}
    return ours | {"PYTHONPATH": str(settings.BASE_DIR), "OMP_NUM_THREADS": "1"}


def start(load: str, env: dict[str, str]) -> subprocess.Popen[str]:
    """Start a process that executes `load` and waits for orders, one per line."""
    command = [sys.executable, str(Path(__file__)), load]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, env=env, cwd=settings.BASE_DIR, **pipes)


def end(parent: subprocess.Popen[str] | None) -> None:
    """Kill it with a signal that it cannot catch. Its forks have ended before."""
    if parent is not None:
        parent.kill()
        parent.communicate()


def ending_of(parent: subprocess.Popen[str], death: tuple[str, str, int]) -> int:
    """Return how a fork of that process ended."""
    assert parent.stdin
    assert parent.stdout
    parent.stdin.write(json.dumps(death) + "\n")
    parent.stdin.flush()
    said = parent.stdout.readline()
    assert said, "The process that forks has ended; what it wrote stands above."
    return int(said)


def die_at_call(function: str, times: int) -> None:
    """Count the calls of `function` in this thread and those that it starts; the `times`-th kills the process."""
    file, name = function.split(":")
    left = [times]

    def each_call(frame: FrameType, _event: str, _argument: object) -> None:
        if frame.f_code.co_name == name and frame.f_code.co_filename.endswith(file):
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    threading.settrace(each_call)
    sys.settrace(each_call)


def fork_and_die(code: str, function: str, times: int) -> int:
    """Fork, run `code`, and die at that call. Return how the fork ended."""
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    ending = 1
    try:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # our stdout carries the endings
        die_at_call(function, times)
        exec(code, {"__name__": "__main__"})
        ending = 0
    except BaseException:  # noqa: BLE001 (shown by the test that asked for it)
        traceback.print_exc()
    finally:
        os._exit(ending)


if __name__ == "__main__":
    exec(sys.argv[1])
    for order in sys.stdin:
        print(fork_and_die(*json.loads(order)), flush=True)
