"""A failing job says why, with the exception's own message; it is retried, and continues where it was."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from labeling.actions import jobs
from labeling.actions.gradings import create_grading, run_grading
from labeling.actions.imports import record_import, run_import
from labeling.actions.job_faults import reason_of
from labeling.grading import CORRECT, Grade
from labeling.models import GradingJob, Project
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_traces
from labeling.tests.imports.files import lines, neutral_row

pytestmark = pytest.mark.django_db(transaction=True)
Job = Any


def grading_of(project: Project) -> GradingJob:
    make_traces(project, 3)
    return create_grading(project, by=None, wake=False)


def raises(fault: Exception) -> Callable[..., Any]:
    """A grader whose machine has this fault."""

    def grade(_: Any) -> Any:
        raise fault

    return grade


def all_right(questions: Any) -> Any:
    """A grader that finds every answer right."""
    return (Grade(CORRECT, "equal") for _ in questions)


def wait_is_over(job: Job) -> None:
    """Act as if the pause before the next attempt had passed."""
    type(job).objects.filter(pk=job.pk).update(leased_until=timezone.now() - timedelta(seconds=1))


def test_a_fault_that_nobody_foresaw_is_shown_with_its_type_and_text_and_the_job_is_tried_again() -> None:
    project = make_project()
    job = grading_of(project)
    failed = run_grading(job.pk, raises(KeyError("no such rule")))
    assert failed is not None
    assert (failed.status, failed.attempts) == ("queued", 1)
    page = Browser(make_member(project, "researcher"))
    shown = page.call("GET", f"/api/gradings/{job.pk}")
    assert shown["error"] == "An unexpected error occurred. (KeyError: 'no such rule')"
    GradingJob.objects.filter(pk=job.pk).update(leased_until=timezone.now() + timedelta(minutes=1))
    assert run_grading(job.pk, all_right) is None, "it waits a moment first"
    wait_is_over(job)
    done = run_grading(job.pk, all_right)
    assert done is not None
    assert (done.status, done.traces_done, done.error) == ("succeeded", 3, "")


def test_after_five_tries_a_job_has_failed_with_the_last_reason() -> None:
    job = grading_of(make_project())
    for _ in range(jobs.MOST_ATTEMPTS):
        wait_is_over(job)
        run_grading(job.pk, raises(ValueError("an odd answer")))
    job.refresh_from_db()
    assert job.status == "failed"
    assert job.error.startswith("It was tried 5 times. The last time: ")
    assert job.error.endswith("(ValueError: an odd answer)")


def test_a_job_whose_workers_died_says_so_and_what_was_said_before() -> None:
    job = grading_of(make_project())
    run_grading(job.pk, raises(ValueError("an odd answer")))
    GradingJob.objects.filter(pk=job.pk).update(attempts=jobs.MOST_ATTEMPTS)
    wait_is_over(job)
    assert run_grading(job.pk, all_right) is None
    job.refresh_from_db()
    assert job.status == "failed"
    assert "The worker died 5 times" in job.error
    assert "ValueError: an odd answer" in job.error


def test_a_worker_without_memory_says_so() -> None:
    job = grading_of(make_project())
    run_grading(job.pk, raises(MemoryError()))
    job.refresh_from_db()
    assert job.error.startswith("The worker ran out of memory.")


def test_a_job_whose_database_went_away_says_so_and_goes_on() -> None:
    job = grading_of(make_project())

    def database_goes_away(questions: Any) -> Any:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        return all_right(questions)

    failed = run_grading(job.pk, database_goes_away)
    assert failed is not None
    assert (failed.status, failed.attempts) == ("queued", 0)
    assert failed.error.startswith("PostgreSQL did not answer, or the connection broke.")
    wait_is_over(job)
    done = run_grading(job.pk, all_right)
    assert done is not None
    assert done.status == "succeeded"


def test_the_sweep_leaves_a_failed_job_alone_until_its_pause_is_over() -> None:
    job = grading_of(make_project())
    run_grading(job.pk, raises(ValueError("an odd answer")))
    now = timezone.now()
    GradingJob.objects.filter(pk=job.pk).update(
        created_at=now - timedelta(minutes=1), leased_until=now + timedelta(minutes=1)
    )
    woken: list[int] = []
    jobs.sweep_jobs(lambda _, job_id: woken.append(job_id))
    assert woken == []
    wait_is_over(job)
    jobs.sweep_jobs(lambda _, job_id: woken.append(job_id))
    assert woken == [job.pk]


def test_a_waiting_job_that_failed_can_be_cancelled() -> None:
    project = make_project()
    job = grading_of(project)
    run_grading(job.pk, raises(ValueError("an odd answer")))
    assert jobs.cancel_job(GradingJob.objects.get(pk=job.pk), by=make_member(project, "admin")).status == "cancelled"
    wait_is_over(job)
    assert run_grading(job.pk, all_right) is None


def test_an_import_whose_file_is_gone_fails_at_once(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_bytes(lines(neutral_row()))
    about = {"format": "", "dry_run": False, "skip_faulty": False}
    job = record_import(make_project(), by=None, path=str(file), file_name=file.name, **about)
    file.unlink()
    done = run_import(job.pk)
    assert done is not None
    assert (done.status, done.error) == ("failed", "The file is no longer on the server. Upload it again.")


def test_a_reason_is_of_bounded_length_and_holds_no_character_that_postgres_refuses() -> None:
    reason = reason_of(ValueError("\x00" * 10 + "x" * 10_000))
    assert len(reason) <= 2000
    assert "\x00" not in reason
