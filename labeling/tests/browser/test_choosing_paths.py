"""Choosing a path step by step, by keyboard alone: from the round's form to the exported row."""

import re
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, Route, expect

from annotation_app.generators import read_generators
from labeling.models import Label, PathStep, Project, StepOffer
from labeling.tests import factories
from labeling.tests.browser.axe import PHONE, expect_no_violations, violations
from labeling.tests.browser.labeling_desk import LabelingDesk
from labeling.tests.exports.labeled import exported
from labeling.tests.killed_process import run_until_call
from labeling.tests.paths.world import make_problem, write_all

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LogIn = Callable[..., Page]
LEFT_OF_WORDS = """element => {
    const words = document.createRange()
    words.selectNodeContents(element)
    return Math.round(words.getBoundingClientRect().left)
}"""
OFFERED = [
    ["Let the roots be $r$ and $s$."],
    ["It is a quadratic.", "Then $r + s = 5$.", "It is  a quadratic.", "So $r + s = 5$."],
    ["Hm.", "Let me think.", "Well."],
    ["Both are whole numbers.", "They are $2$ and $3$."],
    ["Add them."],
    ["The sum is $5$.\n\n# Answer\n\n5"],
]
WRITTEN = r"And their product is $\frac{6}{1}$."
# One key after another, with no frame drawn between them.
AT_ONCE = """async keys => {
  for (const key of keys) {
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    await new Promise((done) => setTimeout(done));
  }
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""
ANSWER_LOST = """
from django.test import Client
page = Client(headers={{"cookie": {cookie!r}}})
page.post({path!r}, {body!r}, content_type="application/json")
"""


def writes(prefix: Sequence[str], number: int) -> str:
    texts = OFFERED[len(prefix)] if len(prefix) < len(OFFERED) else []
    return texts[number] if number < len(texts) else ""


@pytest.fixture
def project(settings: Any) -> Project:
    settings.GENERATORS = read_generators('{"qwen": {"url": "http://127.0.0.1:9/v1", "models": ["q7"]}}')
    project = factories.make_project(name="Paths")
    make_problem(project, "Find the sum of the solutions of $x^2 - 5x + 6 = 0$.")
    return project


@pytest.fixture
def desk(live_server: Any, log_in: LogIn, project: Project) -> LabelingDesk:
    """The page of a path with no completions yet; the round was opened with the researcher's form."""
    page = log_in(factories.make_member(project, "researcher"))
    page.goto(f"{live_server.url}/projects/{project.slug}/rounds/new?kind=path")
    preview = page.get_by_role("region", name="Preview")
    expect(preview).to_contain_text("so the labeler writes every step")
    page.get_by_label("They come from").select_option("qwen")
    page.get_by_label("Completions of a step, at most").fill("4")
    expect(preview).to_contain_text("1 path wanted")
    page.get_by_role("button", name="Open the round").click()
    expect(page.get_by_text("up to 4 a step by q7")).to_be_visible()
    desk = LabelingDesk(log_in(factories.make_member(project)), f"{live_server.url}/projects/{project.slug}/label")
    desk.page.goto(desk.url)
    return desk


def completions(desk: LabelingDesk, *said: str) -> None:
    """Return what the labeler currently sees, as read by a screen reader."""
    rows = desk.page.get_by_role("listitem", name=re.compile("^Completion"))
    expect(rows).to_have_count(len(said))
    for number, word in enumerate(said, start=1):
        expect(rows.nth(number - 1)).to_have_accessible_name(re.compile(f"^Completion {number} of {len(said)}, {word}"))


def path(desk: LabelingDesk, *origins: str) -> None:
    """Return the origin of each step of the path."""
    rows = desk.page.get_by_role("listitem", name=re.compile("of the path"))
    expect(rows).to_have_count(len(origins))
    for number, origin in enumerate(origins, start=1):
        expect(rows.nth(number - 1)).to_have_accessible_name(f"Step {number} of the path, {origin}")


