"""A key marks what changed between a step and the one before it; the texts stay texts."""

import pytest
from playwright.sync_api import Page

from labeling.models import Trace
from labeling.tests import factories
from labeling.tests.browser.conftest import OpenDesk
from labeling.tests.browser.test_symbol_tracing import marked

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
STEPS = [
    "We begin with $2x + 6 = 10$.",
    "Subtract &amp;now: $2x = 10 - 6$.",
    "So $2x = 4$ and x = 2.",
]


def test_what_a_step_changed_is_marked_by_a_key_from_step_to_step(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_traces(project, 1)
    Trace.objects.update(steps=STEPS)
    factories.make_round(project, 0)
    desk = open_desk(ada, project.slug)
    page = desk.page
    assert _changes(page) == ([], []), "off until it is asked for"
    desk.press("j", "d")
    desk.expect_text("In each step you visit, new parts are marked")
    _expect(page, gone="+ 6", come="− 6")
    assert "&amp;now" in desk.step(2).inner_text(), "text from outside stays text"
    before = desk.step(2).bounding_box()
    desk.press("j")
    _expect(page, gone="10 − 6", come="4 x = 2")
    assert desk.step(2).bounding_box() == before, "nothing moves by it"
    desk.press("t")
    page.wait_for_function("() => (CSS.highlights.get('come')?.size ?? 0) > 0")
    desk.press("t")
    _expect(page, gone="10 − 6", come="4 x = 2")
    desk.press("k", "k")
    _expect(page, gone="", come="")
    desk.press("j")
    _expect(page, gone="+ 6", come="− 6")
    desk.press("d")
    desk.expect_text("Changes are no longer marked.")
    assert _changes(page) == ([], [])


def _changes(page: Page) -> tuple[list[str], list[str]]:
    return marked(page, "gone"), marked(page, "come")


def _expect(page: Page, *, gone: str, come: str) -> None:
    wanted = (gone.split(), come.split())
    for _ in range(100):
        if _changes(page) == wanted:
            return
        page.wait_for_timeout(50)
    assert _changes(page) == wanted
