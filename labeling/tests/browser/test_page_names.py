"""One word for one page: its entry, its tab, its heading and the browser's title."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeling.tests import factories

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# A heading of these says how much there is.
COUNTED = {"Home", "Traces", "All labels", "Label"}


def test_every_page_has_the_name_of_its_tab(live_server: Any, log_in: Callable[..., Page]) -> None:
    project = factories.make_project()
    page = log_in(factories.make_member(project, "admin"))
    page.goto(f"{live_server.url}/projects/{project.slug}/home")
    entries = page.get_by_role("navigation", name="Project").get_by_role("link")
    expect(entries.first).to_be_visible()
    seen = []
    for entry in entries.all_inner_texts():
        if entry == "Label":  # leads to the labeling page
            continue
        page.get_by_role("navigation", name="Project").get_by_role("link", name=entry, exact=True).click()
        tabs = page.get_by_role("navigation", name=f"Pages of {entry}", exact=True).get_by_role("link")
        if entry != "Home":  # one page, without tabs
            expect(tabs.first).to_be_visible()
        for tab in tabs.all_inner_texts():
            tabs.get_by_text(tab, exact=True).click()
            if tab not in COUNTED:
                expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(rf"^{tab}(\W|$)"))
                expect(page).to_have_title(f"{tab} · Stepmark")
                seen.append(tab)
    assert {"People", "Models", "PRMs", "Machine labels", "Deletion and retention"} <= set(seen)
