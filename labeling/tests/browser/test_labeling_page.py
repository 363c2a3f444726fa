"""A labeler's day on the labeling page: by keyboard, without a network, after a crash, on a phone."""

import contextlib
import json
import re
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from playwright.sync_api import Error, Page, Route, expect

from labeling.actions import rounds
from labeling.models import Label
from labeling.tests import factories
from labeling.tests.browser.axe import expect_no_violations
from labeling.tests.browser.conftest import OpenDesk
from labeling.tests.browser.labeling_desk import LabelingDesk, problem_start

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_ten_steps_are_labeled_by_keyboard_alone_from_login_to_the_export_line(
    live_server: Any, new_page: Callable[..., Page], tmp_path: Path
) -> None:
    project = factories.make_project("algebra")
    factories.make_member(project, username="ada", password="a-long-password-1")
    factories.make_round(project, 1, steps=10)
    page = new_page()
    page.goto(f"{live_server.url}/projects/algebra/label")
    expect(page.get_by_label("User name")).to_be_visible()
    expect(page.get_by_label("User name")).to_be_focused()
    page.keyboard.type("ada")
    page.keyboard.press("Tab")
    page.keyboard.type("a-long-password-1")
    page.keyboard.press("Enter")
    desk = LabelingDesk(page, page.url)
    desk.step(1).wait_for()
    desk.press("Space", "Space", "0", "Space", "Space", "Space", "1", "Space", "x")
    desk.expect_ratings("+1", "+1", "0", "+1", "+1", "+1", "+1", "+1", "−1", "stays unlabelled")
    desk.expect_text("Step 10 stays unlabelled")
    desk.press("Enter")
    desk.expect_text("You have labeled all there is for you")
    desk.wait_until(lambda: Label.objects.filter(status="submitted").exists(), "the label is submitted")

    call_command("export_labels", "algebra", "--format", "prm800k", "--output", str(tmp_path), stdout=StringIO())
    [line] = [json.loads(row) for file in tmp_path.glob("*.jsonl") for row in file.read_text().splitlines()]
    assert line["label"]["finish_reason"] == "found_error"
    steps = line["label"]["steps"]
    assert [step["completions"][0]["rating"] for step in steps] == [1, 1, 0, 1, 1, 1, 1, 1, -1]
    assert len(line["question"]["pre_generated_steps"]) == 10


def test_a_task_done_offline_is_sent_exactly_once_when_the_network_is_back(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, 2)
    desk = open_desk(ada, project.slug)
    first, second = desk.wait_for_two_labels()
    desk.expect_problem(problem_start(first))
    taken: list[int] = []
    desk.page.on("response", lambda r: taken.append(r.status) if r.url.endswith("/submit") else None)

    desk.page.context.set_offline(True)
    desk.press("Space", "Space", "Space", "Enter")
    desk.expect_problem(problem_start(second))
    said = desk.page.get_by_text(re.compile("^(Kept here, sent later|Submitted)")).locator("visible=true")
    assert said.evaluate("words => words.getClientRects().length") == 1, "one line, beside all that is said offline"
    desk.press("Space", "0")
    desk.expect_ratings("+1", "0", "not rated")
    desk.expect_text("offline, kept on this device, 1 submission waiting")
    first.refresh_from_db()
    assert first.status == Label.Status.OPEN

    desk.page.context.set_offline(False)
    desk.wait_for_status(first, "submitted")
    desk.wait_for_status(second, "open")
    desk.expect_text("saved")
    desk.expect_ratings("+1", "0", "not rated")
    assert taken == [200]
    assert list(first.step_labels.values_list("rating", flat=True)) == [1, 1, 1]


def test_a_queued_submission_survives_the_browser_tab(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, 1)
    desk = open_desk(ada, project.slug)
    desk.page.context.route("**/submit", lambda route: route.abort())
    desk.press("Space", "Space", "Space", "Enter")
    desk.expect_text("The server is not responding properly")
    desk.expect_text("1 submission on this device")
    context = desk.page.context
    desk.page.close()
    context.unroute_all()
    desk = LabelingDesk(context.new_page(), desk.url)
    desk.page.goto(desk.url)
    desk.wait_until(lambda: Label.objects.filter(status="submitted").count() == 1, "the label is submitted")


def test_a_killed_tab_comes_back_with_every_rating(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, 1, steps=6)
    desk = open_desk(ada, project.slug)
    desk.page.context.route("**/draft", lambda route: route.abort())  # only this device's journal
    desk.press("Space", "Space", "0", "Space", "c")
    desk.page.keyboard.type("Is this used later?")
    desk.press("Control+Enter")
    desk.expect_text("Is this used later?")
    kill(desk)
    assert Label.objects.get().draft is None

    again = LabelingDesk(desk.page.context.new_page(), desk.url)
    again.open()
    again.expect_ratings("+1", "+1", "0", "+1", "not rated", "not rated")
    again.expect_focus(5)
    again.expect_text("Is this used later?")


