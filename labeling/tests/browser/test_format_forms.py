"""The forms of imports and exports offer what the server lists, and show an error if the list did not load."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from labeling.actions.exports import create_export
from labeling.formats.exports import EXPORT_FORMATS
from labeling.formats.imports import IMPORT_FORMATS
from labeling.models import Export
from labeling.tests.factories import make_member, make_project

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

FAULT = {"status": 500, "json": {"code": "server_error", "detail": "The server is out of order."}}


def expect_another_try(page: Page, address: str, lists: str) -> None:
    """Without the list, the page shows an error and a way to retry; with it, the form."""
    page.route(f"**/api/{lists}", lambda route: route.fulfill(**FAULT))
    page.goto(address)
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("did not load", timeout=20_000)  # the page tries three times
    page.unroute(f"**/api/{lists}")
    alert.get_by_role("button", name="Try again").click()
    expect(alert).to_have_count(0)


def test_the_export_form_shows_the_switches_of_the_chosen_format(live_server: Any, log_in: Callable[..., Page]) -> None:
    project = make_project()
    page = log_in(make_member(project, "researcher"))
    expect_another_try(page, f"{live_server.url}/projects/{project.slug}/exports/new", "export_formats")
    groups = page.get_by_role("group", name="Format").get_by_role("group")
    expect(groups).to_have_count(6)
    assert [group.get_by_role("radio").count() for group in groups.all()] == [2, 11, 3, 2, 2, 5]
    for format in EXPORT_FORMATS.values():
        page.get_by_role("radio", name=format.title, exact=True).check()
        expect(page.get_by_text(format.means)).to_be_visible()
        expect(page.get_by_text(f"Leaves out: {format.loses}")).to_be_visible()
        shown = [switch for switch in format.switches if switch.on_form and not switch.is_fixed]
        for switch in shown:
            options = page.get_by_label(switch.title).locator("option").all_inner_texts()
            assert options == [choice.means for choice in switch.choices]
        expect(page.locator("form select")).to_have_count(len(shown) + 3)  # and the split, the tasks and the file
        for companion in format.companions:
            expect(page.get_by_text(f"Comes with {companion.name}")).to_be_visible()
    page.get_by_role("radio", name="Traces", exact=True).check()
    expect(page.get_by_text("The export would hold 0 labels now.")).to_be_visible()
    page.get_by_label("Neutral ratings").select_option("left out")
    page.get_by_label("File", exact=True).select_option("Parquet (.parquet)")
    page.get_by_role("button", name="Export", exact=True).click()
    expect(page.get_by_role("heading", level=1, name=re.compile(r"^Export \d"))).to_be_visible()
    export = Export.objects.get(project=project)
    assert (export.format, export.config["switches"]["neutral"]) == ("neutral", "drop")
    assert (export.config["container"], export.config["gzip"]) == ("parquet", False)
    expect(page.locator("dl").filter(has_text="File")).to_contain_text("Parquet (.parquet)")


def test_a_failed_export_speaks_its_formats_words_and_is_asked_for_again(
    live_server: Any, log_in: Callable[..., Page]
) -> None:
    project = make_project()
    switches = {"neutral": "drop"}
    failed = create_export(project, by=None, format="neutral", switches=switches, wake=False)
    Export.objects.filter(pk=failed.pk).update(status="failed", error="OSError: no room.")
    page = log_in(make_member(project, "researcher"))
    page.goto(f"{live_server.url}/projects/{project.slug}/exports/{failed.pk}")
    expect(page.get_by_text("OSError: no room.")).to_be_visible()
    expect(page.locator("dl").filter(has_text="Neutral ratings")).to_contain_text("left out")
    page.get_by_role("button", name="Export again").click()
    page.wait_for_url(f"**/exports/{failed.pk + 1}")
    again = Export.objects.get(pk=failed.pk + 1)
    assert (again.format, again.config) == ("neutral", failed.config)


def test_the_import_form_offers_every_format_and_to_find_it_out(live_server: Any, log_in: Callable[..., Page]) -> None:
    project = make_project()
    page = log_in(make_member(project, "researcher"))
    expect_another_try(page, f"{live_server.url}/projects/{project.slug}/imports", "import_formats")
    offered = page.get_by_role("group", name="What is in it?").get_by_role("radio")
    expect(offered).to_have_count(1 + len(IMPORT_FORMATS))
    for title in ("Find out", *(format.title for format in IMPORT_FORMATS.values())):
        expect(page.get_by_role("radio", name=title, exact=True)).to_be_visible()


def test_the_export_form_waits_for_the_list(live_server: Any, log_in: Callable[..., Page]) -> None:
    project = make_project()
    page = log_in(make_member(project, "researcher"))
    held: list[Route] = []
    page.route("**/api/export_formats", lambda route: held.append(route))
    page.goto(f"{live_server.url}/projects/{project.slug}/exports/new")
    expect(page.get_by_role("heading", level=1, name="New export")).to_be_visible()
    expect(page.get_by_role("status", name="Loading")).to_be_visible()
    expect(page.get_by_role("button", name="Export", exact=True)).to_have_count(0)
    held[0].continue_()
    expect(page.get_by_role("button", name="Export", exact=True)).to_be_visible()
