"""Gradings over the API: requested, watched, reviewed, applied, stopped."""

from collections.abc import Iterator

import pytest
from django.core.cache import cache

from labeling.actions.gradings import create_grading, run_grading
from labeling.grading import GRADER_VERSION
from labeling.grading.process_pool import GradingPool
from labeling.models import Project
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project
from labeling.tests.grading.test_grading_jobs import make_answers, outcomes

pytestmark = pytest.mark.django_db(transaction=True)
GRADINGS = "/api/projects/sums/gradings"


@pytest.fixture(scope="module")
def pool() -> Iterator[GradingPool]:
    with GradingPool(2, seconds=20) as processes:
        yield processes


@pytest.fixture
def project() -> Project:
    cache.clear()  # the count of what one person started
    return make_project("sums")


@pytest.fixture
def researcher(project: Project) -> Browser:
    return Browser(make_member(project, "researcher"))


def test_a_row_that_is_unticked_stays_as_it_was_and_can_be_ticked_again(
    project: Project, researcher: Browser, pool: GradingPool
) -> None:
    traces = make_answers(project, ("5", "x=5"), ("5", "6"), ("5", "7"), ("5", None))
    made = researcher.call("POST", GRADINGS, {"scope": "all"}, status=201)
    address = f"/api/gradings/{made['id']}"
    untick = {"trace": traces[1].pk, "left_out": True}
    assert researcher.call("POST", f"{address}/leave_out", untick, status=409)["code"] == "grading_not_ready"
    run_grading(made["id"], pool.grade)
    for body in (untick, untick, {**untick, "trace": traces[2].pk}):
        found = researcher.call("POST", f"{address}/leave_out", body)
    assert (found["left_out"], found["differences"]) == (2, 3)
    assert researcher.call("POST", f"{address}/leave_out", {"trace": traces[2].pk, "left_out": False})["left_out"] == 1
    researcher.call("POST", f"{address}/leave_out", {"trace": traces[3].pk, "left_out": True}, status=400)
    rows = researcher.call("GET", f"{address}/differences")["results"]
    assert [row["left_out"] for row in rows] == [False, True, False]
    assert outcomes(traces) == ["ungraded"] * 4
    researcher.call("POST", f"{address}/apply")
    run_grading(made["id"], pool.grade)
    assert outcomes(traces) == ["correct", "ungraded", "wrong", "ungraded"]
    applied = researcher.call("GET", address)
    assert (applied["changed"], applied["skipped"], applied["left_out"]) == (2, 0, 1)
    assert researcher.call("POST", f"{address}/leave_out", untick, status=409)["code"] == "grading_not_ready"


def test_what_stays_ungraded_is_listed_with_its_reason(
    project: Project, researcher: Browser, pool: GradingPool
) -> None:
    traces = make_answers(project, ("5", "6"), ("5", None), ("5", "2 y"), ("5", "5"))
    made = researcher.call("POST", GRADINGS, {"scope": "all"}, status=201)
    run_grading(made["id"], pool.grade)
    address = f"/api/gradings/{made['id']}/differences"
    rows = researcher.call("GET", f"{address}?unchanged=true&outcome=ungraded")["results"]
    found = [(row["trace_id"], row["outcome"], row["reason"], row["answer"]) for row in rows]
    assert found == [(traces[1].pk, "ungraded", "no_answer", ""), (traces[2].pk, "ungraded", "undecided", "2 y")]
    differing = researcher.call("GET", address)["results"]
    assert [row["trace_id"] for row in differing] == [traces[0].pk, traces[3].pk]


def test_a_grading_is_asked_for_looked_through_and_applied(
    project: Project, researcher: Browser, pool: GradingPool
) -> None:
    traces = make_answers(project, ("5", "x=5"), ("5", "6"), ("5", None))
    made = researcher.call("POST", GRADINGS, {"scope": "ungraded"}, status=201)
    assert (made["status"], made["stage"], made["scope"]) == ("queued", "grading", "ungraded")
    assert (made["counts"], made["can_apply"]) == ({"correct": 0, "wrong": 0, "ungraded": 0}, False)
    run_grading(made["id"], pool.grade)
    address = f"/api/gradings/{made['id']}"
    graded = researcher.call("GET", address)
    assert (graded["counts"], graded["differences"]) == ({"correct": 1, "wrong": 1, "ungraded": 1}, 2)
    assert (graded["traces_done"], graded["traces_total"], graded["grader_version"]) == (3, 3, GRADER_VERSION)
    assert outcomes(traces) == ["ungraded"] * 3, "nothing is changed before somebody applies it"
    assert graded["can_apply"]
    applying = researcher.call("POST", f"{address}/apply")
    assert (applying["stage"], applying["status"], applying["can_apply"]) == ("applying", "queued", False)
    run_grading(made["id"], pool.grade)
    applied = researcher.call("GET", address)
    assert (applied["changed"], applied["skipped"]) == (2, 0)
    assert applied["applied_by"] == applied["created_by"]
    assert applied["applied_by"] is not None
    assert outcomes(traces) == ["correct", "wrong", "ungraded"]
    assert [job["id"] for job in researcher.call("GET", GRADINGS)["results"]] == [made["id"]]


