"""Two people in one browser: each person's labels stay theirs, whoever is logged in when they are sent."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeling.models import Label, Project, User
from labeling.tests import factories
from labeling.tests.accounts import PASSWORD
from labeling.tests.browser.axe import expect_no_violations
from labeling.tests.browser.labeling_desk import LabelingDesk

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def make_people(project: Project) -> list[User]:
    return [
        factories.make_member(project, username=name, password=PASSWORD, display_name=name.capitalize())
        for name in ("ada", "bert")
    ]


def log_in(page: Page, person: User) -> None:
    page.get_by_label("User name").fill(person.username)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()
    expect(page.get_by_role("heading", name="Log in")).to_have_count(0)


def open_desk_by_login(page: Page, url: str, person: User) -> LabelingDesk:
    desk = LabelingDesk(page, url)
    page.goto(url)
    log_in(page, person)
    desk.step(1).wait_for()
    return desk


def open_desk_of_the_first(live_server: Any, new_page: Callable[..., Page]) -> tuple[LabelingDesk, Label, User]:
    """Ada on the labeling page, her open label, and Bert, who logs in after her."""
    project = factories.make_project()
    ada, bert = make_people(project)
    factories.make_round(project, 12)
    desk = open_desk_by_login(new_page(), f"{live_server.url}/projects/{project.slug}/label", ada)
    return desk, Label.objects.get(status=Label.Status.OPEN, labeler=ada), bert


def log_out(page: Page) -> None:
    page.get_by_role("banner").get_by_role("button", name="Log out").click()
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()


def test_a_submission_waits_for_its_person_to_log_in_again(live_server: Any, new_page: Callable[..., Page]) -> None:
    desk, first, bert = open_desk_of_the_first(live_server, new_page)
    page, ada = desk.page, first.labeler
    submitting = f"**/api/labels/{first.pk}/submit"
    page.route(submitting, lambda route: route.abort())
    desk.press("Space", "0", "Space", "Enter")
    desk.expect_text("1 submission waiting")
    page.get_by_role("link", name="My work").click()
    log_out(page)
    page.unroute(submitting)

    log_in(page, bert)
    with page.expect_response(submitting) as tried:
        page.evaluate("dispatchEvent(new Event('online'))")
    assert (tried.value.status, tried.value.json()["code"]) == (401, "other_person")
    page.go_back()  # to the labeling page, in the same tab
    desk.step(1).wait_for()
    own = Label.objects.get(labeler=bert, status=Label.Status.OPEN)
    desk.press("Space", "Space", "Space", "Enter")
    desk.wait_for_status(own, "submitted")
    first.refresh_from_db()
    assert first.status == Label.Status.OPEN
    page.get_by_role("link", name="My work").click()
    expect(page.get_by_text("Somebody else has logged in")).to_have_count(0)
    log_out(page)

    log_in(page, ada)
    desk.wait_for_status(first, "submitted")
    done = Label.objects.filter(status=Label.Status.SUBMITTED).order_by("pk")
    assert [(label.pk, label.labeler_id) for label in done] == [(first.pk, ada.pk), (own.pk, bert.pk)]
    assert list(first.step_labels.order_by("step_index").values_list("rating", flat=True)) == [1, 0, 1]


def test_a_page_that_stayed_open_labels_nothing_as_who_logged_in_since(
    live_server: Any, new_page: Callable[..., Page]
) -> None:
    desk, first, bert = open_desk_of_the_first(live_server, new_page)
    page, ada = desk.page, first.labeler
    beside = page.context.new_page()
    beside.goto(f"{live_server.url}/account")
    log_out(beside)
    log_in(beside, bert)

    desk.press("Space", "Space", "Space", "Enter")
    expect(page.get_by_role("heading", name="Somebody else has logged in in this browser")).to_be_visible()
    desk.expect_text("Unsent work of Ada stays in this browser until Ada logs in here again.")
    expect_no_violations(desk, "of somebody else")
    assert not Label.objects.filter(labeler=bert).exists()
    page.get_by_role("button", name="Go on as Bert").click()
    desk.step(1).wait_for()
    desk.expect_ratings("not rated", "not rated", "not rated")
    first.refresh_from_db()
    assert (first.labeler_id, first.status) == (ada.pk, "open")

    page.get_by_role("link", name="My work").click()
    log_out(page)
    log_in(page, ada)
    desk.wait_for_status(first, "submitted")
    assert not Label.objects.filter(labeler=bert, status=Label.Status.SUBMITTED).exists()
