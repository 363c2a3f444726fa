"""Two tabs of one labeler: only one has the work at a time."""

import pytest
from playwright.sync_api import expect

from labeling.tests import factories
from labeling.tests.browser.axe import expect_no_violations
from labeling.tests.browser.conftest import OpenDesk
from labeling.tests.browser.labeling_desk import LabelingDesk

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_second_tab_can_take_the_work_over(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, 1)
    first = open_desk(ada, project.slug)
    first.press("Space")
    second = LabelingDesk(first.page.context.new_page(), first.url)
    second.page.goto(second.url)
    second.expect_text("You are labeling in another tab")
    expect_no_violations(second, "in another tab")
    second.page.get_by_role("button", name="Take over here").click()
    second.step(1).wait_for()
    second.expect_ratings("+1", "not rated", "not rated")
    first.expect_text("You are labeling in another tab")
    second.press("0")
    second.expect_ratings("+1", "0", "not rated")
    second.page.close()
    first.expect_ratings("+1", "0", "not rated")  # automatically, with the other tab's ratings


def test_a_tab_that_nobody_sees_takes_no_work_from_the_one_in_front(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, 1)
    front = open_desk(ada, project.slug)
    behind = LabelingDesk(front.page.context.new_page(), front.url)
    behind.page.add_init_script(
        "Object.defineProperty(document, 'visibilityState', {get: () => window.seen ?? 'hidden'})"
    )
    behind.page.goto(behind.url)
    behind.expect_text("You are labeling in another tab")
    front.page.get_by_role("link", name="My work").click()
    expect(front.page.get_by_role("heading", name="My work", exact=True)).to_be_visible()
    front.page.go_back()
    front.step(1).wait_for()
    behind.expect_text("You are labeling in another tab")
    front.page.get_by_role("link", name="My work").click()
    expect(front.page.get_by_role("heading", name="My work", exact=True)).to_be_visible()
    behind.page.evaluate("window.seen = 'visible'; document.dispatchEvent(new Event('visibilitychange'))")
    behind.step(1).wait_for()