def test_the_draft_is_on_the_server_within_two_seconds(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, 1)
    desk = open_desk(ada, project.slug)
    for key in ("Space", "0", "k", "Space", "k", "k"):
        desk.press(key)

    def saved() -> bool:
        draft = Label.objects.get().draft
        return draft is not None and draft["content"]["ratings"] == [1, 1, None]

    desk.wait_until(saved, "the server holds the draft", seconds=2.0)


def test_another_device_finds_the_work_where_it_was_left(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, 1)
    desk = open_desk(ada, project.slug)
    desk.press("Space", "0")
    desk.wait_until(lambda: (Label.objects.get().draft or {}).get("focus") == 2, "the server holds the draft")
    open_desk(ada, project.slug).expect_ratings("+1", "0", "not rated")


def test_work_from_two_devices_asks_which_to_keep_and_loses_neither(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, 1)
    here, there = open_desk(ada, project.slug), open_desk(ada, project.slug)
    here.press("0", "0")
    here.expect_text("saved")
    here.wait_until(lambda: Label.objects.get().draft is not None, "the first device saved")
    there.press("Space")
    there.expect_text("Two versions of this label")
    expect_no_violations(there, "two versions")
    expect(there.page.get_by_role("columnheader", name="newer")).to_contain_text("This device")
    expect(there.page.get_by_role("row", name="Step 2")).to_contain_text("–")
    there.page.get_by_role("button", name="Keep the server’s").click()
    there.expect_ratings("0", "0", "not rated")
    there.press("z")
    there.expect_ratings("+1", "not rated", "not rated")


def test_z_takes_a_submission_back_and_the_next_task_waits(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, 2)
    desk = open_desk(ada, project.slug)
    first, second = desk.wait_for_two_labels()
    desk.press("Space", "Space", "x", "Enter")
    desk.expect_problem(problem_start(second))
    desk.wait_for_status(first, "submitted")
    desk.expect_text("1 of 2")
    desk.press("z")
    desk.expect_problem(problem_start(first))
    desk.expect_ratings("+1", "+1", "−1")
    desk.wait_for_status(first, "open")
    desk.wait_for_status(second, "prefetched")
    desk.expect_text("0 of 2")
    desk.press("z", "Space", "Enter")
    desk.expect_problem(problem_start(second))
    desk.wait_for_status(first, "submitted")
    assert list(first.step_labels.values_list("rating", flat=True)) == [1, 1, 1]


def test_the_next_task_is_there_before_the_server_has_answered(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, 2)
    desk = open_desk(ada, project.slug)
    first, second = desk.wait_for_two_labels()
    held: list[Route] = []
    desk.page.context.route("**/submit", lambda route: held.append(route))
    desk.press("Space", "Space", "Space", "Enter")
    desk.expect_problem(problem_start(second))
    desk.press("Space")
    desk.expect_ratings("+1", "not rated", "not rated")
    first.refresh_from_db()
    assert first.status == Label.Status.OPEN
    desk.wait_until(lambda: len(held) == 1, "the submission is on its way")
    held[0].continue_()
    desk.wait_for_status(first, "submitted")
    desk.expect_ratings("+1", "not rated", "not rated")


def test_enter_says_what_is_missing_and_goes_there(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, 1)
    desk = open_desk(ada, project.slug)
    desk.press("Space", "j", "Space", "Enter")
    desk.expect_text("Step 2 is not rated yet.")
    desk.expect_focus(2)
    assert Label.objects.get().status == Label.Status.OPEN


