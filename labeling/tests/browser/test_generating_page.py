"""A round that generates its traces first: from the form, by a real small model, to the researcher's list of traces."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation_app.generators import read_generators
from labeling.formats.normalise import problem_key
from labeling.models import Problem, Project, Round, Trace
from labeling.tests import factories
from labeling.tests.browser.test_round_journey import stage, work_one_stage, work_to_the_end

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

LogIn = Callable[..., Page]
PROBLEMS, SAMPLES = 2, 8


@pytest.fixture
def generator(settings: Any) -> Iterator[None]:
    """SmolLM2 on llama.cpp's server, as configured by the operator."""
    generation = pytest.importorskip("worker.tests.generation.small_model", reason="needs the worker's requirements")
    if not generation.INSTALLED:
        pytest.skip(generation.NOT_INSTALLED)
    with generation.small_model() as address:
        about = {"url": f"{address}/v1", "models": ["SmolLM2-135M-Instruct"], "batch": 4, "in_flight": 1}
        settings.GENERATORS = read_generators(json.dumps({"small": about}))
        yield


@pytest.fixture
def project() -> Project:
    """Problems without any trace."""
    project = factories.make_project(name="Unsolved", answer_kind="numeric")
    for number in range(PROBLEMS):
        text = f"What is {number} + {number}?"
        Problem.objects.create(project=project, text=text, answer="1", text_hash=problem_key(text))
    return project


def fill_in_the_form(page: Page) -> None:
    page.get_by_label("Convincing wrong answers").check()
    page.get_by_role("button", name="Set up this kind of round anyway").click()
    page.get_by_role("radio", name=re.compile("^None")).check()
    page.get_by_label("Make new traces first").check()
    expect(page.get_by_label("Server", exact=True)).to_have_value("small")
    expect(page.get_by_label("Model", exact=True)).to_have_value("SmolLM2-135M-Instruct")
    text = page.get_by_label("Text of the prompt")
    expect(text).to_have_value(re.compile(r"blank line between two steps.*\{problem\}$", re.DOTALL))
    start = page.get_by_role("button", name="Start the round")
    text.fill("Solve it.")
    expect(start).to_be_disabled()  # the template has no placeholder for the problem
    page.get_by_label("Prompt", exact=True).select_option("problem")
    expect(text).to_have_value("{problem}")
    text.fill("{problem} Say only: The answer is 2")  # a small model only sometimes follows instructions
    page.get_by_label("New traces of a problem").fill(str(SAMPLES))
    page.get_by_label("At most tokens").fill("60")
    page.get_by_label("Stop texts").fill("\\n\\n")
    page.get_by_label("Steps are cut").select_option("newline")
    cut = page.get_by_role("region", name="How steps would be cut")
    expect(cut).to_contain_text("The project has no traces yet")
    page.get_by_label("Or try it on text of your own").fill("First $x = 1$.\nThen $y = 2$.")
    expect(cut.get_by_role("heading")).to_have_text("Your text becomes 2 steps")
    page.get_by_label("Name (optional)").fill("Written here")
    expect(start).to_be_enabled()
    start.click()


@pytest.mark.usefixtures("generator")
def test_a_researcher_has_a_model_write_the_traces_of_a_round(
    live_server: Any, log_in: LogIn, project: Project
) -> None:
    page = log_in(factories.make_member(project, "researcher"))
    page.goto(f"{live_server.url}/projects/{project.slug}/rounds/new")
    fill_in_the_form(page)
    expect(page.get_by_role("heading", level=1, name="Written here")).to_be_visible()
    expect(stage(page, "Generate")).to_contain_text("waiting for a worker")
    round_ = Round.objects.get(project=project)
    work_one_stage(round_)
    kept = Trace.objects.filter(problem__in=Problem.objects.filter(project=project))
    expect(stage(page, "Generate")).to_contain_text(re.compile(r"[1-9]\d* kept; .*without a final answer"))
    expect(stage(page, "Generate")).to_contain_text(f"{SAMPLES * PROBLEMS} samples")
    work_to_the_end(round_)
    expect(page.get_by_text("Ready for you to look at")).to_be_visible()
    assert 0 < kept.count() < SAMPLES * PROBLEMS
    assert {(trace.generator, trace.sampling["max_tokens"], tuple(trace.sampling["stop"])) for trace in kept} == {
        ("SmolLM2-135M-Instruct", 60, ("\n\n",))
    }
    shown = page.get_by_role("region", name=re.compile("traces? chosen$"))
    expect(shown).to_be_visible()
    expect(page.get_by_text("SmolLM2-135M-Instruct").first).to_be_visible()
