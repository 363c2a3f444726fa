"""Active time and its cost: what is counted, and sessions compared with single traces."""

from decimal import Decimal

import pytest

from labeling.actions import labels, rounds
from labeling.actions.reviews import settle_task
from labeling.formats import release_words
from labeling.models import Label, Project, Round, Task
from labeling.queries import round_report, time_spent
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round, make_siblings, make_submission

pytestmark = pytest.mark.django_db


def labeled(project: Project, minutes: list[float], ratings: list[list[int | None]]) -> None:
    """Have one person label this many traces in the queue's order, each with this active time."""
    ada = make_member(project)
    for spent, rated in zip(minutes, ratings, strict=True):
        label = labels.submit_label(labels.claim_next_label(ada, project).label, make_submission(rated))
        Label.objects.filter(pk=label.pk).update(active_ms=int(spent * 60_000))


def test_minutes_and_money_are_counted_per_trace_step_and_confirmed_error():
    project = make_project(hourly_rate=Decimal("30.00"), currency="EUR")
    opened = make_round(project, traces=4)
    labeled(project, [2, 4, 6], [[1, 1, 1], [1, -1, None], [-1, None, None]])
    time = time_spent.time_report(project)
    assert (time["minutes"], time["traces"], time["steps"], time["confirmed_errors"]) == (12, 3, 6, 2)
    assert [time[per]["value"] for per in ("per_trace", "per_step", "per_error")] == [4, 2, 6]
    assert (time["per_trace"]["low"], time["per_trace"]["no_interval"]) == (None, "few_clusters")
    assert time["money"] == {
        "currency": "EUR",
        "hourly_rate": "30.00",
        "total": 6,
        "per_trace": 2,
        "per_step": 1,
        "per_error": 3,
    }
    report = round_report.report_of(opened)
    assert report["time"] == time
    assert ("cost in EUR", "per_error", 3, None, None, 2) in round_report.table(report)


def test_nothing_to_divide_by_is_no_figure_and_no_rate_no_money():
    time = time_spent.time_report(make_project())
    assert (time["per_trace"]["value"], time["per_error"]["value"], time["money"]) == (None, None, None)


def test_labels_that_came_without_active_time_took_nobody_knows_how_long():
    project = make_project()
    make_round(project, traces=2)
    labeled(project, [0, 0], [[1, 1, 1], [1, -1, None]])
    time = time_spent.time_report(project)
    assert (time["traces"], time["confirmed_errors"]) == (2, 1)
    assert (time["timed_labels"], time["untimed_labels"]) == (0, 2)
    assert [time[per]["value"] for per in ("per_trace", "per_step", "per_error")] == [None, None, None]


def test_beside_timed_labels_those_without_a_time_make_no_rate_cheaper():
    project = make_project(hourly_rate=Decimal("60.00"), currency="EUR")
    opened = make_round(project, traces=4)
    labeled(project, [2, 0, 4, 0], [[1, 1, 1], [1, -1, None], [1, -1, None], [-1, None, None]])
    time = time_spent.time_report(project)
    assert (time["minutes"], time["traces"], time["steps"], time["confirmed_errors"]) == (6, 4, 8, 3)
    assert (time["timed_labels"], time["untimed_labels"]) == (2, 2)
    assert [time[per]["value"] for per in ("per_trace", "per_step", "per_error")] == [3, 6 / 5, 6]
    assert [time[per]["n"] for per in ("per_trace", "per_step", "per_error")] == [2, 5, 1]
    assert time["money"]["per_step"] == 6 / 5
    assert "Total active time: 6.0 minutes, 6 EUR, of 2 of 4 labels; the others" in release_words.time_words(time)
    report = round_report.report_of(opened)
    assert (report["time"]["per_step"], report["active_minutes_per_error"]) == (time["per_step"], 6)
    admin = Browser(make_member(project, "admin"))
    lines = admin.get(f"/api/projects/{project.slug}/time.csv").content.decode().splitlines()
    assert {"labels,timed,2,,,", "labels,untimed,2,,,"} <= set(lines)
    closed = rounds.close_round(opened, by=None)
    assert closed.report is not None
    old = {name: value for name, value in closed.report["time"].items() if not name.endswith("timed_labels")}
    Round.objects.filter(pk=opened.pk).update(report={**closed.report, "time": old})  # frozen before time was counted
    shown = admin.call("GET", f"/api/rounds/{opened.pk}/report")["time"]
    assert (shown["timed_labels"], shown["minutes"]) == (None, 6)


