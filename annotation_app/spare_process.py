"""How many processes a worker keeps with `--autoscale most,least`: one more while work is waiting.

An idle process holds some fifty megabytes. Celery's own rule forks as soon as two messages arrive together, as the
clock's do every five seconds, and then never gives the process up, because they keep arriving.
"""

from contextlib import suppress
from time import monotonic
from typing import Any

from celery.worker.autoscale import Autoscaler

PATIENCE = 1.0  # seconds a message may wait before a process is created for it; the clock's work takes hundredths
REST = 10.0  # seconds without work that takes longer than that, after which the process ends


class SpareProcess(Autoscaler):
    """Called by Celery's event loop, in the worker's main thread, at each message and periodically."""

    pool: Any  # the pool of processes; the stubs only know its base

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.worked_at = monotonic()

    def maybe_scale(self, req: Any = None) -> None:
        """Scale now, or a little after a message that just arrived: by then it is mostly done."""
        if req is None:
            self.scale()
        else:
            self.worker.hub.call_later(PATIENCE, self.scale)

    def scale(self) -> None:
        """Keep as many processes as there is work, within the limits asked for; once nothing took long, the fewest."""
        if self.qty:
            self.worked_at = monotonic()
        missing = min(self.qty, self.max_concurrency) - self.processes
        spare = self.processes - max(self.qty, self.min_concurrency)
        if missing > 0:
            self.pool.grow(missing)
        elif spare > 0 and monotonic() - self.worked_at > REST:
            with suppress(ValueError):  # they have taken work meanwhile
                self.pool.shrink(spare)
        else:
            return
        self.pool.maintain_pool()
