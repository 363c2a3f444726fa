"""Problems and steps are made searchable by workers: woken by an import, and killed in the middle."""

from pathlib import Path

import psycopg
import pytest
from celery import current_app
from django.db import connection

from labeling.actions import searchable
from labeling.actions.imports import record_import
from labeling.actions.jobs import send_task
from labeling.models import ProblemLetters, ProblemsWithoutLetters, TracesWithoutWords, TraceWords
from labeling.tests.factories import make_project, make_traces
from labeling.tests.imports.files import lines, neutral_row
from worker.tests.rounds.test_real_workers import celery_worker, wait_until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
WAITS = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0"


def blocked() -> bool:
    """Return whether a connection waits for another's lock."""
    with connection.cursor() as cursor:
        cursor.execute(WAITS)
        return cursor.rowcount > 0


def test_an_import_wakes_a_worker_and_one_that_is_killed_at_words_loses_none(tmp_path: Path) -> None:
    current_app.control.purge()  # messages left by other tests
    log = tmp_path / "workers.log"
    project = make_project()
    file = tmp_path / "rows.jsonl"
    file.write_bytes(lines(*(neutral_row(f"What is {number}?") for number in range(3))))
    with celery_worker("first", "cpu", tmp_path, log) as first:
        asked = {"format": "", "dry_run": False, "skip_faulty": False}
        job = record_import(project, by=None, path=str(file), file_name=file.name, **asked)
        send_task("worker.run_import", job.pk)
        wait_until("the words of what was imported", lambda: TraceWords.objects.count() == 3)
        assert not TracesWithoutWords.objects.exists()
        assert (ProblemLetters.objects.count(), ProblemsWithoutLetters.objects.count()) == (3, 0)

        traces = make_traces(project, 4)
        with psycopg.connect(**connection.get_connection_params() | {"cursor_factory": psycopg.Cursor}) as holding:
            holding.execute("SELECT FROM labeling_trace WHERE id = %s FOR UPDATE", [traces[0].pk])
            searchable.wake_writer()
            wait_until("the worker at that trace", blocked)
            first.kill()
            first.wait()
    wait_until("the end of what it had begun", lambda: not blocked())
    assert TraceWords.objects.count() == 3
    [waiting] = TracesWithoutWords.objects.values_list("lowest", "highest")
    assert waiting == (traces[0].pk, traces[-1].pk)

    with celery_worker("second", "cpu", tmp_path, log):
        wait_until("all words", lambda: searchable.sweep_unsearched() or TraceWords.objects.count() == 7)
        wait_until("all words", lambda: TraceWords.objects.count() == 7)
    assert searchable.sweep_unsearched() is False
