"""Hours on the labeling page: a lease kept by signs of life, a pause that is not counted, a lost place."""

import time
from datetime import timedelta

import pytest
from django.db.models import F
from django.utils import timezone
from playwright.sync_api import expect

from labeling.actions import labels
from labeling.models import Label, User
from labeling.tests import factories
from labeling.tests.browser.axe import expect_no_violations
from labeling.tests.browser.conftest import OpenDesk
from labeling.tests.browser.labeling_desk import LabelingDesk

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def open_with_own_clock(open_desk: OpenDesk, user: User, slug: str) -> LabelingDesk:
    """A labeling page whose clock the test controls."""
    desk = open_desk(user, slug)
    desk.page.clock.install()
    desk.open()
    return desk


def test_the_lease_is_renewed_while_the_labeler_works_and_not_while_they_are_away(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, 1, steps=6)
    desk = open_with_own_clock(open_desk, ada, project.slug)
    label = Label.objects.get()
    Label.objects.filter(pk=label.pk).update(leased_until=timezone.now() + timedelta(seconds=30))
    desk.press("Space")
    for _ in range(2):
        desk.page.clock.fast_forward(25_000)
        desk.press("Space")
    with desk.page.expect_response(f"**/api/labels/{label.pk}/heartbeat"):
        desk.page.clock.fast_forward(25_000)  # the clock then stands still: another jump would time out the request
        desk.press("Space")
    label.refresh_from_db()
    assert label.leased_until is not None
    assert label.leased_until > timezone.now() + timedelta(minutes=project.lease_minutes - 1)

    beats: list[str] = []
    desk.page.clock.fast_forward(61_000)  # the last key was now a minute ago
    desk.page.on("request", lambda request: beats.append(request.url) if "heartbeat" in request.url else None)
    for _ in range(10):
        desk.page.clock.run_for(60_000)
    assert beats == []


def test_of_ten_minutes_away_from_the_desk_one_minute_counts(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, 1)
    desk = open_with_own_clock(open_desk, ada, project.slug)
    label = Label.objects.get()
    earlier = timedelta(minutes=20)  # the server allows no more active time than has passed on its own clock
    Label.objects.filter(pk=label.pk).update(claimed_at=F("claimed_at") - earlier)
    began = time.monotonic()
    desk.press("Space")
    desk.page.clock.fast_forward(10 * 60_000)
    desk.press("Space", "Space", "Enter")
    desk.wait_for_status(label, "submitted")
    seconds = label.active_ms / 1000
    assert 60 <= seconds < 75 + time.monotonic() - began  # the controlled clock also runs on its own
    by_step = dict(label.step_labels.values_list("step_index", "active_ms"))
    assert by_step[1] >= 59_000  # the step that was current during that time


def test_a_place_lost_to_somebody_else_leaves_the_work_as_an_extra_label(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    ada, bert = factories.make_member(project), factories.make_member(project)
    factories.make_round(project, 1)
    desk = open_with_own_clock(open_desk, ada, project.slug)
    desk.press("Space", "0")
    desk.expect_text("saved")
    label = Label.objects.get()
    Label.objects.filter(pk=label.pk).update(leased_until=timezone.now() - timedelta(seconds=1))
    labels.expire_overdue_labels()
    taken = labels.claim_next_label(bert, project).label
    assert taken is not None
    assert taken.task_id == label.task_id

    desk.page.clock.fast_forward(90_000)
    desk.press("k")
    desk.expect_text("your slot is gone")
    expect_no_violations(desk, "your slot is gone")
    desk.expect_ratings("+1", "0", "not rated")
    desk.press("j", "Space", "Enter")
    desk.wait_for_status(label, "submitted")
    desk.expect_text("Its slot was taken, so it is kept as an extra label.")
    assert label.surplus
    assert list(label.step_labels.values_list("rating", flat=True)) == [1, 0, 1]


def test_lost_work_is_taken_up_again_from_my_work(open_desk: OpenDesk) -> None:
    project = factories.make_project()
    ada, bert = factories.make_member(project), factories.make_member(project)
    factories.make_round(project, 1)
    desk = open_desk(ada, project.slug)
    desk.press("Space", "0")
    desk.wait_until(lambda: (Label.objects.get().draft or {}).get("focus") == 2, "the server holds the draft")
    label = Label.objects.get()
    desk.page.goto("about:blank")
    Label.objects.filter(pk=label.pk).update(leased_until=timezone.now() - timedelta(seconds=1))
    labels.expire_overdue_labels()
    labels.claim_next_label(bert, project)

    desk.page.goto(desk.url.replace("/label", "/my-work"))
    desk.page.get_by_role("link", name="Continue").click()
    go_on = desk.page.get_by_role("button", name="Go on with it")
    expect(go_on).to_be_visible()
    expect_no_violations(desk, "the lease has ended")
    go_on.click()
    expect(desk.step(1)).to_be_visible()
    desk.expect_ratings("+1", "0", "not rated")
    desk.press("Space", "Enter")
    desk.wait_for_status(label, "submitted")
    assert label.surplus
