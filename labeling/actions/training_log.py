"""What a run reports while it works: what it is doing and how fast, its curves, and its log."""

import time
from collections import deque
from typing import Any, Protocol

from django.utils import timezone

from labeling.actions.jobs import JobCancelled, Lease, LeaseLost
from labeling.models import TrainingRun

MOST_POINTS = 2000
MOST_LINES = 500
PACE_OF, PACE_EVERY, PACE_LEAST = 60.0, 1.0, 3.0  # seconds: the span of a speed, between samples, before it is shown
Json = dict[str, Any]


class TrainingCallback(Protocol):
    """What a trainer reports while it works (its current activity, points of curves, lines of the log), and asks:
    whether to stop.
    """

    def log_doing(self, what: str, done: int, total: int) -> None: ...
    def log_metric(self, curve: str, at: float, value: float) -> None: ...
    def log_message(self, sentence: str) -> None: ...
    def should_stop(self) -> bool: ...


class RunLog:
    """A run's curves and log: kept here, and written with every sign of life."""

    def __init__(self, run: TrainingRun, lease: Lease) -> None:
        """Keep what a dead worker wrote if the run continues."""
        self.points: list[Json] = list(run.points)
        self.log: list[str] = list(run.log)
        self.lease = lease
        self.doing: Json = {}
        self.pace: deque[tuple[float, int]] = deque()
        if run.attempts > 1:
            self.log_message("The previous worker ended early. Continuing from where it stopped.")

    def log_metric(self, curve: str, at: float, value: float) -> None:
        """Add to a curve. If the run continues from an earlier place, replace what is beyond it."""
        self.points = [one for one in self.points if one["curve"] != curve or one["at"] < at]
        if len(self.points) < MOST_POINTS:
            self.points.append({"curve": curve, "at": at, "value": value})
        self._show()

    def log_message(self, sentence: str) -> None:
        """Add to the log."""
        if not self.log or self.log[-1] != sentence:
            self.log = [*self.log, sentence][-MOST_LINES:]
        self._show()

    def log_doing(self, what: str, done: int, total: int) -> None:
        """Record the current activity and its progress. `total` 0: not known. The speed is that of the last minute, so
        that what came from a cache is soon forgotten.
        """
        now = time.monotonic()
        if what != self.doing.get("what") or done < self.doing["done"]:
            self.pace.clear()
            self.doing = {"what": what, "since": timezone.now().isoformat()}
        if not self.pace or now - self.pace[-1][0] >= PACE_EVERY:
            self.pace.append((now, done))
        while now - self.pace[0][0] > PACE_OF and len(self.pace) > 1:
            self.pace.popleft()
        began, before = self.pace[0]
        per_second = (done - before) / (now - began) if now - began >= PACE_LEAST else None
        self.doing = {**self.doing, "done": done, "total": total, "per_second": per_second}
        self._show()

    def should_stop(self) -> bool:
        """Return whether the trainer should stop now."""
        try:
            self.lease.require()
        except (JobCancelled, LeaseLost):
            return True
        return False

    def _show(self) -> None:
        self.lease.progress = {"points": self.points, "log": self.log, "doing": self.doing}
