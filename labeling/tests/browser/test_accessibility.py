"""axe finds no violations in any state of the labeling page: in light and in dark mode, on a desktop and on a phone.

States that the page shows only in certain flows are checked in those flows: the card of a mistake, paths, runs,
screening, My work, carried ratings, two devices, a lost lease, a pause (`expect_no_violations`).
"""

from typing import Any

import pytest
from playwright.sync_api import expect

from labeling.models import Completion, Guideline, Label, Trace
from labeling.tests import factories
from labeling.tests.browser.axe import PHONE, expect_no_violations
from labeling.tests.browser.conftest import OpenDesk
from labeling.tests.browser.labeling_desk import LabelingDesk

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WORDS = "\n".join(
    ["So $\\frac{1}{$ is bad TeX, `code`, [a link](https://a.example), and", "```python", "x = 1", "```"]
    + ["", "| a | b |", "|---|---|", "| 1 | 2 |"]
)
DIALOGS = {
    "b": "Bad problem",
    "u": "Give up on this trace",
    "a": "The guess of the answer looks wrong",
    "Shift+B": "A break",
}
DOCKS = {"?": "Keys", "g": "Guidelines", "Shift+S": "Comfort", ",": "Scratch pad"}
FORMS = {"c": "Comment on step 4", "s": "Where should this step be split?"}
LINES = {"/": "Search", "#": "Jump to step", "=": "Calculate"}
OPENED: tuple[tuple[Any, str, dict[str, str]], ...] = (
    ("dialog", "dialog", DIALOGS),
    ("complementary", "aside[aria-label='{}']", DOCKS),
    ("form", "form[aria-label='{}']", FORMS),
    ("textbox", "footer[data-kind=asking]", LINES),
)


def a_desk(open_desk: OpenDesk, **options: object) -> LabelingDesk:
    """A trace of twelve steps with every kind of text, alternatives, a reference solution and guidelines."""
    project = factories.make_project(reference_solution=True)
    ada = factories.make_member(project)
    Guideline.objects.create(project=project, version=1, body="# Rules\n\n- One\n- Two with $x^2$\n")
    [trace] = factories.make_traces(project, 1, steps=12)
    trace.steps[2] = WORDS
    Trace.objects.filter(pk=trace.pk).update(steps=trace.steps)
    type(trace.problem).objects.filter(pk=trace.problem_id).update(reference_solution="It is $4$.")
    Completion.objects.create(trace=trace, step_index=3, text="Another way: $x = 2$.")
    factories.make_round(project, 0)
    return open_desk(ada, project.slug, **options)


def test_axe_finds_nothing_in_any_state_of_the_labeling_page(open_desk: OpenDesk) -> None:
    desk = a_desk(open_desk)
    page = desk.page
    expect_no_violations(desk, "a new task")
    desk.press("Enter")
    desk.expect_text("Step 1 is not rated yet.")
    desk.press("Space", "0", ";", "v", "Space", "w")
    desk.expect_text("Tracing")
    desk.expect_text("It is")
    desk.press("x")
    desk.expect_text("Other ways to take step 4")
    desk.expect_text("Steps 5 to 12 stay unlabelled")
    expect_no_violations(desk, "rated, a symbol traced, the card of the mistake open")
    for role, part, opened in OPENED:
        for key, title in opened.items():
            desk.press(key)
            page.get_by_role(role, name=title).wait_for()
            if role in ("form", "textbox") or key == ",":
                page.keyboard.type("1/3 + 1/6")
            expect_no_violations(desk, title, part.format(title))
            desk.press("Escape", *(["Escape"] if key == "," else []))
    desk.press("r")
    desk.expect_text("Which earlier step is the first wrong one?")
    expect_no_violations(desk, "choosing the earlier step")
    desk.press("Escape")
    page.context.set_offline(True)
    desk.press("z", "x", "Enter", "Enter")
    expect(page.get_by_role("heading", name="No connection to the server")).to_be_visible()
    desk.expect_text("1 submission on this device")
    expect_no_violations(desk, "offline, and no task left on the device")
    Label.objects.update(status="superseded", submitted_at=None)
    page.context.set_offline(False)
    desk.expect_text("The server rejected a label you submitted")
    # The page requests the next task, as after a successful submission.
    expect(page.get_by_role("heading", name="You have labeled all there is for you")).to_be_visible()
    expect_no_violations(desk, "a submission that was refused")


def test_axe_finds_nothing_on_a_phone(open_desk: OpenDesk) -> None:
    desk = a_desk(open_desk, **PHONE)
    expect_no_violations(desk, "a new task")
    desk.press("Space", "0", "Space", "x")
    desk.expect_text("Other ways to take step 4")
    expect_no_violations(desk, "the card of a mistake")
    for opened, part in (("More", "dialog"), ("Guidelines", "aside[aria-label=Guidelines]")):
        desk.page.get_by_role("button", name=opened).locator("visible=true").click()
        desk.page.get_by_role("dialog").or_(desk.page.get_by_role("complementary", name=opened)).first.wait_for()
        expect_no_violations(desk, opened, part)
        desk.press("Escape")
    desk.press("r")
    desk.expect_text("Which earlier step is the first wrong one?")
    expect_no_violations(desk, "choosing the earlier step")
    desk.press("Escape", "Enter")
    expect(desk.page.get_by_role("heading", name="You have labeled all there is for you")).to_be_visible()
    expect_no_violations(desk, "nothing left")
