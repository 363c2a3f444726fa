"""A round of convincing wrong answers from the form to its report: a researcher, workers, a labeler at the keyboard."""

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation_app.celery import app
from labeling.actions.round_stages import advance_round
from labeling.actions.step_scorers import register_prm
from labeling.configs.stages import WORKING
from labeling.formats.normalise import problem_key, trace_key
from labeling.models import GradingJob, Label, Problem, Project, Round, StepScorer, Trace
from labeling.tests import factories
from labeling.tests.browser.conftest import OpenDesk

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

LogIn = Callable[..., Page]
PROBLEMS, SAMPLES = 3, 6


@pytest.fixture
def project() -> Project:
    """Sums, each solved six times: two right, four wrong, none graded yet."""
    project = factories.make_project(name="Sums", reveal_scores=True)
    for number in range(1, PROBLEMS + 1):
        text = f"What is ${number} + {number}$?"
        problem = Problem.objects.create(
            project=project, text=text, answer=str(2 * number), text_hash=problem_key(text)
        )
        Trace.objects.bulk_create(_solution(problem, number, sample) for sample in range(SAMPLES))
    return project


def _solution(problem: Problem, number: int, sample: int) -> Trace:
    found = 2 * number + sample % 3
    steps = [f"I add ${number}$ and ${number}$, the {sample}. way of it.", f"So it is ${found}$."]
    return Trace(
        project=problem.project,
        problem=problem,
        steps=steps,
        final_answer=str(found),
        trace_hash=trace_key(bytes(problem.text_hash), steps),
    )


@pytest.fixture
def prm(tmp_path: Path, settings: Any) -> StepScorer:
    """A checkpoint of random weights that a worker has found ready, and one that it cannot read."""
    tiny = pytest.importorskip("worker.tests.prm.tiny", reason="needs the worker's requirements")
    settings.MODELS_DIR = tmp_path
    tiny.step_classifier(tmp_path / "tiny")
    (tmp_path / "broken").mkdir()
    prms = [register_prm(name, {"family": "step_classifier", "path": name}) for name in ("broken", "tiny")]
    for one in prms:
        run_task("worker.check_prm", one.pk)
    return prms[-1]


def run_task(name: str, *about: Any) -> None:
    """Do what a worker does with one message."""
    app.loader.import_default_modules()
    app.tasks[name](*about)


def work_one_stage(round_: Round) -> Round:
    """Do the workers' part of the round's current stage."""
    advance_round(round_.pk)
    round_.refresh_from_db()
    if round_.status in WORKING:
        run_task("worker.run_chunks", round_.pk, round_.planned)
        round_.refresh_from_db()
    return round_


def work_to_the_end(round_: Round) -> None:
    for _ in range(10):
        if work_one_stage(round_).status not in WORKING:
            return
    raise AssertionError(f"The round is still {round_.status}: {round_.error}")


def answer(page: Page, button: str, confirm: str) -> None:
    """Press a button of the page, then the one of the confirmation dialog."""
    page.get_by_role("button", name=button, exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name=confirm, exact=True).click()
    expect(page.get_by_role("dialog")).to_be_hidden()


def stage(page: Page, name: str) -> Locator:
    return page.get_by_role("listitem").filter(has=page.get_by_role("heading", name=re.compile(rf"^{name}\b")))


def fill_in_the_form(page: Page) -> None:
    page.get_by_role("navigation", name="Project").get_by_role("link", name="Rounds").click()
    page.get_by_role("link", name="New round").first.click()
    page.get_by_label("Convincing wrong answers").check()
    expect(page.get_by_role("radio", name="tiny")).to_be_checked()  # the one that is ready
    expect(page.get_by_role("radio", name="broken")).to_be_disabled()
    expect(page.locator("label").filter(has_text="broken")).to_contain_text("cannot be used")
    panel = page.get_by_role("region", name="What the round would choose")
    expect(panel).to_contain_text(f"{PROBLEMS * SAMPLES} traces of {PROBLEMS} problems")
    page.get_by_label("Traces of a problem (K)").fill("")
    expect(page.get_by_role("button", name="Start the round")).to_be_disabled()
    expect(panel).to_contain_text("These numbers are out of date.")
    page.get_by_label("Traces of a problem (K)").fill("2")
    page.get_by_label("Wrong answers, percent").fill("100")
    expect(panel).to_contain_text("up to date")
    expect(page.get_by_text("the 2 most convincing wrong answers")).to_be_visible()
    page.get_by_label("Name (optional)").fill("First PRM")


def watch_the_workers(page: Page, round_: Round) -> None:
    expect(stage(page, "Grade")).to_contain_text("waiting for a worker")
    work_one_stage(round_)
    expect(stage(page, "Grade")).to_contain_text(f"{PROBLEMS * SAMPLES} traces")
    page.reload()
    work_to_the_end(round_)
    expect(page.get_by_text("Ready for you to look at")).to_be_visible()
    expect(stage(page, "Score")).to_contain_text(f"{PROBLEMS * SAMPLES} traces")


