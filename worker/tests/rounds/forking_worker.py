"""A process for tests: forks workers on request. A worker can kill itself at its n-th line of our code."""

import json
import os
import signal
import sys
import traceback
from types import FrameType
from typing import Any

import django

from labeling.grading.parent_death import die_with_parent

OURS = (
    "round_chunks",
    "round_plans",
    "round_stages",
    "round_work",
    "stage_todos",
    "scoring_chunks",
    "scores",
    "step_scores",
    "round_grading",
    "round_generation",
    "jobs",
    "tasks",
    "round_selection",
    "rounds",
    "generation",
    "chat",
    "server_client",
    "connections",
    "round_generation",
)


def main() -> None:
    """Read one order per line from standard input, and write one answer per line."""
    django.setup()
    import torch  # noqa: PLC0415 (after the settings, as in a worker)

    import worker.scoring_chunks  # noqa: F401, PLC0415 (loaded once, before the forks)
    from annotation_app.celery import app  # noqa: PLC0415

    torch.set_num_threads(1)
    app.loader.import_default_modules()
    for line in sys.stdin:
        order = json.loads(line)
        if order["do"] == "start":
            pid = os.fork()
            if pid == 0:
                be_a_worker(app.tasks[order["task"]], order["about"], order["die_at"])
            print(pid, flush=True)
        else:
            _, status = os.waitpid(order["pid"], 0)
            print(os.waitstatus_to_exitcode(status), flush=True)


def be_a_worker(task: Any, about: list[Any], die_at: int) -> None:
    """Process the message and exit."""
    die_with_parent()
    code = 1
    try:
        if die_at:
            sys.settrace(counting(die_at))
        task(*about)
        code = 0
    except Exception:  # noqa: BLE001 (shown by the test that ordered it)
        traceback.print_exc()
    finally:
        os._exit(code)


def counting(die_at: int) -> Any:
    """Return a trace function that kills the process at its `die_at`-th line of our own files."""
    left = [die_at]

    def each_line(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return each_line

    def each_call(frame: FrameType, _event: str, _argument: Any) -> Any:
        name = os.path.splitext(os.path.basename(frame.f_code.co_filename))[0]
        return each_line if name in OURS and "site-packages" not in frame.f_code.co_filename else None

    return each_call


if __name__ == "__main__":
    main()
