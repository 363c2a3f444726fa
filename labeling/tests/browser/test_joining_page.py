"""Joining projects without a link, and creating one with another's settings, in the browser."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeling.actions.guidelines import publish_guideline
from labeling.actions.invitations import tell_invited
from labeling.models import Guideline, Membership, Project
from labeling.tests import factories
from labeling.tests.browser.pictures import expect_no_sideways_scrolling

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LogIn = Callable[..., Page]
PHONE = {"width": 390, "height": 844}


def test_an_admin_invites_by_user_name_and_the_person_joins_from_the_notice(live_server: Any, log_in: LogIn) -> None:
    project = factories.make_project("algebra", name="Algebra")
    admin = log_in(factories.make_member(project, "admin", display_name="Emmy"))
    grace = factories.make_user("grace")
    admin.goto(f"{live_server.url}/projects/algebra/people")
    admin.get_by_label("Role").select_option("researcher")
    admin.get_by_label("User name (optional)").fill("grace")
    admin.get_by_role("button", name="Make an invitation").click()
    expect(admin.get_by_text("If grace is a user here, they find the invitation in their")).to_be_visible()
    expect(admin.get_by_role("cell", name="grace")).to_be_visible()
    tell_invited()  # as a worker does
    page = log_in(grace, viewport=PHONE)
    page.goto(f"{live_server.url}/notices")
    page.get_by_role("link", name="You are invited to Algebra").click()
    invited = page.get_by_role("region", name="Invitations to you")
    expect(invited).to_contain_text("Emmy invites you.")
    expect_no_sideways_scrolling(page)
    invited.get_by_role("button", name="Join Algebra").click()
    expect(page.get_by_role("link", name="Algebra")).to_be_visible()
    expect(invited).to_have_count(0)
    assert Membership.objects.get(user=grace).role == "researcher"
    admin.reload()
    expect(admin.get_by_role("cell", name="used")).to_be_visible()


def test_a_project_is_made_like_another(live_server: Any, log_in: LogIn) -> None:
    root = factories.make_user("root", is_superuser=True)
    model = factories.make_project("model", name="Model", default_overlap=3, lease_minutes=25)
    publish_guideline(root, model, "# Rate each step.")
    page = log_in(root)
    page.goto(f"{live_server.url}/projects")
    page.get_by_role("button", name="New project").click()
    page.get_by_label("Name", exact=True).fill("Next one")
    page.get_by_label("Start like").select_option("Model")
    expect(
        page.get_by_text("Copies its settings and newest guidelines, but no data, gold, people or webhooks.")
    ).to_be_visible()
    page.get_by_role("button", name="Create the project").click()
    expect(page).to_have_url(f"{live_server.url}/projects/next-one/imports")
    new = Project.objects.get(slug="next-one")
    assert (new.default_overlap, new.lease_minutes) == (3, 25)
    assert Guideline.objects.get(project=new).body == "# Rate each step."
