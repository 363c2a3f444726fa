"""A labeler's account page: the actions available to them, and the labeling page's own settings."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeling.models import ApiToken, Label
from labeling.tests import factories
from labeling.tests.accounts import PASSWORD
from labeling.tests.browser.conftest import OpenDesk
from labeling.tests.browser.pictures import expect_no_sideways_scrolling

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LogIn = Callable[..., Page]
PHONE = {"width": 390, "height": 844}


def test_an_account_of_a_labeler_holds_what_a_labeler_can_act_on(live_server: Any, log_in: LogIn) -> None:
    ada = factories.make_member(factories.make_project())
    ada.set_password(PASSWORD)
    ada.save()
    page = log_in(ada)
    page.goto(f"{live_server.url}/account")
    folded = page.get_by_text("API tokens, for programs")
    expect(folded).to_be_visible()
    expect(page.get_by_role("button", name="Change the password")).to_be_visible()
    expect(page.get_by_role("checkbox", name="Revoke all my API tokens, too")).to_have_count(0)
    expect(page.get_by_role("switch")).to_have_count(2)
    expect(page.get_by_role("switch", name="Paused: in the app")).to_be_checked()
    expect(page.get_by_role("heading", name="API tokens")).to_have_count(0)
    folded.click()
    page.get_by_label("What is it for?").fill("my own figures")
    page.get_by_role("button", name="Make a token").click()
    assert page.get_by_label("The new API token").input_value().startswith("smk_"), "it is shown once: it must stay"
    expect(page.get_by_role("cell", name="my own figures")).to_be_visible()
    page.reload()
    expect(page.get_by_role("cell", name="my own figures")).to_be_visible()
    expect(page.get_by_role("checkbox", name="Revoke all my API tokens, too")).to_be_visible()
    assert ApiToken.objects.get().user == ada


def test_who_runs_a_project_finds_the_tokens_open(live_server: Any, log_in: LogIn) -> None:
    page = log_in(factories.make_member(factories.make_project(), "researcher"))
    page.goto(f"{live_server.url}/account")
    expect(page.get_by_role("heading", name="API tokens")).to_be_visible()
    expect(page.get_by_role("switch", name="Too little gold: in the app")).to_be_visible()


def test_sizes_and_keys_are_chosen_without_a_task_on_the_desk(
    live_server: Any, log_in: LogIn, open_desk: OpenDesk
) -> None:
    project = factories.make_project()
    ada = factories.make_member(project)
    factories.make_round(project, 1)
    page = log_in(ada, viewport=PHONE)
    page.goto(f"{live_server.url}/account")
    page.get_by_role("link", name="Labeling page").click()
    expect(page.get_by_role("heading", level=1, name="The labeling page")).to_be_visible()
    expect_no_sideways_scrolling(page)
    with page.expect_response("**/api/session/preferences"):
        page.get_by_role("radiogroup", name="Text size").get_by_role("radio", name="130 %").click()
    page.get_by_role("button", name="Change keys").click()
    page.get_by_role("button", name="Change the key of: Rate +1 and go on").click()
    page.keyboard.press("x")
    expect(page.get_by_text("x is taken by “Rate −1: an error”.")).to_be_visible()
    with page.expect_response("**/api/session/preferences"):
        page.keyboard.press("8")
    expect(page.get_by_text("“Rate +1 and go on” is now on 8.")).to_be_visible()
    ada.refresh_from_db()
    assert ada.preferences == {"page": {"text_size": 130}, "keys": {"rate_plus": "8"}}
    assert not Label.objects.exists(), "nothing is claimed by it"
    desk = open_desk(ada, project.slug)
    desk.press("8")
    expect(desk.step(1)).to_have_attribute("aria-label", "Step 1 of 3, rated +1")
