"""Text from outside is only displayed as text on the pages for researchers and admins, in every field they show."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Dialog, Page, expect

from labeling.tests.browser.busy_project import make_busy_project
from labeling.tests.browser.test_admin_accessibility import visit
from labeling.tests.browser.test_hostile_text import ALL, is_strange

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

SHORT = "<img src=x onerror=window.__ran=1>"
RUNNABLE = "script:not([src]), img, iframe, object, embed, a[href^='javascript'], [onerror], [onload]"


def test_hostile_text_in_every_field_runs_nothing_on_any_page(
    live_server: Any, log_in: Callable[..., Page], tmp_path: Path
) -> None:
    busy = make_busy_project(tmp_path, text=ALL, short=SHORT)
    page = log_in(busy.admin)
    strange: list[str] = []
    messages: list[str] = []
    page.on("request", lambda request: strange.append(request.url) if is_strange(request, live_server.url) else None)

    def note_and_dismiss(dialog: Dialog) -> None:
        messages.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", note_and_dismiss)
    shows_it = 0
    for address in busy.pages():
        visit(page, live_server.url, address)
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("window.__ran") is None, address
        assert page.locator(RUNNABLE).count() == 0, address
        shows_it += page.get_by_text(SHORT).count() > 0
    assert shows_it == len(busy.pages())  # each page shows the name of the person or the project as typed
    assert strange == []
    assert messages == []


def test_the_trace_page_writes_hostile_text_out_as_it_was_sent(
    live_server: Any, log_in: Callable[..., Page], tmp_path: Path
) -> None:
    busy = make_busy_project(tmp_path, text=ALL, short=SHORT)
    page = log_in(busy.admin)
    page.goto(f"{live_server.url}/projects/{busy.project.slug}/traces/{busy.trace.pk}")
    page.get_by_role("button", name="Show raw text").click()
    raw = page.get_by_role("table").locator("pre").first
    assert raw.inner_text() == ALL.replace("\u202e", "⟦RLO⟧"), "what turns letters is shown by its name"
    comments = page.get_by_role("table").get_by_text("{{constructor.constructor('window.__ran=1')()}}")
    assert comments.count() >= 3  # the step, its alternative, and what two labelers wrote about it
    assert page.evaluate("window.__ran") is None