def test_what_a_trace_took_is_not_known_where_one_of_its_labels_has_no_time():
    project = make_project()
    make_round(project, traces=1, overlap=2)
    labeled(project, [2], [[1, 1, 1]])
    labeled(project, [0], [[1, 1, 1]])
    time = time_spent.time_report(project)
    assert (time["per_trace"]["value"], time["per_trace"]["n"]) == (None, 0)
    assert (time["per_step"]["value"], time["per_step"]["n"]) == (2 / 3, 3)


def test_in_a_row_too_only_timed_labels_count():
    project = make_project()
    make_round(project, traces=3)
    labeled(project, [2, 0, 4], [[1, 1, 1]] * 3)
    shuffled = time_spent.session_report(project)["shuffled"]
    assert (shuffled["value"], shuffled["n"]) == (3, 2)


def test_what_an_error_cost_goes_by_the_ruling_as_the_rounds_report_does():
    project = make_project()
    opened = make_round(project, traces=2)
    labeled(project, [2, 4], [[1, 1, 1], [1, -1, None]])
    sound = Label.objects.order_by("pk")[0]
    found = Label.FinishReason.FOUND_ERROR
    settle_task(sound.task, by=make_member(project, "admin"), ratings=[1, -1, None], finish_reason=found)
    report = round_report.report_of(Round.objects.get(pk=opened.pk))
    ended = sum(arm["found_error"] for arm in report["finished"].values())
    assert (report["time"]["confirmed_errors"], ended) == (2, 2)
    assert report["time"]["per_error"]["value"] == 3


def test_traces_in_a_row_of_one_problem_are_compared_with_the_others():
    project = make_project(session_traces=2)
    for _ in range(6):
        make_siblings(project, ["One.", "So 1."], ["Two.", "So 1."])
    opened = rounds.open_round(project, by=None)
    for task in Task.objects.filter(round=opened).select_related("trace"):
        Task.objects.filter(pk=task.pk).update(order_key=task.trace.problem_id)
    labeled(project, [4, 2] * 6, [[1, 1]] * 12)
    sessions = time_spent.session_report(project)
    assert (sessions["in_session"]["value"], sessions["shuffled"]["value"]) == (2, 4)
    assert (sessions["in_session"]["n"], sessions["ratio"]["value"]) == (6, 0.5)
    admin = Browser(make_member(project, "admin"))
    assert admin.call("GET", f"/api/projects/{project.slug}/time")["sessions"] == sessions
    lines = admin.get(f"/api/projects/{project.slug}/time.csv").content.decode().splitlines()
    assert lines[0] == "figure,of,value,low,high,n"
    assert any(line.startswith("active minutes per trace,in_session,2.0,") for line in lines)


def test_a_rate_needs_a_currency_and_is_kept_to_the_cent():
    project = make_project()
    admin = Browser(make_member(project, "admin"))
    path = f"/api/projects/{project.slug}"
    assert "currency" in admin.call("PATCH", path, {"hourly_rate": "19.99"}, status=400)["fields"]
    changed = admin.call("PATCH", path, {"hourly_rate": "19.99", "currency": "CHF", "session_traces": 3})
    assert (changed["hourly_rate"], changed["currency"], changed["session_traces"]) == ("19.99", "CHF", 3)
    assert admin.call("PATCH", path, {"session_traces": 1}, status=400)["fields"].keys() == {"session_traces"}
