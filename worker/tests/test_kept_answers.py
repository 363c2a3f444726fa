"""Cached answers about large projects, with their age, recomputed by a worker; small projects are counted each time."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from celery import current_app
from django.core.cache import caches
from django.utils import timezone

from labeling import queries
from labeling.actions import rounds
from labeling.actions.labels import claim_next_label, submit_label
from labeling.api import kept_answers
from labeling.api.kept_answers import ANSWERS, RENEW, Kept
from labeling.models import AuditEvent, ImportJob, Problem, Project, Round, Trace
from labeling.queries import large_projects
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round, make_submission
from worker import tasks

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> Browser:
    """A researcher of a project with a round of six traces, two of which are labeled."""
    caches["default"].clear()
    round_ = make_round(make_project("large"), 6)
    label(round_, 2)
    return Browser(make_member(round_.project, "researcher"))


@pytest.fixture
def large(ada: Browser, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """The same, treated as a large project; pending work is not sent to a worker."""
    monkeypatch.setattr(large_projects, "LABELS", 1)
    yield Project.objects.get()
    current_app.control.purge()


def label(round_: Round, count: int) -> None:
    person = make_member(round_.project)
    for _ in range(count):
        submit_label(claim_next_label(person, round_.project).label, make_submission())


def submitted(ada: Browser) -> int:
    return ada.call("GET", "/api/projects/large/overview")["progress"]["submitted"]


def grow_old(by: timedelta) -> None:
    """Make everything cached look this much older."""
    cache: Any = caches["default"]
    client = cache._cache.get_client(write=True)
    for name in client.scan_iter("*answer:*"):
        key = name.decode().split(":", 2)[2]
        if isinstance(found := cache.get(key), Kept):
            cache.set(key, found._replace(at=found.at - by), 3_600)


def test_a_small_project_is_counted_each_time(ada: Browser):
    assert submitted(ada) == 2
    label(Round.objects.get(), 1)
    assert submitted(ada) == 3


def test_a_large_project_is_answered_from_before_and_the_answer_says_from_when(ada: Browser, large: Project):
    before = timezone.now()
    assert submitted(ada) == 2
    label(Round.objects.get(), 1)
    again = ada.call("GET", "/api/projects/large/overview")
    assert again["progress"]["submitted"] == 2
    assert before <= datetime.fromisoformat(again["as_of"]) <= timezone.now()


def test_what_somebody_does_makes_it_anew_unless_it_changes_no_figure(ada: Browser, large: Project):
    assert submitted(ada) == 2
    label(Round.objects.get(), 1)
    ada.call("POST", "/api/projects/large/exports", {"format": "neutral"}, status=201)
    assert AuditEvent.objects.filter(project=large, action="export.create").exists()
    assert submitted(ada) == 2
    rounds.close_round(Round.objects.get(), by=None)
    assert submitted(ada) == 3


def test_a_worker_makes_an_older_answer_anew_and_is_asked_once(ada: Browser, large: Project):
    assert submitted(ada) == 2
    label(Round.objects.get(), 1)
    grow_old(timedelta(seconds=kept_answers.FRESH + 1))
    with current_app.connection_for_read() as connection:
        queue = connection.SimpleQueue("cpu")
        queue.clear()
        assert [submitted(ada) for _ in range(3)] == [2, 2, 2]
        message = queue.get(timeout=5)
        message.ack()
        with pytest.raises(queue.Empty):
            queue.get_nowait()
        queue.close()
    assert message.headers["task"] == RENEW
    args = message.decode()[0]
    tasks.renew_answer(*args)
    assert submitted(ada) == 3


def test_a_worker_is_told_the_period_of_an_answer_in_a_message_and_renews_that_one(ada: Browser, large: Project):
    since = (timezone.now() - timedelta(days=1)).isoformat().replace("+00:00", "Z")
    address = f"/api/projects/large/labelers?since={since}"
    assert [row["labels"] for row in ada.call("GET", address)["results"]] == [2]
    label(Round.objects.get(), 1)
    grow_old(timedelta(seconds=kept_answers.FRESH + 1))
    with current_app.connection_for_read() as connection:
        queue = connection.SimpleQueue("cpu")
        queue.clear()
        assert [row["labels"] for row in ada.call("GET", address)["results"]] == [2]
        message = queue.get(timeout=5)
        message.ack()
        queue.close()
    tasks.renew_answer(*message.decode()[0])
    assert [row["labels"] for row in ada.call("GET", address)["results"]] == [2, 1]


def test_an_answer_that_is_too_old_is_not_given(ada: Browser, large: Project):
    assert submitted(ada) == 2
    label(Round.objects.get(), 1)
    grow_old(timedelta(seconds=kept_answers.OLDEST))
    assert submitted(ada) == 3


def test_what_somebody_does_in_the_project_is_seen_at_once(ada: Browser, large: Project):
    assert submitted(ada) == 2
    label(Round.objects.get(), 1)
    rounds.pause_round(Round.objects.get(), by=None)
    assert submitted(ada) == 3


def test_the_counts_of_a_large_project_are_kept_but_for_its_labelers(ada: Browser, large: Project):
    labeler = Browser(make_member(large))

    def counts(browser: Browser) -> tuple[int, int]:
        found = browser.call("GET", "/api/projects/large")["counts"]
        return found["labels_submitted"], found["tasks_wanting"]

    assert (counts(ada), counts(labeler)) == ((2, 4), (2, 4))
    label(Round.objects.get(), 1)
    assert (counts(ada), counts(labeler)) == ((2, 4), (3, 3))
    rounds.pause_round(Round.objects.get(), by=None)
    assert counts(ada) == (3, 0), "what somebody does is seen at once"


def test_what_waits_in_a_large_project_is_kept_for_each_reader_until_somebody_does_something(
    ada: Browser, large: Project
):
    said = ada.call("GET", "/api/projects/large/badges")
    assert said["waits"] == []
    Round.objects.update(status=Round.Status.FAILED)
    assert ada.call("GET", "/api/projects/large/badges") == said
    other = Browser(make_member(large, "researcher"))
    assert [one["kind"] for one in other.call("GET", "/api/projects/large/badges")["waits"]] == ["failed_round"]
    rounds.open_round(large, by=None)
    assert [one["kind"] for one in ada.call("GET", "/api/projects/large/badges")["waits"]] == ["failed_round"]


def test_what_takes_a_look_at_every_row_of_a_large_project_is_kept_and_the_rest_of_its_page_is_new(
    ada: Browser, large: Project
):
    admin = Browser(make_member(large, "admin"))
    address = "/api/projects/large/retention?days=7"
    rows = admin.call("GET", address)["rows"]
    assert rows == queries.retention.count_rows(large)
    [trace, *_] = large.traces.all()
    Trace.objects.filter(pk=trace.pk).update(recorded_first_error=1, source="files")
    Problem.objects.filter(pk=trace.problem_id).update(split="held_out")
    sets = ada.call("GET", "/api/projects/large/evaluation_sets")
    assert sets["recorded"] == [{"source": "files", "traces": 1, "erroneous": 1}]
    label(Round.objects.get(), 1)
    ImportJob.objects.create(project=large, head=["x"], finished_at=timezone.now() - timedelta(days=9))
    Trace.objects.filter(pk=trace.pk).update(recorded_first_error=None)
    again = admin.call("GET", address)
    assert (again["rows"], again["old"]["heads"]) == (rows, 1)
    assert ada.call("GET", "/api/projects/large/evaluation_sets") == sets
    rounds.pause_round(Round.objects.get(), by=None)
    assert admin.call("GET", address)["rows"] == queries.retention.count_rows(large) > rows
    assert ada.call("GET", "/api/projects/large/evaluation_sets")["recorded"] == []


def test_every_answer_that_is_kept_is_the_one_that_is_worked_out(ada: Browser, large: Project):
    [one] = Round.objects.all()
    asked: dict[str, dict[str, Any]] = {
        "round_report": {"round": one.pk},
        "round_figures": {"round": one.pk},
        "compared_rounds": {"one": one.pk, "other": one.pk},
        "round_preview": {"config": {"source": "all"}},
        "badges": {"reader": make_member(large, "researcher").pk},
        "label_facets": {"reader": make_member(large, "researcher").pk, "asked": {"verdict": "error"}},
        "trace_facets": {"asked": {"outcome": "wrong"}, "hidden": []},
        "agreement": {"asked": {}},
        "labelers": {"round": one.pk, "since": timezone.now() - timedelta(days=1)},
        "forecast": {"labels": 100},
        "failures": {"scorer": None},
    }
    for name in ANSWERS:
        about = asked.get(name, {})
        made = kept_answers.kept_answer(large, name, **about).data
        assert kept_answers.kept_answer(large, name, **about).data == made
        shape, work = ANSWERS[name]
        now = {**work(large, **about), "as_of": timezone.now()}
        assert {**kept_answers.rendered(shape, now), "as_of": ""} == {**made, "as_of": ""}