def judge_the_choice(page: Page) -> None:
    expect(page.get_by_role("region", name="7 traces chosen")).to_be_visible()  # one of them the control
    scores = page.get_by_role("figure", name=re.compile("^Scores"))
    scores.get_by_text("Show as a table").click()
    expect(scores.get_by_role("columnheader", name="Random control")).to_be_visible()
    sample = page.get_by_role("listitem").filter(has=page.get_by_role("toolbar")).first
    sample.get_by_role("button", name="Step 1").click()
    expect(sample).to_contain_text("I add")
    page.keyboard.press("ArrowRight")
    second = sample.get_by_role("button", name="Step 2")
    expect(second).to_be_focused()
    expect(second).to_have_attribute("aria-current", "true")
    expect(sample).to_contain_text("So it is")


def choose_again(page: Page, round_: Round) -> None:
    page.get_by_role("button", name="Change the rules").click()
    rules = page.get_by_role("form", name="Rules of the selection")
    rules.get_by_label("Traces of a problem (K)").fill("1")
    rules.get_by_label("Random control, percent").fill("0")
    rules.get_by_role("button", name="Choose again").click()
    expect(page.get_by_text("Ready for you to look at")).to_be_hidden()
    work_to_the_end(round_)
    expect(page.get_by_role("region", name=f"{PROBLEMS} traces chosen")).to_be_visible()


def test_a_researcher_takes_a_round_from_the_form_to_its_report(
    live_server: Any, log_in: LogIn, open_desk: OpenDesk, project: Project, prm: StepScorer
) -> None:
    researcher = factories.make_member(project, "researcher")
    labeler = factories.make_member(project, display_name="Ada")
    page = log_in(researcher)
    page.goto(f"{live_server.url}/projects/{project.slug}/home")
    fill_in_the_form(page)
    page.get_by_role("button", name="Start the round").dblclick()
    expect(page.get_by_role("heading", level=1, name="First PRM")).to_be_visible()
    round_ = Round.objects.get(project=project)  # the second press did not start another
    watch_the_workers(page, round_)
    judge_the_choice(page)
    choose_again(page, round_)
    answer(page, "Publish to labelers", "Publish")
    expect(page.get_by_text(f"0 of {PROBLEMS} labels (0 %)")).to_be_visible()

    desk = open_desk(labeler, project.slug)
    for left in range(PROBLEMS, 0, -1):
        desk.press("Space", "x")
        desk.expect_ratings("+1", "−1")
        desk.press("Enter")
        if left > 1:
            desk.expect_ratings("not rated", "not rated")
    desk.wait_until(
        lambda: Label.objects.filter(status="submitted").count() == PROBLEMS, "all labels are on the server"
    )
    look_at_the_models_view(desk.page, f"{live_server.url}/projects/{project.slug}/my-work")

    answer(page, "Close round", "Close for good")
    worth = page.get_by_role("region", name="What it was worth")
    expect(worth).to_contain_text("found an error in 100 % of the convincing wrong answers (3 of 3)")
    with page.expect_download() as download:
        worth.get_by_role("link", name="Download as CSV").click()
    rows = list(csv.reader(io.StringIO(Path(download.value.path()).read_text())))
    [found] = [row for row in rows if row[:2] == ["yield", "convincing_wrong"]]
    assert (float(found[2]), found[5]) == (1.0, str(PROBLEMS))


def look_at_the_models_view(page: Page, address: str) -> None:
    """The labeler asks for the model's view of one of their labels; the request is recorded."""
    page.goto(address)
    page.get_by_role("button", name="The model’s view").first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("This is recorded")
    assert not Label.objects.exclude(scores_revealed_at=None).exists()
    dialog.get_by_role("button", name="Show what machines say").click()
    expect(dialog.get_by_role("toolbar").get_by_role("button")).to_have_count(2)
    assert Label.objects.exclude(scores_revealed_at=None).count() == 1


def test_outcomes_are_graded_looked_at_and_applied(live_server: Any, log_in: LogIn, project: Project) -> None:
    page = log_in(factories.make_member(project, "researcher"))
    page.goto(f"{live_server.url}/projects/{project.slug}/gradings")
    page.get_by_role("button", name="Start grading").click()
    expect(page.get_by_text("Waiting for a worker.")).to_be_visible()
    job = GradingJob.objects.get(project=project)
    run_task("worker.grade_traces", job.pk)
    expect(page.get_by_text("18 traces graded. 18 outcomes differ.")).to_be_visible()
    page.get_by_label("Would be").select_option("wrong")
    differences = page.get_by_role("table", name="Traces whose outcome would change")
    expect(differences.get_by_role("row")).to_have_count(1 + 12)
    expect(differences).to_contain_text("other number")
    assert not Trace.objects.exclude(outcome="ungraded").exists()
    answer(page, "Apply 18 changes", "Apply")
    run_task("worker.grade_traces", job.pk)
    expect(page.get_by_text("Applied: 18 outcomes were changed.")).to_be_visible()
    assert Trace.objects.filter(outcome="wrong").count() == 12
