"""Text that a person typed survives closing the form, leaving the page, and reloading it."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeling.actions.labels import claim_next_label, submit_label
from labeling.models import Label, Task
from labeling.tests.browser.conftest import OpenDesk
from labeling.tests.browser.labeling_desk import LabelingDesk
from labeling.tests.factories import make_member, make_project, make_round, make_submission

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def desk(open_desk: OpenDesk) -> LabelingDesk:
    project = make_project()
    make_round(project)
    return open_desk(make_member(project), project.slug)


def test_a_comment_that_is_still_open_is_there_after_a_reload(desk: LabelingDesk) -> None:
    desk.press("c")
    desk.page.keyboard.type("The sign is wrong.")
    desk.wait_until(lambda: _saved_comments() == {"0": "The sign is wrong."}, "the comment is saved as it is typed")
    desk.page.reload()
    desk.expect_text("The sign is wrong.")
    desk.expect_focus(1)
    desk.press("c")
    expect(desk.page.get_by_label("Comment (researchers see it with the label)")).to_have_value("The sign is wrong.")


def test_a_reason_that_was_not_given_yet_is_in_its_dialog_when_that_is_opened_again(desk: LabelingDesk) -> None:
    page = desk.page
    for key, field in (("u", "Why?"), ("b", "Why?")):
        desk.press(key)
        page.get_by_label(field).fill(f"Typed after {key}.")
        if key == "b":
            page.get_by_role("radio", name="Does not say clearly what to find").check()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
    page.reload()
    desk.expect_focus(1)
    desk.press("u")
    expect(page.get_by_label("Why?")).to_have_value("Typed after u.")
    page.keyboard.press("Escape")
    desk.press("b")
    expect(page.get_by_label("Why?")).to_have_value("Typed after b.")
    expect(page.get_by_role("radio", name="Does not say clearly what to find")).to_be_checked()
    page.keyboard.press("Control+Enter")
    desk.wait_until(lambda: Label.objects.filter(status="submitted").exists(), "it is sent")
    assert Label.objects.get(status="submitted").finish_detail == {"kind": "vague", "text": "Typed after b."}


def test_a_ruling_that_is_not_settled_yet_waits_for_its_reviewer(live_server: Any, log_in: Callable[..., Page]) -> None:
    project = make_project()
    round_ = make_round(project, 2, overlap=2)
    for ratings in ([1, 1, 1], [1, -1, None]):
        ada = make_member(project)
        for _ in range(2):
            submit_label(claim_next_label(ada, project).label, make_submission(ratings))
    first, second = Task.objects.filter(round=round_).order_by("pk")
    page = log_in(make_member(project, "researcher"))
    page.goto(f"{live_server.url}/projects/{project.slug}/review/{first.pk}")
    why = page.get_by_label("Why (optional)")
    expect(page.get_by_role("button", name="Settle", exact=True)).to_be_disabled()
    for key in ("j", "j", "Space", "k", "x"):  # step 1 is current, then 2, which is rated; back to 1
        page.keyboard.press(key)
    expect(page).to_have_url(f"{live_server.url}/projects/{project.slug}/review/{first.pk}")
    expect(page.get_by_role("radio", name="negative, step 2")).to_be_checked()
    expect(page.get_by_role("button", name="Settle", exact=True)).to_be_in_viewport()
    why.fill("It does not follow.")
    page.locator("h1").click()
    page.keyboard.press("n")
    expect(page.get_by_role("heading", name=f"Review of task {second.pk}")).to_be_visible()
    expect(why).to_have_value("")
    page.keyboard.press("p")
    expect(why).to_have_value("It does not follow.")
    page.reload()
    expect(why).to_have_value("It does not follow.")
    expect(page.get_by_role("radio", name="negative, step 2")).to_be_checked()


def _saved_comments() -> dict[str, str]:
    draft = Label.objects.get(status="open").draft or {}
    comments: dict[str, str] = draft.get("content", draft).get("comments", {})
    return comments
