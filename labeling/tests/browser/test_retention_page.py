"""Deletion and retention in the browser: a project is deleted and restored, and a person's data is erased."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from pytest_django import Settings

from labeling.actions.project_moves import run_move
from labeling.models import Label, Project, ProjectMove, User
from labeling.tests.browser.busy_project import make_busy_project
from labeling.tests.browser.test_admin_accessibility import expect_no_faults, visit

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def has_it_done(page: Page, button: str) -> None:
    """Press the button, confirm, and have a worker do it."""
    page.get_by_role("button", name=button).click()
    page.get_by_role("dialog").get_by_role("button", name=button).click()
    expect(page.get_by_text("queued")).to_be_visible()
    run_move(ProjectMove.objects.latest("pk").pk)
    expect(page.get_by_text("done")).to_be_visible()


def test_a_project_goes_out_and_comes_back_and_a_persons_data_go(
    live_server: Any, log_in: Callable[..., Page], tmp_path: Path, settings: Settings
) -> None:
    settings.DATA_DIR = tmp_path
    busy = make_busy_project(tmp_path)
    ada = busy.labelers[0]
    Project.objects.filter(pk=busy.project.pk).update(status="archived")
    User.objects.filter(pk=busy.admin.pk).update(is_superuser=True)
    page = log_in(busy.admin)
    visit(page, live_server.url, f"/projects/{busy.project.slug}/retention")
    has_it_done(page, "Take it out")
    expect(page.get_by_role("heading", name="This project is stored in a file")).to_be_visible()
    expect(page.get_by_text("left the database on")).to_be_visible()
    assert not Label.objects.filter(project=busy.project).exists()
    expect_no_faults(page)
    has_it_done(page, "Bring it back")
    expect(page.get_by_role("heading", name="Out to a file")).to_be_visible()
    held = Label.objects.filter(labeler=ada, status="open").count()
    assert held

    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, live_server.url, "/site")
    page.get_by_label("User name").fill(ada.username)
    page.get_by_role("button", name="See what would go").click()
    expect(page.get_by_text(f"held tasks given back: {held}")).to_be_visible()
    page.mouse.move(0, 0)
    expect_no_faults(page)

    forget = page.get_by_role("button", name="Forget this person")
    expect(forget).to_be_disabled()
    page.get_by_label(f"Type {ada.username} to forget").fill(ada.username)
    forget.click()
    expect(page.get_by_text(f"{ada.username} is former-{ada.pk} now.")).to_be_visible()
    assert not User.objects.get(pk=ada.pk).is_active