def test_differences_come_in_pages_with_what_the_grader_saw(
    project: Project, researcher: Browser, pool: GradingPool
) -> None:
    traces = make_answers(project, ("5", "x=5"), ("5", "6"), ("5", "7"), ("5", None))
    job = run_grading(create_grading(project, by=None).pk, pool.grade)
    address = f"/api/gradings/{job.pk}/differences"
    first = researcher.call("GET", f"{address}?limit=2")
    rest = researcher.call("GET", f"{address}?limit=2&cursor={first['next']}")
    assert [row["trace_id"] for row in first["results"] + rest["results"]] == [trace.pk for trace in traces[:3]]
    assert rest["next"] is None
    wrong = first["results"][1]
    assert (wrong["outcome_before"], wrong["outcome"], wrong["kept"]) == ("ungraded", "wrong", False)
    assert (wrong["reason"], wrong["rule"], wrong["answer"]) == ("other_number", "recorded", "6")
    assert (wrong["problem"]["answer"], wrong["problem"]["text"]) == ("5", traces[1].problem.text)
    narrowed = researcher.call("GET", f"{address}?outcome=correct")
    assert [row["trace_id"] for row in narrowed["results"]] == [traces[0].pk]
    assert researcher.call("GET", f"{address}?outcome_before=wrong")["results"] == []
    assert len(researcher.call("GET", f"{address}?reason=other_number")["results"]) == 2


def test_an_outcome_that_the_import_brought_is_marked_as_kept(
    project: Project, researcher: Browser, pool: GradingPool
) -> None:
    make_answers(project, ("24", "There is no solution."), outcome="correct")
    job = run_grading(create_grading(project, by=None).pk, pool.grade)
    found = researcher.call("GET", f"/api/gradings/{job.pk}")
    assert (found["differences"], found["kept"]) == (1, 1)
    (row,) = researcher.call("GET", f"/api/gradings/{job.pk}/differences")["results"]
    assert row["kept"]


def test_only_the_newest_grading_can_be_applied(project: Project, researcher: Browser, pool: GradingPool) -> None:
    make_answers(project, ("5", "5"))
    first = run_grading(create_grading(project, by=None).pk, pool.grade)
    second = run_grading(create_grading(project, by=None).pk, pool.grade)
    assert [job["can_apply"] for job in researcher.call("GET", GRADINGS)["results"]] == [True, False]
    refused = researcher.call("POST", f"/api/gradings/{first.pk}/apply", status=409)
    assert refused["code"] == "grading_not_ready"
    researcher.call("POST", f"/api/gradings/{second.pk}/apply")


def test_a_grading_is_stopped_and_the_next_may_begin(project: Project, researcher: Browser) -> None:
    made = researcher.call("POST", GRADINGS, {}, status=201)
    refused = researcher.call("POST", GRADINGS, {}, status=409)
    assert refused["code"] == "grading_running"
    assert researcher.call("POST", f"/api/gradings/{made['id']}/cancel")["status"] == "cancelled"
    again = researcher.call("POST", f"/api/gradings/{made['id']}/cancel", status=409)
    assert (again["code"], again["status"]) == ("job_finished", "cancelled")
    researcher.call("POST", GRADINGS, {}, status=201)


def test_gradings_beyond_twenty_a_minute_wait_for_their_turn(project: Project, researcher: Browser) -> None:
    researcher.call("POST", GRADINGS, {}, status=201)
    for _ in range(19):
        researcher.call("POST", GRADINGS, {}, status=409)
    refused = researcher.send("POST", GRADINGS, {})
    assert (refused.status_code, refused.json()["code"]) == (429, "throttled")
    assert 0 < int(refused["Retry-After"]) <= 60
    colleague = Browser(make_member(project, "researcher"))
    assert colleague.send("POST", GRADINGS, {}).status_code == 409, "each person has a count of their own"


def test_a_page_of_gradings_takes_the_same_queries_however_long(
    project: Project, researcher: Browser, pool: GradingPool, django_assert_max_num_queries
) -> None:
    for _ in range(3):
        run_grading(create_grading(project, by=None).pk, pool.grade)
    with django_assert_max_num_queries(4):
        assert len(researcher.call("GET", GRADINGS)["results"]) == 3
