"""The whole chain on a small disk, from the upload to the export: it reports that the disk is full, and then
continues.
"""

import io
import os
import secrets
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from celery.beat import Service
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.utils import timezone

from labeling.actions import jobs
from labeling.actions.exports import run_export
from labeling.actions.gradings import create_grading, run_grading
from labeling.actions.imports import run_import
from labeling.grading import CORRECT, Grade
from labeling.models import Export, ImportJob, Problem, Project, Trace
from labeling.tests.accounts import Browser
from labeling.tests.exports.labeled import give_label
from labeling.tests.factories import make_member, make_project
from labeling.tests.imports.files import lines, neutral_row
from labeling.tests.jobs.small_disk import fill, give_room, small_disk, small_tablespace

__all__ = ["small_disk", "small_tablespace"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project() -> Project:
    return make_project("algebra")


@pytest.fixture
def researcher(project: Project) -> Browser:
    return Browser(make_member(project, "researcher"))


@pytest.fixture
def data(small_disk: Path, settings: Any) -> Path:
    """The data directory, on the small disk."""
    settings.DATA_DIR, settings.FILE_UPLOAD_TEMP_DIR = small_disk, str(small_disk / "uploads")
    (small_disk / "uploads").mkdir()
    return small_disk


class Sent(io.BytesIO):
    """The body of a request. `at_byte`, something happens; `asked` is how much of the body had been read by then."""

    def __init__(self, body: bytes, at_byte: int = 0, happens: Callable[[], object] = lambda: None) -> None:
        super().__init__(body)
        self.asked, self.at_byte, self.happens = 0, at_byte, happens

    def read(self, size: int | None = -1) -> bytes:
        if self.asked <= self.at_byte < self.asked + (size or 0):
            self.happens()
        piece = super().read(size)
        self.asked += len(piece)
        return piece


def form(file: bytes) -> bytes:
    """An upload's body."""
    return encode_multipart(BOUNDARY, {"file": SimpleUploadedFile("rows.jsonl", file)})


def send(browser: Browser, body: Sent, path: str = "/api/projects/algebra/imports", *, csrf: bool = True) -> Any:
    """Return the response to an upload whose body is watched."""
    headers = browser.csrf_header() if csrf else {}
    watched: dict[str, Any] = {"wsgi.input": body}
    return browser.generic("POST", path, body.getvalue(), content_type=MULTIPART_CONTENT, headers=headers, **watched)


def wait_is_over(job: Any) -> Any:
    """Return the job as if the pause before its next attempt had passed."""
    type(job).objects.filter(pk=job.pk).update(leased_until=timezone.now() - timedelta(seconds=1))
    job.refresh_from_db()
    return job


def test_nothing_of_an_upload_is_read_before_it_is_known_who_sends_it_as_what_and_how_much(
    project: Project, researcher: Browser, settings: Any
) -> None:
    body = form(b"x" * 200_000)
    member, stranger = Browser(make_member(project, "annotator")), Browser(make_member(make_project(), "admin"))
    small = settings.UPLOAD_LIMIT
    cases: list[tuple[str, Browser, int, dict[str, Any], int]] = [
        ("no CSRF header", researcher, small, {"csrf": False}, 403),
        ("an annotator", member, small, {}, 403),
        ("somebody of another project", stranger, small, {}, 404),
        ("nobody", Browser(), small, {}, 401),
        ("too long", researcher, 100_000, {}, 413),
        ("a login page", Browser(), small, {"path": "/admin/login/"}, 200),
    ]
    for name, browser, limit, how, status in cases:
        settings.UPLOAD_LIMIT = limit
        sent = Sent(body)
        assert send(browser, sent, **how).status_code == status, name
        assert sent.asked <= (0 if "path" not in how else 65_536), name
    Project.objects.update(status="archived")
    sent = Sent(body)
    assert (send(researcher, sent).json()["code"], sent.asked) == ("project_archived", 0)
    assert not list(Path(settings.FILE_UPLOAD_TEMP_DIR).glob("*"))


def test_an_upload_that_meets_a_full_disk_is_removed_at_once_and_says_so(researcher: Browser, data: Path) -> None:
    met = Sent(form(b"x" * 150_000), at_byte=70_000, happens=lambda: fill(data))
    refused = send(researcher, met)
    assert (refused.status_code, refused.json()["code"]) == (507, "disk_full")
    assert "Ask the operator to free space" in refused.json()["detail"]
    assert met.asked > 70_000
    assert [file.name for file in data.rglob("*") if file.is_file()] == ["filler"]
    known = Sent(form(b"x" * 150_000))
    assert (send(researcher, known).status_code, known.asked) == (507, 0), "what cannot fit is not begun"
    assert not ImportJob.objects.exists()
    (data / "filler").unlink()
    assert send(researcher, Sent(form(lines(neutral_row())))).status_code == 201


def test_a_file_that_no_row_could_name_does_not_stay(researcher: Browser, data: Path) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE labeling_importjob ADD CONSTRAINT none_today CHECK (file_name = '') NOT VALID")
    try:
        researcher.raise_request_exception = False
        assert send(researcher, Sent(form(b"{}\n"))).status_code == 500
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE labeling_importjob DROP CONSTRAINT none_today")
    assert not [file for file in data.rglob("*") if file.is_file()]


def test_jobs_on_a_full_disk_say_so_and_go_on_when_there_is_room(
    project: Project, researcher: Browser, data: Path
) -> None:
    job = ImportJob.objects.get(pk=send(researcher, Sent(form(lines(neutral_row())))).json()["id"])
    filler = fill(data)
    imported = run_import(job.pk)
    assert imported is not None
    assert imported.status == "succeeded", "what needs no room is done"
    grading = create_grading(project, by=None, wake=False)
    graded = run_grading(grading.pk, lambda questions: (Grade(CORRECT, "equal") for _ in questions))
    assert graded is not None
    assert graded.status == "succeeded"
    give_label(project, [1, 1])
    asked = researcher.call("POST", "/api/projects/algebra/exports", {"format": "prm800k"}, status=201)
    export = Export.objects.get(pk=asked["id"])
    for _ in range(jobs.MOST_ATTEMPTS + 2):
        run_export(wait_is_over(export).pk)
    shown = researcher.call("GET", f"/api/exports/{export.pk}")
    assert shown["status"] == "queued", "it is not the export's fault, so it is tried until there is room"
    assert shown["error"].startswith("The disk is full. Free some space")
    assert "No space left on device" in shown["error"]
    filler.unlink()
    run_export(wait_is_over(export).pk)
    shown = researcher.call("GET", f"/api/exports/{export.pk}")
    assert (shown["status"], shown["error"], shown["rows"]) == ("succeeded", "", 1)


@pytest.mark.parametrize(
    ("into_small", "out_of_it"),
    [
        ("SET temp_tablespaces = small", "RESET temp_tablespaces; DISCARD TEMP"),  # where rows are copied to first
        *(
            (f"ALTER TABLE {table} SET TABLESPACE small", f"ALTER TABLE {table} SET TABLESPACE pg_default")
            for table in ("labeling_problem", "labeling_trace")
        ),
    ],
    ids=["staged rows", "problems", "traces"],
)
def test_an_import_during_which_postgres_has_no_room_says_so_and_goes_on_when_there_is_room(
    project: Project, researcher: Browser, settings: Any, small_tablespace: Path, into_small: str, out_of_it: str
) -> None:
    rows = [neutral_row(f"{number} {secrets.token_hex(1000)}", [secrets.token_hex(1000)]) for number in range(3000)]
    with connection.cursor() as cursor:  # rows left by earlier tests do not fit
        cursor.execute("TRUNCATE labeling_problem, labeling_trace CASCADE")
        cursor.execute(into_small)
    try:
        job = ImportJob.objects.get(pk=send(researcher, Sent(form(lines(*rows)))).json()["id"])
        for _ in range(jobs.MOST_ATTEMPTS + 2):
            run_import(wait_is_over(job).pk)
            shown = researcher.call("GET", f"/api/imports/{job.pk}")
            assert shown["status"] == "queued", "it is not the file's fault"
            assert shown["error"].startswith("The disk is full. Free some space")
            assert "No space left on device" in shown["error"]
            assert not Problem.objects.exists(), "batches that had room are undone with the one that had none"
        assert not Trace.objects.exists()
        assert (settings.DATA_DIR / job.path).exists(), "the file is needed yet"
        give_room(small_tablespace)
        run_import(wait_is_over(job).pk)
        shown = researcher.call("GET", f"/api/imports/{job.pk}")
        assert (shown["status"], shown["error"]) == ("succeeded", "")
        assert (Problem.objects.count(), Trace.objects.count()) == (3000, 3000)
        assert not (settings.DATA_DIR / job.path).exists()
    finally:
        with connection.cursor() as cursor:
            cursor.execute(out_of_it)


def test_a_full_disk_of_postgres_is_told_as_such(researcher: Browser, project: Project) -> None:
    with connection.cursor() as cursor:
        cursor.execute("""
            CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
            CREATE TRIGGER no_room BEFORE INSERT ON labeling_export FOR EACH ROW EXECUTE FUNCTION no_room()
        """)
    try:
        refused = researcher.call("POST", "/api/projects/algebra/exports", {"format": "prm800k"}, status=507)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP FUNCTION no_room CASCADE")
    assert refused["code"] == "disk_full"


def test_the_clock_knows_its_schedule_without_a_place_to_write(
    small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(small_disk)
    monkeypatch.chdir(small_disk)
    clock = Service(current_app, scheduler_cls=current_app.conf.beat_scheduler).get_scheduler()
    assert {"sweep", "evaluate labelers"} <= set(clock.schedule)
    assert os.listdir(small_disk) == ["filler"]
