"""Reads that may lag use a real hot standby; one that lags, dies, breaks off or was promoted is not used."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import caches
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from annotation_app.postgres import replica
from annotation_app.postgres.replica import read_may_lag, replica_state
from annotation_app.tests.hot_standby import Standby, forget, hot_standby, told_of, told_of_none
from labeling.actions.exports import create_export, finished_file, repeat_export, run_export
from labeling.actions.projects import change_project
from labeling.models import Export, Project, Round
from labeling.tests.accounts import Browser
from labeling.tests.exports.labeled import give_label, traces_of
from labeling.tests.exports.test_export_jobs import many_labels
from labeling.tests.factories import make_member, make_project

pytestmark = [pytest.mark.django_db(transaction=True, databases="__all__"), pytest.mark.slow]
SOON = 6.0  # seconds within which an answer arrives while the standby is away
TOKEN = "a-token-of-enough-characters"
LAGGING = ("home", "overview", "forecast?labels=100", "time", "labelers", "agreement")
TABLES = ("time.csv", "labelers.csv", "agreement.csv")


@pytest.fixture(scope="module")
def running(django_db_setup: None) -> Iterator[Standby]:
    with hot_standby() as found, told_of(found.postgres):
        yield found


@pytest.fixture
def standby(running: Standby, transactional_db: None) -> Standby:
    caches["default"].clear()
    forget()
    return running


@pytest.fixture
def project(standby: Standby, tmp_path: Path) -> Project:
    """With 2,300 labels of other people, which are three chunks of an export, and one that was given here."""
    project = make_project("lagging")
    traces_of(project, tmp_path)
    give_label(project, [1, 1])
    many_labels(project, tmp_path, 2_300)
    return project


def made(project: Project) -> Export:
    export = run_export(create_export(project, by=None, format="neutral").pk)
    assert export is not None
    assert export.status == "succeeded", export.error
    return export


def again(export: Export) -> Export:
    found = run_export(repeat_export(export, by=None).pk)
    assert found is not None
    assert found.status == "succeeded", found.error
    return found


def without_time(answer: Any) -> Any:
    return {name: value for name, value in answer.items() if name != "as_of"}


def reads(ada: Browser, slug: str) -> dict[str, Any]:
    """Each answer that may lag, and each table."""
    found: dict[str, Any] = {name: without_time(ada.call("GET", f"/api/projects/{slug}/{name}")) for name in LAGGING}
    for name in TABLES:
        answer = ada.send("GET", f"/api/projects/{slug}/{name}")
        assert answer.status_code == 200, (name, answer.content)
        found[name] = answer.content
    return found


def doctor(capsys: pytest.CaptureFixture[str]) -> str:
    """The line about the replica."""
    with suppress(CommandError):
        call_command("doctor")
    return next(line for line in capsys.readouterr().out.splitlines() if line[9:].startswith("replica"))


def test_figures_tables_and_exports_come_from_the_standby_and_are_what_the_primary_says(
    project: Project, standby: Standby
) -> None:
    ada = Browser(make_member(project, "researcher"))
    with told_of_none():
        first, before = made(project), reads(ada, project.slug)
    standby.catch_up()
    with standby.asked() as asked:
        after = reads(ada, project.slug)
        second = again(first)
    assert after == before
    assert (second.sha256, second.rows) == (first.sha256, first.rows)
    assert finished_file(second).read_bytes() == finished_file(first).read_bytes()
    lines = [line for line in asked if "statement:" in line or "execute" in line]
    chunks = [line for line in lines if "guideline.version" in line]
    assert len(chunks) == 3, "each chunk of labels was read there"
    assert [line for line in lines if "labeling_goldresult" in line], "Home's figures were read there"
    assert not [line for line in lines if "INSERT" in line or "UPDATE" in line]


def test_what_was_just_done_is_told_by_the_primary_until_the_standby_knows_it(
    project: Project, standby: Standby, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    ada = Browser(make_member(project, "admin"))
    standby.catch_up()
    assert replica_state().serves
    standby.execute("SELECT pg_wal_replay_pause()")
    try:
        first = made(project)
        give_label(project, [1, -1])
        ada.call("POST", f"/api/projects/{project.slug}/rounds", {"name": "New", "source": "all"}, status=201)
        names = [one["name"] for one in ada.call("GET", f"/api/projects/{project.slug}/overview")["rounds"]]
        assert "New" in names
        with standby.asked() as asked:
            later = made(project)
        assert later.rows == first.rows + 1
        assert not [line for line in asked if "guideline.version" in line]
        settings.REPLICA_LAG_SECONDS, settings.METRICS_TOKEN = 0, TOKEN
        time.sleep(1.1)
        give_label(project, [1, 1])
        forget()
        assert "s behind (REPLICA_LAG_SECONDS=0)" in doctor(capsys)
        figures = Client(headers={"Authorization": f"Bearer {TOKEN}"}).get("/metrics").content.decode()
        assert "stepmark_replica_serves 0.0" in figures
        assert "stepmark_replica_lag_seconds" in figures
    finally:
        standby.execute("SELECT pg_wal_replay_resume()")
    settings.REPLICA_LAG_SECONDS = 10
    standby.catch_up()
    forget()
    assert doctor(capsys) == "  ok     replica"


def test_a_read_that_the_standby_breaks_off_is_made_on_the_primary(project: Project, standby: Standby) -> None:
    standby.catch_up()
    places: list[bool] = []

    def slowly() -> int:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_is_in_recovery()")
            places.append(cursor.fetchone()[0])
            cursor.execute("SELECT count(*), pg_sleep(%s) FROM labeling_trace", [4 if places[-1] else 0])
            return int(cursor.fetchone()[0])

    def clean_up() -> None:
        time.sleep(1)
        with connection.cursor() as cursor:
            cursor.execute("UPDATE labeling_trace SET source = source || 'x'")
            cursor.execute("VACUUM labeling_trace")
        connection.close()

    cleaner = threading.Thread(target=clean_up)
    cleaner.start()
    traces = read_may_lag(slowly)
    cleaner.join()
    assert (places, traces) == ([True, False], project.traces.count())


def test_a_write_in_such_a_read_is_refused_by_the_standby_and_happens_once(
    project: Project, standby: Standby, caplog: pytest.LogCaptureFixture
) -> None:
    ada = make_member(project, "admin")
    standby.catch_up()

    def write() -> int:
        change_project(ada, project, {"name": "Another"})
        return 1

    read_may_lag(write)
    project.refresh_from_db()
    assert project.name == "Another"
    assert "wrote something" in caplog.text
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_is_in_recovery()")
        assert cursor.fetchone() == (False,), "whoever comes next is on the primary"


def quickly(work: Callable[[], Any]) -> Any:
    began = time.monotonic()
    found = work()
    assert time.monotonic() - began < SOON
    return found


def test_a_standby_that_is_killed_is_missed_by_nobody_and_taken_up_again(
    project: Project, standby: Standby, capsys: pytest.CaptureFixture[str]
) -> None:
    ada = Browser(make_member(project, "researcher"))
    standby.catch_up()
    before, first = reads(ada, project.slug), made(project)
    assert replica_state().serves
    process = standby.postgres.process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    process.wait(10)
    assert without_time(quickly(lambda: ada.call("GET", f"/api/projects/{project.slug}/home"))) == before["home"]
    assert not replica_state().serves
    assert reads(ada, project.slug) == before
    assert again(first).sha256 == first.sha256
    assert "does not answer" in doctor(capsys)
    (standby.postgres.data / "postmaster.pid").unlink()
    standby.postgres.start()
    standby.catch_up()
    forget()
    with standby.asked() as asked:
        assert reads(ada, project.slug) == before
    assert [line for line in asked if "labeling_goldresult" in line]


def test_one_that_was_promoted_is_no_replica_any_more(project: Project, standby: Standby) -> None:
    """The last test of this file: after it, the standby has diverged."""
    standby.catch_up()
    standby.execute("SELECT pg_promote()")
    forget()
    assert "was it promoted?" in replica_state().fault
    assert Round.objects.count() == read_may_lag(Round.objects.count)
    assert not replica.replica_state().serves
