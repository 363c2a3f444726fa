"""The pages for researchers and admins: what they show, what they ask before acting, and who can see them."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from labeling.actions import labels
from labeling.actions.imports import create_import, run_import
from labeling.actions.trace_words import WORDS
from labeling.models import ApiToken, Guideline, ImportJob, Label, Membership, Round, Trace
from labeling.tests import factories
from labeling.tests.accounts import PASSWORD
from labeling.tests.browser.busy_project import BusyProject, make_busy_project
from labeling.tests.imports.files import lines, neutral_row

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LogIn = Callable[..., Page]


@pytest.fixture
def busy(tmp_path: Path) -> BusyProject:
    return make_busy_project(tmp_path)


@pytest.fixture
def open_page(live_server: Any, log_in: LogIn, busy: BusyProject) -> Callable[..., Page]:
    """A page of the busy project, as its admin unless told otherwise."""

    def open_it(path: str, person: Any = None, **options: Any) -> Page:
        page = log_in(person or busy.admin, **options)
        page.goto(f"{live_server.url}/projects/{busy.project.slug}/{path}")
        return page

    return open_it


def type_login(page: Page, username: str, password: str) -> None:
    page.get_by_label("User name").fill(username)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Log in").click()


def test_a_login_leads_back_to_the_page_that_was_asked_for(live_server: Any, new_page: LogIn) -> None:
    project = factories.make_project()
    factories.make_member(project, "researcher", username="emmy", password=PASSWORD)
    page = new_page()
    page.goto(f"{live_server.url}/projects/{project.slug}/traces?outcome=wrong")
    type_login(page, "emmy", "not the password")
    expect(page.get_by_role("alert")).to_contain_text("do not match")
    type_login(page, "emmy", PASSWORD)
    expect(page.get_by_role("heading", level=1, name="Traces")).to_be_visible()
    assert page.url.endswith("/traces?outcome=wrong")
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("heading", level=1, name="Log in")).to_be_visible()


def test_after_too_many_wrong_passwords_the_page_says_until_when(live_server: Any, new_page: LogIn) -> None:
    factories.make_user("emmy", password=PASSWORD)
    page = new_page()
    page.goto(f"{live_server.url}/login")
    for _ in range(12):
        with page.expect_response(re.compile("/api/session/login$")) as answer:
            type_login(page, "emmy", "not the password")
        if answer.value.status == 423:
            break
    expect(page.get_by_role("alert")).to_contain_text("Too many failed tries")
    expect(page.get_by_role("alert")).to_contain_text(re.compile(r"locked until \d\d:\d\d \(about 1[0-9] min\)"))
    type_login(page, "emmy", PASSWORD)
    expect(page.get_by_role("alert")).to_contain_text("locked until")


def test_a_labeler_sees_only_the_pages_of_a_labeler(open_page: Callable[..., Page], busy: BusyProject) -> None:
    page = open_page("home", busy.labelers[1])
    expect(page.get_by_role("heading", name="This page is not for your role")).to_be_visible()
    links = page.get_by_role("navigation", name="Project").get_by_role("link")
    assert links.all_inner_texts() == ["Label", "My work", "How I am doing", "Guidelines"]
    stranger = open_page("home", factories.make_user())
    expect(stranger.get_by_role("heading", name="Project not found")).to_be_visible()


def test_a_labeler_finds_what_waits_and_one_button(open_page: Callable[..., Page], busy: BusyProject) -> None:
    page = open_page("", busy.labelers[1])
    expect(page.get_by_text("still wanted from all labelers together.")).to_be_visible()
    page.locator("main").get_by_role("link", name="Label", exact=True).last.click()
    expect(page.locator('[data-step="0"]')).to_be_visible()


def test_on_a_phone_the_pages_stand_behind_one_button(open_page: Callable[..., Page]) -> None:
    page = open_page("rounds", viewport={"width": 390, "height": 844})
    expect(page.get_by_role("link", name="Releases", exact=True)).to_have_count(0)
    page.get_by_role("button", name="Rounds").focus()
    page.keyboard.press("Enter")
    drawer = page.get_by_role("dialog", name="Pages")
    expect(drawer.get_by_role("link", name="Rounds", exact=True)).to_be_focused()
    entries = ["Home", "Data", "Rounds", "Labels", "People", "Models", "Releases", "Settings", "Label"]
    assert drawer.get_by_role("link").all_inner_texts() == entries
    page.keyboard.press("Escape")
    expect(drawer).to_have_count(0)
    page.keyboard.press("Enter")  # the focus is back on the button
    drawer.get_by_role("link", name="Releases", exact=True).click()
    expect(page.get_by_role("heading", level=1, name="Releases", exact=True)).to_be_visible()
    expect(drawer).to_have_count(0)
    page.get_by_role("navigation", name="Pages of Releases").get_by_role("link", name="Exports").click()
    expect(page.get_by_role("heading", level=1, name="Exports", exact=True)).to_be_visible()


def test_closing_a_round_asks_first_and_says_what_it_means(open_page: Callable[..., Page], busy: BusyProject) -> None:
    unfinished = Round.objects.exclude(pk=busy.round.pk).get()
    page = open_page(f"rounds/{unfinished.pk}")
    close = page.get_by_role("button", name="Close round")
    close.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(re.compile(r"\d labels are still missing and will never be made"))
    expect(dialog).to_contain_text("cannot be opened again")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()  # Enter twice closes nothing for good
    for _ in range(6):
        page.keyboard.press("Tab")
        assert not page.locator("#root").evaluate("page => page.contains(document.activeElement)")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(close).to_be_focused()
    assert Round.objects.get(pk=unfinished.pk).status == "labeling"
    page.get_by_role("button", name="Pause").click()
    dialog.get_by_role("button", name="Pause").click()
    expect(page.get_by_text(re.compile("paused$"))).to_be_visible()
    close.click()
    with page.expect_response(re.compile("/close$")):
        dialog.get_by_role("button", name="Close for good").click()
    expect(page.get_by_text(re.compile("closed$"))).to_be_visible()
    assert Round.objects.get(pk=unfinished.pk).status == "closed"


def test_a_round_that_was_closed_meanwhile_refuses_in_the_dialog(
    open_page: Callable[..., Page], busy: BusyProject
) -> None:
    page = open_page(f"rounds/{busy.round.pk}")
    page.get_by_role("button", name="Pause").click()
    Round.objects.filter(pk=busy.round.pk).update(status="closed")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Pause").click()
    expect(dialog.get_by_role("alert")).to_be_visible()


def test_an_admin_releases_a_lease(open_page: Callable[..., Page], busy: BusyProject) -> None:
    page = open_page("leases")
    row = page.get_by_role("row").filter(has_text=busy.labelers[0].display_name)
    expect(row).to_contain_text(re.compile(r"1[0-9]:\d\d"))  # the lease's countdown
    row.get_by_role("button", name="Release").click()
    page.get_by_label("Reason (optional)").fill("gone home")
    page.get_by_role("dialog").get_by_role("button", name="Release").click()
    expect(page.get_by_role("heading", name="Nobody holds a task now")).to_be_visible()
    assert Label.objects.get(pk=busy.lease.pk).status == "released"
    page.get_by_role("link", name="Settings", exact=True).click()
    page.get_by_role("link", name="Audit log").click()
    entries = page.get_by_role("row")
    expect(entries.filter(has_text="label.release")).to_contain_text("gone home")
    page.get_by_label("What").fill("release")
    page.get_by_label("On or after").fill(f"{timezone.now():%Y-%m-%d}")
    expect(entries).to_have_count(2)  # including the header row
    with page.expect_download() as download:
        page.get_by_role("link", name="Download as CSV").click()
    assert [line.split(",")[4] for line in download.value.path().read_text().splitlines()] == [
        "action",
        "label.release",
    ]
    page.get_by_label("Who").fill("the machine")
    page.get_by_role("button", name="Clear filters").click()
    expect(entries.filter(has_text="label.release")).to_be_visible()


def test_a_researcher_sees_leases_but_cannot_release_them(open_page: Callable[..., Page], busy: BusyProject) -> None:
    page = open_page("leases", factories.make_member(busy.project, "researcher"))
    expect(page.get_by_role("row").filter(has_text=busy.labelers[0].display_name)).to_be_visible()
    expect(page.get_by_role("button", name="Release")).to_have_count(0)
    page.get_by_role("navigation", name="Project").get_by_role("link", name="People").click()
    tabs = page.get_by_role("navigation", name="Pages of People").get_by_role("link")
    expect(tabs.first).to_be_visible()
    expect(tabs.filter(has_text="People")).to_have_count(0)


def test_a_deactivated_person_loses_the_project_and_keeps_their_labels(
    open_page: Callable[..., Page], busy: BusyProject
) -> None:
    gone = busy.labelers[0]
    page = open_page("people")
    row = page.get_by_role("row").filter(has_text=gone.username)
    row.get_by_role("button", name="Deactivate").click()
    expect(page.get_by_role("dialog")).to_contain_text("1 submitted labels stay")
    page.get_by_role("dialog").get_by_role("button", name="Deactivate").click()
    expect(row).to_contain_text("deactivated")
    theirs = open_page("", gone)
    expect(theirs.get_by_role("heading", name="Project not found")).to_be_visible()
    assert Label.objects.filter(labeler=gone, status="submitted").count() == 1
    row.get_by_role("button", name="Reactivate").click()
    expect(row.get_by_role("button", name="Deactivate")).to_be_visible()


def test_a_role_is_changed_in_the_list(open_page: Callable[..., Page], busy: BusyProject) -> None:
    page = open_page("people")
    role = page.get_by_label(f"Role of {busy.labelers[1].display_name}")
    with page.expect_response(re.compile("/role$")) as answer:
        role.select_option("researcher")
    assert answer.value.ok
    expect(role).to_have_value("researcher")
    assert Membership.objects.get(user=busy.labelers[1]).role == "researcher"


def test_a_trace_shows_its_labels_side_by_side(open_page: Callable[..., Page], busy: BusyProject) -> None:
    page = open_page(f"traces/{busy.trace.pk}")
    table = page.get_by_role("table").first
    names = [person.display_name for person in busy.labelers]
    expect(table.get_by_role("columnheader")).to_have_text(["#", "Step", "in the file", *names])
    second = table.get_by_role("row").nth(2)
    marks = [cell.inner_text().split() for cell in second.get_by_role("cell").all()[2:]]
    assert [mark[0] for mark in marks] == ["−1", "−1", "+1"]
    assert marks[1][2:] == ["30", "s"]
    expect(second).to_contain_text("The labels differ here.")
    verdicts = page.get_by_role("region", name="Labels")
    expect(verdicts).to_contain_text("Found an error at step 2, noticed at step 3")
    expect(verdicts).to_contain_text("The answer guess looks wrong")


def test_a_list_loads_page_by_page(open_page: Callable[..., Page], busy: BusyProject) -> None:
    factories.make_traces(busy.project, 70, generator="llama")
    page = open_page("traces?generator=llama")
    rows = page.get_by_role("table").locator("tbody tr")
    expect(rows).to_have_count(50)
    page.get_by_role("button", name="Load more").click()
    expect(rows).to_have_count(70)
    expect(page.get_by_role("button", name="Load more")).to_have_count(0)
    page.get_by_label("Search in problems and steps").fill("nobody")
    expect(page.get_by_role("heading", name="No traces match these filters")).to_be_visible()
    page.get_by_role("button", name="Clear filters").click()
    expect(rows).to_have_count(50)


def test_data_says_of_how_many_traces_the_words_are_to_come_and_finds_them_when_they_are_there(
    open_page: Callable[..., Page], busy: BusyProject
) -> None:
    [trace] = factories.make_traces(busy.project, generator="llama")
    Trace.objects.filter(pk=trace.pk).update(steps=["A zebra."])
    page = open_page("traces?q=zebras")
    waiting = page.get_by_text(f"{busy.project.traces.count():,} traces are not searchable yet; they will be within")
    expect(waiting).to_be_visible()
    expect(page.get_by_role("heading", name="No traces match these filters")).to_be_visible()
    assert WORDS.work_off(60) is False
    expect(page.get_by_role("table").locator("tbody tr")).to_have_count(1, timeout=60_000)
    expect(waiting).to_have_count(0)


def test_guidelines_become_a_new_version_and_the_old_one_stays(
    open_page: Callable[..., Page], busy: BusyProject
) -> None:
    page = open_page("guidelines")
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Markdown").fill("# Third version\n\nRate each step.")
    with page.expect_response(re.compile("/guidelines$")) as answer:  # the preview already shows the heading
        page.get_by_role("button", name="Publish as a new version").click()
    assert answer.value.status == 201
    expect(page.get_by_role("heading", name="Third version")).to_be_visible()
    assert list(Guideline.objects.values_list("version", flat=True).order_by("version")) == [1, 2, 3]
    page.get_by_role("link", name="Version 1").click()
    expect(page.get_by_text("An older version.")).to_be_visible()
    expect(page.get_by_text("This is version 1. Version 3 is in force.")).to_be_visible()


def test_settings_are_saved_and_refused_beside_their_field(open_page: Callable[..., Page], busy: BusyProject) -> None:
    page = open_page("settings")
    page.get_by_label("Name", exact=True).fill("Another name")
    page.get_by_label("Lease, minutes").fill("20")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    busy.project.refresh_from_db()
    assert (busy.project.name, busy.project.lease_minutes) == ("Another name", 20)
    page.get_by_role("button", name="Archive the project").click()
    page.get_by_role("dialog").get_by_role("button", name="Archive").click()
    expect(page.get_by_text("This project is archived").first).to_be_visible()


def test_an_api_token_is_shown_once_and_works_until_it_is_revoked(
    live_server: Any, log_in: LogIn, browser: Browser
) -> None:
    project = factories.make_project()
    page = log_in(factories.make_member(project, "researcher"))
    page.goto(f"{live_server.url}/account")
    page.get_by_label("What is it for?").fill("nightly")
    expect(page.get_by_label("It ends")).to_have_value("90")
    page.get_by_role("radio", name="Read and write").check()
    page.get_by_role("button", name="Make a token").click()
    secret = page.get_by_label("The new API token").input_value()
    program = browser.new_context(extra_http_headers={"Authorization": f"Bearer {secret}"})
    address = f"{live_server.url}/api/projects/{project.slug}"
    assert program.request.get(address).status == 200
    assert program.request.put(f"{live_server.url}/api/session/preferences", data={"preferences": {}}).status == 200
    page.reload()
    expect(page.get_by_role("cell", name="read and write")).to_be_visible()
    expect(page.get_by_role("cell", name="nightly")).to_be_visible()
    assert secret not in page.content()
    page.get_by_role("button", name="Revoke").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke the token").click()
    expect(page.get_by_text("revoked")).to_be_visible()
    assert program.request.get(address).status == 401
    assert ApiToken.objects.get().revoked_at is not None
    program.close()


def test_the_fault_report_is_copied_as_text(open_page: Callable[..., Page], busy: BusyProject) -> None:
    page = open_page(f"imports/{busy.refused.pk}")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy as text").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    text = page.evaluate("navigator.clipboard.readText()")
    assert text.startswith("Short.jsonl: 5 rows read, 4 faults found.")
    assert "  line 2, steps: found " in text


def test_the_good_rows_of_a_refused_file_are_imported_without_uploading_it_again(
    open_page: Callable[..., Page], busy: BusyProject
) -> None:
    page = open_page(f"imports/{busy.refused.pk}")
    traces = Trace.objects.filter(project=busy.project).count()
    page.get_by_role("button", name="Import without the faulty rows").click()
    expect(page.get_by_text("Waiting for a worker.")).to_be_visible()
    job = ImportJob.objects.latest("pk")
    assert page.url.endswith(f"/imports/{job.pk}")
    done = run_import(job.pk)  # as a worker does
    assert done is not None
    assert done.status == "succeeded"
    new = done.report["traces"]["new"]
    assert Trace.objects.filter(project=busy.project).count() - traces == new > 0
    said = page.get_by_text(f"Imported {new} new trace")
    expect(said).to_be_visible(timeout=30_000)  # the page polls every few seconds
    expect(said).to_contain_text("faults skipped")
    expect(page.get_by_role("button", name="Import without the faulty rows")).to_have_count(0)


def test_an_import_is_cancelled_before_a_worker_takes_it(
    open_page: Callable[..., Page], busy: BusyProject, tmp_path: Path
) -> None:
    uploaded = tmp_path / "waiting"
    uploaded.write_bytes(lines(neutral_row("Never read?")))
    job = create_import(busy.project, by=busy.admin, uploaded=uploaded, file_name="waiting.jsonl")
    page = open_page(f"imports/{job.pk}")
    page.get_by_role("button", name="Cancel the import").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel the import").click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.get_by_text("cancelled").first).to_be_visible()
    job.refresh_from_db()
    assert job.status == "cancelled"
    assert run_import(job.pk) is None


def test_a_page_whose_data_did_not_come_offers_to_try_again(open_page: Callable[..., Page]) -> None:
    page = open_page("guidelines")
    page.route("**/rounds?*", lambda route: route.abort())
    page.route("**/rounds", lambda route: route.abort())
    page.get_by_role("link", name="Rounds").click()
    failed = page.get_by_role("alert")
    expect(failed).to_contain_text("The server cannot be reached", timeout=60_000)
    page.unroute_all()
    failed.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("table", name="Rounds, newest first")).to_be_visible()


def test_what_is_not_there_leads_back_to_its_list(open_page: Callable[..., Page], busy: BusyProject) -> None:
    page = open_page("rounds/999999")
    missing = page.get_by_role("alert")
    expect(missing.get_by_role("button", name="Try again")).to_have_count(0)
    missing.get_by_role("link", name="Back to Rounds").click()
    expect(page.get_by_role("table", name="Rounds, newest first")).to_be_visible()
    expect(page).to_have_url(re.compile(rf"/projects/{busy.project.slug}/rounds$"))


def test_the_leases_page_counts_what_a_labeler_has_rated(open_page: Callable[..., Page], busy: BusyProject) -> None:
    labels.save_draft(busy.lease, draft={"content": {"ratings": [1, None, None]}}, base_revision=0)
    page = open_page("leases")
    expect(page.get_by_role("row").filter(has_text=busy.labelers[0].display_name)).to_contain_text("1 of 3")
