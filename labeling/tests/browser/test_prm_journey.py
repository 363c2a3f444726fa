"""From labels to the next selector with the demo's own model: a researcher and a labeler, by the pages alone."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeling.actions.demo import TRACES
from labeling.actions.step_scorers import register_prm
from labeling.actions.training_runs import TRAINED
from labeling.models import Evaluation, Label, Project, Round, Score, StepScorer, TrainingRun, User
from labeling.tests import factories
from labeling.tests.browser.conftest import OpenDesk
from labeling.tests.browser.labeling_desk import LabelingDesk
from labeling.tests.browser.pictures import expect_no_sideways_scrolling, expect_pictures
from labeling.tests.browser.test_round_journey import answer, run_task, work_to_the_end
from labeling.tests.imports.files import import_bytes, lines

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(900),  # a real language model reads here, which takes time on a loaded machine
]

LogIn = Callable[..., Page]
LEARNED = ("demo-calculus-1", "demo-probability-3", "demo-algebra-1", "demo-counting-6", "demo-counting-2")
IN_EVALUATION_SPLIT = ("demo-geometry-1", "demo-algebra-5", "demo-geometry-3")
PHONE = {"width": 390, "height": 844}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """The demo's shortest problems: five to learn from, three to measure on, with four graded traces each."""
    project = factories.make_project(name="Demo")
    rows = [json.loads(line) for line in TRACES.read_text(encoding="utf-8").splitlines()]
    chosen = [row for row in rows if row["problem_id"] in LEARNED + IN_EVALUATION_SPLIT]
    assert import_bytes(project, lines(*chosen), tmp_path).status == "succeeded"
    return project


@pytest.fixture
def demo_prm(settings: Any) -> Iterator[StepScorer]:
    """The demo's PRM, ready, and its language model to train from, as written by the first start of `make demo`."""
    worker = pytest.importorskip("worker.tests.demo_models", reason="needs the worker's requirements")
    with worker.demo_models(settings) as record:
        prm = register_prm("Demo PRM", record)
        run_task("worker.check_prm", prm.pk)
        yield prm


def prepare_round(page: Page, home: str, name: str, prm: StepScorer) -> Round:
    """Go from the form to the preview: a wrong answer for each problem, chosen by the selector."""
    page.goto(f"{home}/rounds/new?kind=convincing")
    expect(page.get_by_role("radio", name=re.compile(re.escape(prm.name)))).to_be_checked()
    page.get_by_label("Name (optional)").fill(name)
    page.get_by_label("Traces of a problem (K)").fill("1")
    page.get_by_label("Wrong answers, percent").fill("100")
    page.get_by_label("Random control, percent").fill("0")
    page.get_by_role("button", name="Start the round").click()
    expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()
    round_ = Round.objects.get(name=name)
    work_to_the_end(round_)
    expect(page.get_by_text("Ready for you to look at")).to_be_visible()
    expect_pictures(page, "Scores: how far the model believes a trace", "How many were chosen of a problem")
    assert round_.scorer_id == prm.pk
    return round_


def label_what_is_served(desk: LabelingDesk, labeler: User, tasks: int) -> None:
    """Rate by keys every step up to the error that the trace's author recorded."""
    before: Label | None = None
    for _ in range(tasks):
        label = next_open_label(desk, labeler, before)
        trace = label.task.trace
        desk.expect_ratings(*["not rated"] * len(trace.steps))
        desk.press(*["Space"] * (trace.recorded_first_error or 0), "x", "Enter")
        before = label
    submitted = Label.objects.filter(labeler=labeler, status=Label.Status.SUBMITTED)
    desk.wait_until(lambda: submitted.count() == tasks, "all labels are on the server")


def next_open_label(desk: LabelingDesk, labeler: User, before: Label | None) -> Label:
    """Return the current label, once the server has opened it."""
    own = Label.objects.filter(labeler=labeler, status=Label.Status.OPEN).exclude(pk=before.pk if before else 0)
    desk.wait_until(own.exists, "the next task is on the desk")
    return own.select_related("task__trace").get()


def train(page: Page) -> TrainingRun:
    """Go from the closed round's page to a finished training, with the page's suggestions."""
    page.get_by_role("link", name="Train a PRM").click()
    page.get_by_label("Name (optional)").fill("After round 1")
    expect(page.get_by_role("region", name="What it would learn from")).to_contain_text("evaluation split")
    page.get_by_role("radio", name=re.compile("Head only")).check()
    page.get_by_role("button", name="Start training").click()
    expect(page.get_by_text("Waiting for a worker of the queue gpu.")).to_be_visible()
    run = TrainingRun.objects.get()
    run_task("worker.train_prm", run.pk)
    expect(page.get_by_text("Done. The PRM is ready")).to_be_visible()
    expect(page.get_by_role("region", name="Step AUC by layer and strength").get_by_role("row")).not_to_have_count(0)
    expect(page.get_by_text("Neutral steps (0) count as")).to_be_visible()
    look_on_all_sizes(page, "Does it mean what it says?")
    run.refresh_from_db()
    return run


