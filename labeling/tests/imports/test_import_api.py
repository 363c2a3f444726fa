"""Uploads over the API: streamed to a private file, queued even without the broker, visible to researchers only."""

import gzip
import os
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from labeling.actions import import_files
from labeling.actions.import_files import forget_old_uploads, forget_stray_uploads
from labeling.actions.imports import run_import
from labeling.actions.jobs import sweep_jobs
from labeling.models import AuditEvent, ImportJob, Project, Trace
from labeling.tests.accounts import Browser
from labeling.tests.factories import join, make_member, make_project, make_user
from labeling.tests.imports.files import lines, neutral_row

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project() -> Project:
    return make_project("algebra")


@pytest.fixture
def researcher(project: Project) -> Browser:
    return Browser(make_member(project, "researcher"))


@pytest.fixture
def no_broker() -> Any:
    """The Celery application with a broker that does not exist."""
    before = current_app.conf.broker_url
    current_app.conf.update(broker_url="redis://127.0.0.1:1/0", broker_write_url="redis://127.0.0.1:1/0")
    forget_connections()
    yield
    current_app.conf.update(broker_url=before, broker_write_url=before)
    forget_connections()


def forget_connections() -> None:
    current_app._pool = None  # type: ignore[attr-defined]  # the stubs leave it out
    current_app.amqp._producer_pool = None  # type: ignore[attr-defined]  # the stubs leave it out


def upload(researcher: Client, data: bytes, name: str = "rows.jsonl", slug: str = "algebra", **fields: Any) -> Any:
    """Return the response to an upload as the page sends it."""
    file = SimpleUploadedFile(name, data)
    headers = {"X-CSRFToken": researcher.cookies["csrftoken"].value}
    return researcher.post(f"/api/projects/{slug}/imports", {"file": file, **fields}, headers=headers)


def test_an_upload_is_queued_run_and_told(researcher: Browser, project: Project) -> None:
    answer = upload(researcher, lines(neutral_row(), neutral_row(), neutral_row(steps=[])), skip_faulty="true")
    assert answer.status_code == 201, answer.content
    job = answer.json()
    assert (job["status"], job["file_name"], job["skip_faulty"], job["report"]) == ("queued", "rows.jsonl", True, None)
    run_import(job["id"])
    job = researcher.call("GET", f"/api/imports/{job['id']}")
    assert (job["status"], job["format"], job["error"]) == ("succeeded", "neutral", "")
    assert job["progress"] == {"bytes_done": job["progress"]["bytes_total"], "rows": 3, "silent_seconds": 0} | {
        "bytes_total": len(lines(neutral_row(), neutral_row(), neutral_row(steps=[])))
    }
    report = job["report"]
    assert (report["rows"], report["traces"]) == (3, {"new": 1, "duplicate_in_file": 1, "known": 0})
    (kind,) = report["faults"]["kinds"]
    assert (kind["kind"], kind["examples"][0]["line"], kind["examples"][0]["field"]) == ("no_steps", 3, "steps")
    assert Trace.objects.filter(project=project).count() == 1
    assert [listed["id"] for listed in researcher.call("GET", "/api/projects/algebra/imports")["results"]] == [
        job["id"]
    ]


def test_the_file_is_private_named_by_us_and_gone_afterwards(researcher: Browser) -> None:
    name = "../../etc/pass\u202ewd\x07.jsonl"
    job = ImportJob.objects.get(pk=upload(researcher, lines(neutral_row()), name=name).json()["id"])
    path = settings.DATA_DIR / job.path
    assert path.parent == settings.DATA_DIR / "imports"
    assert path.stat().st_mode & 0o777 == 0o600
    assert len(path.name) == 32
    assert "/" not in job.file_name
    assert job.file_name.isprintable()
    run_import(job.pk)
    assert not path.exists()
    assert not list((settings.DATA_DIR / "uploads").glob("*"))


