"""A project is archived to a file and restored: every row and file or nothing, and nobody else's."""

import tarfile
from contextlib import closing
from io import BytesIO
from pathlib import Path
from threading import Event, Thread

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from pytest_django import Settings

from annotation_app.tests.running_installation import wait_for
from labeling.actions import exports
from labeling.actions.labels import claim_next_label, submit_label
from labeling.actions.project_archives import bring_back_project, take_out_project
from labeling.actions.searchable import make_searchable
from labeling.errors import ArchiveRefused
from labeling.models import (
    Export,
    Label,
    Problem,
    ProblemLetters,
    ProblemsWithoutLetters,
    Project,
    RecordedVerdict,
    RoundTally,
    Score,
    StepScorer,
    Trace,
    TracesWithoutWords,
    TraceWords,
    User,
)
from labeling.queries.project_rows import DERIVED, STAYING, tables_of
from labeling.tests.accounts import Browser
from labeling.tests.browser.busy_project import make_busy_project
from labeling.tests.factories import make_member, make_project, make_round, make_submission, make_traces

pytestmark = pytest.mark.django_db(transaction=True)
EVERYTHING = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename LIKE 'labeling%' ORDER BY 1"
# The project's own row says that it was archived, the audit log that it was archived and restored; problems wait for
# letters and traces for words in ranges, one for each statement that wrote some.
SPEAKING = {"labeling_auditevent", "labeling_project"}
SPEAKING |= {"labeling_problemswithoutletters", "labeling_traceswithoutwords"}


@pytest.fixture
def folder(settings: Settings, tmp_path: Path) -> Path:
    """The place for files; data and models are in folders of the test."""
    settings.DATA_DIR, settings.MODELS_DIR = tmp_path / "data", tmp_path / "models"
    settings.DATA_DIR.mkdir()
    return tmp_path / "archive"


def rows() -> dict[str, str]:
    """Return the contents of each of the product's tables."""
    found = {}
    with connection.cursor() as cursor:
        cursor.execute(EVERYTHING)
        for (table,) in cursor.fetchall():
            cursor.execute(f"SELECT md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) FROM {table} t")
            found[table] = cursor.fetchone()[0]
    return {table: hash for table, hash in found.items() if table not in SPEAKING}


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def archived(project: Project) -> Project:
    Project.objects.filter(pk=project.pk).update(status=Project.Status.ARCHIVED)
    project.refresh_from_db()
    return project


def busy(folder: Path) -> Project:
    """A project with rows in many tables, some by paths that no other row of the test has, and a file."""
    busy_project = make_busy_project(folder.parent)
    project = busy_project.project
    Label.objects.filter(project=project, status__in=("open", "prefetched")).update(status="released")
    for export in Export.objects.filter(project=project):
        exports.run_export(export.pk)
    scorer = StepScorer.objects.create(
        project=project, name="A PRM", kind="imported", fingerprint="f", status="ready", spec={}
    )
    trace = busy_project.trace
    Score.objects.create(
        project=project,
        scorer=scorer,
        trace=trace,
        problem_id=trace.problem_id,
        steps=[0.5],
        score=-0.7,
        draw=1,
        exact=True,
    )
    RecordedVerdict.objects.create(
        trace=trace, source="a\tfile\nof \\N others", first_error=0, line=1, import_job=busy_project.refused
    )
    return archived(project)


# Data that might conflict with the restored rows: it has its own numbers and names within the project.
MADE_MEANWHILE = {
    "guidelines": {"body": "Newer."},
    "label_views": {"name": "Mine", "filters": {}},
    "exports": {"format": "neutral"},
    "releases": {"name": "First", "exports": [1]},
}


def test_everything_comes_back_as_it_was_and_nobody_elses_rows_were_touched(folder: Path, settings: Settings):
    project = busy(folder)
    other = make_project()
    make_round(other)
    submit_label(claim_next_label(make_member(other), other).label, make_submission())
    admin = Browser(User.objects.filter(memberships__project=project, memberships__role="admin").earliest("pk"))
    before, kept = rows(), files(settings.DATA_DIR)
    assert any(name.startswith("exports/") for name in kept)
    assert RoundTally.objects.filter(round__project=project).exists()

    path = take_out_project(project, folder)
    assert not Trace.objects.filter(project=project).exists()
    assert not any(name.startswith("exports/") for name in files(settings.DATA_DIR))
    assert Label.objects.filter(project=other).count() == 1
    assert admin.call("GET", f"/api/projects/{project.slug}")["taken_out_at"].startswith("20")
    refused = admin.call("PATCH", f"/api/projects/{project.slug}", {"status": "active"}, status=409)
    assert refused["code"] == "project_taken_out"
    project.refresh_from_db()
    for what, body in MADE_MEANWHILE.items():
        made = admin.call("POST", f"/api/projects/{project.slug}/{what}", body, status=409)
        assert made["code"] == "project_taken_out", what

    bring_back_project(path)
    assert rows() == before
    assert files(settings.DATA_DIR) == kept
    assert admin.call("GET", f"/api/projects/{project.slug}")["taken_out_at"] is None
    assert admin.call("PATCH", f"/api/projects/{project.slug}", {"status": "active"})["status"] == "active"


