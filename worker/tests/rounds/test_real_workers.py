"""Celery workers as in production, woken by real messages, and killed by SIGKILL in the middle of work."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from celery import current_app
from django.db import connection
from django.utils import timezone

from labeling.actions.round_stages import sweep_rounds
from labeling.actions.step_scorers import register_prm
from labeling.models import Round, RoundChunk, Score, StepScorer, WorkerHeartbeat
from labeling.tests.factories import make_project
from worker.tests.rounds.world import BASE_DIR, make_samples, start

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@contextmanager
def celery_worker(name: str, queues: str, models: Path, log: Path, *more: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a worker with one process, or with the `more` options, on the test's own database and broker; kill it at the
    end of the block.
    """
    path = f"/{connection.settings_dict['NAME']}"
    database = urlsplit(os.environ["DATABASE_URL"])._replace(path=path).geturl()
    environment = {**os.environ, "DATABASE_URL": database, "MODELS_DIR": str(models), "OMP_NUM_THREADS": "1"}
    options = ["--queues", queues, "--concurrency", "1", "--hostname", f"{name}@test", "--loglevel", "INFO"]
    command = [sys.executable, "-m", "worker", *options, *more]
    with log.open("ab") as output:
        process = subprocess.Popen(command, cwd=BASE_DIR, env=environment, stdout=output, stderr=output)
    try:
        yield process
    finally:
        process.kill()  # its pool ends with it (labeling.grading.parent_death)
        process.wait()


def wait_until(what: str, condition: Callable[[], Any], seconds: float = 240, every: float = 0.02) -> Any:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(every)
    raise AssertionError(f"Waited in vain for {what}.")


def status_of(round_: Round) -> str:
    return Round.objects.values_list("status", flat=True).get(pk=round_.pk)


def has_left_scoring(round_: Round) -> bool:
    """Run a sweep, as the clock does each minute; return whether the round has left scoring."""
    sweep_rounds()
    return status_of(round_) != "scoring"


def test_messages_alone_carry_a_round_to_its_preview_and_a_killed_worker_is_replaced(
    models: Path, tmp_path: Path
) -> None:
    current_app.control.purge()  # messages left by other tests
    project = make_project()
    make_samples(project, problems=300, samples=4, outcome="wrong")  # five chunks
    log = tmp_path / "workers.log"
    prm = register_prm("tiny", {"family": "step_classifier", "path": "classifier"})
    with celery_worker("cpu", "cpu", models, log), celery_worker("gpu", "gpu", models, log) as first:
        wait_until("the check", lambda: StepScorer.objects.filter(pk=prm.pk, status="ready").exists())
        alive = WorkerHeartbeat.objects.filter(seen_at__gte=timezone.now() - timedelta(seconds=60))
        assert {worker.name: (worker.queues, worker.processes) for worker in alive} == {
            "cpu@test": ("cpu", 1),
            "gpu@test": ("gpu", 1),
        }
        prm.refresh_from_db()
        round_ = start(project, prm, grade=True, k=1)
        done = RoundChunk.objects.filter(round=round_, stage="scoring", status="done")
        wait_until("the first chunks", lambda: done.count() >= 1 or status_of(round_) == "failed")
        round_.refresh_from_db()
        assert round_.error == ""
        first.send_signal(signal.SIGKILL)
        first.wait()
        scored = Score.objects.count()
        assert scored < 1200
        with celery_worker("gpu2", "gpu", models, log):
            # The effect of a minute of silence and the clock: the lease expires, and the sweep finds the round.
            RoundChunk.objects.filter(round=round_, status="running").update(leased_until=timezone.now())
            wait_until("the second worker", lambda: WorkerHeartbeat.objects.filter(name="gpu2@test").exists())
            wait_until("the preview", lambda: has_left_scoring(round_), every=1)
    round_.refresh_from_db()
    assert (round_.status, round_.error) == ("ready", ""), log.read_text()[-3000:]
    assert Score.objects.count() == 1200
    workers = set(RoundChunk.objects.filter(round=round_, stage="scoring").values_list("worker", flat=True))
    assert {worker.split("@")[0] for worker in workers} == {"gpu", "gpu2"}
    assert round_.task_count == 300
