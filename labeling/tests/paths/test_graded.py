"""The answers of chosen paths are graded like those of any trace, once a path can no longer be withdrawn."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F

from labeling.actions.gradings import apply_grading, create_grading, run_grading
from labeling.grading.process_pool import GradingPool
from labeling.models import GradingJob, Label, Project, Round, Trace
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member
from labeling.tests.paths.world import PathLabeler, make_problem, open_paths, project_with_problem

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def pool() -> Iterator[GradingPool]:
    with GradingPool(1, seconds=20) as processes:
        yield processes


@pytest.fixture
def project(settings: Any) -> Project:
    settings.GENERATORS = {"qwen": type("Qwen", (), {"models": ()})()}
    project = project_with_problem()
    make_problem(project, "What is $4 + 3$, again?")
    make_problem(project, "What is $5 + 2$?")
    return project


def writer(answer: str) -> Any:
    def writes(prefix: Sequence[str], number: int) -> str:
        return f"So it is {answer}.\n\n# Answer\n\n{answer}" if len(prefix) == 1 else f"Add them, {number}."

    return writes


def choose(project: Project, answer: str) -> PathLabeler:
    """One path to this answer, submitted."""
    ada = PathLabeler(project, writer(answer))
    ada.claim()
    ada.step(1)
    ada.step(1)
    assert ada.path["ended"] == "final_answer"
    ada.submit()
    return ada


def outcome(ada: PathLabeler) -> str:
    return Trace.objects.get(tasks__labels=ada.label["id"]).outcome


def report(round_: Round) -> dict[str, Any]:
    found: dict[str, Any] = Browser(make_member(round_.project, "researcher")).call(
        "GET", f"/api/rounds/{round_.pk}/paths"
    )
    return found


def test_paths_that_can_no_longer_be_taken_back_are_graded_and_counted(project: Project, pool: GradingPool) -> None:
    round_ = open_paths(project)
    right, wrong = choose(project, "7"), choose(project, "8")
    assert report(round_)["outcomes"] == {"correct": 0, "wrong": 0, "ungraded": 2}
    Label.objects.update(submitted_at=F("submitted_at") - timedelta(minutes=10))
    fresh = choose(project, "9")
    job = run_grading(create_grading(project, by=None).pk, pool.grade)
    assert (job.status, job.traces_total, job.traces_done) == (GradingJob.Status.SUCCEEDED, 2, 2)
    run_grading(apply_grading(job, by=None).pk, pool.grade)
    assert [outcome(one) for one in (right, wrong, fresh)] == ["correct", "wrong", "ungraded"]
    assert report(round_)["outcomes"] == {"correct": 1, "wrong": 1, "ungraded": 1}


def test_a_path_that_is_being_chosen_again_is_left_out_of_a_grading(project: Project, pool: GradingPool) -> None:
    open_paths(project)
    ada = choose(project, "7")
    ada.page.call("POST", f"/api/labels/{ada.label['id']}/reopen")
    Label.objects.update(submitted_at=F("submitted_at") - timedelta(minutes=10))
    job = run_grading(create_grading(project, by=None).pk, pool.grade)
    assert (job.status, job.traces_total) == (GradingJob.Status.SUCCEEDED, 0)
