"""A page for working all day: a quiet line, panels next to the steps, tools, own choices, five tasks offline."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from labeling.models import Guideline, Label, Project, Trace, User
from labeling.tests import factories
from labeling.tests.browser.conftest import OpenDesk
from labeling.tests.browser.labeling_desk import LabelingDesk, problem_start
from labeling.tests.browser.pictures import expect_no_sideways_scrolling

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

STEPS = [f"Step {number} says $x_{{{number}}} = {number}$ and goes on." for number in range(1, 31)]
ZOOMED = {"width": 720, "height": 450}  # 1,440 by 900 at 200 %


def _project(steps: list[str]) -> tuple[Project, User]:
    project = factories.make_project()
    ada = factories.make_member(project)
    [trace] = factories.make_traces(project, 1)
    Trace.objects.filter(pk=trace.pk).update(steps=steps)
    factories.make_round(project, 0)
    return project, ada


def _box(found: Locator) -> dict[str, float]:
    box: Any = found.bounding_box()
    assert box
    return box


def test_a_trace_is_searched_marked_calculated_and_commented_by_keyboard_alone(open_desk: OpenDesk) -> None:
    project, ada = _project(STEPS)
    desk = open_desk(ada, project.slug)
    page, typed = desk.page, desk.page.keyboard.type
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    desk.press("/")
    typed("STEP 2")
    desk.expect_text("step 2 · 1 of 11")
    desk.press("ArrowDown", "Enter")
    desk.expect_focus(20)
    desk.press("#")
    typed("12")
    expect(desk.step(12)).to_be_in_viewport()
    desk.press("Enter")
    desk.expect_focus(12)
    desk.press("y")
    desk.expect_text("Step 12 copied as it was written.")
    assert page.evaluate("navigator.clipboard.readText()") == STEPS[11]
    desk.press("y")
    desk.expect_text("Formula 1 of 1 in step 12 copied as TeX.")
    assert page.evaluate("navigator.clipboard.readText()") == "x_{12} = 12"
    desk.press(";", ",")
    typed("12 is odd?")
    desk.press("Escape")
    desk.expect_focus(12)
    desk.press("=")
    typed("1/3 + 1/6")
    expect(page.get_by_text("1/2", exact=False).locator("visible=true").first).to_be_visible()
    desk.press("Enter", "Escape", "c")
    typed("Look at the index.")
    expect(desk.step(12)).to_be_in_viewport()
    desk.press("Escape")  # keeps the typed text
    desk.expect_focus(12)
    desk.press("s", "ArrowRight", "Space", "Enter", "End", "e", "Enter")
    desk.expect_text("Marked to look at again; Enter still submits:")
    desk.expect_focus(12)
    label = Label.objects.get()
    desk.wait_until(lambda: (Label.objects.get().draft or {}).get("content", {}).get("desk"), "the desk is kept")
    label.refresh_from_db()
    assert label.draft
    assert label.draft["content"]["desk"]["scratch"] == "12 is odd?"
    desk.press("Enter")
    desk.wait_for_status(label, "submitted")
    assert label.submission
    assert label.submission["calculations"] == [{"input": "1/3 + 1/6", "result": "1/2"}]
    assert label.comments.get().text == "Look at the index."
    assert label.reports.get().text == "Split before character 8: …Step 12 ⏐ says $x_{12} = 12$ and…"


def test_no_message_and_no_panel_moves_or_covers_a_step(open_desk: OpenDesk) -> None:
    project, ada = _project(STEPS)
    Guideline.objects.create(project=project, version=1, body="# Rules\n\n" + "Read it all. " * 400)
    factories.make_round(project, 1)
    desk = open_desk(ada, project.slug)
    page = desk.page
    before = _box(desk.step(1))
    desk.press("j", "Enter")
    desk.expect_text("Step 1 is not rated yet.")
    assert _box(desk.step(1)) == before
    desk.press("g")
    dock = page.get_by_role("complementary", name="Guidelines")
    expect(dock).to_be_focused()
    assert _box(dock)["x"] + _box(dock)["width"] <= before["x"]
    expect(dock).to_contain_text("Read it all.")
    desk.press("PageDown")
    desk.wait_until(lambda: dock.evaluate("dock => dock.scrollTop > 100"), "it scrolls")
    desk.expect_ratings(*["not rated"] * 30)
    desk.press("Space")  # the keys still work
    desk.expect_focus(2)
    desk.press("g")
    expect(dock).to_have_count(0)

    desk.press("x")
    rule = desk.step(2).get_by_text("Steps 3 to 30 stay unlabelled")
    expect(rule).to_be_in_viewport()
    expect(page.locator("[data-step]")).to_have_count(2)
    second = _box(desk.step(2))
    desk.press("o")
    expect(page.locator("[data-step]")).to_have_count(30)
    assert _box(desk.step(2)) == second
    desk.press("o")
    expect(page.locator("[data-step]")).to_have_count(2)
    desk.press("j")
    desk.expect_focus(3)

    first = Label.objects.get(status="open")
    desk.press("Enter")
    desk.wait_for_status(first, "submitted")
    said = page.get_by_text("Submitted.").locator("visible=true")
    expect(said).to_be_visible()
    line = page.get_by_role("contentinfo").locator("visible=true")
    assert _box(said)["y"] >= _box(line)["y"]
    desk.press("Shift+B")
    pause = page.get_by_role("dialog", name="A break")
    expect(pause).to_be_visible()
    desk.press("Escape")
    expect(pause).to_have_count(0)
    here = page.locator("[aria-current=step]").get_attribute("data-step")
    desk.press("Space")  # perhaps not at the first step: ratings of the same beginning are carried over
    expect(page.locator(f'[data-step="{here}"][aria-label*="rated +1"]')).to_be_visible()


def test_a_persons_choices_hold_at_once_and_on_every_device(open_desk: OpenDesk) -> None:
    project, ada = _project(["A line of words.", "def f(x):", "    x += 1", "    return x"])
    desk = open_desk(ada, project.slug)
    page = desk.page
    desk.press("Shift+S")
    dock = page.get_by_role("complementary", name="Comfort")
    for group, option in (
        ("Density", "compact"),
        ("Text size", "115 %"),
        ("Read each step at least", "5 s"),
        ("My goal a day", "20"),
    ):
        dock.get_by_role("radiogroup", name=group).get_by_role("radio", name=option).press("Enter")
    expect(page.get_by_text("0 of your 20 today")).to_be_visible()
    desk.press("Shift+S")
    desk.expect_focus(1)
    desk.press("Space")
    desk.expect_text("read each step for at least 5 s")
    desk.expect_ratings(*["not rated"] * 4)
    chosen = {"density": "compact", "text_size": 115, "dwell_seconds": 5, "goal": 20}
    desk.wait_until(lambda: User.objects.get(pk=ada.pk).preferences.get("page") == chosen, "the server keeps it")

    User.objects.filter(pk=ada.pk).update(preferences={"page": {"density": "compact"}})
    other = open_desk(ada, project.slug)
    if other.page.get_by_role("button", name="Take over here").count():
        other.page.get_by_role("button", name="Take over here").click()
    other.step(1).wait_for()
    assert _box(other.step(1))["height"] == 38
    gap = _box(other.step(3))["y"] - _box(other.step(2))["y"] - _box(other.step(2))["height"]
    assert gap <= 0, "lines of a program stand directly under each other"
    other.page.set_viewport_size({"width": ZOOMED["width"], "height": ZOOMED["height"]})
    expect(other.page.get_by_role("button", name="good up to here").locator("visible=true")).to_be_in_viewport()
    assert _box(other.page.get_by_role("contentinfo").locator("visible=true"))["height"] < 80
    expect_no_sideways_scrolling(other.page)
    other.page.set_viewport_size({"width": 1024, "height": 640})
    for edge in (other.page.get_by_role("button", name="Submit, next").locator("visible=true"), other.step(1)):
        assert _box(edge)["x"] + _box(edge)["width"] <= 1024 - 10, "cut off at the right"


def test_five_tasks_are_done_without_a_network_and_sent_once_it_is_back(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    Guideline.objects.create(project=project, version=1, body="# Rules")
    factories.make_round(project, 7, steps=2)
    desk = open_desk(ada, project.slug)
    held = Label.objects.filter(status__in=["open", "prefetched"]).select_related("task__trace__problem")
    desk.wait_until(lambda: held.count() == 6, "five tasks are leased ahead")
    labels = list(held.order_by("status", "ahead"))
    fetched: set[str] = set()
    desk.page.on("response", lambda response: fetched.add(response.url.rsplit("/", 1)[-1]))
    desk.page.reload()
    desk.step(1).wait_for()
    desk.wait_until(lambda: {str(label.pk) for label in labels[2:]} <= fetched, "what is in them is here")

    desk.wait_until(lambda: "current" in fetched, "the guidelines are here")
    desk.wait_until(lambda: any(name.startswith("markdownToHtml") for name in fetched), "and what sets them out")
    desk.page.context.set_offline(True)
    desk.press("g")
    expect(desk.page.get_by_role("heading", name="Rules")).to_be_visible()
    desk.press("g")
    for label in labels:
        desk.expect_problem(problem_start(label))
        desk.press("Space", "x", "Enter")
    desk.expect_text("6 submissions on this device")
    assert not Label.objects.filter(status="submitted").exists()
    desk.page.context.set_offline(False)
    desk.wait_until(lambda: Label.objects.filter(status="submitted").count() == 6, "all are sent")
    LabelingDesk(desk.page, desk.url).step(1).wait_for()  # and the seventh arrives
    assert not Label.objects.filter(surplus=True).exists()


def test_what_is_leased_ahead_comes_with_the_claim_that_leased_it(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    factories.make_round(project, 12, steps=2)
    desk = open_desk(factories.make_member(project), project.slug)
    held = Label.objects.filter(status__in=["open", "prefetched"])
    desk.wait_until(lambda: held.count() == 6, "five tasks are leased ahead")
    desk.page.wait_for_load_state("networkidle")
    asked: list[str] = []
    desk.page.on("request", lambda request: asked.append(f"{request.method} {request.url}"))
    sent = Label.objects.filter(status="submitted")
    while sent.count() < 6:
        before = sent.count()
        desk.expect_problem(problem_start(held.select_related("task__trace__problem").get(status="open")))
        with desk.page.expect_response(lambda response: response.url.endswith("/claim")):
            desk.press("Space", "x", "Enter")
        assert sent.count() == before + 1
    claims = [one for one in asked if one.endswith("/labels/claim")]
    assert len(claims) == 6
    assert [one for one in asked if one.startswith("GET") and re.search(r"/labels/\d+$", one)] == []


def test_calculator_calls_are_folded_by_a_persons_own_choice(open_desk: OpenDesk) -> None:
    project, ada = _project(["He has 3*4=<<3*4=12>>12 apples.", "So 12 it is."])
    desk = open_desk(ada, project.slug)
    call = desk.step(1).get_by_title("The model's calculator call: 3*4=12")
    shown = _box(call)["width"]
    desk.press("Shift+S")
    dock = desk.page.get_by_role("complementary", name="Comfort")
    folded = dock.get_by_role("radiogroup", name="Calculator calls").get_by_role("radio", name="folded")
    folded.press("Enter")
    expect(folded).to_be_checked()
    assert _box(call)["width"] < shown / 3
    assert call.text_content() == "3*4=12", "it is still there to be copied and read out"
    kept = {"calls": "folded"}
    desk.wait_until(lambda: User.objects.get(pk=ada.pk).preferences.get("page") == kept, "the server keeps it")
