"""A process for tests that ends as by SIGKILL at a chosen call: always at the same place, however fast the machine."""

import json
import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from urllib.parse import urlsplit, urlunsplit

from django.conf import settings
from django.db import connection


def run_until_call(code: str, function: str, times: int, *, load: str = "") -> None:
    """Run `code` in a process of its own on the test's database; it dies at the `times`-th call of `function`.

    `function` is a file of ours and a name in it: "actions/imports.py:merge". Raises if the process came to its end.
    """
    run_until_each_call(load, [(code, function, times)])


def run_until_each_call(load: str, deaths: Sequence[tuple[str, str, int]]) -> None:
    """As `run_until_call`, for each of these one after the other; what they all need is loaded once by `load`.

    `load` must not connect to anything nor start a thread: each death is a fork of what it left.
    """
    database = connection.settings_dict["NAME"]
    url = urlunsplit(urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{database}"))
    environment = {**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "annotation_app.settings"}
    environment |= {"PYTHONPATH": str(settings.BASE_DIR), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(Path(__file__)), load, json.dumps(deaths)]
    ran = subprocess.run(command, env=environment, cwd=settings.BASE_DIR, stdout=subprocess.PIPE, text=True)
    endings = [int(line) for line in ran.stdout.splitlines() if line.lstrip("-").isdigit()]
    wrong = [
        f"It ended with {ending} before call {times} of {function}."
        for ending, (_, function, times) in zip(endings, deaths, strict=True)
        if ending != -signal.SIGKILL
    ]
    assert wrong == []


def die_at_call(function: str, times: int) -> None:
    """From now on this thread counts the calls of `function`, and kills the process at the `times`-th."""
    file, name = function.split(":")
    left = [times]

    def each_call(frame: FrameType, _event: str, _argument: object) -> None:
        if frame.f_code.co_name == name and frame.f_code.co_filename.endswith(file):
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.settrace(each_call)


def fork_and_die(code: str, function: str, times: int) -> int:
    """How a fork of this process that runs `code` and dies at that call ended."""
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    ending = 1
    try:
        die_at_call(function, times)
        exec(code, {"__name__": "__main__"})
        ending = 0
    except BaseException:  # noqa: BLE001 (shown by the test that asked for it)
        traceback.print_exc()
    finally:
        os._exit(ending)


if __name__ == "__main__":
    exec(sys.argv[1])
    for death in json.loads(sys.argv[2]):
        print(fork_and_die(*death), flush=True)
