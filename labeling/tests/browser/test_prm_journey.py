"""From labels to the next selector: a researcher closes, trains, evaluates, compares and promotes, by the pages."""

import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from annotation_app.celery import app
from labeling.actions.prms import register_prm
from labeling.models import Evaluation, Prm, Project, Round, TrainingRun
from labeling.tests import factories
from labeling.tests.browser.conftest import OpenDesk
from labeling.tests.imports.files import import_bytes, lines, neutral_row
from labeling.tests.training.labels import RIGHT, WRONG, is_kept_back, many_labels

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

LogIn = Callable[..., BrowserContext]


@pytest.fixture
def project() -> Project:
    return factories.make_project(name="Clips")


@pytest.fixture
def models(tmp_path: Path, settings: Any) -> Prm:
    """A base to train from, and a PRM of random weights that rounds use so far."""
    tiny = pytest.importorskip("worker.tests.prm.tiny", reason="needs the worker's requirements")
    settings.MODELS_DIR = tmp_path
    settings.TRAINING_BASES = {"Tiny base": "base"}
    tiny.step_classifier(tmp_path / "base", kind="llama", num_hidden_layers=3)
    tiny.step_classifier(tmp_path / "random")
    prm = register_prm("Random weights", {"family": "step_classifier", "path": "random"})
    run_task("worker.check_prm", prm.pk)
    return prm


def run_task(name: str, *about: Any) -> None:
    """What a worker does with one message."""
    app.loader.import_default_modules()
    app.tasks[name](*about)


def import_samples(project: Project, folder: Path) -> None:
    """Graded traces with a recorded first error on problems kept back: what is measured on."""
    chance = Random(5)
    texts = itertools.islice(filter(is_kept_back, (f"How many clips has {n}?" for n in itertools.count())), 6)
    rows = []
    for text, sample in itertools.product(texts, range(5)):
        error = chance.choice([-1, 0, 1, 2])
        steps = [f"{chance.choice(WRONG if step == error else RIGHT)} ({sample})" for step in range(3)]
        known = {"first_error": error, "final_answer": str(72 + (error > 0)), "final_answer_correct": error <= 0}
        rows.append(
            neutral_row(
                text, steps, source="answers", subject=("Algebra", "Sums")[int(text.split()[-1][:-1]) % 2], **known
            )
        )
    assert import_bytes(project, lines(*rows), folder).status == "succeeded"


def confirm(page: Page, button: str, answer: str) -> None:
    page.get_by_role("button", name=button, exact=True).first.click()
    page.get_by_role("dialog").get_by_role("button", name=answer, exact=True).click()
    expect(page.get_by_role("dialog")).to_be_hidden()


def label_one_trace(open_desk: OpenDesk, project: Project) -> None:
    """At the keys, in a round that is open; so that what people just labeled is learned."""
    desk = open_desk(factories.make_member(project), project.slug)
    desk.press("Space", "x")
    desk.press("Enter")
    desk.wait_until(lambda: project.labels.filter(client_build__gt="", status="submitted").exists(), "it is sent")


def train(page: Page, project: Project) -> TrainingRun:
    """From the closed round's page to a finished training."""
    page.get_by_role("link", name="Train a PRM").click()
    page.get_by_label("Name (optional)").fill("After round 1")
    expect(page.get_by_role("region", name="What it would learn from")).to_contain_text("kept back")
    page.get_by_role("button", name="Start training").click()
    expect(page.get_by_text("Waiting for a worker of the queue gpu.")).to_be_visible()
    run = TrainingRun.objects.get(project=project)
    run_task("worker.train_prm", run.pk)
    expect(page.get_by_text("Done. The PRM is ready")).to_be_visible()
    curve = page.get_by_role("figure", name="Step AUC on validation problems")
    expect(curve.locator("svg[role=img] circle, svg[role=img] polyline").first).to_be_visible()
    run.refresh_from_db()
    return run


def make_the_set(page: Page, home: str) -> None:
    page.goto(f"{home}/evaluations")
    form = page.get_by_role("form", name="New evaluation set")
    form.get_by_role("radio", name=re.compile("Recorded")).check()
    form.get_by_role("textbox", name="Name").fill("Answers")
    form.get_by_role("button", name="Make the set").click()
    expect(page.get_by_text("30 traces of 6 problems")).to_be_visible()


def evaluate(page: Page, home: str, prm: Prm) -> Evaluation:
    """Ask for it, let a worker do it, and look at each picture."""
    page.goto(f"{home}/evaluations?prm={prm.pk}")
    page.get_by_role("button", name="Evaluate", exact=True).click()
    expect(page.get_by_text("Waiting for a worker of the queue gpu.")).to_be_visible()
    evaluation = Evaluation.objects.latest("pk")
    assert evaluation.prm_id == prm.pk
    run_task("worker.evaluate_prm", evaluation.pk)
    expect(page.get_by_role("region", name="Figures")).to_contain_text("ProcessBench F1")
    for title in ("Does it mean what it says?", "Score against length", "Best of N", "By subject"):
        figure = page.get_by_role("figure", name=title)
        figure.get_by_text("Show as a table").click()
        assert figure.get_by_role("row").count() > 1
    for title in ("Does it mean what it says?", "Score against length", "Best of N"):
        picture = page.get_by_role("figure", name=title).locator("svg[role=img]")
        assert picture.locator("polyline, circle").count() > 0
        box = picture.bounding_box()
        assert box is not None
        assert box["width"] > 200
        assert "NaN" not in json.dumps(picture.evaluate("node => node.outerHTML"))
    return evaluation


def test_labels_become_the_selector_of_the_next_round(
    live_server: Any, log_in: LogIn, open_desk: OpenDesk, project: Project, models: Prm, tmp_path: Path
) -> None:
    many_labels(project, tmp_path)
    import_samples(project, tmp_path)
    labeled = factories.make_round(project, traces=1, steps=2)
    researcher = factories.make_member(project, "researcher")
    page = log_in(researcher).new_page()
    home = f"{live_server.url}/projects/{project.slug}"
    label_one_trace(open_desk, project)
    page.goto(f"{home}/rounds/{labeled.pk}")
    confirm(page, "Close round", "Close for good")
    make_the_set(page, home)
    page.goto(f"{home}/rounds/{labeled.pk}")
    learned = Round.objects.get(project=project, imported=True)
    page.goto(f"{home}/rounds/{learned.pk}")
    run = train(page, project)
    assert run.prm is not None
    evaluate(page, home, models)
    evaluate(page, home, run.prm)
    page.get_by_role("link", name="Evaluations").last.click()
    for name in ("Random weights", run.prm.name):
        page.get_by_role("checkbox", name=f"Compare {name} on Answers").first.check()
    page.get_by_role("link", name="Compare the two").click()
    expect(page.get_by_text("Where they disagree most")).to_be_visible()
    page.get_by_role("toolbar").first.get_by_role("button").first.click()
    page.goto(f"{home}/prms")
    page.get_by_role("button", name=f"Promote {run.prm.name}").click()
    page.get_by_role("dialog").get_by_role("button", name="Promote").click()
    expect(page.get_by_role("region", name="The selector")).to_contain_text(run.prm.name)
    page.goto(f"{home}/rounds/new?kind=convincing")
    expect(page.get_by_role("radio", name=re.compile(re.escape(run.prm.name)))).to_be_checked()
    page.goto(f"{home}/prms")
    confirm(page, "Roll back", "Roll back")
    expect(page.get_by_role("region", name="The selector")).to_contain_text("None yet")
