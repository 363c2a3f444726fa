"""Screening with feedback, a round with hidden gold, a pause that says why, and an admin who lets the labeler go on."""

import pytest
from playwright.sync_api import Page, expect

from labeling.models import GoldPlan, Label, Membership, Task
from labeling.tests.browser.labeling_desk import LabelingDesk
from labeling.tests.factories import make_member, make_project, make_round
from labeling.tests.gold.world import make_gold_items, plan_gold

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

GOLD = 8
SCREENING = 2


def test_screening_then_hidden_gold_then_a_pause_that_an_admin_takes_back(live_server, log_in):
    project = make_project(gold_per_round=GOLD, screening=True, screening_tasks=SCREENING)
    make_gold_items(project, GOLD + SCREENING)
    round_ = make_round(project, traces=12)
    ada = make_member(project, display_name="Ada")
    admin = make_member(project, "admin")
    plan_gold(round_, ada, list(range(GOLD)))
    page = log_in(ada).new_page()
    desk = LabelingDesk(page, f"{live_server.url}/projects/{project.slug}/label")
    desk.open()

    expect(page.get_by_text(f"Screening 1 of {SCREENING}")).to_be_visible()
    _say_second_step_is_wrong(desk)
    expect(page.get_by_role("heading", name="You said step 2.")).to_be_visible()
    expect(page.get_by_text("Lost a sign.")).to_be_visible()
    page.get_by_role("button", name="Next task").press("Enter")
    expect(page.get_by_text(f"Screening {SCREENING} of {SCREENING}")).to_be_visible()
    _say_second_step_is_wrong(desk)
    page.get_by_role("button", name="Next task").click()
    expect(page.get_by_role("heading", name="You passed the screening")).to_be_visible()
    page.get_by_role("button", name="Start labeling").click()
    desk.step(1).wait_for()
    assert page.get_by_text("gold").count() == 0

    while not _is_paused(ada):
        done = Label.objects.filter(labeler=ada, status="submitted").count()
        _say_first_step_is_wrong(desk)
        desk.wait_until(lambda done=done: _submitted(ada) > done, "the answer arrives", seconds=60)
    assert Task.objects.filter(kind="gold", labels__labeler=ada).count() > 2
    desk.open()
    if Label.objects.filter(labeler=ada, status__in=("open", "prefetched")).exists():  # theirs before the pause
        _say_first_step_is_wrong(desk)
    expect(page.get_by_role("heading", name="You are paused")).to_be_visible()
    expect(page.get_by_text("0 % (0 of")).to_be_visible()
    expect(page.get_by_text("The project asks for 75 %")).to_be_visible()

    _let_go_on(log_in(admin).new_page(), f"{live_server.url}/projects/{project.slug}")
    page.get_by_role("button", name="Look again").click()
    desk.step(1).wait_for()
    assert GoldPlan.objects.get(labeler=ada).served > GOLD / 2


def _let_go_on(page: Page, base: str) -> None:
    page.goto(f"{base}/standings")
    row = page.get_by_role("row").filter(has_text="Ada")
    expect(row).to_contain_text("paused")
    row.get_by_role("button", name="Let them go on").click()
    page.get_by_role("dialog").get_by_role("button", name="Let them go on").click()
    expect(row).to_contain_text("gets work")
    page.goto(f"{base}/gold")
    expect(page.get_by_text("Most say otherwise")).to_have_count(0)
    expect(page.get_by_role("row").filter(has_text="What is")).to_have_count(GOLD + SCREENING)


def _say_second_step_is_wrong(desk: LabelingDesk) -> None:
    desk.step(1).wait_for()
    desk.press("Space", "x")
    desk.expect_ratings("+1", "−1", "stays unlabelled")
    desk.press("Enter")


def _say_first_step_is_wrong(desk: LabelingDesk) -> None:
    desk.step(1).wait_for()
    desk.press("x")
    desk.expect_ratings("−1", "stays unlabelled", "stays unlabelled")
    desk.press("Enter")


def _is_paused(person) -> bool:
    return Membership.objects.filter(user=person, paused_at__isnull=False).exists()


def _submitted(person) -> int:
    return Label.objects.filter(labeler=person, status="submitted").count()
