"""Several traces of a problem in a row, with earlier ratings filled in; and the bell."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeling.actions import notices, rounds
from labeling.models import StepLabel, Task
from labeling.tests import factories
from labeling.tests.browser.axe import expect_no_violations
from labeling.tests.browser.conftest import OpenDesk

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

FIRST = ["Let $x$ be the side.", r"Then \(\frac{1}{2}x = 3\).", "So the side is 5."]
SECOND = ["Let $x$ be the side.", r"Then $\dfrac12 x = 3$.", "So the side is $6$.", "The answer is 6."]
OTHER = ["Another problem.", "It ends."]


def test_a_session_by_keyboard_with_marked_ratings_that_are_left_or_changed(open_desk: OpenDesk) -> None:
    project = factories.make_project(session_traces=2)
    factories.make_siblings(project, FIRST, SECOND)
    factories.make_siblings(project, OTHER)
    opened = rounds.open_round(project, by=None)
    for place, steps in enumerate((FIRST, OTHER, SECOND)):  # the session serves the third before the second
        Task.objects.filter(round=opened, trace__steps=steps).update(order_key=place)
    desk = open_desk(factories.make_member(project), project.slug)
    desk.press("Space", "0", "x", "Enter")
    # The second trace of the problem is next; its first two steps are known, and the work starts after them.
    carried = ["+1, carried over", "0, carried over", "not rated", "not rated"]
    desk.step(4).wait_for()
    desk.expect_ratings(*carried)
    desk.expect_focus(3)
    desk.expect_text("Carried over from your label")
    desk.press("p")
    panel = desk.page.get_by_role("complementary", name="Your earlier labels of this problem")
    expect(panel).to_contain_text("First error at step 3")
    expect_no_violations(desk, "carried ratings, earlier labels")
    desk.press("Escape", "k", "Space")  # the second step is rated differently, so it is now the labeler's own
    desk.expect_ratings("+1, carried over", "+1", "not rated", "not rated")
    desk.expect_focus(3)
    desk.press("Space", "Space", "Enter")
    desk.expect_ratings("not rated", "not rated")  # another problem: nothing is carried over
    desk.wait_until(lambda: StepLabel.objects.filter(label__status="submitted").count() == 7, "both are submitted")
    rows = StepLabel.objects.filter(label__task__trace__steps=SECOND).order_by("step_index")
    assert list(rows.values_list("rating", "source")) == [(1, "carried"), (1, "typed"), (1, "typed"), (1, "typed")]


def test_the_bell_leads_to_the_notices_which_are_read_by_keyboard(
    live_server: Any, log_in: Callable[..., Page]
) -> None:
    project = factories.make_project()
    ada = factories.make_member(project, "researcher")
    for number, title in enumerate(["Round 1 is labeled", "Nobody labels Round 2"]):
        path = f"/projects/{project.slug}/home"
        notices.notify(
            project, "round_finished", event=f"e{number}", title=title, text="Look.", path=path, people=[ada]
        )
    page = log_in(ada)
    page.goto(f"{live_server.url}/projects")
    page.get_by_role("link", name="Notices, 2 unread ones").click()
    rows = page.locator("[data-notice]")
    expect(rows).to_have_count(2)
    rows.first.focus()
    page.keyboard.press("m")
    expect(page.get_by_role("link", name="Notices, 1 unread one")).to_be_visible()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{live_server.url}/projects/{project.slug}/home")
    expect(page.get_by_role("link", name="Notices", exact=True)).to_be_visible()
