"""Imports as jobs: cancelled, killed, run concurrently, watched, and small in memory."""

import gzip
import json
import os
import subprocess
import sys
import threading
import time
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone

from labeling.actions import jobs
from labeling.actions.imports import cancel_import, record_import, run_import
from labeling.errors import ProjectArchived
from labeling.models import ImportJob, Label, Problem, Project, Trace
from labeling.models.jobs import LEASE
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_user
from labeling.tests.imports.files import lines, neutral_row, prm800k_row
from labeling.tests.killed_process import run_until_call

pytestmark = pytest.mark.django_db(transaction=True)


def many_rows(file: Path, count: int) -> Path:
    """Return a file of `count` short traces, four per problem."""
    with file.open("w") as out:
        for number in range(count):
            row = neutral_row(
                f"Problem {number // 4}?", [f"Step {number}.", "End."], ground_truth_answer=str(number // 4)
            )
            out.write(json.dumps(row) + "\n")
    return file


def queued(project: Project, file: Path) -> ImportJob:
    return record_import(
        project, by=None, path=str(file), file_name=file.name, format="", dry_run=False, skip_faulty=False
    )


def environment() -> dict[str, str]:
    """Return the environment of a separate process that works on the test's database."""
    database = connection.settings_dict["NAME"]
    url = urlunsplit(urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{database}"))
    return {**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "annotation_app.settings"}


def wait_for(job: ImportJob, **values: object) -> ImportJob:
    """Wait for the job to have these values, and return it."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        found = ImportJob.objects.filter(pk=job.pk, **values).first()
        if found is not None:
            return found
        time.sleep(0.02)
    pytest.fail(f"the import never came to {values}: {ImportJob.objects.filter(pk=job.pk).values().get()}")


def test_a_running_import_shows_its_progress_and_can_be_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "BEAT", 0.02)
    job = queued(make_project(), many_rows(tmp_path / "rows.jsonl", 40_000))
    worker = threading.Thread(target=run_and_close, args=(job.pk,))
    worker.start()
    running = wait_for(job, status="running", bytes_done__gt=0, rows_done__gt=0)
    assert running.bytes_done <= running.bytes_total
    cancel_import(running, by=make_user())
    worker.join(timeout=120)
    ended = ImportJob.objects.get(pk=job.pk)
    assert ended.status == "cancelled"
    assert not Problem.objects.filter(project=job.project).exists()


@pytest.mark.parametrize(
    ("packed", "times"),
    [(b"\n" * 2**20, 60), (b"{\n" * 2**18, 40), (b"{" * 2**20, 6000)],
    ids=["blank lines", "faulty lines", "a line without end"],
)
def test_an_import_that_finds_nothing_begins_anew_after_a_death_shows_how_far_it_is_and_can_be_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: bytes, times: int
) -> None:
    monkeypatch.setattr(jobs, "BEAT", 0.02)
    project = make_project("algebra")
    (tmp_path / "bomb.jsonl.gz").write_bytes(gzip.compress(packed, 1) * times)
    job = queued(project, tmp_path / "bomb.jsonl.gz")
    left = {"status": "running", "attempts": 1, "rows_done": 10**12, "bytes_done": job.bytes_total}
    ImportJob.objects.filter(pk=job.pk).update(**left, leased_until=timezone.now() - timedelta(seconds=1))
    page = Browser(make_member(project, "researcher"))
    silent = page.call("GET", f"/api/imports/{job.pk}")["progress"]["silent_seconds"]
    assert LEASE.total_seconds() < silent < LEASE.total_seconds() + 60
    worker = threading.Thread(target=run_and_close, args=(job.pk,))
    worker.start()
    first = wait_for(job, bytes_done__gt=0, rows_done__lt=10**12).bytes_done
    wait_for(job, bytes_done__gt=first, bytes_done__lt=job.bytes_total)
    shown = page.call("POST", f"/api/imports/{job.pk}/cancel")
    assert (shown["status"], shown["attempts"]) == ("running", 2), "the worker before this one died"
    worker.join(timeout=120)
    ended = ImportJob.objects.get(pk=job.pk)
    assert ended.status == "cancelled"
    assert page.call("GET", f"/api/imports/{job.pk}")["progress"]["silent_seconds"] == 0
    assert ended.bytes_done < ended.bytes_total


def test_an_import_whose_project_is_archived_meanwhile_writes_nothing_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "BEAT", 0.02)
    project = make_project("algebra")
    admin = Browser(make_member(project, "admin"))
    job = queued(project, many_rows(tmp_path / "rows.jsonl", 8_000))
    worker = threading.Thread(target=run_and_close, args=(job.pk,))
    worker.start()
    wait_for(job, status="running", rows_done__gt=0)
    admin.call("PATCH", "/api/projects/algebra", {"status": "archived"})
    worker.join(timeout=120)
    ended = ImportJob.objects.get(pk=job.pk)
    assert (ended.status, ended.error) == ("failed", ProjectArchived.sentence)
    assert not Problem.objects.filter(project=project).exists()


def test_an_import_is_cancelled_also_where_its_worker_has_not_heard_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "BEAT", 60)
    job = queued(make_project(), many_rows(tmp_path / "rows.jsonl", 4_000))
    worker = threading.Thread(target=run_and_close, args=(job.pk,))
    worker.start()
    assert cancel_import(wait_for(job, status="running"), by=make_user()).status == "running"
    worker.join(timeout=120)
    assert ImportJob.objects.get(pk=job.pk).status == "cancelled"
    assert not Problem.objects.filter(project=job.project).exists()


def run_and_close(job_id: int) -> None:
    """Do a worker's part in a thread."""
    run_import(job_id)
    connection.close()


def test_a_queued_import_is_cancelled_at_once_and_never_run(tmp_path: Path) -> None:
    job = queued(make_project(), many_rows(tmp_path / "rows.jsonl", 1))
    assert cancel_import(job, by=make_user()).status == "cancelled"
    assert run_import(job.pk) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dies_at", "times"),
    [("import_staging.py:add", 1), ("import_staging.py:add", 5500), ("import_staging.py:_move", 2)]
    + [("import_traces.py:_run", times) for times in (1, 2, 3, 5, 6)]
    + [("import_merge.py:merge", 1), ("import_merge.py:_run", 1), ("actions/jobs.py:finish_unless_stopped", 1)],
)
def test_a_worker_killed_in_the_middle_leaves_nothing_and_the_sweep_starts_it_again(
    tmp_path: Path, dies_at: str, times: int
) -> None:
    project = make_project()
    file = many_rows(tmp_path / "rows.jsonl", 6000)
    job = queued(project, file)
    code = f"from labeling.actions.imports import run_import; run_import({job.pk})"
    run_until_call(code, dies_at, times)
    assert ImportJob.objects.get(pk=job.pk).status == "running"
    assert not Trace.objects.filter(project=project).exists()

    woken: list[tuple[str, int]] = []
    jobs.sweep_jobs(lambda task, job_id: woken.append((task, job_id)))
    assert woken == [], "the lease still holds"
    ImportJob.objects.filter(pk=job.pk).update(leased_until=timezone.now() - timedelta(seconds=1))
    jobs.sweep_jobs(lambda task, job_id: woken.append((task, job_id)))
    assert woken == [("worker.run_import", job.pk)]
    finished = run_import(job.pk)
    assert finished is not None
    assert (finished.status, finished.attempts, finished.report["traces"]["new"]) == ("succeeded", 2, 6000)
    assert Trace.objects.filter(project=project).count() == 6000


def test_a_worker_that_lost_its_lease_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "BEAT", 0.02)
    project = make_project()
    job = queued(project, many_rows(tmp_path / "rows.jsonl", 40_000))
    slow = threading.Thread(target=run_and_close, args=(job.pk,))
    slow.start()
    wait_for(job, status="running", rows_done__gt=0)
    ImportJob.objects.filter(pk=job.pk).update(
        status="queued", leased_until=None
    )  # as another machine's sweep would see it
    finished = run_import(job.pk)
    slow.join(timeout=120)
    assert finished is not None
    assert (finished.status, finished.attempts) == ("succeeded", 2)
    assert Trace.objects.filter(project=project).count() == 40_000


