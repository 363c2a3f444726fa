"""An agent run on the labeling page: read, folded, searched, filtered, and rated by keys alone."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeling.actions import rounds
from labeling.actions.guidelines import publish_guideline
from labeling.models import Label, Project, StepLabel
from labeling.tests import factories
from labeling.tests.browser.axe import PHONE, expect_no_violations
from labeling.tests.browser.labeling_desk import LabelingDesk
from labeling.tests.imports.files import import_bytes, lines
from labeling.tests.imports.test_what_agents_saw import data_url, png

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LogIn = Callable[..., Page]
COLOURS = "\x1b[31mFAILED\x1b[0m tests/test_a.py <img src=x onerror=alert(1)>\n=== 1 failed, 2 passed in 0.10s ==="
LOG = "\n".join(f"line {number}: all is well" for number in range(900)) + "\nline 900: the needle"
SCREEN = {"type": "image_url", "image_url": {"url": data_url(png(40, 20))}}
EDIT = {"path": "a.py", "old_str": "x = 1", "new_str": "x = 2"}


def call(ident: str, name: str, arguments: Any) -> dict[str, Any]:
    return {"id": ident, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def run() -> dict[str, Any]:
    """Ten messages of an agent that runs tests, picks the wrong tool, edits, and reads a long log."""
    said: list[dict[str, Any]] = [
        {"role": "system", "content": "You are an agent.\nBe careful."},
        {"role": "user", "content": "Make the test pass."},
        {"role": "assistant", "content": "First the tests.", "tool_calls": [call("c1", "bash", {"cmd": "pytest -q"})]},
        {"role": "tool", "tool_call_id": "c1", "content": COLOURS, "is_error": True},
        {"role": "assistant", "content": None, "tool_calls": [call("c2", "str_replace_editor", EDIT)]},
        {"role": "tool", "tool_call_id": "c2", "content": [{"type": "text", "text": "Edited."}, SCREEN]},
        {"role": "assistant", "content": None, "tool_calls": [call("c3", "bash", {"cmd": "cat build.log"})]},
        {"role": "tool", "tool_call_id": "c3", "content": LOG},
    ]
    for number in range(4, 10):
        said.append({"role": "assistant", "content": f"Look {number}.", "tool_calls": [call(f"d{number}", "look", {})]})
        said.append({"role": "tool", "tool_call_id": f"d{number}", "content": f"Seen {number}."})
    return {"messages": [*said, {"role": "assistant", "content": "The test passes now."}]}


@pytest.fixture
def project() -> Project:
    return factories.make_project(name="Agents")


@pytest.fixture
def desk(live_server: Any, log_in: LogIn, tmp_path: Path, project: Project) -> LabelingDesk:
    publish_guideline(factories.make_member(project, "researcher"), project, "## 2.1 Change no test\n")
    import_bytes(project, lines(run()), tmp_path)
    rounds.open_round(project, by=None)
    page = log_in(factories.make_member(project))
    desk = LabelingDesk(page, f"{live_server.url}/projects/{project.slug}/label")
    desk.open()
    return desk


def test_a_run_is_read_filtered_and_rated_with_eleven_keys(desk, project, live_server, log_in):
    page = desk.page
    expect(page.get_by_text("pytest -q", exact=True)).to_be_visible()
    expect(desk.step(1)).to_contain_text("FAILED tests/test_a.py <img src=x onerror=alert(1)>")
    assert page.locator("[data-traced] img").count() == 1  # the picture in the file, and no other
    screen = desk.step(2).get_by_role("img", name="What the agent saw, 40 × 20")
    screen.scroll_into_view_if_needed()
    expect(screen).to_have_js_property("naturalWidth", 40)
    expect(desk.step(1)).to_contain_text("1 failed, 2 passed")
    cells = page.get_by_role("navigation", name="Map of the run").get_by_role("button")
    expect(cells.nth(0)).to_have_accessible_name("Step 1, test run, not rated, something failed")
    expect(cells.nth(1)).to_have_accessible_name("Step 2, edit, not rated")
    expect(desk.step(2).locator("[data-sign='-']")).to_have_text("-x = 1")
    log = desk.step(3)
    expect(log).to_contain_text("bytes are folded here")
    expect(log).to_contain_text("line 900: the needle")
    desk.press("#", "3", "Enter", "o")
    search = log.get_by_role("searchbox", name="Search in this result")
    search.fill("the needle")
    expect(log.get_by_role("status")).to_have_text("1 line")
    search.press("Enter")
    expect(log.locator("[data-hit]")).to_have_text("line 900: the needle")
    assert log.locator("pre > div").count() < 60  # of 901
    page.get_by_role("button", name="look", exact=True).click()
    expect(desk.step(5).locator("code")).to_have_count(0)
    page.get_by_role("button", name="look", exact=True).click()
    expect_no_violations(desk, "a run")
    take_pictures(page)
    page.get_by_role("navigation", name="Map of the run").get_by_role("button").first.click()
    desk.expect_focus(1)
    desk.press("1", "x", *"11111111")
    expect(page.get_by_label("Decisive error: the mistake that lost the run")).to_have_value("")
    desk.press("Shift+D", "ArrowDown", "Tab", "Tab", "ArrowDown", "Escape")
    expect(page.get_by_label("Decisive error: the mistake that lost the run")).to_have_value("1")
    expect(page.get_by_label("Outcome of the run")).to_have_value("success")
    desk.expect_focus(10)
    page.get_by_role("button", name="Judge a step by a clause").click()
    acts = page.get_by_role("group", name="Steps judged by a guideline clause")
    acts.get_by_label("Step").select_option("2")
    acts.get_by_label("Clause").select_option("§2.1 Change no test")
    desk.page.get_by_role("button", name="Submit").first.click()
    expect(page.get_by_text("say how severe that is").first).to_be_visible()
    acts.get_by_label("Severity").select_option("High")
    expect_no_violations(desk, "what is said of the run")
    acts.get_by_label("Severity").press("Escape")
    desk.press("Enter")
    label = Label.objects.get()
    desk.wait_for_status(label, "submitted")
    assert (label.verdict, label.run_marks["decisive_error"], label.run_marks["outcome"]) == (1, 1, "success")
    [act] = label.run_marks["acts"]
    assert (act["step"], act["clause"], act["text"], act["severity"]) == (1, "§2.1", "Change no test", "high")
    ratings = StepLabel.objects.order_by("step_index").values_list("rating", flat=True)
    assert list(ratings) == [1, -1, 1, 1, 1, 1, 1, 1, 1, 1]
    read_by_a_researcher(
        log_in(factories.make_member(project, "researcher")), f"{live_server.url}/projects/{project.slug}"
    )


def read_by_a_researcher(page: Page, address: str) -> None:
    """The trace page, and the reviewer's task page, show what labelers saw."""
    label = Label.objects.select_related("task").get()
    for path in (f"traces/{label.task.trace_id}", f"review/{label.task_id}"):
        page.goto(f"{address}/{path}")
        table = page.get_by_role("region", name="Steps and ratings")
        expect(table.get_by_text("pytest -q", exact=True)).to_be_visible()
        expect(table.get_by_role("img", name="What the agent saw, 40 × 20")).to_have_count(1)
        table.get_by_role("button", name="Show all").click()
        expect(table.get_by_role("searchbox", name="Search in this result")).to_be_visible()
        found = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert found, path


