"""A process for tests that ends as by SIGKILL at a chosen call: always at the same place, however fast the machine."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import FrameType
from urllib.parse import urlsplit, urlunsplit

from django.conf import settings
from django.db import connection


def run_until_call(code: str, function: str, times: int) -> None:
    """Run `code` in a process of its own on the test's database; it dies at the `times`-th call of `function`.

    `function` is a file of ours and a name in it: "actions/imports.py:merge". Raises if the process came to its end.
    """
    database = connection.settings_dict["NAME"]
    url = urlunsplit(urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{database}"))
    environment = {**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "annotation_app.settings"}
    command = [sys.executable, str(Path(__file__)), function, str(times), code]
    ended = subprocess.run(command, env={**environment, "PYTHONPATH": str(settings.BASE_DIR)}, cwd=settings.BASE_DIR)
    assert ended.returncode == -signal.SIGKILL, f"It ended with {ended.returncode} before call {times} of {function}."


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


if __name__ == "__main__":
    die_at_call(sys.argv[1], int(sys.argv[2]))
    exec(sys.argv[3])
