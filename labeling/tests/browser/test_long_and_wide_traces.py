"""Long traces, wide formulas and small screens: labelers can see what they rate."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from labeling.models import Project, Trace, User
from labeling.tests import factories
from labeling.tests.browser.conftest import OpenDesk
from labeling.tests.browser.labeling_desk import LabelingDesk

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
SUM = "+".join(f"a_{{{number}}}" for number in range(30))
MATRIX = r"\begin{pmatrix}" + "&".join(f"a_{{{number}}}" for number in range(40)) + r"\end{pmatrix}"


@pytest.fixture
def desk_of(open_desk: OpenDesk) -> Any:
    """Open the labeling page with one trace of these steps."""

    def open_it(steps: list[str], **options: Any) -> LabelingDesk:
        project, ada = _project_with(steps)
        return open_desk(ada, project.slug, **options)

    return open_it


def test_in_a_long_trace_the_earlier_wrong_step_is_chosen_by_number_and_always_in_sight(desk_of: Any) -> None:
    desk = desk_of([f"Step {number} says this." for number in range(1, 53)])
    page = desk.page
    for _ in range(5):
        page.keyboard.down("Space")  # held down: each event after the first is a repeat
    page.keyboard.up("Space")
    desk.expect_focus(2)
    desk.press("End")
    desk.expect_focus(52)
    desk.press("k", "k", "e", "r")
    expect(desk.step(50)).to_be_in_viewport(ratio=1)
    for keys, step in (("3", 3), ("8", 38), ("k", 37), ("Home", 1), ("38", 38)):
        desk.press(*(keys if keys.isdigit() else [keys]))
        expect(page.get_by_role("button", name=f"It is step {step}", exact=False)).to_be_visible()
        expect(desk.step(step)).to_be_in_viewport(ratio=1)
    expect(page.get_by_text("12 ratings after it removed").first).to_be_visible()
    desk.press("Enter")
    desk.expect_text("Noticed at step 51 and moved here.")
    desk.expect_focus(38)
    expect(desk.step(38)).to_be_in_viewport()
    desk.press("z")
    expect(desk.step(50)).to_have_attribute("aria-label", "Step 50 of 52, rated +1")
    desk.press("Home", "PageDown")
    expect(desk.step(1)).not_to_be_focused()
    expect(page.locator("[data-step]:focus")).to_be_in_viewport(ratio=1)
    desk.press("PageUp")
    desk.expect_focus(1)
    desk.press(".")
    desk.expect_focus(51)


def test_a_formula_wider_than_its_place_is_broken_or_says_that_there_is_more(desk_of: Any) -> None:
    program = "def f(x):\n    return " + " + ".join(["x"] * 60)
    desk = desk_of([f"$$S = {SUM} = {SUM}$$", f"So ${MATRIX}$ it is.", program, "```", "לכן $x + 1 = 2$ ומכאן"])
    broken, more = (desk.step(number).locator("[data-formula]") for number in (1, 2))
    assert _hidden(broken) == 0
    expect(broken).to_have_attribute("data-broken", "")
    tops = "all => all.map(one => one.getBoundingClientRect().y)"
    left, first, *_ = broken.locator("[data-piece]").evaluate_all(tops)
    assert abs(left - first) < 15, "what stands before the first relation is read on the first line"
    expect(more).to_have_attribute("data-more", "right")
    desk.press("j", "ArrowRight")
    expect(more).to_have_attribute("data-more", "left right")
    desk.press(*["ArrowRight"] * 12)
    expect(more).to_have_attribute("data-more", "left")
    desk.expect_focus(2)
    first, second = _line_starts(desk.step(3).locator("pre > span").last)
    assert first + 30 < second < float("inf"), "where a line goes on it begins further in than its text"
    expect(desk.step(4)).to_contain_text("code begins or ends here")
    pieces = desk.step(5).locator(".katex-html .katex-base")
    lefts = pieces.evaluate_all("all => all.map((piece) => piece.getBoundingClientRect().left)")
    assert len(lefts) > 2
    assert lefts == sorted(lefts), "beside words from right to left, too"
    desk.page.set_viewport_size({"width": 1920, "height": 900})
    expect(desk.step(2).locator(".read")).to_have_js_property("clientWidth", 760)


def test_a_phone_opens_at_the_problem_and_keeps_a_line_of_it(desk_of: Any) -> None:
    desk = desk_of([f"Step {number} says this." for number in range(1, 21)], **PHONE)
    page = desk.page
    line = page.get_by_role("button", name=re.compile("^Problem")).locator("visible=true")
    assert page.evaluate("window.scrollY") == 0
    expect(line).to_have_count(0)
    bar = page.get_by_role("radiogroup", name="Rating of step").locator("visible=true")
    for _ in range(12):
        bar.get_by_role("radio", name="+1, good").tap()
    desk.expect_text("Step 13 of 20")
    line.tap()
    expect(page.get_by_text("What is to be shown").locator("visible=true").first).to_be_in_viewport()
    line.tap()
    page.get_by_role("button", name="More").locator("visible=true").tap()
    page.get_by_role("button", name="I just realised").locator("visible=true").tap()
    page.get_by_label("Number of the wrong step").fill("2")
    expect(desk.step(2)).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.get_by_role("button", name="It is step 2").tap()
    desk.expect_text("Noticed at step 13 and moved here.")


def _project_with(steps: list[str]) -> tuple[Project, User]:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_traces(project, 1)
    long = "What is to be shown, in many words. " * 30
    trace = Trace.objects.get()
    Trace.objects.filter(pk=trace.pk).update(steps=steps)
    type(trace.problem).objects.filter(pk=trace.problem_id).update(text=long)
    factories.make_round(project, 0)
    return project, ada


def _hidden(formula: Locator) -> int:
    """Return how many pixels of it are out of sight."""
    box = formula.locator("> span")
    expect(box).to_be_visible()
    return int(box.evaluate("box => box.scrollWidth - box.clientWidth"))


def _line_starts(text: Locator) -> list[float]:
    """Return where an element's first two wrapped lines begin; the first begins where its words do."""
    starts: list[float] = text.evaluate(
        """line => {
            const words = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
            let text = words.nextNode();
            while (!text.data.trim()) text = words.nextNode();
            const range = document.createRange();
            range.setStart(text, text.data.search(/\\S/));
            range.setEnd(line, line.childNodes.length);
            const rects = [...range.getClientRects()].filter(rect => rect.width > 0);
            const isFirst = rect => rect.top < rects[0].bottom;  // a keyword is a box of its own
            const lines = [rects.filter(isFirst), rects.filter(rect => !isFirst(rect))];
            return lines.map(boxes => Math.min(...boxes.map(box => box.left)));
        }"""
    )
    return starts