TOOLS = [
    "get_user_details",
    "think",
    "get_reservation_details",
    "search_direct_flight",
    "calculate",
    "update_reservation_flights",
    "list_all_airports",
    "send_certificate",
    "transfer_to_human_agents",
    "cancel_reservation",
]
IN_HAND = """() => {
    const map = document.querySelector('nav[aria-label="Map of the run"]').parentElement;
    const step = document.querySelector('[data-step][aria-current=step]');
    const { left, top, height } = step.getBoundingClientRect();
    const over = document.elementFromPoint(left + 20, top + 6);
    return {
        step: top, height, map: map.getBoundingClientRect().bottom,
        seen: over !== null && step.contains(over), window: innerHeight,
    };
}"""


def run_of_tall_steps() -> dict[str, Any]:
    """Thirty steps of ten tools, each taller than the window."""
    said: list[dict[str, Any]] = [{"role": "user", "content": "Downgrade all flights."}]
    for number in range(30):
        name, ident = TOOLS[number % len(TOOLS)], f"c{number}"
        said.append(
            {"role": "assistant", "content": f"Look {number}.", "tool_calls": [call(ident, name, {"user_id": "o"})]}
        )
        details = {f"gift_card_{one}": {"source": "gift_card", "amount": one} for one in range(20)}
        said.append({"role": "tool", "tool_call_id": ident, "content": json.dumps(details)})
    return {"messages": said}


def expect_below_the_map(desk: LabelingDesk) -> None:
    """Expect the top of the current step, taller than the window, to be visible, directly below the map if it covers
    steps.
    """
    desk.wait_until(lambda: desk.page.evaluate(IN_HAND)["seen"], "the step's number is in sight", seconds=20)
    found = desk.page.evaluate(IN_HAND)
    assert found["height"] > found["window"], found
    assert found["map"] - 1 <= found["step"] < found["map"] + 20 or found["map"] < 0, found


