"""The clock: its schedule, which comes only from the settings, and how it runs inside a worker next to the worker's own
work.

On one machine a process of its own would only hold the whole program in memory once more. Exactly one clock may run:
where there are several workers it stays a process (`celery beat`).
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
LONGEST_SLEEP = 1  # seconds, after which the clock of a worker that ends has seen it


class InMemory(Scheduler):
    """Keeps nothing on disk, so the clock goes on where the disk is full; started anew, it begins to count anew."""

    def setup_schedule(self) -> None:
        """Take what the settings say."""
        self.merge_inplace(self.app.conf.beat_schedule)
        self.install_default_entries(self.schedule)


class ClockInWorker(StartStopStep):
    """A thread of the worker's main process, with a connection of its own. Where it ends by a fault the worker ends,
    too, so that whoever keeps the worker alive brings both back.
    """

    def __init__(self, worker: Any, with_clock: bool = False, **options: Any) -> None:
        super().__init__(worker, **options)
        self.enabled = with_clock

    def create(self, worker: Any) -> "ClockInWorker":  # type: ignore[override]  # the stubs say None
        """Called by Celery where `--with-clock` was given."""
        scheduler = worker.app.conf.beat_scheduler
        self.clock = Service(worker.app, max_interval=LONGEST_SLEEP, scheduler_cls=scheduler)
        return self

    def start(self, worker: Any) -> None:
        """Called by Celery once the pool's processes are there."""
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
