"""My work as a diary: every label can be opened and found, shows until when it can be revised, and marks revisions."""

from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from labeling.actions import labels
from labeling.models import Label, Problem, Round
from labeling.tests import factories
from labeling.tests.browser.axe import expect_no_violations
from labeling.tests.browser.conftest import OpenDesk
from labeling.tests.browser.labeling_desk import LabelingDesk

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_label_is_found_read_and_revised_by_keyboard_and_still_opens_when_its_round_is_closed(
    live_server: Any, log_in: OpenDesk
) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    round_ = factories.make_round(project, 3)
    for said in ([1, -1, None], [1, 1, 1], [1, 0, 1]):
        label = labels.claim_next_label(ada, project).label
        submission = factories.make_submission(said, idempotency_key=uuid4())
        labels.submit_label(label, submission)
    wanted = Label.objects.get(finish_reason="found_error")
    Label.objects.filter(pk=wanted.pk).update(active_ms=60_000)
    Problem.objects.filter(traces__tasks__labels=wanted).update(text="How many kangaroos are there?")
    page: Any = log_in(ada)
    page.goto(f"{live_server.url}/projects/{project.slug}")
    expect(page.get_by_role("definition")).to_contain_text(["3 labels", "3 of 3 labels", "submitted"])
    desk = LabelingDesk(page, f"{live_server.url}/projects/{project.slug}/my-work")
    page.goto(desk.url)
    table = page.get_by_role("table", name="Your labels, newest first")
    expect(table.get_by_text("until")).to_have_count(3)
    expect(table.get_by_text("hasty", exact=True)).to_have_count(2)
    expect_no_violations(desk, "the diary")
    only = page.get_by_role("checkbox", name="Only hasty ones")
    only.press("Space")
    expect(table.get_by_role("row")).to_have_count(3)  # including the header row
    expect(table.get_by_text("hasty", exact=True)).to_have_count(2)
    page.reload()
    expect(only).to_be_checked()
    page.get_by_label("Result").select_option("error")
    expect(page.get_by_role("heading", name="No labels match")).to_be_visible()
    expect(page.get_by_text("Hasty labels are those submitted in less than")).to_be_visible()
    expect_no_violations(desk, "no hasty label")
    page.get_by_role("button", name="Show all").press("Enter")
    expect(only).not_to_be_checked()
    page.get_by_label("Search in problems").focus()
    page.keyboard.type("kangaroo")
    link = table.get_by_role("link", name="How many kangaroos are there?")
    expect(table.get_by_role("row")).to_have_count(2)
    link.focus()
    desk.press("Enter")
    expect(page.get_by_role("heading", name="Your label")).to_be_visible()
    expect(page.get_by_text("Found an error at step 2")).to_be_visible()
    expect_no_violations(desk, "a label, to be read")
    page.get_by_role("link", name="Revise").press("Enter")
    desk.step(1).wait_for()
    desk.expect_text("You are revising your label of")
    expect(page.get_by_role("banner")).to_contain_text("Revision")
    expect_no_violations(desk, "a revision")
    desk.press("k", "x", "Enter")
    expect(page.get_by_role("heading", name="My work")).to_be_visible()
    desk.wait_until(Label.objects.filter(supersedes=wanted, status="submitted").exists, "the revision arrives")

    Round.objects.filter(pk=round_.pk).update(status="closed")
    page.goto(f"{live_server.url}/projects/{project.slug}/my-work/{wanted.pk}")
    expect(page.get_by_text("an older version: you revised it")).to_be_visible()
    expect(page.get_by_role("link", name="Revise")).to_have_count(0)
    page.goto(f"{live_server.url}/projects/{project.slug}/label/{wanted.pk}")
    expect(page.get_by_role("heading", name="This label can no longer be changed")).to_be_visible()
    expect(page.get_by_text("the list has the newer version")).to_be_visible()
    expect_no_violations(desk, "no longer to be changed")
    page.goto(f"{live_server.url}/projects/{project.slug}/my-coaching")
    expect(page.get_by_text("n/a: only one round so far").first).to_be_visible()
    expect_no_violations(desk, "coaching")