def go_back_in_every_way(desk: LabelingDesk) -> None:
    """Come from further down, where the browser itself would show the end of the step above."""
    page = desk.page
    cells = page.get_by_role("navigation", name="Map of the run").get_by_role("button")
    ways: dict[str, tuple[int, Callable[[], None]]] = {
        "its number": (21, lambda: desk.press("#", "2", "1", "Enter")),
        "k": (20, lambda: desk.press("k")),
        "an arrow": (19, lambda: desk.press("ArrowUp")),
        "its number, near the beginning": (10, lambda: desk.press("#", "1", "0", "Enter")),
        "the first of a search": (9, lambda: desk.press("/", *"Look 8.", "Enter")),
        "the map": (5, lambda: cells.nth(4).click()),
        "a key out of what is said of the run": (5, lambda: desk.press("Shift+D", "Escape")),
        "taking a rating back": (3, lambda: desk.press("#", "3", "Enter", "1", "End", "z")),
    }
    desk.press("End")
    desk.expect_focus(30)
    for name, (step, go) in ways.items():
        go()
        expect(desk.step(step), name).to_have_attribute("aria-current", "step")
        expect_below_the_map(desk)


def leave_and_come_back(desk: LabelingDesk) -> None:
    """Labelers who look something up within a tall step find the line again; a screen back shows a step's last one."""
    page = desk.page
    desk.press("PageDown")
    before = page.evaluate(IN_HAND)["step"]
    assert before < 0
    desk.press("?")
    page.get_by_role("complementary", name="Keys").or_(page.get_by_role("region", name="Keys")).first.wait_for()
    desk.press("Escape")
    desk.wait_until(lambda: page.evaluate("document.activeElement.matches('[data-step]')"), "the step has the keys")
    assert abs(page.evaluate(IN_HAND)["step"] - before) < 2
    desk.press("#", "9", "Enter", "PageUp")
    desk.expect_focus(8)
    found = page.evaluate(IN_HAND)
    assert found["step"] < 0, found
    assert found["window"] / 2 < found["step"] + found["height"] < found["window"], found


@pytest.mark.parametrize("device", [{"viewport": {"width": 1440, "height": 900}}, PHONE], ids=["wide", "phone"])
def test_the_map_covers_no_step_that_is_gone_to(project, log_in, live_server, tmp_path, device):
    import_bytes(project, lines(run_of_tall_steps()), tmp_path)
    rounds.open_round(project, by=None)
    page = log_in(factories.make_member(project), **device)
    desk = LabelingDesk(page, f"{live_server.url}/projects/{project.slug}/label")
    desk.open()
    expect(page.get_by_role("group", name="What is shown").get_by_role("button")).to_have_count(len(TOOLS) + 3)
    desk.press("Home", "j")
    desk.expect_focus(2)
    expect_below_the_map(desk)
    desk.press("j")
    expect_below_the_map(desk)
    go_back_in_every_way(desk)
    if device is PHONE:
        return
    leave_and_come_back(desk)
    desk.press("#", "3", "Enter")
    expect_below_the_map(desk)
    before = page.evaluate(IN_HAND)
    page.set_viewport_size({"width": 1000, "height": 700})
    desk.wait_until(lambda: page.evaluate(IN_HAND)["map"] > before["map"] + 20, "a row more of buttons")
    expect_below_the_map(desk)
    desk.press("j")
    desk.expect_focus(4)
    expect_below_the_map(desk)
    before = page.evaluate(IN_HAND)
    desk.press("PageDown")
    desk.wait_until(lambda: page.evaluate(IN_HAND)["step"] < before["step"] - 100, "a screen further")
    below = page.locator("footer[data-kind=keys]").bounding_box()["y"] - before["map"]
    assert before["step"] - page.evaluate(IN_HAND)["step"] < below  # the last lines are still there
    page.set_viewport_size({"width": 720, "height": 450})  # the window at 200 %: a single column
    desk.press("j")
    desk.expect_focus(5)
    expect_below_the_map(desk)


def take_pictures(page: Page) -> None:
    """Take pictures on request: at two widths and in both themes."""
    folder = os.environ.get("STEPMARK_PICTURES")
    if not folder:
        return
    for name, size in (("wide", {"width": 1440, "height": 900}), ("phone", PHONE["viewport"])):
        page.set_viewport_size(size)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.wait_for_timeout(400)
            page.screenshot(path=f"{folder}/run-{name}-{scheme}.png", full_page=name == "phone")
    page.set_viewport_size({"width": 1440, "height": 900})