def test_an_upload_counts_when_the_broker_is_down_and_the_sweep_finds_it(researcher: Browser, no_broker: None) -> None:
    answer = upload(researcher, lines(neutral_row()))
    assert answer.status_code == 201
    job = ImportJob.objects.get(pk=answer.json()["id"])
    ImportJob.objects.filter(pk=job.pk).update(created_at="2026-01-01T00:00:00Z")
    woken: list[tuple[str, int]] = []
    sweep_jobs(lambda task, job_id: woken.append((task, job_id)))
    assert woken == [("worker.run_import", job.pk)]


def test_what_a_killed_server_left_of_an_upload_is_removed_a_day_later(settings: Any) -> None:
    folder = Path(settings.FILE_UPLOAD_TEMP_DIR)
    old, new = folder / "tmpold.upload.jsonl", folder / "tmpnew.upload.jsonl"
    for file, age in ((old, 25 * 3600), (new, 3600)):
        file.write_bytes(b"x")
        os.utime(file, (time.time() - age, time.time() - age))
    assert forget_stray_uploads() == 1
    assert (old.exists(), new.exists()) == (False, True)
    new.unlink()


def test_an_upload_that_is_renamed_while_old_ones_are_removed_is_left_alone(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload, kept = (Path(settings.FILE_UPLOAD_TEMP_DIR) / name for name in ("tmpnew.upload.jsonl", "kept.jsonl"))
    upload.write_bytes(b"x")
    is_file = Path.is_file

    def renamed_once_seen(path: Path) -> bool:
        seen = is_file(path)
        if path == upload:
            upload.rename(kept)
        return seen

    monkeypatch.setattr(Path, "is_file", renamed_once_seen)
    assert forget_stray_uploads() == 0
    kept.unlink()


def test_a_gzip_upload_and_a_named_format_are_taken(researcher: Browser) -> None:
    job = upload(researcher, gzip.compress(lines({"question": "2+2?", "answer": "4"})), format="problems").json()
    done = run_import(job["id"])
    assert done is not None
    assert (done.status, done.report["problems"]["new"]) == ("succeeded", 1)


def test_what_is_no_upload_is_refused_with_its_field(researcher: Browser) -> None:
    headers = {"X-CSRFToken": researcher.cookies["csrftoken"].value}
    nothing = researcher.post("/api/projects/algebra/imports", {}, headers=headers)
    assert (nothing.status_code, nothing.json()["code"], "file" in nothing.json()["fields"]) == (400, "invalid", True)
    odd = upload(researcher, b"{}", format="csv")
    assert (odd.status_code, "format" in odd.json()["fields"]) == (400, True)
    text = researcher.post("/api/projects/algebra/imports", {"file": "no file"}, headers=headers)
    assert text.status_code == 400
    assert not ImportJob.objects.exists()


def test_an_upload_over_the_limit_is_refused_and_leaves_nothing(researcher: Browser, settings: Any) -> None:
    settings.UPLOAD_LIMIT = 2**20
    answer = upload(researcher, b"x" * (2**20 + 1))
    assert (answer.status_code, answer.json()["code"], answer.json()["limit"]) == (413, "file_too_large", 2**20)
    assert not ImportJob.objects.exists()
    assert not list((settings.DATA_DIR / "uploads").glob("*"))


def test_a_queued_import_is_cancelled_once_and_audited(researcher: Browser) -> None:
    job = upload(researcher, lines(neutral_row())).json()
    assert researcher.call("POST", f"/api/imports/{job['id']}/cancel")["status"] == "cancelled"
    again = researcher.call("POST", f"/api/imports/{job['id']}/cancel", status=409)
    assert (again["code"], again["status"]) == ("job_finished", "cancelled")
    actions = AuditEvent.objects.filter(target=f"import {job['id']}").order_by("id")
    assert list(actions.values_list("action", flat=True)) == ["import.create", "import.cancel"]


def test_only_researchers_of_the_project_upload_and_see_imports(researcher: Browser, project: Project) -> None:
    job = upload(researcher, lines(neutral_row())).json()
    annotator, stranger = Browser(make_member(project, "annotator")), Browser(make_member(make_project(), "admin"))
    gone = make_user()
    join(project, gone, "admin", is_active=False)
    assert upload(annotator, b"{}").status_code == 403
    assert annotator.call("GET", "/api/projects/algebra/imports", status=403)["code"] == "permission_denied"
    for other in (stranger, Browser(gone), annotator):
        assert other.call("GET", f"/api/imports/{job['id']}", status=404)["code"] == "not_found"
        assert other.call("POST", f"/api/imports/{job['id']}/cancel", status=404)["code"] == "not_found"
    assert upload(stranger, b"{}").status_code == 404
    assert upload(Browser(), b"{}").status_code == 401
    assert ImportJob.objects.count() == 1


def test_an_archived_project_takes_nothing_in(researcher: Browser, project: Project) -> None:
    Project.objects.filter(pk=project.pk).update(status="archived")
    assert upload(researcher, lines(neutral_row())).json()["code"] == "project_archived"


def test_listing_imports_takes_a_fixed_number_of_queries(
    researcher: Browser, django_assert_max_num_queries: Any, tmp_path: Path
) -> None:
    for _ in range(5):
        upload(researcher, lines(neutral_row()))
    with django_assert_max_num_queries(4):
        assert len(researcher.call("GET", "/api/projects/algebra/imports")["results"]) == 5


def test_a_file_that_was_only_checked_is_imported_without_another_upload_once(
    researcher: Browser, project: Project
) -> None:
    faulty = lines(neutral_row(), neutral_row("Another?"), neutral_row(steps=[]))
    checked = upload(researcher, faulty, dry_run="true").json()["id"]
    run_import(checked)
    for _ in range(2):  # a sweep keeps the file of a recent check
        forget_old_uploads()
    job = researcher.call("POST", f"/api/imports/{checked}/import", {"skip_faulty": True}, status=201)
    assert (job["dry_run"], job["skip_faulty"], job["file_name"]) == (False, True, "rows.jsonl")
    run_import(job["id"])
    assert Trace.objects.filter(project=project).count() == 2
    again = researcher.call("POST", f"/api/imports/{checked}/import", {}, status=400)
    assert "Upload it again" in again["detail"]
    researcher.call("POST", f"/api/imports/{job['id']}/import", {}, status=409)

    old = upload(researcher, lines(neutral_row("A third?")), dry_run="true").json()["id"]
    run_import(old)
    ImportJob.objects.filter(pk=old).update(finished_at=timezone.now() - timedelta(hours=25))
    assert (forget_old_uploads(), forget_old_uploads()) == (1, 0)
    assert not (settings.DATA_DIR / ImportJob.objects.get(pk=old).path).exists()


@pytest.mark.parametrize(("most", "most_bytes", "stay"), [(2, 10**6, 2), (20, 130, 2), (20, 1, 1)])
def test_a_project_keeps_the_newest_of_the_files_that_were_only_checked(
    researcher: Browser, project: Project, monkeypatch: pytest.MonkeyPatch, most: int, most_bytes: int, stay: int
) -> None:
    monkeypatch.setattr(import_files, "CHECKED_FILES", most)
    monkeypatch.setattr(import_files, "CHECKED_BYTES", most_bytes)
    neighbour = Browser(make_member(make_project("physics"), "researcher"))
    elsewhere = upload(neighbour, lines(neutral_row()), slug="physics", dry_run="true").json()["id"]
    run_import(elsewhere)
    checked = [upload(researcher, lines(neutral_row(f"No. {n}?")), dry_run="true").json()["id"] for n in range(4)]
    for job in checked:
        run_import(job)
    kept = {job.pk for job in ImportJob.objects.all() if (settings.DATA_DIR / job.path).exists()}
    assert kept == {elsewhere, *checked[-stay:]}
    assert ImportJob.objects.get(pk=checked[0]).head == []
    refused = researcher.call("POST", f"/api/imports/{checked[0]}/import", {}, status=400)
    assert "Upload it again" in refused["detail"]
    again = researcher.call("POST", f"/api/imports/{checked[-1]}/import", {}, status=201)
    run_import(again["id"])
    assert Trace.objects.filter(project=project).count() == 1