def test_a_job_whose_worker_dies_again_and_again_is_given_up(tmp_path: Path) -> None:
    job = queued(make_project(), many_rows(tmp_path / "rows.jsonl", 1))
    past = timezone.now() - timedelta(seconds=1)
    ImportJob.objects.filter(pk=job.pk).update(status="running", leased_until=past, attempts=jobs.MOST_ATTEMPTS)
    assert run_import(job.pk) is None
    job.refresh_from_db()
    assert job.status == "failed"
    assert "died 5 times" in job.error


def test_two_imports_of_the_same_rows_in_opposite_order_keep_each_once(tmp_path: Path) -> None:
    project = make_project()
    rows = [neutral_row(f"Problem {number}?") for number in range(4000)]
    (tmp_path / "a.jsonl").write_bytes(lines(*rows))
    (tmp_path / "b.jsonl").write_bytes(lines(*reversed(rows)))
    both = [queued(project, tmp_path / name) for name in ("a.jsonl", "b.jsonl")]
    threads = [threading.Thread(target=run_and_close, args=(job.pk,)) for job in both]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    reports = [ImportJob.objects.get(pk=job.pk).report for job in both]
    assert sorted(report["traces"]["new"] for report in reports) == [0, 4000]
    assert Trace.objects.filter(project=project).count() == 4000


def test_two_imports_of_labels_by_the_same_people_keep_each_once(tmp_path: Path) -> None:
    projects = [make_project(), make_project()]
    rows = [prm800k_row(f"Problem {number % 50}?", labeler=f"labeler-{number}") for number in range(200)]
    (tmp_path / "a.jsonl").write_bytes(lines(*rows))
    (tmp_path / "b.jsonl").write_bytes(lines(*reversed(rows)))
    both = [queued(project, tmp_path / name) for project in projects for name in ("a.jsonl", "b.jsonl")]
    threads = [threading.Thread(target=run_and_close, args=(job.pk,)) for job in both]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert set(ImportJob.objects.values_list("status", flat=True)) == {"succeeded"}
    assert [Label.objects.filter(project=project).count() for project in projects] == [200, 200]


def peak_memory(project: Project, file: Path) -> int:
    """Return the peak memory in bytes of a separate process that imports the file."""
    code = (
        "import sys, django; django.setup(); from django.core.management import call_command;"
        "import resource; call_command('import_traces', *sys.argv[1:]);"
        "print('peak', resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    command = [sys.executable, "-c", code, project.slug, str(file)]
    ran = subprocess.run(command, env=environment(), cwd=settings.BASE_DIR, capture_output=True, text=True, check=True)
    assert "Imported." in ran.stdout
    return int(ran.stdout.rsplit("peak ", 1)[1]) * 1024


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    small = peak_memory(make_project(), many_rows(tmp_path / "small.jsonl", 10_000))
    large = peak_memory(make_project(), many_rows(tmp_path / "large.jsonl", 120_000))
    assert large < small * 1.15
