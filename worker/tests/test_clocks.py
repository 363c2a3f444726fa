"""Machines with clocks a minute apart: workers' leases and signs of life use the database's clock."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.db.models.functions import Now
from django.utils import timezone

from labeling.actions import jobs
from labeling.actions.workers import record_heartbeat
from labeling.models import Export
from labeling.queries.installation import worker_fault
from labeling.queries.workers import processes_serving
from labeling.tests.factories import make_project

pytestmark = pytest.mark.django_db
APART = timedelta(seconds=75)
ACTIONS = Path(jobs.__file__).parent


@contextmanager
def clock_off_by(apart: timedelta) -> Iterator[None]:
    """Act as a machine whose clock is ahead by this much."""
    true = timezone.now
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timezone, "now", lambda: true() + apart)
        yield


def seconds_left(job: Export) -> float:
    """Return the seconds left of its lease, as the database sees it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT extract(epoch FROM leased_until - statement_timestamp()) FROM labeling_export WHERE id = %s",
            [job.pk],
        )
        return float(cursor.fetchone()[0])


@pytest.mark.parametrize(("its", "others"), [(-APART, APART), (APART, -APART)], ids=["behind", "ahead"])
def test_no_worker_takes_a_job_from_one_that_lives_and_a_dead_one_s_is_taken_after_its_minute(
    its: timedelta, others: timedelta
) -> None:
    made = timezone.now() - timedelta(minutes=10)
    job = Export.objects.create(project=make_project(), format="neutral", created_at=made)
    with clock_off_by(its):
        assert jobs.claim_job(Export, job.pk)
    assert 55 < seconds_left(job) <= 60
    woken: list[int] = []
    with clock_off_by(others):
        assert jobs.claim_job(Export, job.pk) is None
        jobs.sweep_jobs(lambda task, pk: woken.append(pk))
        assert woken == []
        Export.objects.filter(pk=job.pk).update(leased_until=Now() - timedelta(seconds=1))
        jobs.sweep_jobs(lambda task, pk: woken.append(pk))
        assert woken == [job.pk]
        again = jobs.claim_job(Export, job.pk)
    assert again
    assert again.attempts == 2


@pytest.mark.parametrize(("its", "others"), [(-APART, APART), (APART, -APART)], ids=["behind", "ahead"])
def test_a_worker_with_another_clock_is_no_dead_one(its: timedelta, others: timedelta) -> None:
    with clock_off_by(its):
        record_heartbeat("cpu@elsewhere", ["cpu"], processes=3)
    with clock_off_by(others):
        assert (processes_serving("cpu"), worker_fault()) == (3, None)


def test_what_the_clock_process_asks_for_is_done_by_a_worker_a_minute_ahead_of_one_a_minute_behind() -> None:
    """The clock process sets a message's expiry, and the worker discards expired ones by its own time."""
    schedule: dict[str, Any] = settings.CELERY_BEAT_SCHEDULE
    lives = [entry["options"]["expires"] for entry in schedule.values()]
    assert lives
    assert min(lives) > 2 * 60 + 5


def test_no_lease_of_a_worker_is_held_to_the_clock_of_its_machine() -> None:
    """Labels are leased for half an hour, by the clock of the web machine that serves them."""
    found = {
        (path.name, compared)
        for path in ACTIONS.glob("*.py")
        for compared in re.findall(r"leased_until(?:__\w+)?=(\w+)\(|leased_until__\w+=(\w+)", path.read_text())
    }
    clocks = {(name, "".join(pair)) for name, pair in found}
    assert {name for name, clock in clocks if clock == "Now"} >= {"jobs.py", "step_offers.py", "suggestions.py"}
    assert {(name, clock) for name, clock in clocks if clock not in ("Now", "lease_end")} == {("labels.py", "timezone")}