def make_the_set(page: Page, home: str) -> None:
    page.goto(f"{home}/evaluations")
    form = page.get_by_role("form", name="New evaluation set")
    form.get_by_role("radio", name=re.compile("Recorded")).check()
    form.get_by_role("textbox", name="Name").fill("Recorded errors")
    form.get_by_role("button", name="Make the set").click()
    expect(page.get_by_text("12 traces of 3 problems")).to_be_visible()


def look_at_the_evaluation(page: Page, prm: StepScorer) -> None:
    """A worker runs the requested evaluation, and each of its charts shows something, also on a phone."""
    evaluation = Evaluation.objects.get(scorer=prm)
    run_task("worker.evaluate_prm", evaluation.pk)
    expect(page.get_by_role("region", name="Figures")).to_contain_text("ProcessBench F1")
    look_on_all_sizes(page, "Does it mean what it says?", "Score against length", "Best of N", "By subject")


def look_on_all_sizes(page: Page, *pictures: str) -> None:
    """Check on a phone and at the previous width."""
    wide = page.viewport_size
    for size in (PHONE, wide):
        assert size is not None
        page.set_viewport_size(size)
        expect_pictures(page, *pictures)
        expect_no_sideways_scrolling(page)


def compare(page: Page, *prms: StepScorer) -> None:
    page.get_by_role("link", name="Evaluations").last.click()
    for prm in prms:
        page.get_by_role("checkbox", name=f"Compare {prm.name} on Recorded errors").check()
    page.get_by_role("link", name="Compare the two").click()
    expect(page.get_by_text("Where they disagree most")).to_be_visible()
    expect(page.get_by_text("It is unknown which problems")).to_be_hidden()  # both show by hash what they learned from
    figures = page.get_by_role("table", name="Figures of both, and how far apart they are")
    expect(figures.get_by_role("row")).to_have_count(15)  # fourteen figures and their header row
    expect_pictures(page, "Best of N")
    page.get_by_role("toolbar").first.get_by_role("button").first.click()
    expect_no_sideways_scrolling(page)


def ranking(prm: StepScorer) -> list[int]:
    """Check the traces that this PRM believes, most convincing first."""
    return list(Score.objects.filter(scorer=prm).order_by("-score", "trace_id").values_list("trace_id", flat=True))


def test_labels_train_the_demos_model_and_it_becomes_the_selector_of_the_next_round(
    live_server: Any, log_in: LogIn, open_desk: OpenDesk, project: Project, demo_prm: StepScorer
) -> None:
    labeler = factories.make_member(project)
    page = log_in(factories.make_member(project, "researcher"))
    home = f"{live_server.url}/projects/{project.slug}"
    make_the_set(page, home)
    first = prepare_round(page, home, "With the demo's PRM", demo_prm)
    answer(page, "Publish to labelers", "Publish")
    label_what_is_served(open_desk(labeler, project.slug), labeler, tasks=len(LEARNED + IN_EVALUATION_SPLIT))
    answer(page, "Close round", "Close for good")
    expect_pictures(page, "Yield", "How tasks ended", "Step ratings", "Labels per day")

    run = train(page)
    assert run.prm is not None
    assert (run.base, run.round_ids, run.labels_total) == ("SmolLM2 135M", [first.pk], len(LEARNED))
    page.get_by_role("link", name="Recorded errors").click()  # the training requested it
    look_at_the_evaluation(page, run.prm)
    page.goto(f"{home}/evaluations?prm={demo_prm.pk}")
    page.get_by_role("button", name="Evaluate", exact=True).click()
    expect(page.get_by_text("Waiting for a worker of the queue gpu.")).to_be_visible()
    look_at_the_evaluation(page, demo_prm)
    compare(page, demo_prm, run.prm)

    page.goto(f"{home}/prms")
    page.get_by_role("button", name="Promote Demo PRM").click()
    expect(page.get_by_role("dialog")).not_to_contain_text("is unknown")
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name=f"Promote {run.prm.name}").click()
    expect(page.get_by_role("dialog")).not_to_contain_text("is unknown")
    page.get_by_role("dialog").get_by_role("button", name="Promote").click()
    expect(page.get_by_role("region", name="The selector")).to_contain_text(run.prm.name)
    prepare_round(page, home, "With the next PRM", run.prm)
    assert ranking(run.prm) != [trace for trace in ranking(demo_prm) if trace in ranking(run.prm)]
    first.refresh_from_db()
    assert first.scorer_id == demo_prm.pk
    page.goto(f"{home}/prms")
    answer(page, "Roll back", "Roll back")
    expect(page.get_by_role("region", name="The selector")).to_contain_text("None yet")
    assert (Path(run.prm.spec["path"]).parts[0], StepScorer.objects.count()) == (TRAINED, 2)
