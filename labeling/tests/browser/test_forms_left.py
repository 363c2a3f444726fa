"""Long forms keep their contents when left: by the menu, by Back, by reloading the page."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeling.models import Project, Round, TrainingRun
from labeling.tests import factories
from labeling.tests.browser.scored_project import make_scored_project

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LogIn = Callable[..., Page]


@dataclass
class LeftForm:
    """A form by its address; what is selected in it first, the fields to type in, and their initial values."""

    address: str
    choice: str
    typed: dict[str, str]
    empty: dict[str, str]
    button: str

    def fill(self, page: Page) -> None:
        if self.choice:
            page.get_by_role("radio", name=re.compile(f"^{self.choice}")).check()
        for field, text in self.typed.items():
            page.get_by_label(field, exact=True).fill(text)

    def expect_filled(self, page: Page) -> None:
        if self.choice:
            expect(page.get_by_role("radio", name=re.compile(f"^{self.choice}"))).to_be_checked()
        for field, text in self.typed.items():
            expect(page.get_by_label(field, exact=True)).to_have_value(text)

    def expect_empty(self, page: Page) -> None:
        for field, text in self.empty.items():
            expect(page.get_by_label(field, exact=True)).to_have_value(text)
        expect(page.get_by_text("As you left it.")).to_have_count(0)


NAME = "Name (optional)"
FORMS = [
    LeftForm("rounds/new", "A random sample", {NAME: "Pilot", "How many": "7"}, {NAME: ""}, "Open the round"),
    LeftForm(
        "rounds/new?kind=convincing",
        "",
        {NAME: "Algebra", "Traces of a problem (K)": "3"},
        {NAME: "", "Traces of a problem (K)": "1"},
        "Start the round",
    ),
    LeftForm(
        "rounds/new?kind=path",
        "",
        {NAME: "Paths", "Steps of a path, at most": "40"},
        {NAME: "", "Steps of a path, at most": "60"},
        "Open the round",
    ),
    LeftForm("prms/train", "LoRA", {NAME: "After round 2", "Layers kept": "12"}, {NAME: ""}, "Start training"),
]


def test_a_form_that_was_left_is_as_it_was_and_the_next_one_is_empty(
    live_server: Any, log_in: LogIn, settings: Any
) -> None:
    settings.TRAINING_BASES = {"Tiny": "tiny"}
    scored = make_scored_project()
    page = log_in(factories.make_member(scored.project, "researcher"))
    start = f"{live_server.url}/projects/{scored.project.slug}"
    for form in FORMS:
        page.goto(f"{start}/{form.address}")
        form.expect_empty(page)
        form.fill(page)
        page.get_by_role("link", name="Data", exact=True).first.click()
        expect(page.get_by_role("heading", level=1, name="Traces")).to_be_visible()
        page.go_back()
        expect(page.get_by_text("As you left it.")).to_be_visible()
        form.expect_filled(page)
        page.reload()
        expect(page.get_by_text("As you left it.")).to_be_visible()
        form.expect_filled(page)
        page.get_by_role("button", name="Start over").click()
        form.expect_empty(page)
        form.fill(page)
        page.get_by_role("button", name=form.button).click()
        expect(page.get_by_role("heading", level=1, name=form.typed[NAME])).to_be_visible()
        page.goto(f"{start}/{form.address}")
        form.expect_empty(page)
    made = [Round.objects.get(name=name) for name in ("Pilot", "Algebra", "Paths")]
    assert [made[0].config["sample_size"], made[1].config["k"], made[2].config["step_cap"]] == [7, 3, 40]
    run = TrainingRun.objects.get()
    assert (run.name, run.method) == ("After round 2", "lora")


def test_guidelines_that_were_left_are_gone_on_with(live_server: Any, log_in: LogIn) -> None:
    project = factories.make_project()
    page = log_in(factories.make_member(project, "researcher"))
    page.goto(f"{live_server.url}/projects/{project.slug}/guidelines")
    page.get_by_role("button", name="Write the guidelines").click()
    page.get_by_label("Markdown").fill("Rate the first step.")
    page.get_by_role("link", name="Data", exact=True).first.click()
    expect(page.get_by_role("heading", level=1, name="Traces")).to_be_visible()
    page.go_back()
    page.get_by_role("button", name="Go on writing").click()
    expect(page.get_by_text("As you left it.")).to_be_visible()
    expect(page.get_by_label("Markdown")).to_have_value("Rate the first step.")
    page.get_by_role("button", name="Publish as a new version").click()
    expect(page.get_by_role("article")).to_contain_text("Rate the first step.")
    page.get_by_role("button", name="Edit", exact=True).click()
    expect(page.get_by_label("Markdown")).to_have_value("Rate the first step.")
    expect(page.get_by_text("As you left it.")).to_have_count(0)


def test_of_settings_that_were_left_what_was_edited_alone_is_saved(live_server: Any, log_in: LogIn) -> None:
    project = factories.make_project(description="Before.")
    page = log_in(factories.make_member(project, "admin"))
    settings_page = f"{live_server.url}/projects/{project.slug}/settings"
    page.goto(settings_page)
    page.get_by_label("Description").fill("After.")
    page.get_by_role("link", name="Guidelines", exact=True).click()
    expect(page.get_by_role("heading", level=1, name="Guidelines")).to_be_visible()
    Project.objects.filter(pk=project.pk).update(lease_minutes=77)
    page.goto(settings_page)
    expect(page.get_by_text("As you left it.")).to_be_visible()
    expect(page.get_by_label("Description")).to_have_value("After.")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    expect(page.get_by_text("As you left it.")).to_have_count(0)
    project.refresh_from_db()
    assert (project.description, project.lease_minutes) == ("After.", 77)
