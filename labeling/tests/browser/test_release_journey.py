"""From a Math-Shepherd file to two releases by clicks alone: what changed between them, and that it loads."""

import hashlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeling.actions import exports, imports, releases
from labeling.models import Export, ImportJob, Label, Project, Release
from labeling.tests.browser.labeling_desk import LabelingDesk
from labeling.tests.factories import make_member, make_project
from labeling.tests.imports.files import lines

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LogIn = Callable[..., Page]


# As in peiyi9979/Math-Shepherd: two texts that differ only in their marks.
MATH_SHEPHERD = [
    {
        "input": f"Ann has {n} pens and buys 3. How many has she? Step 1: She buys 3. ки\nStep 2: So {n + 4}. ки",
        "label": f"Ann has {n} pens and buys 3. How many has she? Step 1: She buys 3. +\nStep 2: So {n + 4}. -",
        "task": "GSM8K",
    }
    for n in (2, 5)
]


def ask(page: Page, button: str, path: str) -> None:
    """Press the button, and wait until the server has what it asks for."""
    with page.expect_response(lambda answer: answer.request.method == "POST" and answer.url.endswith(path)):
        page.get_by_role("button", name=button, exact=True).click()


def import_file(page: Page, start: str, file: Path) -> None:
    page.goto(f"{start}/imports")
    page.get_by_label("The file to import").set_input_files(file)
    ask(page, "Check the file", "/imports")
    imports.run_import(ImportJob.objects.latest("pk").pk)
    ask(page, "Import it now", "/imports")
    imports.run_import(ImportJob.objects.latest("pk").pk)
    expect(page.get_by_text("Imported 2 new traces, 2 new problems and 2 marked traces.").first).to_be_visible()


def label_both(page: Page, start: str) -> None:
    """Mark the first step right, which anyone who adds would not do."""
    page.get_by_role("link", name="Open a round").click()
    page.get_by_label("Name (optional)").fill("Pens")
    page.get_by_role("button", name="Open the round").click()
    expect(page.get_by_text("0 of 2 labels (0 %)")).to_be_visible()
    desk = LabelingDesk(page, f"{start}/label")
    desk.open()
    desk.press("Space", "Space", "Enter")
    desk.expect_ratings("not rated", "not rated")
    desk.press("Space", "x", "Enter")
    desk.wait_until(lambda: Label.objects.filter(status="submitted").count() == 2, "both labels arrive")


def correct_the_first(page: Page, start: str) -> None:
    page.goto(f"{start}/my-work")
    page.get_by_role("table", name="Your labels, newest first").get_by_role("link", name="Revise").last.click()
    desk = LabelingDesk(page, start)
    desk.expect_text("You are revising your label of")
    desk.step(2).click()
    desk.press("x", "Enter")
    expect(page.get_by_role("heading", name="My work")).to_be_visible()
    desk.wait_until(Label.objects.filter(supersedes__isnull=False, status="submitted").exists, "the revision arrives")


def make_draft(page: Page, start: str) -> Release:
    """Create an export and a draft of a release from it; the workers' part is done here."""
    page.goto(f"{start}/exports/new")
    page.locator('input[value="trl_stepwise"]').check()
    ask(page, "Export", "/exports")
    exports.run_export(Export.objects.latest("pk").pk)
    page.goto(f"{start}/releases/new")
    page.get_by_label("Name").fill("Pens")
    page.get_by_role("button", name="Make the draft").click()
    expect(page.get_by_text("A worker is writing the exports")).to_be_visible()
    draft = Release.objects.latest("pk")
    releases.run_release(draft.pk)
    return draft


def release_it(page: Page, draft: Release) -> None:
    page.get_by_role("button", name="Release", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Release").click()
    expect(page.get_by_text("A worker is packing the folder.")).to_be_visible()
    releases.run_release(draft.pk)
    expect(page.get_by_role("link", name="Download")).to_be_visible()


def download(page: Page, release: Release, folder: Path) -> list[dict[str, Any]]:
    """Return the rows as an external reader gets them, once every hash matches."""
    with page.expect_download() as arriving:
        page.get_by_role("link", name="Download").click()
    with zipfile.ZipFile(arriving.value.path()) as archive:
        archive.extractall(folder)
    release.refresh_from_db()
    assert hashlib.sha256((folder / "MANIFEST.json").read_bytes()).hexdigest() == release.manifest_sha256
    for file in json.loads((folder / "MANIFEST.json").read_text())["files"]:
        assert hashlib.sha256((folder / file["path"]).read_bytes()).hexdigest() == file["sha256"]
    datasets = pytest.importorskip("datasets")
    return list(datasets.load_dataset(str(folder), cache_dir=str(folder / "cache"))["train"])


def test_a_math_shepherd_file_is_labeled_released_corrected_released_again_and_loads(
    live_server: Any, log_in: LogIn, tmp_path: Path
) -> None:
    project: Project = make_project(name="Pens")
    page = log_in(make_member(project, "admin", display_name="Ada"))
    start = f"{live_server.url}/projects/{project.slug}"
    page.goto(f"{start}/releases")
    expect(page.get_by_role("heading", name="No releases yet")).to_be_visible()
    (tmp_path / "math_shepherd.jsonl").write_bytes(lines(*MATH_SHEPHERD))
    import_file(page, start, tmp_path / "math_shepherd.jsonl")
    label_both(page, start)

    first = make_draft(page, start)
    expect(page.get_by_text("None of 2 problems is held out")).to_be_visible()
    expect(page.get_by_role("button", name="Release", exact=True)).to_be_disabled()
    page.get_by_label("Licence of the labels").fill("cc-by-4.0")
    page.get_by_role("button", name="Answer “unknown” to the other").click()
    expect(page.get_by_text("Every question is answered.")).to_be_visible()
    release_it(page, first)

    correct_the_first(page, start)
    second = make_draft(page, start)
    expect(page.get_by_text("Every question is answered.")).to_be_visible()  # as in the previous version
    page.get_by_role("link", name="What changed since v1").click()
    row = page.get_by_role("table", name="Labels that differ").get_by_role("row").nth(1)
    for words in ("changed", "no error", "step 2"):
        expect(row).to_contain_text(words)
    row.get_by_role("link").click()
    expect(page.get_by_role("main").get_by_role("link", name="Ada")).to_be_visible()
    page.get_by_role("main").get_by_role("link", name="Ada").click()
    expect(page.get_by_role("button", name="New version without them")).to_have_count(2)

    page.goto(f"{start}/releases/{second.pk}")
    release_it(page, second)
    rows = download(page, second, tmp_path / "second")
    assert [row["labels"] for row in rows] == [[True, False], [True, False]], "v1 had one of them right"
    assert {row["completions"][1] for row in rows} == {"So 6.", "So 9."}

    page.get_by_role("button", name="Withdraw", exact=True).click()
    page.get_by_role("dialog").get_by_label("Why").fill("A labeler guessed.")
    page.keyboard.press("Enter")  # the focus is not on the button of an action that cannot be undone
    expect(page.get_by_role("dialog")).to_contain_text("It can no longer be downloaded")
    page.get_by_role("dialog").get_by_role("button", name="Withdraw").click()
    expect(page.get_by_text("A labeler guessed.")).to_be_visible()
    expect(page.get_by_role("link", name="Download")).to_have_count(0)
