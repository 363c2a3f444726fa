"""The clock: its schedule, which comes only from the settings, and how it runs inside a worker, next to its work.

On one machine, a process of its own would only hold the whole program in memory once more. Exactly one clock may run:
with several workers it stays a separate process (`celery beat`).
"""

import logging
import os
import signal
from threading import Thread
from typing import Any

from celery.beat import Scheduler, Service
from celery.bootsteps import StartStopStep
from click import Option

logger = logging.getLogger(__name__)
WITH_CLOCK = Option(["--with-clock"], is_flag=True, help="Be the clock, too, in place of `celery beat`.")
LONGEST_SLEEP = 1  # seconds, after which the clock notices that its worker is ending


class InMemory(Scheduler):
    """A scheduler that keeps nothing on disk, so a full disk does not stop it. A restart begins counting again."""

    def setup_schedule(self) -> None:
        """Take the schedule from the settings."""
        self.merge_inplace(self.app.conf.beat_schedule)
        self.install_default_entries(self.schedule)


class ClockInWorker(StartStopStep):
    """A thread of the worker's main process, with a connection of its own. If it ends with a fault, the worker ends
    too, so that whatever keeps the worker alive restarts both.
    """

    def __init__(self, worker: Any, with_clock: bool = False, **options: Any) -> None:
        super().__init__(worker, **options)
        self.enabled = with_clock

    def create(self, worker: Any) -> "ClockInWorker":  # type: ignore[override]  # the stubs say None
        """Called by Celery if `--with-clock` was given."""
        scheduler = worker.app.conf.beat_scheduler
        self.clock = Service(worker.app, max_interval=LONGEST_SLEEP, scheduler_cls=scheduler)
        return self

    def start(self, worker: Any) -> None:
        """Called by Celery once the pool's processes exist."""
        Thread(target=self._run, name="clock", daemon=True).start()

    def stop(self, worker: Any) -> None:
        """Called by Celery."""
        self.clock.stop()

    def _run(self) -> None:
        try:
            self.clock.start()
        except Exception:
            logger.critical("the clock ended by a fault; its worker ends, to be started again", exc_info=True)
            os.kill(os.getpid(), signal.SIGTERM)