def offer(desk: LabelingDesk, count: int = 1) -> None:
    """Have a worker write what was requested, and wait until the page shows it."""
    rows = desk.page.get_by_role("listitem", name=re.compile("^Completion"))
    desk.wait_until(lambda: write_all(writes) >= 0 and rows.count() == count, f"{count} completions are offered")


def typed(label: Label) -> str:
    """Return what the server stores of the step being written."""
    return str((label.draft or {"content": {"step": {"text": ""}}})["content"]["step"]["text"])


def lose_the_answer(route: Route) -> None:
    """The web process stores the step, and is killed before it has answered."""
    request = route.request
    call = ANSWER_LOST.format(
        cookie=request.all_headers()["cookie"], path=request.url[request.url.index("/api/") :], body=request.post_data
    )
    run_until_call(call, "api/serializers/paths.py:path_shown", 1)
    route.abort()


def work_beside_the_path(desk: LabelingDesk) -> None:
    """Own choices, a traced symbol, the calculator, the scratch pad and a comment; none of them covers a completion."""
    page = desk.page
    status = page.get_by_role("complementary", name="Problem").get_by_role("status")
    desk.press("w")
    expect(status).to_contain_text("3 places, first in step 1, then in 2 other texts. Place 3: completion 3.")
    desk.press("[")
    expect(status).to_contain_text("Place 2: completion 2")
    expect(page.get_by_role("listitem", name=re.compile("^Completion 2"))).to_be_focused()
    desk.press("=")
    page.keyboard.type("2 + 3")
    desk.press("Enter", "Escape", "Shift+S")
    page.get_by_role("radiogroup", name="Density").get_by_role("radio", name="compact").press("Enter")
    expect(page.locator('[data-density="compact"]')).to_be_visible()
    desk.press("Shift+S", ",")
    page.keyboard.type("r + s is asked")
    expect(page.get_by_role("complementary", name="Scratch pad")).to_contain_text("2 + 3 → 5")
    desk.press("Escape", ";", "c")
    page.keyboard.type("Two say the same.")
    expect_no_violations(desk, "tracing, with the scratch pad and a comment open")
    desk.press("Control+Enter", "Escape", "Escape", "Shift+S")
    page.evaluate(AT_ONCE, ["Escape", "c"])  # the panel gives the keyboard back a frame later: not to the row
    expect(page.get_by_label("Comment (researchers see it with the label)")).to_be_focused()
    desk.press("Escape")
    desk.expect_text("“Two say the same.”")
    expect(status).to_be_empty()
    kept = page.get_by_role("complementary", name="Scratch pad")
    expect(kept).to_have_count(0)


