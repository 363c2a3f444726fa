"""Screening by keyboard: its introduction, where nothing counts yet, and the feedback after an answer."""

from typing import Any

import pytest
from playwright.sync_api import expect

from labeling.models import Label, Membership, Project, ScreeningAttempt
from labeling.tests.browser.axe import expect_no_violations
from labeling.tests.browser.conftest import OpenDesk
from labeling.tests.browser.labeling_desk import LabelingDesk
from labeling.tests.factories import make_member, make_project, make_round
from labeling.tests.gold.world import make_gold_items

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_the_screening_has_a_door_and_its_feedback_shows_both_answers(live_server: Any, log_in: OpenDesk) -> None:
    project = make_project(gold_per_round=0, screening=True, screening_tasks=2, screening_share=0.5)
    make_gold_items(project, 2)
    make_round(project, 1)
    page: Any = log_in(make_member(project))
    desk = LabelingDesk(page, f"{live_server.url}/projects/{project.slug}/label")
    page.goto(desk.url)
    expect(page.get_by_role("heading", name="Before the first task: a screening")).to_be_visible()
    expect(page.get_by_text("1 of 2 accepted.")).to_be_visible()
    expect(page.get_by_text("It is not real work")).to_be_visible()

    example = page.get_by_role("region", name="A worked example")
    desk.press("Space", "Space")
    expect(example).to_contain_text("It is right but makes no progress: this is a 0.")
    desk.press("z", "0", "x")
    expect(example).to_contain_text("so this is the first error. Rating stops here.")
    expect(example).to_contain_text("Comes after the first error, step 3; stays unlabelled.")
    expect_no_violations(desk, "the door")
    page.reload()
    expect(example).to_be_visible()
    desk.press("g")
    expect(page.get_by_role("dialog", name="Guidelines")).to_be_visible()
    desk.press("Escape")
    assert ScreeningAttempt.objects.count() == 0, "nothing has begun yet"

    desk.press("Enter")
    desk.step(1).wait_for()
    assert ScreeningAttempt.objects.get().finished_at is None
    desk.press("Space", "Space", "x", "Enter")
    expect(page.get_by_role("heading", name="Not accepted: the first error is one step earlier")).to_be_visible()
    desk.expect_text("You said step 3. The accepted answer is step 2. To pass, the last task must be accepted.")
    rows = page.get_by_role("region", name="Your answer and the accepted one").get_by_role("listitem")
    expect(rows.nth(1)).to_contain_text("You: +1Accepted: −1")
    expect(rows.nth(1)).to_contain_text("Lost a sign.")
    expect(rows.nth(2)).to_contain_text("You: −1Accepted: ·")
    expect(rows.nth(1)).to_have_attribute("aria-current", "step")
    expect_no_violations(desk, "feedback")
    desk.press("j", "j", "j")
    expect(rows.nth(2)).to_have_attribute("aria-current", "step")
    desk.press("Enter")
    desk.step(1).wait_for()
    desk.press("Space", "x", "Enter")
    expect(page.get_by_role("heading", name="Accepted", exact=True)).to_be_visible()
    desk.press("Enter")
    expect(page.get_by_role("heading", name="You passed the screening")).to_be_visible()
    expect_no_violations(desk, "passed")

    for left, title in ((1, "Not passed yet"), (0, "You did not pass the screening")):
        Label.objects.filter(status__in=["open", "prefetched"]).update(status="released", leased_until=None)
        Membership.objects.update(admitted_at=None)
        ScreeningAttempt.objects.update(passed=0)
        Project.objects.update(screening_retries=left)
        page.reload()
        expect(page.get_by_role("heading", name=title)).to_be_visible()
        expect(page.get_by_role("button", name="Try again")).to_have_count(left)
        expect_no_violations(desk, title)
