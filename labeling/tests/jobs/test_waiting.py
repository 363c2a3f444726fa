"""A job that waits for a worker says what is ahead of it: by name if the person may see it, else how many."""

from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from labeling.actions import notices
from labeling.models import (
    Evaluation,
    EvaluationSet,
    Export,
    ImportJob,
    Notice,
    Project,
    Round,
    TrainingRun,
    WorkerHeartbeat,
)
from labeling.models.releases import Release
from labeling.models.rounds import RoundChunk
from labeling.models.sources import SourceChunk, SourceRun
from labeling.models.step_scorers import StepScorer
from labeling.tests.accounts import Browser
from labeling.tests.factories import join, make_member, make_project, make_round
from labeling.tests.selection.pools import make_prm

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    WorkerHeartbeat.objects.create(name="all", queues="cpu,gpu", processes=2, seen_at=timezone.now())
    return make_project()


def running(minutes: float = 1) -> dict[str, Any]:
    lease = {"lease_token": uuid4(), "leased_until": timezone.now() + timedelta(minutes=minutes)}
    return {"status": "running", "started_at": timezone.now(), **lease}


def training(project: Project, name: str, **columns: Any) -> TrainingRun:
    return TrainingRun.objects.create(project=project, name=name, base="Tiny", round_ids=[], **columns)


def imported(project: Project, name: str, **columns: Any) -> ImportJob:
    return ImportJob.objects.create(project=project, file_name=name, format="neutral", **columns)


def evaluation(project: Project) -> Evaluation:
    counts = {"traces": 1, "problems": 1, "erroneous": 1, "grader_versions": []}
    on = EvaluationSet.objects.create(project=project, name="Made", source="recorded", **counts)
    return Evaluation.objects.create(project=project, scorer=make_prm("Tiny", project=project), evaluation_set=on)


def release(project: Project) -> Release:
    return Release.objects.create(project=project, name="Steps", version=1)


def ahead(browser: Browser, project: Project, kind: str, pk: int) -> tuple[list[str], int]:
    said = browser.call("GET", f"/api/projects/{project.slug}/waiting?kind={kind}&id={pk}")
    return [f"{one['words']} {one['name']} of {one['project']['slug']}" for one in said["ahead"]], said["others"]


def test_what_runs_comes_before_what_waited_longer_and_other_queues_are_in_nobody_s_way(project: Project) -> None:
    browser = Browser(make_member(project, "researcher"))
    training(project, "Waits longer")
    training(project, "Runs", **running())
    imported(project, "rows.jsonl", **running())
    training(project, "Is over", status="succeeded")
    mine = training(project, "Mine")
    training(project, "Came later")
    slug = project.slug
    assert ahead(browser, project, "trainingrun", mine.pk) == (
        [f"training Runs of {slug}", f"training Waits longer of {slug}"],
        0,
    )
    said = browser.call("GET", f"/api/projects/{slug}/waiting?kind=trainingrun&id={mine.pk}")
    assert (said["queue"], said["workers"]) == ("gpu", 2)


def test_what_somebody_may_not_see_is_a_number(project: Project) -> None:
    person = make_member(project, "researcher")
    browser = Browser(person)
    others = make_project(slug="others")
    imported(others, "secret.jsonl", **running())
    imported(others, "secret too.jsonl")
    mine = imported(project, "mine.jsonl")
    assert ahead(browser, project, "importjob", mine.pk) == ([], 2)
    join(others, person, "annotator")
    assert ahead(browser, project, "importjob", mine.pk) == ([], 2), "labelers do not see imports"


def test_at_most_three_are_named(project: Project) -> None:
    browser = Browser(make_member(project, "researcher"))
    for number in range(5):
        Export.objects.create(project=project, format=f"format {number}")
    mine = imported(project, "mine.jsonl")
    named, others = ahead(browser, project, "importjob", mine.pk)
    assert named == [f"export format {number} of {project.slug}" for number in range(3)]
    assert others == 2


