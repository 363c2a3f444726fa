"""Labels are released, one is corrected, the next version says what changed, and its hashes hold."""

import hashlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeling.actions import exports, releases
from labeling.actions.labels import revise_label
from labeling.models import Project, Release, User
from labeling.tests.exports.labeled import give_label
from labeling.tests.factories import make_member, make_project, make_submission, make_traces

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LogIn = Callable[..., Page]


def make_draft(page: Page, project: Project, admin: User, start: str) -> Release:
    """An export, and the draft that the page makes of it; the worker's part is done here."""
    exports.run_export(exports.create_export(project, by=admin, format="neutral").pk)
    page.goto(f"{start}/new")
    page.get_by_label("Name").fill("Sums")
    page.get_by_role("button", name="Make the draft").click()
    expect(page.get_by_text("A worker writes its exports")).to_be_visible()
    draft = Release.objects.latest("pk")
    releases.run_release(draft.pk)
    return draft


def release_it(page: Page, draft: Release) -> None:
    page.get_by_role("button", name="Release", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Release").click()
    expect(page.get_by_text("A worker packs the folder.")).to_be_visible()
    releases.run_release(draft.pk)


def test_from_labels_over_two_versions_to_a_difference_and_a_download_whose_hashes_hold(
    live_server: Any, log_in: LogIn, tmp_path: Path
) -> None:
    project = make_project(name="Sums")
    make_traces(project, 2)
    admin = make_member(project, "admin")
    ada = make_member(project, display_name="Ada")
    label = give_label(project, [1, 1, 1], ada)
    give_label(project, [1, 0, 1], ada)
    start = f"{live_server.url}/projects/{project.slug}/releases"
    page = log_in(admin)
    page.goto(start)
    expect(page.get_by_role("heading", name="Nothing was released yet")).to_be_visible()

    first = make_draft(page, project, admin, start)
    expect(page.get_by_text("None of 2 problems is held out")).to_be_visible()
    expect(page.get_by_role("button", name="Release", exact=True)).to_be_disabled()
    page.get_by_label("Licence of the labels").fill("cc-by-4.0")
    page.get_by_role("button", name="Say “unknown” to the other").click()
    expect(page.get_by_text("Every question is answered.")).to_be_visible()
    release_it(page, first)
    expect(page.get_by_role("link", name="Download")).to_be_visible()

    revise_label(label, make_submission([1, -1, None]))
    second = make_draft(page, project, admin, start)
    expect(page.get_by_text("Every question is answered.")).to_be_visible()  # as in the version before
    page.get_by_role("link", name="What changed since v1").click()
    row = page.get_by_role("table", name="Labels that differ").get_by_role("row").nth(1)
    for words in ("changed", "no error", "step 2"):
        expect(row).to_contain_text(words)
    row.get_by_role("link").click()
    expect(page.get_by_role("link", name="Ada")).to_be_visible()
    page.get_by_role("link", name="Ada").click()
    expect(page.get_by_role("button", name="New version without them")).to_have_count(2)

    page.goto(f"{start}/{second.pk}")
    release_it(page, second)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        archive.extractall(tmp_path)
    second.refresh_from_db()
    assert hashlib.sha256((tmp_path / "MANIFEST.json").read_bytes()).hexdigest() == second.manifest_sha256
    for file in json.loads((tmp_path / "MANIFEST.json").read_text())["files"]:
        assert hashlib.sha256((tmp_path / file["path"]).read_bytes()).hexdigest() == file["sha256"]

    page.get_by_role("button", name="Withdraw", exact=True).click()
    page.get_by_role("dialog").get_by_label("Why").fill("A labeler guessed.")
    page.get_by_role("dialog").get_by_role("button", name="Withdraw").click()
    expect(page.get_by_text("A labeler guessed.")).to_be_visible()
    expect(page.get_by_role("link", name="Download")).to_have_count(0)
