"""Gold from a labeler's and an admin's side: screening with feedback, a round with hidden gold, a pause that says why
and that an admin takes back, a dispute that the admin settles, and, after the round is closed, the lessons from its
gold.
"""

from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from labeling.actions import labels
from labeling.actions.labeler_quality import evaluate_labelers
from labeling.models import Gold, GoldPlan, GoldResult, Label, Membership, Project, Task, User
from labeling.quality.sequential_test import action_for
from labeling.queries.labeler_quality import RULES
from labeling.tests.browser.axe import expect_no_violations
from labeling.tests.browser.labeling_desk import LabelingDesk
from labeling.tests.factories import join, make_member, make_project, make_round, make_submission, make_user
from labeling.tests.gold.world import make_gold_items, plan_gold

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

GOLD = 6
SCREENING = 2
FAILURES = next(seen for seen in range(1, GOLD) if action_for(0, seen, RULES) == "pause")


def test_from_the_screening_over_hidden_gold_a_pause_and_a_dispute_to_the_coaching_page(live_server, log_in):
    project = make_project(gold_per_round=GOLD, screening=True, screening_tasks=SCREENING)
    make_gold_items(project, GOLD + SCREENING)
    round_ = make_round(project, traces=6, overlap=2)
    ada, ben = make_member(project, display_name="Ada"), make_user(display_name="Ben")
    join(project, ben, admitted_at=timezone.now())
    admin = make_member(project, "admin")
    plan_gold(round_, ada, list(range(GOLD)))
    base = f"{live_server.url}/projects/{project.slug}"
    page = log_in(ada)
    desk = LabelingDesk(page, f"{base}/label")
    page.goto(desk.url)

    _pass_the_screening(desk)
    assert page.get_by_text("gold").count() == 0
    _fail_gold_until_paused(desk, ada)

    office = log_in(admin)
    _let_go_on(office, base)
    _look_at_the_signs_of_gold(office, project)
    page.get_by_role("button", name="Look again").click()
    assert GoldPlan.objects.get(labeler=ada).served > GOLD / 2
    _say_and_wait(desk, ada, "work")
    disputed = Task.objects.get(kind="work", labels__labeler=ada, labels__status="submitted")
    _say_otherwise(project, ben, disputed)

    _settle(office, base)
    disputed.refresh_from_db()
    assert (disputed.settlement, disputed.verdict) == ("ruled", 1)
    office.goto(f"{base}/rounds/{round_.pk}")
    office.get_by_role("button", name="Close round").click()
    office.get_by_role("dialog").get_by_role("button", name="Close for good").click()
    expect(office.get_by_text("closed").first).to_be_visible()

    page.goto(f"{base}/my-coaching")
    expect(page.get_by_text(f"0 % of {GOLD} gold tasks").first).to_be_visible()
    card = page.get_by_role("heading", name="The error is at another step").first.locator("..")
    expect(card).to_contain_text("You said: step 1. Accepted: step 2.")
    expect(card).to_contain_text("Lost a sign.")


def _pass_the_screening(desk: LabelingDesk) -> None:
    page = desk.page
    page.get_by_role("button", name=f"Begin, task 1 of {SCREENING}").click()
    expect(page.get_by_text(f"Screening 1 of {SCREENING}")).to_be_visible()
    _say_second_step_is_wrong(desk)
    expect(page.get_by_role("heading", name="Accepted", exact=True)).to_be_visible()
    expect(page.get_by_text("Lost a sign.")).to_be_visible()
    page.get_by_role("button", name="Next task").click()
    expect(page.get_by_text(f"Screening {SCREENING} of {SCREENING}")).to_be_visible()
    _say_second_step_is_wrong(desk)
    page.get_by_role("button", name="See the result").click()
    expect(page.get_by_role("heading", name="You passed the screening")).to_be_visible()
    page.get_by_role("button", name="Start labeling").click()
    desk.step(1).wait_for()


