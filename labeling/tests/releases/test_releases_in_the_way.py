"""Releases with faulty exports, files, workers or places: a message says why, and nothing else leaves."""

import shutil
import time
from contextlib import closing
from pathlib import Path
from threading import Thread
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection

from labeling.actions import exports, releases
from labeling.actions.export_file import hashes_path
from labeling.actions.jobs import cancel_job
from labeling.actions.release_folder import folder_path, zip_path
from labeling.models import Export, Project, Release, User
from labeling.tests.accounts import Browser
from labeling.tests.exports.labeled import give_label
from labeling.tests.killed_process import run_until_call
from labeling.tests.releases.test_releases import admin, drafted, project, ran, released

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["admin", "project"]  # fixtures


@pytest.fixture
def desk(admin: User) -> Browser:
    return Browser(admin)


def failed(release: Release) -> str:
    """Return the reason why a worker could not do what the release waits for."""
    done = releases.run_release(release.pk)
    assert done is not None
    assert done.status == "failed"
    return str(done.error)


def draft_of(project: Project, admin: User, export: Export) -> Release:
    return releases.create_release(project, by=admin, name="Sums", exports=[export.pk])


def forget_files(release: Release) -> None:
    """Remove files as if a disk was lost."""
    for folder in ("releases", "exports"):
        shutil.rmtree(folder_path(release).parents[1] / folder)


def test_a_draft_is_published_once_it_was_checked_and_handed_out_once_it_is_packed(
    project: Project, admin: User, desk: Browser
) -> None:
    give_label(project, [1, 1, 1])
    draft = draft_of(project, admin, exports.create_export(project, by=None, format="neutral"))
    address = f"/api/releases/{draft.pk}"
    refused = desk.call("POST", f"{address}/publish", status=409)
    assert (refused["code"], refused["status"]) == ("release_not_ready", "queued")
    assert Release.objects.get().state == "draft"
    released(ran(draft), admin)
    Release.objects.update(status="running", manifest_sha256="")  # as before a worker had packed it
    refused = desk.call("GET", f"{address}/download", status=409)
    assert (refused["code"], refused["state"]) == ("release_not_ready", "released")


def test_a_draft_whose_export_was_stopped_says_which(project: Project, admin: User) -> None:
    give_label(project, [1, 1, 1])
    export = exports.create_export(project, by=None, format="neutral")
    draft = draft_of(project, admin, export)
    cancel_job(export, by=admin)
    assert failed(draft).startswith(f"Export {export.pk} was not finished.")


def test_a_draft_waits_for_an_export_that_another_worker_writes(project: Project, admin: User) -> None:
    give_label(project, [1, 1, 1])
    export = exports.create_export(project, by=None, format="neutral")
    draft = draft_of(project, admin, export)
    others = Export.objects.filter(pk=export.pk)
    others.update(status="running", lease_token=uuid4(), leased_until="2100-01-01T00:00Z")

    def write_it() -> None:
        with closing(connection):
            time.sleep(3 * releases.PAUSE)
            assert not Release.objects.filter(pk=draft.pk, status="succeeded").exists()
            others.update(leased_until="2020-01-01T00:00Z")
            exports.run_export(export.pk)

    other = Thread(target=write_it)
    other.start()
    assert ran(draft).facts["labels"] == 1
    other.join()
    assert Export.objects.get(pk=export.pk).attempts <= 2, "nobody else wrote it while its worker did"


def test_what_was_released_is_not_made_anew_from_what_has_changed_since(
    project: Project, admin: User, desk: Browser
) -> None:
    label = give_label(project, [1, 1, 1])
    first = released(drafted(project, admin), admin)
    forget_files(first)
    problem = label.task.trace.problem
    problem.answer = "another"
    problem.save()
    desk.call("POST", f"/api/releases/{first.pk}/repack")
    said = failed(first)
    assert said.startswith(f"The file of export {first.exports.get().pk} is gone or damaged, and its data has changed")
    assert not zip_path(first).exists()
    desk.call("GET", f"/api/releases/{first.pk}/download", status=409)


def test_a_card_that_would_be_another_today_is_not_passed_off_as_the_one_that_was_released(
    project: Project, admin: User, desk: Browser
) -> None:
    give_label(project, [1, 1, 1])
    first = released(drafted(project, admin), admin)
    shutil.rmtree(folder_path(first))
    before = zip_path(first).read_bytes()
    zip_path(first).unlink()
    Release.objects.filter(pk=first.pk).update(words={})  # as of a version that did not keep them
    Project.objects.filter(pk=project.pk).update(name="Renamed")
    desk.call("POST", f"/api/releases/{first.pk}/repack")
    assert "an older version of Stepmark wrote its card" in failed(first)
    assert list(folder_path(first).parent.iterdir()) == []
    Project.objects.filter(pk=project.pk).update(name=project.name)
    desk.call("POST", f"/api/releases/{first.pk}/repack")
    ran(first)
    assert zip_path(first).read_bytes() == before, "where it comes out the same it is the same"


def test_a_worker_that_was_told_of_no_place_pushes_nothing(
    project: Project, admin: User, desk: Browser, settings: Any
) -> None:
    give_label(project, [1, 1, 1])
    first = released(drafted(project, admin), admin)
    settings.RELEASE_TARGETS = {"hub": object()}
    push = releases.create_push(first, by=admin, target="hub")
    settings.RELEASE_TARGETS = {}
    sent: list[Path] = []

    def send(folder: Path, target: Any, title: str) -> str:
        sent.append(folder)
        return ""

    done = releases.run_push(push.pk, send)
    assert done is not None
    assert (done.status, sent) == ("failed", [])
    assert "knows no place called hub. Set RELEASE_TARGETS for it too" in done.error


def test_a_worker_killed_while_it_brings_a_file_back_leaves_none_that_keeps_the_release_from_being_packed(
    project: Project, admin: User
) -> None:
    give_label(project, [1, 1, 1])
    first = released(drafted(project, admin), admin)
    file = exports.file_path(first.exports.get())
    before, rows = zip_path(first).read_bytes(), file.read_bytes()
    forget_files(first)
    again = releases.repack_release(first, by=admin)
    code = f"from labeling.actions import releases; releases.run_release({again.pk})"
    run_until_call(code, "shutil.py:_fastcopy_sendfile", times=1)
    assert not file.exists(), "it has its name once it is whole"
    Release.objects.filter(pk=first.pk).update(leased_until="2020-01-01T00:00Z")
    ran(first)
    assert (zip_path(first).read_bytes(), file.read_bytes()) == (before, rows)
    assert [one for one in file.parent.iterdir() if one.name.startswith(".")] == []


@pytest.mark.parametrize("path", [exports.file_path, lambda one: hashes_path(exports.file_path(one))])
def test_half_a_file_is_brought_back_like_one_that_is_gone(project: Project, admin: User, path: Any) -> None:
    give_label(project, [1, 1, 1])
    first = released(drafted(project, admin), admin)
    file = path(first.exports.get())
    before, rows = zip_path(first).read_bytes(), file.read_bytes()
    shutil.rmtree(folder_path(first).parent)
    file.unlink()
    file.write_bytes(rows[: len(rows) // 2])
    ran(releases.repack_release(first, by=admin))
    assert (zip_path(first).read_bytes(), file.read_bytes()) == (before, rows)
