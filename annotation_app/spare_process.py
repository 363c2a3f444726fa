"""How many processes a worker keeps with `--autoscale most,least`: one more while work is waiting.

A process at rest holds some fifty megabytes. Celery's own rule forks as soon as two messages come together, which the
clock's do every five seconds, and then never lets go, because they keep coming.
"""

from contextlib import suppress
from time import monotonic
from typing import Any

from celery.worker.autoscale import Autoscaler

PATIENCE = 1.0  # seconds that a message may wait before a process is made for it; the clock's work takes hundredths
REST = 10.0  # seconds without work that takes longer than that, after which the process goes


class SpareProcess(Autoscaler):
    """Called by Celery's event loop, in the worker's main thread, at each message and again and again."""

    pool: Any  # that of processes, of which the stubs know the base alone

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.worked_at = monotonic()

    def maybe_scale(self, req: Any = None) -> None:
        """A message that just came is looked for again a little later: by then it is mostly done."""
        if req is None:
            self.scale()
        else:
            self.worker.hub.call_later(PATIENCE, self.scale)

    def scale(self) -> None:
        """Have as many processes as there is work, within what was asked for; once nothing took long, the fewest."""
        if self.qty:
            self.worked_at = monotonic()
        missing = min(self.qty, self.max_concurrency) - self.processes
        spare = self.processes - max(self.qty, self.min_concurrency)
        if missing > 0:
            self.pool.grow(missing)
        elif spare > 0 and monotonic() - self.worked_at > REST:
            with suppress(ValueError):  # they took work meanwhile
                self.pool.shrink(spare)
        else:
            return
        self.pool.maintain_pool()
