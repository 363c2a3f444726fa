"""The clock next to a worker's work: the schedule from the settings, and a worker that does not run without it."""

import os
import signal
from types import SimpleNamespace
from typing import Any

import pytest
from celery import current_app
from celery.beat import Scheduler

from annotation_app.beat import ClockInWorker


class Broken(Scheduler):
    """A clock that cannot even read its schedule."""

    def setup_schedule(self) -> None:
        raise RuntimeError("no schedule")


CONF = {"beat_scheduler": Broken, "beat_schedule_filename": "", "beat_enable_remote_control": False}


def test_a_worker_ends_with_its_clock_so_that_both_are_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "kill", lambda pid, number: sent.append((pid, number)))
    app: Any = SimpleNamespace(conf=SimpleNamespace(**CONF))
    clock = ClockInWorker(SimpleNamespace(app=app), with_clock=True)
    clock.create(SimpleNamespace(app=app))._run()
    assert sent == [(os.getpid(), signal.SIGTERM)]


def test_only_a_worker_that_is_asked_to_is_the_clock() -> None:
    worker = SimpleNamespace(app=current_app)
    assert not ClockInWorker(worker).enabled
    assert ClockInWorker in current_app.steps["worker"]