def _fail_gold_until_paused(desk: LabelingDesk, person: User) -> None:
    for _ in range(FAILURES):
        ahead = Label.objects.filter(labeler=person, status="prefetched")
        desk.wait_until(ahead.exists, "the next label is leased ahead")
        _say_and_wait(desk, person)
        evaluate_labelers()
    desk.wait_until(Membership.objects.filter(user=person, paused_at__isnull=False).exists, "the pause")
    assert Task.objects.filter(kind="gold", labels__labeler=person).count() > 2
    desk.open()  # the label that was open when they were paused is still theirs
    bell = desk.page.get_by_role("link", name="Notices, 1 unread one")
    expect(bell).to_be_visible()
    assert bell.inner_text() == ""  # a dot, and no number that would attract attention
    _say_first_step_is_wrong(desk)
    expect(desk.page.get_by_role("heading", name="You are paused")).to_be_visible()
    expect(desk.page.get_by_role("link", name="Notices")).to_be_visible()
    expect(desk.page.get_by_text("0 % (0 of")).to_be_visible()
    expect(desk.page.get_by_text("The project asks for 75 %")).to_be_visible()
    expect_no_violations(desk, "paused")


def _let_go_on(page: Page, base: str) -> None:
    page.goto(f"{base}/labeler-quality")
    row = page.get_by_role("row").filter(has_text="Ada")
    expect(row).to_contain_text("paused")
    row.get_by_role("button", name="Let them go on").click()
    page.get_by_role("dialog").get_by_role("button", name="Let them go on").click()
    expect(row).to_contain_text("gets work")
    page.goto(f"{base}/gold")
    expect(page.get_by_text("Most say otherwise")).to_have_count(0)
    expect(page.get_by_role("row").filter(has_text="What is")).to_have_count(GOLD + SCREENING)


def _look_at_the_signs_of_gold(page: Page, project: Project) -> None:
    """Two items of the screening: the others answer one of them perfectly, and differ on the other."""
    leaked, split = Gold.objects.filter(trace__tasks__kind="screening", project=project).order_by("pk")
    _answer(leaked, [1] * 8, seconds_a_step=1)
    _answer(split, [1, 1, 1, 0, 0, 0, 0], seconds_a_step=9)
    page.reload()
    expect(page.get_by_text("It can be read both ways")).to_be_visible()
    row = page.get_by_role("row").filter(has_text="the answer has probably spread")
    row.get_by_role("button", name="Retire").click()
    page.get_by_role("dialog").get_by_role("button", name="Retire").click()
    expect(page.get_by_role("row").filter(has_text="What is")).to_have_count(GOLD + SCREENING - 1)
    page.get_by_label("Show", exact=True).select_option("retired")
    expect(page.get_by_role("row").filter(has_text="Retired: ")).to_have_count(1)
    leaked.refresh_from_db()
    assert leaked.status == "retired"


def _answer(gold: Gold, verdicts: list[int], *, seconds_a_step: int) -> None:
    """Answers, each with a first error, of people who have since left the project."""
    task = Task.objects.get(kind="screening", trace=gold.trace)
    for verdict in verdicts:
        person = make_user()
        about = {"project": gold.project, "labeler": person}
        spent = seconds_a_step * 1_000 * (verdict + 1)
        now = timezone.now()
        done = {"status": "submitted", "submitted_at": now, "finish_reason": "found_error", "active_ms": spent}
        label = Label.objects.create(task=task, verdict=verdict, **about, **done)
        passed = verdict in gold.acceptable
        GoldResult.objects.create(
            label=label, gold=gold, kind="screening", verdict=verdict, passed=passed, at=now, **about
        )


def _say_otherwise(project: Project, person: User, task: Task) -> None:
    """Another labeler finds the first error of the same trace in the second step."""
    while (label := labels.claim_next_label(person, project).label) is not None:
        labels.submit_label(label, make_submission([1, -1, None], idempotency_key=uuid4()))
        if label.task_id == task.pk:
            return


def _settle(page: Page, base: str) -> None:
    page.goto(f"{base}/review")
    expect(page.get_by_role("button", name="Disagreement 1")).to_be_visible()
    expect(page.get_by_role("table").get_by_role("link")).to_have_count(1)
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Ben", exact=True).click()
    expect(page.get_by_role("radio", name="negative, step 2")).to_be_checked()
    page.get_by_role("button", name="Settle", exact=True).click()
    expect(page.get_by_role("heading", name="Nothing waits here any more")).to_be_visible()


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


def _say_and_wait(desk: LabelingDesk, person: User, kind: str = "gold") -> None:
    """Label the current task, and wait until the server has stored it."""
    own: Any = Label.objects.filter(labeler=person, status="submitted", task__kind=kind)
    done = own.count()
    _say_first_step_is_wrong(desk)
    desk.wait_until(lambda: own.count() > done, "the answer arrives")