def test_a_path_of_six_steps_by_keyboard_alone(project: Project, desk: LabelingDesk, live_server: Any) -> None:
    page = desk.page
    expect(page.get_by_text("The next step is being written.").first).to_be_visible()
    StepOffer.objects.update(asked_at=timezone.now() - timedelta(minutes=1))
    desk.expect_text("leave the problem to someone else")
    expect_no_violations(desk, "waiting")
    offer(desk)
    completions(desk, "not rated")
    expect_no_violations(desk, "one is offered")
    desk.press("Enter")
    desk.expect_text("Completion 1 is not rated yet.")
    desk.press("Space", "Enter")
    path(desk, "offered, great")

    offer(desk)
    desk.press("0")  # the others appear; equal ones are shown as one
    offer(desk, 3)
    completions(desk, "rated 0, came 2 times", "not rated", "not rated")
    desk.press("Space", "q")
    completions(desk, "rated 0, came 2 times", r"rated \+1", "not rated, unsure")
    desk.press("Space")
    desk.expect_text("The server draws the next step from the two great ones.")
    expect_no_violations(desk, "all are rated")
    work_beside_the_path(desk)
    desk.press("Enter")
    path(desk, "offered, great", "drawn of 2 great")

    offer(desk)
    desk.press("x")
    offer(desk, 3)
    desk.press("x", "0", "Enter")  # none is great: the page asks for the step, and moves the focus there
    desk.press("ArrowUp")  # the current completion, ready for editing
    expect(page.get_by_label("Your step 3")).to_have_value("Well.")
    desk.press("Control+A")
    page.keyboard.insert_text(WRITTEN)
    expect(page.get_by_role("region", name="Your step").locator(".katex")).to_be_visible()
    label = Label.objects.get()
    desk.wait_until(lambda: typed(Label.objects.get()) == WRITTEN, "what is typed is at the server", seconds=5)
    expect_no_violations(desk, "writing")
    page.reload()
    expect(page.get_by_label("Your step 3")).to_have_value(WRITTEN)
    completions(desk, "rated −1", "rated −1", "rated 0")
    desk.press("Backspace", "i")
    assert page.evaluate("document.activeElement.selectionStart") == len(WRITTEN), "one writes on at its end"
    desk.press("Control+Enter")
    expect(page.get_by_text(re.compile(r"Completion \d is not rated yet\.")).first).to_be_visible()
    expect(page.get_by_label("Your step 3")).not_to_be_focused()  # rating keys would be typed into it
    desk.press("0")
    expect(page.get_by_label("Your step 3")).to_have_value(WRITTEN)
    desk.press("i", "Control+Enter")
    path(desk, "offered, great", "drawn of 2 great", "written by you")
    expect(page.get_by_role("region", name="Step 4", exact=True)).to_be_focused()  # no completions yet
    desk.press("k")
    expect(page.get_by_role("listitem", name="Step 3 of the path")).to_be_focused()
    desk.press("j")
    offer(desk)
    desk.press("Space", "Enter")
    path(desk, "offered, great", "drawn of 2 great", "written by you", "offered, great")
    desk.press("z")  # takes the step back, including its ratings
    completions(desk, r"rated \+1")
    desk.press("0")
    offer(desk, 2)
    desk.press("j", "Space")
    page.context.set_offline(True)
    desk.press("Enter")
    desk.expect_text("Your step is kept here and sent when the server answers")
    expect_no_violations(desk, "offline")
    page.context.set_offline(False)
    path(desk, "offered, great", "drawn of 2 great", "written by you", "the one great of 2")
    desk.press("h")
    taken_back = page.get_by_role("complementary", name="What was taken back")
    expect(taken_back).to_contain_text("Step 4, chosen · rated +1")
    expect_no_violations(desk, "what was taken back")
    page.get_by_role("button", name="A step here was taken back").press("Enter")  # it opened it, and closes it
    expect(taken_back).to_have_count(0)

    offer(desk)
    page.route("**/path/steps", lose_the_answer, times=1)
    desk.press("Space", "Enter")
    desk.wait_until(lambda: PathStep.objects.filter(submitted_at=None).count() == 0, "the killed process took it")
    expect(page.get_by_role("button", name=re.compile("Steps 1 to 1"))).to_be_hidden()
    path(desk, "offered, great", "drawn of 2 great", "written by you", "the one great of 2", "offered, great")

    offer(desk)
    desk.press("Space", "Enter")
    desk.expect_text("The last step gives the final answer: the path ends here.")
    expect_no_violations(desk, "end")
    desk.press("Enter")
    desk.expect_text("Marked to look at again: 2. Enter still submits.")
    expect(page.get_by_role("listitem", name=re.compile("^Step 2 of the path"))).to_be_focused()
    desk.press("Enter")
    desk.wait_for_status(label, "submitted")
    desk.expect_text("You have labeled all there is for you")

    page.goto(f"{desk.url}/{label.pk}")
    desk.expect_text("Your path")
    expect(page.get_by_role("list", name="Offered for step 2").get_by_role("listitem")).to_have_count(3)

    [row], _ = exported(project)
    drawn = row["label"]["steps"][1]["chosen_completion"]
    said = [
        [one["rating"] for one in step["completions"]] + [step["chosen_completion"]] for step in row["label"]["steps"]
    ]
    assert said == [[1, 0], [0, 1, 0, 1, drawn], [-1, -1, 0, None], [0, 1, 1], [1, 0], [1, 0]]
    assert drawn in (1, 3)
    assert row["label"]["steps"][2]["human_completion"]["text"] == WRITTEN
    assert row["label"]["finish_reason"] == "solution"
    label.refresh_from_db()
    assert label.submission
    assert label.submission["calculations"] == [{"input": "2 + 3", "result": "5"}]
    assert [(one.step_index, one.text) for one in label.comments.all()] == [(1, "Two say the same.")]
    assert label.step_labels.filter(active_ms__gt=0).exists()


