"""A new project gets to its first round with a PRM from public data alone, by following its pages' suggestions."""

import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeling.models import ImportJob, Project, Round, TrainingRun
from labeling.tests import factories
from labeling.tests.browser.conftest import OpenDesk
from labeling.tests.browser.test_prm_journey import label_what_is_served
from labeling.tests.browser.test_round_journey import answer, run_task, work_to_the_end
from labeling.tests.imports.files import SHARED_DATA

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

LogIn = Callable[..., Page]
RATED, SAMPLED = 60, 12  # rows per file: enough to learn from, and to choose from
TASKS = 2


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """The first rows of two public files."""
    made = {}
    for name, rows in {"prm800k_val": RATED, "gsm8k_openai": SAMPLED}.items():
        source = SHARED_DATA / f"{name}.jsonl"
        if not source.exists():
            pytest.skip("needs the shared data (STEPMARK_SHARED_DATA)")
        made[name] = tmp_path / source.name
        with source.open("rb") as file:
            made[name].write_bytes(b"".join(islice(file, rows)))
    return made


@pytest.fixture(autouse=True)
def base(tmp_path: Path, settings: Any) -> Iterator[None]:
    """A tiny language model to train from, as configured by the operator."""
    tiny = pytest.importorskip("worker.tests.prm.tiny", reason="needs the worker's requirements")
    chunks = pytest.importorskip("worker.scoring_chunks")
    settings.MODELS_DIR, settings.TRAINING_BASES = tmp_path / "models", {"Tiny": "tiny"}
    (tmp_path / "models/trained").mkdir(parents=True)
    tiny.language_model(tmp_path / "models/tiny", num_hidden_layers=4)
    yield
    chunks._loaded.clear()


def make_project(page: Page, site: str) -> Project:
    page.goto(f"{site}/projects")
    page.get_by_role("button", name="New project").click()
    page.get_by_label("Name", exact=True).fill("Public data")
    page.get_by_role("button", name="Create the project").click()
    expect(page.get_by_role("heading", level=1, name="Imports")).to_be_visible()
    return Project.objects.get(slug="public-data")


def import_file(page: Page, file: Path, labels_of: str = "") -> None:
    page.get_by_role("link", name="Data", exact=True).click()
    expect(page.get_by_role("heading", level=1, name="Traces")).to_be_visible()  # not the form of the previous import
    page.get_by_role("link", name="Imports", exact=True).click()
    page.get_by_label("The file to import").set_input_files(file)
    page.get_by_label("Only check it").uncheck()
    page.get_by_label("Split").select_option("train")
    if labels_of:
        page.get_by_label("Make labels of recorded ratings").check()
        page.get_by_role("textbox", name="Labels of").fill(labels_of)
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_role("button", name="Import", exact=True)).to_be_enabled()
    job = ImportJob.objects.latest("pk")
    run_task("worker.run_import", job.pk)
    job.refresh_from_db()
    assert job.status == "succeeded", (job.error, job.report)
    page.reload()


def train_and_promote(page: Page) -> TrainingRun:
    ways = page.get_by_role("region", name="Ways to a PRM")
    expect(ways).to_contain_text(re.compile(r"\d+ labels in 1 round"))
    ways.get_by_role("link", name="Train a PRM").click()
    expect(page.get_by_role("radio", name=re.compile("Stacked head"))).to_be_checked()
    page.get_by_role("button", name="Start training").click()
    expect(page.get_by_text("Waiting for a worker of the queue gpu.")).to_be_visible()
    run = TrainingRun.objects.get()
    run_task("worker.train_prm", run.pk)
    run.refresh_from_db()
    assert run.status == "succeeded", run.error
    page.get_by_role("button", name="Promote", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Promote").click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.get_by_role("main").get_by_text("✓selector", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Promote", exact=True)).to_have_count(0)
    return run


def test_a_new_project_comes_to_its_first_round_with_a_prm_without_a_shell(
    live_server: Any, log_in: LogIn, open_desk: OpenDesk, files: dict[str, Path]
) -> None:
    page = log_in(factories.make_user(is_superuser=True))
    project = make_project(page, live_server.url)
    import_file(page, files["prm800k_val"], labels_of="PRM800K")
    import_file(page, files["gsm8k_openai"])
    page.get_by_role("link", name="Rounds", exact=True).first.click()
    page.get_by_role("link", name="New round").first.click()
    page.get_by_label("Convincing wrong answers").check()
    run = train_and_promote(page)

    page.get_by_role("link", name="Rounds", exact=True).first.click()
    page.get_by_role("link", name="New round").first.click()
    page.get_by_label("Convincing wrong answers").check()
    assert run.prm is not None
    expect(page.get_by_role("radio", name=re.compile(f"^{re.escape(run.prm.name)}"))).to_be_checked()
    page.get_by_label("Name (optional)").fill("First with a PRM")
    expect(page.locator("datalist option[value='gsm8k_openai']")).to_be_attached()
    page.get_by_label("Source").fill("gsm8k_openai")
    page.get_by_label("Traces of a problem (K)").fill("1")
    page.get_by_label("Wrong answers, percent").fill("100")
    page.get_by_label("Random control, percent").fill("0")
    page.get_by_label("At most in all").fill(str(TASKS))
    page.get_by_role("button", name="Start the round").click()
    expect(page.get_by_role("heading", level=1, name="First with a PRM")).to_be_visible()
    round_ = Round.objects.get(name="First with a PRM")
    work_to_the_end(round_)
    answer(page, "Publish to labelers", "Publish")
    round_.refresh_from_db()
    assert (round_.status, round_.scorer, round_.task_count) == ("labeling", run.prm, TASKS)
    labeler = factories.make_member(project)
    label_what_is_served(open_desk(labeler, project.slug), labeler, tasks=TASKS)