def test_a_job_whose_worker_died_and_one_that_waits_to_be_tried_again_hold_nobody_up(project: Project) -> None:
    browser = Browser(make_member(project, "researcher"))
    training(project, "Died", **running(minutes=-1))
    training(project, "Later", leased_until=timezone.now() + timedelta(minutes=1))
    mine = training(project, "Mine")
    assert ahead(browser, project, "trainingrun", mine.pk) == ([], 0)


def test_a_round_s_stage_is_ahead_and_waits_itself(project: Project) -> None:
    browser = Browser(make_member(project, "researcher"))
    scored = make_round(project)
    chunk = {"number": 0, "first_problem": 1, "last_problem": 2}
    part = RoundChunk.objects.create(round=scored, stage="scoring", **chunk, **running())
    Round.objects.filter(pk=scored.pk).update(planned="scoring", name="Second")
    mine = training(project, "Mine")
    assert ahead(browser, project, "trainingrun", mine.pk) == ([f"round Second of {project.slug}"], 0)
    assert ahead(browser, project, "round", scored.pk) == ([], 0), "it does not wait"
    RoundChunk.objects.filter(pk=part.pk).update(status="queued", lease_token=None, leased_until=None)
    training(project, "Runs", **running())
    assert ahead(browser, project, "round", scored.pk)[0][0] == f"training Runs of {project.slug}"


def test_chunks_of_a_source_that_wait_come_last_and_those_that_run_are_told_once(project: Project) -> None:
    browser = Browser(make_member(project, "researcher"))
    judge = StepScorer.objects.create(project=project, name="judge", kind="judge", spec={})
    run = SourceRun.objects.create(project=project, scorer=judge)
    for _ in range(4):
        SourceChunk.objects.create(project=project, run=run)
    mine = imported(project, "mine.jsonl")
    assert ahead(browser, project, "importjob", mine.pk) == ([], 0)
    for _ in range(2):
        SourceChunk.objects.create(project=project, run=run, **running())
    assert ahead(browser, project, "importjob", mine.pk) == ([f"machine labels of judge of {project.slug}"], 0)


def test_nothing_is_said_of_another_project_s_job_and_nothing_is_ahead_of_what_does_not_wait(project: Project) -> None:
    browser = Browser(make_member(project, "researcher"))
    other = training(make_project(slug="others"), "Not mine")
    address = f"/api/projects/{project.slug}/waiting"
    browser.call("GET", f"{address}?kind=trainingrun&id={other.pk}", status=404)
    browser.call("GET", f"{address}?kind=round&id=999", status=404)
    browser.call("GET", f"{address}?kind=people&id=1", status=400)
    training(project, "Waits")
    done = training(project, "Done", status="succeeded")
    assert ahead(browser, project, "trainingrun", done.pk) == ([], 0)


@pytest.mark.parametrize(
    ("queue", "asked"), [("gpu", lambda of: training(of, "Mine")), ("gpu", evaluation), ("cpu", release)]
)
def test_admins_hear_that_a_job_of_any_kind_waits_for_a_worker_that_is_gone(
    project: Project, queue: str, asked: Callable[[Project], Any]
) -> None:
    admin, elsewhere = make_member(project, "admin"), make_member(make_project(slug="others"), "admin")
    WorkerHeartbeat.objects.update(seen_at=timezone.now() - timedelta(hours=1))
    job = asked(project)
    assert queue in notices.watch_workers()
    [told] = Notice.objects.filter(person=admin, event__contains=f":{queue}:")
    assert told.title == f"No worker serves the queue {queue}"
    assert not Notice.objects.filter(person=elsewhere).exists()
    type(job).objects.update(status="succeeded")
    Notice.objects.all().delete()
    notices.watch_workers()
    assert not Notice.objects.filter(person=admin).exists(), "nothing waits any more"


def test_doctor_names_trainings_and_evaluations_that_wait_for_a_worker_of_the_queue_gpu(project: Project) -> None:
    WorkerHeartbeat.objects.all().delete()
    training(project, "Mine")
    evaluation(project)
    out = StringIO()
    with pytest.raises(CommandError):
        call_command("doctor", stdout=out)
    waits = f"the training of {project.slug}, the evaluation of {project.slug} waits for it."
    assert f"none is alive, and {waits}" in out.getvalue()
