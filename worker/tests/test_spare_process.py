"""A worker with `--autoscale` starts a second process while work waits, but not for the clock's small messages."""

import time
from pathlib import Path

import psutil
import psycopg
import pytest
from celery import current_app
from django.db import connection

from annotation_app.spare_process import PATIENCE
from labeling.actions import searchable
from labeling.actions.imports import record_import
from labeling.actions.jobs import send_task
from labeling.models import ImportJob, WorkerHeartbeat
from labeling.tests.factories import make_project, make_traces
from labeling.tests.imports.files import lines, neutral_row
from worker.tests.rounds.test_real_workers import celery_worker, wait_until
from worker.tests.test_trace_words import blocked

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def test_a_second_process_comes_when_work_waits_and_goes_when_there_is_none(tmp_path: Path) -> None:
    current_app.control.purge()  # messages left by other tests
    project = make_project()
    [trace] = make_traces(project)
    file = tmp_path / "rows.jsonl"
    file.write_bytes(lines(neutral_row()))
    log = tmp_path / "worker.log"
    with celery_worker("spare", "cpu", tmp_path, log, "--autoscale", "2,1", "--with-clock") as worker:
        pool = psutil.Process(worker.pid).children
        with psycopg.connect(**connection.get_connection_params() | {"cursor_factory": psycopg.Cursor}) as holding:
            holding.execute("SELECT FROM labeling_trace WHERE id = %s FOR UPDATE", [trace.pk])
            searchable.wake_writer()
            wait_until("the worker at that trace", blocked)
            asked = {"format": "", "dry_run": False, "skip_faulty": False}
            job = record_import(project, by=None, path=str(file), file_name=file.name, **asked)
            send_task("worker.run_import", job.pk)
            wait_until("the import", lambda: ImportJob.objects.get(pk=job.pk).status == "succeeded")
            assert len(pool()) == 2
            assert blocked()
        wait_until("one process", lambda: len(pool()) == 1)
        for _ in range(5):  # like the clock's: several at once, each done soon
            send_task("worker.spread_gold")
        time.sleep(3 * PATIENCE)
        assert len(pool()) == 1
        assert WorkerHeartbeat.objects.get(name__startswith="spare").processes == 2, "what it may have"
