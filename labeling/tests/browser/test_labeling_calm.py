"""What the labeling page spares labelers: scrolling to a message, using the mouse, logging in twice."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from labeling.models import Label, Problem
from labeling.tests import factories
from labeling.tests.browser.conftest import OpenDesk
from labeling.tests.browser.labeling_desk import problem_start

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_what_is_missing_and_the_card_of_a_mistake_are_in_sight_far_down_a_long_trace(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, 1, steps=30)
    desk = open_desk(ada, project.slug)
    desk.press(*["Space"] * 20, "Enter")
    said = desk.page.get_by_text("Step 21 is not rated yet.").locator("visible=true")
    expect(said).to_be_in_viewport()
    desk.press("x")
    bar = desk.page.get_by_role("button", name="Submit, next").locator("visible=true").bounding_box()
    card = desk.page.get_by_text("Finishes as: error found.")
    expect(card).to_be_in_viewport(ratio=1)
    found = card.bounding_box()
    assert bar
    assert found
    assert found["y"] + found["height"] < bar["y"]


def test_words_about_a_mistake_are_typed_and_submitted_without_leaving_the_keyboard(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, 2)
    desk = open_desk(ada, project.slug)
    first, second = desk.wait_for_two_labels()
    desk.press("x", "m")
    desk.page.keyboard.type("The sign is lost.")
    desk.press("Control+Enter")
    desk.expect_problem(problem_start(second))
    desk.wait_for_status(first, "submitted")
    assert first.submission
    assert first.submission["mistake"]["explanation"] == "The sign is lost."


def test_a_figure_that_is_not_drawn_says_so_and_counts_as_missing(
    open_desk: OpenDesk, live_server: Any, log_in: Callable[..., Page]
) -> None:
    project = factories.make_project()
    factories.make_round(project, 2)
    drawn, with_an_image = Problem.objects.filter(project=project).order_by("pk")
    Problem.objects.filter(pk=drawn.pk).update(text="How long is it?\n[asy]\ndraw((0,0)--(3,4));\n[/asy]")
    Problem.objects.filter(pk=with_an_image.pk).update(text="Which is it? ![a triangle](https://a.example/t.png)")
    desk = open_desk(factories.make_member(project), project.slug)
    label = Label.objects.select_related("task__trace").get(status="open")
    box = desk.page.get_by_role("figure")
    expect(box).to_contain_text("A figure is missing here.")
    expect(box).to_contain_text("If you cannot judge the problem without it, report a bad problem: missing figure.")
    source = box.get_by_text("Source of the drawing" if label.task.trace.problem_id == drawn.pk else "Address of")
    source.press("Enter")
    expect(box.locator("pre")).to_be_visible()
    desk.press("b")
    expect(desk.page.get_by_role("radio", name="Needs a missing figure")).to_be_checked()
    desk.page.keyboard.type("Its sides are only in the drawing.")
    desk.press("Control+Enter")
    desk.wait_for_status(label, "submitted")
    assert label.finish_detail == {"kind": "missing_figure", "text": "Its sides are only in the drawing."}

    office = log_in(factories.make_member(project, "researcher"))
    office.goto(f"{live_server.url}/projects/{project.slug}/home")
    expect(office.get_by_text("which labelers do not see; 1 label says one is missing")).to_be_visible()
    expect(office.get_by_text("Problems with a figure").locator("..")).to_contain_text("2")


def test_the_offer_to_undo_a_submission_makes_room_once_the_next_task_is_worked_on(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, 2)
    desk = open_desk(ada, project.slug)
    _, second = desk.wait_for_two_labels()
    desk.press("x", "Enter")
    desk.expect_problem(problem_start(second))
    # Whether the page also asks about haste depends on how fast this machine is.
    offer = desk.page.get_by_text(re.compile(r"^Submitted\.")).locator("visible=true")
    expect(offer).to_be_visible()
    desk.press("Space")
    expect(offer).to_have_count(0)
    desk.press("z")
    expect(offer).to_be_visible()


def test_the_key_takes_the_last_submission_back_where_nothing_is_left_to_label(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, 1)
    desk = open_desk(ada, project.slug)
    desk.press("x", "Enter")
    desk.expect_text("You have labeled all there is for you")
    desk.press("z")
    desk.expect_ratings("−1", "stays unlabelled", "stays unlabelled")


def test_a_login_that_is_quicker_than_the_page_waits_for_its_token(
    live_server: Any, new_page: Callable[..., Page]
) -> None:
    factories.make_member(factories.make_project(), username="ada", password="a-long-password-1")
    page = new_page()
    held: list[Route] = []  # hold the session's request until released
    page.route("**/api/session", lambda route: held.append(route))  # playwright marks its handlers
    page.goto(f"{live_server.url}/login")
    page.get_by_label("User name").fill("ada")
    page.get_by_label("Password", exact=True).fill("a-long-password-1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Logging in")).to_be_visible()
    page.unroute("**/api/session")  # the held request continues
    expect(page.get_by_role("heading", name="Log in")).to_have_count(0)
