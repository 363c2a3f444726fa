"""Waits for workers' jobs and reports their progress."""

import time
from collections.abc import Callable
from typing import Any, TypeVar, cast

from stepmark.errors import Faulty, JobFailed, WaitedInVain

Answer = TypeVar("Answer")
Told = Callable[[dict[str, Any]], object]  # called with every answer on the way
OVER = ("succeeded", "failed", "cancelled")
SHORTEST, LONGEST = 0.1, 5.0  # seconds between two requests


def wait_until(
    look: Callable[[], Answer],
    is_over: Callable[[dict[str, Any]], bool],
    *,
    seconds: float | None = None,
    tell: Told | None = None,
    sleep: Callable[[float], object] = time.sleep,
) -> Answer:
    """Ask until the job is over and return its answer. Raises WaitedInVain after `seconds`."""
    deadline = None if seconds is None else time.monotonic() + seconds
    pause = SHORTEST
    while True:
        answer = look()
        told = cast(dict[str, Any], answer)
        if tell is not None:
            tell(told)
        if is_over(told):
            return answer
        if deadline is not None and time.monotonic() + pause > deadline:
            raise WaitedInVain(f"It is still {told.get('status')} after {seconds:.0f} s. It continues on the server.")
        sleep(pause)
        pause = min(LONGEST, pause * 1.3)


def is_finished(job: dict[str, Any]) -> bool:
    """Return whether a job has ended."""
    return job["status"] in OVER


def require_success(what: str, job: Answer) -> Answer:
    """Return the job. Raises Faulty if its file has faults, JobFailed if it failed for another reason."""
    said = cast(dict[str, Any], job)
    if said["status"] == "succeeded":
        return job
    faults = ((said.get("report") or {}).get("faults") or {}).get("total")
    raise (Faulty if faults else JobFailed)(what, said)
