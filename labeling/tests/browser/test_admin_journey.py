"""From an empty installation to a file for a trainer, by clicks alone, on the real launcher, worker and servers."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from annotation_app.tests.running_installation import PASSWORD, RunningInstallation, installation_folder
from labeling.tests.browser.labeling_desk import LabelingDesk
from labeling.tests.imports.files import lines, neutral_row

pytestmark = [pytest.mark.browser, pytest.mark.slow]

GOOD = [
    neutral_row(f"What is ${n} + {n}$?", ["Add.", f"It is {2 * n}."], ground_truth_answer=str(2 * n)) for n in (1, 2, 3)
]
FAULTY = [GOOD[0], b'{"problem": "cut off\n', neutral_row("No steps?", [])]


@pytest.fixture
def installation() -> Iterator[RunningInstallation]:
    with installation_folder() as folder:
        running = RunningInstallation(folder)
        running.migrate()
        running.start()
        running.create_superuser("root")
        yield running
        running.stop()


def new_page(browser: Browser, url: str) -> Page:
    page = browser.new_context(base_url=url, viewport={"width": 1280, "height": 900}).new_page()
    page.set_default_timeout(60_000)
    return page


def log_in(page: Page, username: str) -> None:
    page.goto("/")
    page.get_by_label("User name").fill(username)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", level=1, name="Projects")).to_be_visible()


def create_project(page: Page) -> None:
    page.get_by_role("button", name="New project").click()
    page.get_by_label("Name", exact=True).fill("Algebra, first pilot")
    expect(page.get_by_label("Address")).to_have_value("algebra-first-pilot")
    page.get_by_role("button", name="Create the project").click()
    expect(page.get_by_role("heading", level=1, name="Imports")).to_be_visible()


def invite(page: Page) -> str:
    """The link that the page shows once."""
    page.get_by_role("link", name="People").click()
    page.get_by_label("Email").fill("ada@example.org")
    page.get_by_role("button", name="Make an invitation link").click()
    link = page.get_by_label("Invitation link").input_value()
    page.reload()
    expect(page.get_by_role("cell", name="ada@example.org")).to_be_visible()
    expect(page.get_by_label("Invitation link")).to_have_count(0)
    return link


def accept(page: Page, link: str) -> None:
    page.goto(link)
    expect(page.get_by_role("heading", level=1, name="Algebra, first pilot")).to_be_visible()
    page.get_by_label("User name").fill("ada")
    page.get_by_label("Name", exact=True).fill("Ada Lovelace")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Make the account and join").click()
    expect(page.get_by_role("heading", name="No round is open")).to_be_visible()


def choose_file(page: Page, folder: Path, name: str, rows: list[Any]) -> None:
    (folder / name).write_bytes(lines(*rows))
    page.get_by_label("The file to import").set_input_files(folder / name)


def import_faulty_then_good(page: Page, folder: Path) -> None:
    page.get_by_role("link", name="Data", exact=True).click()
    page.get_by_role("link", name="Imports").click()
    choose_file(page, folder, "faulty.jsonl", FAULTY)
    page.get_by_role("button", name="Check the file").click()
    expect(page.get_by_role("heading", name="2 faults of 2 kinds; 3 rows read")).to_be_visible()
    faults = page.get_by_role("region", name="Faults")
    faults.locator("summary").filter(has_text="No steps").click()
    row = faults.get_by_role("table", name="No steps").get_by_role("row").nth(1)
    expect(row.get_by_role("cell").nth(0)).to_have_text("3")
    expect(row.get_by_role("cell").nth(1)).to_have_text("steps")
    choose_file(page, folder, "good.jsonl", GOOD)
    page.get_by_role("button", name="Check the file").click()
    expect(
        page.get_by_text("The file is clean. Importing it would add 3 new traces and 3 new problems.").first
    ).to_be_visible()
    page.get_by_role("button", name="Import it now").click()
    expect(page.get_by_text("Imported 3 new traces and 3 new problems.").first).to_be_visible()


def open_round(page: Page) -> None:
    page.get_by_role("link", name="Open a round").click()
    preview = page.get_by_role("region", name="Preview")
    expect(preview).to_contain_text("3traces")
    page.get_by_label("A random sample").check()
    page.get_by_label("How many").fill("2")
    expect(preview).to_contain_text("2traces")
    page.get_by_label("Generator").press("Enter")  # as when accepting a suggestion; it opens nothing
    page.get_by_label("Name (optional)").fill("Pilot")
    page.get_by_role("button", name="Open the round").click()
    expect(page.get_by_role("heading", level=1, name="Pilot")).to_be_visible()
    expect(page.get_by_text("0 of 2 labels (0 %)")).to_be_visible()


def label_one(page: Page) -> None:
    desk = LabelingDesk(page, "/projects/algebra-first-pilot/label")
    desk.open()
    desk.press("Space", "x")
    desk.expect_ratings("+1", "−1")
    desk.press("Enter")
    desk.expect_ratings("not rated", "not rated")  # the other task
    page.goto("/projects/algebra-first-pilot/my-work")
    expect(page.get_by_role("cell", name="Found an error in step 2")).to_be_visible()


def export(page: Page) -> tuple[bytes, str]:
    """The downloaded file and the hash that the page shows for it."""
    page.get_by_role("link", name="Releases").click()
    page.get_by_role("link", name="Exports").click()
    page.get_by_role("link", name="New export").click()
    page.locator('input[value="neutral"]').check()
    page.get_by_role("button", name="Export", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    return Path(download.value.path()).read_bytes(), page.get_by_label("SHA-256 of the file").input_value()


def test_an_admin_goes_from_an_empty_installation_to_the_export_of_a_label(
    installation: RunningInstallation, browser: Browser, tmp_path: Path
) -> None:
    admin, labeler = new_page(browser, installation.url), new_page(browser, installation.url)
    log_in(admin, "root")
    create_project(admin)
    accept(labeler, invite(admin))
    import_faulty_then_good(admin, tmp_path)
    open_round(admin)
    admin.get_by_role("link", name="Home").click()
    submitted = admin.locator("main").get_by_text("Labels submitted").locator("..")
    expect(submitted).to_contain_text("of 2 wanted, 0 %")
    label_one(labeler)
    expect(submitted).to_contain_text("of 2 wanted, 50 %", timeout=90_000)  # automatically, without reloading
    expect(admin.get_by_role("table", name="Labelers with their work")).to_contain_text("Ada Lovelace")
    file, shown_hash = export(admin)
    assert hashlib.sha256(file).hexdigest() == shown_hash
    [row] = [json.loads(line) for line in file.splitlines()]
    assert row["step_labels"] == [1, -1]
    assert row["problem"] in {trace["problem"] for trace in GOOD}
