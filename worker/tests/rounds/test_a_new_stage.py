"""A stage is a row of one table: with one row more, rounds are planned, worked on, watched and finished through it."""

from collections.abc import Iterator

import pytest
from django.test import Client
from django.utils.module_loading import import_string

from labeling.actions.jobs import Lease
from labeling.configs import StagedConfig
from labeling.configs.stages import SCORING, SELECTING, STAGES, Stage, statuses_on
from labeling.models import Round, RoundChunk
from labeling.queries.sql_slots import fill
from labeling.queries.stage_todos import TO_COUNT, Todo
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member
from worker.tests.rounds.world import project_with_samples, run_task, start, work

pytestmark = pytest.mark.django_db(transaction=True)

WEIGHED: list[tuple[int, int]] = []


def to_weigh(round_: Round) -> Todo:
    """Return every trace of the project."""
    traces = "SELECT id AS pk, problem_id FROM labeling_trace WHERE project_id = %s"
    return Todo(fill(TO_COUNT, pool=traces), [round_.project_id])


def weigh(chunk: RoundChunk, lease: Lease) -> int:
    """Do what a worker does with a chunk of the stage."""
    lease.require()
    WEIGHED.append((chunk.first_problem, chunk.last_problem))
    return chunk.total


WEIGHING = Stage(
    name="weighing",
    title="Weigh",
    means="A worker lifts each trace.",
    status=SCORING.status,
    wanted=lambda asked: isinstance(asked.config, StagedConfig),
    todo=f"{__name__}.to_weigh",
    chunk=6,
    work=f"{__name__}.weigh",
)


@pytest.fixture
def weighing() -> Iterator[None]:
    """The table with an additional stage, before the traces are selected."""
    before = dict(STAGES)
    STAGES.clear()
    for stage in before.values():
        STAGES.update({WEIGHING.name: WEIGHING} if stage is SELECTING else {})
        STAGES[stage.name] = stage
    WEIGHED.clear()
    try:
        yield
    finally:
        STAGES.clear()
        STAGES.update(before)


def _unheld(browser: Browser) -> Client:
    """The same person without schema checks: the schema lists the stages that existed when this process started."""
    client = Client()
    client.cookies = browser.cookies
    return client


def test_a_row_of_the_table_is_all_that_a_new_stage_takes(weighing: None) -> None:
    project = project_with_samples(problems=3, samples=6)
    watcher = _unheld(Browser(make_member(project, "researcher")))
    round_ = start(project, None)
    run_task("worker.advance_round", round_.pk)
    round_.refresh_from_db()
    assert (round_.planned, round_.status) == ("weighing", "scoring")
    told = watcher.get(f"/api/rounds/{round_.pk}/progress").json()
    assert [one["title"] for one in told["stages"]] == [one.title for one in STAGES.values() if not one.plain]
    [weigh_stage] = [one for one in told["stages"] if one["title"] == "Weigh"]
    assert (weigh_stage["state"], weigh_stage["total"], weigh_stage["chunks"]) == ("running", 18, 3)

    assert work(round_).status == "ready"
    assert len(WEIGHED) == 3
    told = watcher.get(f"/api/rounds/{round_.pk}/progress").json()
    [weigh_stage] = [one for one in told["stages"] if one["title"] == "Weigh"]
    assert (weigh_stage["state"], weigh_stage["done"]) == ("done", 18)


@pytest.mark.parametrize("stage", STAGES.values(), ids=lambda stage: stage.name)
def test_what_a_stage_names_is_there_and_fits_its_columns(stage: Stage) -> None:
    for name in (stage.work, stage.todo):
        assert name is None or callable(import_string(name))
    assert stage.status in Round.Status.values
    assert len(stage.name) <= (RoundChunk._meta.get_field("stage").max_length or 0)
    assert stage.whole == bool(stage.doing)
    assert stage.title
    assert stage.means


def test_every_status_of_the_workers_waits_for_one_queue() -> None:
    waiting = [*statuses_on("cpu"), *statuses_on("gpu")]
    assert sorted(waiting) == sorted({stage.status for stage in STAGES.values()})