def test_what_cannot_go_or_come_back_is_refused_in_words_and_changes_nothing(folder: Path):
    project = busy(folder)
    before = rows()

    def refusal(words: str, *command: str) -> None:
        with pytest.raises(CommandError, match=words):
            call_command(*command)
        assert rows() == now

    now = before
    Project.objects.filter(pk=project.pk).update(status=Project.Status.ACTIVE)
    refusal("is not archived", "take_out_project", project.slug, "--to", str(folder))
    archived(project)
    waiting = Export.objects.filter(project=project).latest("pk")
    Export.objects.filter(pk=waiting.pk).update(status="queued")
    now = rows()
    refusal("has a waiting or running export", "take_out_project", project.slug, "--to", str(folder))
    Export.objects.filter(pk=waiting.pk).update(status=waiting.status)
    now = before
    other = make_project()
    trace = Trace.objects.filter(project=project).exclude(scores__isnull=False).earliest("pk")
    Score.objects.create(
        project=other,
        scorer=StepScorer.objects.get(project=project),
        trace=trace,
        problem_id=trace.problem_id,
        draw=1,
        exact=True,
    )
    now = rows()
    refusal("Rows of other projects refer to", "take_out_project", project.slug, "--to", str(folder))
    assert list(folder.iterdir()) == []
    Score.objects.filter(project=other).delete()

    path = take_out_project(project, folder)
    now = rows()
    refusal("is already taken out", "take_out_project", project.slug, "--to", str(folder))
    broken = folder / "broken.tar"
    broken.write_bytes(path.read_bytes().replace(b"Text with", b"Test with", 1))
    refusal("is missing or was changed", "bring_back_project", str(broken))
    with tarfile.open(folder / "empty.tar", "w"):
        pass
    refusal("not the file of a project", "bring_back_project", str(folder / "empty.tar"))
    odd = [b"[1", b"[]", b"\xff", b'{"format": 1}', b'{"format": 1, "project": 7}', b"7", b"[" * 200_000]
    odd += [b'{"format": 1, "project": {"id": 1, "slug": "a\\u0000b"}}', b'{"format": 1, "project": {"id": 1}}']
    for number, manifest in enumerate(odd):
        with tarfile.open(folder / f"odd-{number}.tar", "w") as archive:
            about = tarfile.TarInfo("MANIFEST.json")
            about.size = len(manifest)
            archive.addfile(about, BytesIO(manifest))
        refusal("not the file of a project", "bring_back_project", str(folder / f"odd-{number}.tar"))
    refusal("There is no file", "bring_back_project", str(folder / "nothing.tar"))
    bring_back_project(path)
    now = before
    refusal("its rows are here", "bring_back_project", str(path))
    archived(project)
    take_out_project(project, folder / "again")
    now = rows()
    refusal("This is another file", "bring_back_project", str(path))


def test_every_table_is_somebodys_or_a_projects():
    project = make_project()
    ours = {table.name for table in tables_of(project)} | {model._meta.db_table for model in STAYING | DERIVED}
    with connection.cursor() as cursor:
        cursor.execute(EVERYTHING)
        every = {table for (table,) in cursor.fetchall()}
    people = {"labeling_user", "labeling_user_groups", "labeling_user_user_permissions"}
    people |= {"labeling_apitoken", "labeling_identity", "labeling_provisioned"}
    people |= {"labeling_provisionedgroup", "labeling_provisionedmember"}
    people |= {"labeling_loggedin", "labeling_secondfactor", "labeling_recoverycode"}
    assert every - ours == people | {"labeling_project", "labeling_workerheartbeat"}


def test_what_is_searched_goes_with_its_project_and_is_made_again_when_that_is_back(folder: Path):
    project, other = make_project(), make_project()
    make_traces(project, 3)
    make_traces(other)
    make_searchable(60)
    path = take_out_project(archived(project), folder)
    assert {made.project for model in (TraceWords, ProblemLetters) for made in model.objects.all()} == {other}
    bring_back_project(path)
    for model in (TracesWithoutWords, ProblemsWithoutLetters):
        assert {waiting.project for waiting in model.objects.all()} == {project}
    make_searchable(60)
    assert TraceWords.objects.filter(project=project).count() == 3
    problems = Problem.objects.filter(project=project).values_list("pk", "text")
    assert set(ProblemLetters.objects.filter(project=project).values_list("problem", "text")) == set(problems)


def test_a_row_that_comes_in_meanwhile_keeps_all_of_it_here(folder: Path):
    project = busy(folder)
    trace = Trace.objects.filter(project=project).earliest("pk")
    traces = Trace.objects.filter(project=project).count()
    begun = Event()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (here,) = cursor.fetchone()

    def bring_one_in() -> None:
        with closing(connection), transaction.atomic(), connection.cursor() as other:
            Trace.objects.create(project=project, problem_id=trace.problem_id, steps=["Late."], trace_hash=b"l" * 32)
            other.execute("SET CONSTRAINTS ALL IMMEDIATE")  # it holds on to its project and problem from now on
            begun.set()

            def waits() -> bool:
                other.execute("SELECT cardinality(pg_blocking_pids(%s)) > 0", [here])
                return bool(other.fetchone()[0])

            wait_for("the way out to wait for it", waits, 30)

    late = Thread(target=bring_one_in)
    late.start()
    begun.wait(30)
    with pytest.raises(ArchiveRefused, match="nothing was taken out"):
        take_out_project(project, folder)
    late.join()
    assert Trace.objects.filter(project=project).count() == traces + 1
    assert take_out_project(project, folder).is_file()
