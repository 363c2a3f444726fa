"""Tracing a symbol through problem and steps by keyboard: what is marked, where it first occurs, what is announced."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeling.models import Trace
from labeling.tests import factories
from labeling.tests.browser.conftest import OpenDesk

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PROBLEM = r"For integers $a$ and $c$ let $P(x) = 2x^3 - 2ax^2 + (a^2 - 81)x - c$. A big apple costs $\$81$. Find $c$."
STEPS = [
    r"Of course $\alpha = \frac{a}{9/4} + \text{area}$ and \[r_1 = \sqrt[3]{a^{81}} + r_{1} \cdot \tfrac94\]",
    "There are 810 of these, and 81 of those.",
    r"So \boxed{r_1} is $\frac94$.",
]
# What is painted over the text: by the highlight's name, the text of those of its ranges that have a place.
MARKED = """name => [...(CSS.highlights.get(name) ?? [])].map(range =>
    range.getBoundingClientRect().width > 0 ? range.toString() : "nowhere")"""


def marked(page: Page, name: str = "traced") -> list[str]:
    found: list[str] = page.evaluate(MARKED, name)
    return found


def test_a_symbol_is_traced_by_keyboard_through_problem_and_steps(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_traces(project, 1)
    trace = Trace.objects.get()
    Trace.objects.filter(pk=trace.pk).update(steps=STEPS)
    type(trace.problem).objects.filter(pk=trace.problem_id).update(text=PROBLEM, answer="81")
    factories.make_round(project, 0)
    desk = open_desk(ada, project.slug)
    page = desk.page
    status = page.get_by_role("complementary", name="Problem").get_by_role("status")

    desk.press("w")
    expect(status).to_contain_text("1 place, first in step 1")  # alpha, which is not an a
    assert marked(page) == ["α"]
    desk.press("w")
    expect(status).to_contain_text("5 places, first in the problem, then in 1 step. Place 4: step 1.")
    assert marked(page) == ["a"] * 5, "not the a of area, of an apple, of alpha"
    assert marked(page, "traced-first") == ["a"]
    desk.press("[")
    expect(status).to_contain_text("Place 3: the problem")
    desk.press("]", "]", "]", "]")
    expect(status).to_contain_text("Place 2: the problem")

    _trace(page, "r_1", status)
    assert marked(page) == ["r", "1"] * 3
    desk.press("]", "]")
    desk.expect_focus(3)
    desk.press("w")
    expect(status).to_contain_text("3 places, first in step 1, then in 1 other step. Place 3: step 3.")
    assert marked(page) == ["9", "4"] * 3, "a fraction, of whichever height"

    desk.press("k", "w", "w")
    expect(status).to_contain_text("Tracing 81: 5 places, first in the problem, then in 2 steps. Place 5: step 2.")
    assert "".join(marked(page)) == "81" * 5, "not the 81 of 810"
    desk.press("t")
    expect(status).to_contain_text("Tracing 81: ")
    page.wait_for_function("() => [...CSS.highlights.get('traced')].every(range => range.toString() === '81')")
    desk.press("t", "Space")
    desk.expect_ratings("not rated", "+1", "not rated")
    desk.press("Escape")
    expect(status).to_be_empty()
    assert marked(page) == []

    desk.press("w")
    desk.step(3).locator(".katex-html .mathnormal").first.click(force=True)  # the frame of \\boxed covers it
    expect(status).to_contain_text("3 places, first in step 1, then in 1 other step. Place 3: step 3.")


def _trace(page: Page, name: str, status: Any) -> None:
    """Press w until the symbol is traced."""
    for _ in range(12):
        page.keyboard.press("w")
        if name in (status.locator("annotation").first.text_content() or "").replace("{", "").replace("}", ""):
            return
    raise AssertionError(f"{name} is not among the symbols of the step")