def test_a_contradiction_is_confirmed_once_with_a_reason(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_traces(project, 1, outcome="wrong")
    factories.make_round(project, 0)
    desk = open_desk(ada, project.slug)
    desk.press("Space", "Space", "Space", "Enter")
    desk.expect_text("Is that so?")
    desk.press("Control+Enter")
    desk.expect_text("Say why, in a few words.")
    expect_no_violations(desk, "a contradiction is to be confirmed")
    desk.page.keyboard.type("The recorded answer is not reduced.")
    desk.press("Control+Enter")
    desk.expect_text("You have labeled all there is for you")
    label = Label.objects.get()
    desk.wait_for_status(label, "submitted")
    assert label.confirmations == [
        {"code": "solution_but_answer_wrong", "reason": "The recorded answer is not reduced."}
    ]


def test_realising_an_earlier_error_moves_it_and_remembers_where_it_was_noticed(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, 1, steps=6)
    desk = open_desk(ada, project.slug)
    desk.press("Space", "Space", "Space", "Space", "r", "ArrowUp", "Enter")
    desk.expect_ratings("+1", "+1", "−1", "stays unlabelled", "stays unlabelled", "stays unlabelled")
    desk.expect_text("Noticed at step 5 and moved here.")
    desk.press("Enter")
    label = Label.objects.get()
    desk.wait_for_status(label, "submitted")
    assert label.noticed_at_step == 4


def test_giving_up_takes_a_reason_and_the_next_task_comes(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, 2)
    desk = open_desk(ada, project.slug)
    first, second = desk.wait_for_two_labels()
    desk.press("Space", "u")
    desk.page.keyboard.type("I cannot follow it.")
    desk.press("Control+Enter")
    desk.expect_problem(problem_start(second))
    desk.wait_for_status(first, "submitted")
    assert (first.finish_reason, first.finish_detail["text"]) == ("give_up", "I cannot follow it.")


def test_a_submission_after_the_lease_expired_and_the_round_was_closed_is_kept(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    round_ = factories.make_round(project, 1)
    desk = open_desk(ada, project.slug)
    desk.press("Space", "Space")
    label = Label.objects.get()
    Label.objects.filter(pk=label.pk).update(status="expired", leased_until=None)
    rounds.close_round(round_, by=None)
    desk.press("Space", "Enter")
    desk.wait_for_status(label, "submitted")
    desk.expect_text("Its round was closed, so it is kept as an extra label.")
    assert label.surplus
    expect(desk.page.get_by_role("heading", name="No round is open")).to_be_visible()
    expect_no_violations(desk, "its round was closed")


def test_a_chosen_key_replaces_the_usual_one_and_a_taken_key_is_refused(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, 1)
    desk = open_desk(ada, project.slug)
    desk.press("?")
    desk.page.get_by_role("button", name="Change keys").click()
    change = desk.page.get_by_role("button", name="Change the key of: Rate +1 and go on")
    change.click()
    desk.press("x")
    desk.expect_text("is taken by “Rate −1: an error”")
    desk.press("8")
    desk.expect_text("is now on 8.")
    desk.press("Escape", "8")
    desk.expect_ratings("+1", "not rated", "not rated")
    desk.press("Space")
    desk.expect_ratings("+1", "not rated", "not rated")

    def kept() -> bool:
        ada.refresh_from_db()
        return ada.preferences.get("keys") == {"rate_plus": "8"}

    desk.wait_until(kept, "the server keeps the choice")


def test_a_submitted_label_is_revised_under_my_work_and_the_old_one_kept(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, 1)
    desk = open_desk(ada, project.slug)
    desk.press("Space", "Space", "Space", "Enter")
    old = Label.objects.get()
    desk.wait_for_status(old, "submitted")
    desk.page.get_by_role("link", name="My work").click()
    desk.page.get_by_role("link", name="Revise").click()
    desk.expect_ratings("+1", "+1", "+1")
    desk.press("k", "k", "x", "Enter")
    desk.wait_for_status(old, "superseded")
    new = Label.objects.get(supersedes=old)
    assert list(new.step_labels.values_list("rating", flat=True)) == [-1]
    expect(desk.page.get_by_role("heading", name="My work")).to_be_visible()


@pytest.mark.parametrize("size", [(390, 844), (844, 390), (998, 448)], ids=["upright", "on its side", "a large one"])
def test_a_task_is_labeled_with_a_thumb_on_a_phone(open_desk: OpenDesk, size: tuple[int, int]) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, 1, steps=4)
    width, height = size
    phone = {"viewport": {"width": width, "height": height}, "has_touch": True, "is_mobile": True}
    desk = open_desk(ada, project.slug, **phone)
    bar = desk.page.get_by_role("radiogroup", name="Rating of step").locator("visible=true")
    for name in ("+1, good", "0, neutral", "−1, wrong"):
        bar.get_by_role("radio", name=name).tap()
    desk.expect_ratings("+1", "0", "−1", "stays unlabelled")
    assert desk.page.evaluate("document.documentElement.scrollWidth") == width
    desk.page.get_by_role("button", name="Undo").locator("visible=true").tap()
    desk.expect_ratings("+1", "0", "not rated", "not rated")
    bar.get_by_role("radio", name="−1, wrong").tap()
    desk.page.get_by_role("button", name="More").locator("visible=true").tap()
    desk.page.get_by_role("dialog").get_by_role("button", name="Comment on this step").tap()
    desk.page.keyboard.type("by thumb")
    desk.page.keyboard.press("Control+Enter")
    submit = desk.page.get_by_role("button", name="Submit, next").locator("visible=true")
    assert (submit.bounding_box() or {"height": 0})["height"] >= 44
    assert (bar.bounding_box() or {"y": 0})["y"] > height / 2  # the steps take more than half
    submit.tap()
    label = Label.objects.get()
    desk.wait_for_status(label, "submitted")
    assert [one.text for one in label.comments.all()] == ["by thumb"]


def test_the_empty_screen_says_why(open_desk: OpenDesk, log_in: Callable[..., Page]) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    desk = LabelingDesk(log_in(ada), "")
    bert = factories.make_member(project)
    factories.make_round(project, 1)
    busy = open_desk(bert, project.slug)
    desk.page.goto(busy.url)
    desk.expect_text("Everything left is being labeled")
    desk.expect_text("This page checks again")


def kill(desk: LabelingDesk) -> None:
    """End the tab's process, so that the page gets no leave event."""
    with desk.page.expect_event("crash"), contextlib.suppress(Error):
        desk.page.goto("chrome://crash")
