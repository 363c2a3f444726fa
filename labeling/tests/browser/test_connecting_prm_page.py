"""A project without a PRM: an admin connects one by the pages alone, until a round with it can be set up."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeling.actions.workers import record_heartbeat
from labeling.models import PrmTrial, Project, StepScorer
from labeling.tests import factories
from labeling.tests.browser.pictures import expect_no_sideways_scrolling
from labeling.tests.browser.test_round_journey import run_task

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

LogIn = Callable[..., Page]
PHONE = {"width": 390, "height": 844}


@pytest.fixture
def project(tmp_path: Path, settings: Any) -> Project:
    """A worker sees a PRM with complete weights, and one with pickled weights."""
    tiny = pytest.importorskip("worker.tests.prm.tiny", reason="needs the worker's requirements")
    folders = pytest.importorskip("worker.model_folders")
    settings.MODELS_DIR = tmp_path
    tiny.step_classifier(tmp_path / "Tiny-PRM")
    tiny.step_classifier(tmp_path / "pickled")
    (tmp_path / "pickled/model.safetensors").rename(tmp_path / "pickled/pytorch_model.bin")
    record_heartbeat("gpu@one", ["gpu"], 1, folders.model_folders(tmp_path))
    return factories.make_project(name="New", reference_solution=True)


def connect(page: Page, folder: str) -> StepScorer:
    """Go from the list of what workers see to the PRM's page, before a worker has checked it."""
    form = page.get_by_role("form", name="Connect a PRM")
    form.get_by_role("radio", name=re.compile(f"^{folder}")).check()
    expect(form.get_by_role("radio", name=re.compile("^Step classifier"))).to_be_checked()
    form.get_by_role("button", name="Connect and check").click()
    expect(page.get_by_role("heading", level=1, name=folder)).to_be_visible()
    expect(page.get_by_text("It is being checked")).to_be_visible()
    prm = StepScorer.objects.get(name=folder)
    run_task("worker.check_prm", prm.pk)
    return prm


def test_an_admin_connects_a_prm_tries_it_and_sets_up_a_round_with_it(
    live_server: Any, log_in: LogIn, project: Project
) -> None:
    page = log_in(factories.make_member(project, "admin"))
    page.goto(f"{live_server.url}/projects/{project.slug}/rounds/new?kind=convincing")
    ways = page.get_by_role("region", name="Ways to a PRM")
    expect(ways).to_contain_text("There are no labels yet")
    ways.get_by_role("link", name="Connect a PRM").click()

    connect(page, "pickled")
    expect(page.get_by_text("A worker cannot use it")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("pytorch_model.bin, which is never opened")
    expect(page.get_by_role("button", name="Check again")).to_be_visible()
    page.get_by_role("link", name="Connect it another way").click()
    prm = connect(page, "Tiny-PRM")
    expect(page.get_by_text("Ready: a worker loaded it")).to_be_visible()
    expect(page.get_by_text("Learned from").locator("..")).to_contain_text("unknown")

    trying = page.get_by_role("form", name="Test scoring")
    trying.get_by_label("Problem").fill("What is $1 + 1$?")
    trying.get_by_label("Solution").fill("I add $1$ and $1$.\n\nSo it is $2$.")
    trying.get_by_label("What its card says").fill("[[0.5, 0.5]]")
    trying.get_by_role("button", name="Score it").click()
    expect(page.get_by_text("Waiting for a worker")).to_be_visible()
    run_task("worker.try_prm", PrmTrial.objects.get().pk)
    said = page.get_by_role("region", name="What it says")
    expect(said.get_by_role("toolbar").get_by_role("button")).to_have_count(2)
    expect(said).to_contain_text("card 0.50")
    page.set_viewport_size(PHONE)
    expect_no_sideways_scrolling(page)

    page.get_by_role("link", name="New round with it").click()
    expect(page.get_by_role("radio", name=re.compile("^Tiny-PRM"))).to_be_checked()
    assert list(project.step_scorers.filter(status="ready")) == [prm]