def test_another_device_goes_on_with_the_path_and_nothing_typed_is_lost(
    project: Project, desk: LabelingDesk, live_server: Any, new_page: Callable[..., Page]
) -> None:
    page = desk.page
    offer(desk)
    desk.press("x", "i")
    page.keyboard.insert_text("Half a thought")
    label = Label.objects.get()
    desk.wait_until(lambda: typed(Label.objects.get()) == "Half a thought", "what is typed is at the server")
    phone = new_page(**PHONE)
    phone.context.add_cookies(page.context.cookies())
    phone.goto(desk.url)
    expect(phone.get_by_label("Your step 1")).to_have_value("Half a thought")
    heading = phone.locator("#open-step")
    edges = [text.evaluate(LEFT_OF_WORDS) for text in (heading, heading.locator("+ p"))]
    assert edges[0] == edges[1], "the heading and its hint begin at one edge"
    other = LabelingDesk(phone, desk.url)
    assert violations(other) == []
    phone.get_by_label("Your step 1").fill("A whole thought.")
    phone.get_by_role("button", name="Submit step").locator("visible=true").click()
    path(other, "written by you")

    desk.press("Control+Enter")
    path(desk, "written by you")
    desk.expect_text("The path was changed elsewhere; this is its current state.")
    expect(page.get_by_label("Your step 2")).to_have_value("Half a thought")
    desk.press("Escape", "u")
    page.get_by_label("Why?").fill("Two at once.")
    desk.press("Control+Enter")
    desk.wait_for_status(label, "submitted")
    assert (label.finish_reason, label.finish_detail["text"]) == ("give_up", "Two at once.")


def test_a_step_that_is_refused_is_corrected_where_it_was_written(desk: LabelingDesk) -> None:
    page = desk.page
    offer(desk)
    desk.press("Space", "Enter")
    path(desk, "offered, great")
    offer(desk)
    desk.press("x")
    offer(desk, 3)
    desk.press("x", "x", "i")
    page.keyboard.type(OFFERED[0][0])
    desk.press("Control+Enter")
    text = page.get_by_label("Your step 2")
    expect(text).to_have_accessible_description(re.compile("^What you wrote repeats the step before it."))
    expect(text).to_be_focused()
    expect_no_violations(desk, "refused")
    desk.press("Control+A")
    page.keyboard.type("So 0 x 1 is 0, and $r + s = 5$.")
    page.reload()
    expect(text).to_have_value("So 0 x 1 is 0, and $r + s = 5$.")
    expect(page.get_by_role("dialog")).to_have_count(0)
    completions(desk, "rated −1, came 2 times", "rated −1", "rated −1")
    desk.press("i", "Control+Enter")
    path(desk, "offered, great", "written by you")
    expect(page.get_by_role("region", name="Step 3", exact=True)).to_be_focused()


def test_a_path_that_was_left_is_taken_back_by_one_key(desk: LabelingDesk) -> None:
    page = desk.page
    offer(desk)
    desk.press("Space", "Enter")
    path(desk, "offered, great")
    label = Label.objects.get()
    desk.press("l")
    expect(page.get_by_role("button", name="Stay")).to_be_focused()
    desk.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    desk.press("l")
    page.get_by_role("button", name="Leave, next").click()
    desk.wait_for_status(label, "released")
    desk.expect_text("You left the last problem.")
    desk.press("z")
    path(desk, "offered, great")
    desk.wait_for_status(label, "open")
    desk.press("l")
    page.get_by_role("button", name="Leave, next").click()
    desk.wait_for_status(label, "released")
    page.goto(f"{desk.url}/{label.pk}")
    desk.expect_text("You no longer hold this task")
