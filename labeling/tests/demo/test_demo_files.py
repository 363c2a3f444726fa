"""The demo's files are imported by the first process that gets to them, and a demo without one of them says so."""

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest
from django.db import connection

from labeling.actions import demo_files
from labeling.actions.demo_files import import_demo_file
from labeling.actions.imports import run_import
from labeling.models import ImportJob, Project, Trace
from labeling.tests.factories import make_member, make_project
from labeling.tests.imports.files import lines, neutral_row

pytestmark = pytest.mark.django_db(transaction=True)
CLAIMED_AT_ONCE = """
    CREATE FUNCTION quicker() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        NEW.status := 'running'; NEW.lease_token := gen_random_uuid(); NEW.leased_until := now() + interval '1 hour';
        RETURN NEW;
    END $$;
    CREATE TRIGGER quicker BEFORE INSERT ON labeling_importjob FOR EACH ROW EXECUTE FUNCTION quicker()
"""


@pytest.fixture
def project() -> Project:
    return make_project("demo")


@pytest.fixture
def quicker_worker() -> Iterator[None]:
    """Make each import belong to another worker as soon as it is recorded."""
    with connection.cursor() as cursor:
        cursor.execute(CLAIMED_AT_ONCE)
    yield
    with connection.cursor() as cursor:
        cursor.execute("DROP FUNCTION quicker CASCADE")


def load(project: Project, folder: Path, *rows: object) -> None:
    file = folder / "sums.jsonl"
    file.write_bytes(lines(*rows))
    import_demo_file(project, make_member(project, "admin"), file, "neutral")


def test_a_file_that_another_worker_imports_is_waited_for(
    project: Project, quicker_worker: None, tmp_path: Path
) -> None:
    done: list[ImportJob | None] = []

    def other_worker() -> None:
        with closing(connection):
            while not ImportJob.objects.exists():
                time.sleep(0.05)
            time.sleep(0.5)  # until the process that loads the demo has seen that it is not its turn
            ImportJob.objects.update(leased_until="2020-01-01T00:00Z")
            done.append(run_import(ImportJob.objects.get().pk))

    thread = Thread(target=other_worker)
    thread.start()
    load(project, tmp_path, neutral_row())
    assert Trace.objects.filter(project=project).count() == 1, "it is there once the demo goes on"
    thread.join()
    assert [job and job.status for job in done] == ["succeeded"]


def test_a_demo_without_one_of_its_files_says_which_and_why(
    project: Project, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(
        RuntimeError, match=r"sums\.jsonl of the demo was not imported \(failed\): .*the file has faults"
    ):
        load(project, tmp_path, neutral_row("No steps?", []))
    request.getfixturevalue("quicker_worker")
    monkeypatch.setattr(demo_files, "IMPORT_SECONDS", 0.3)
    with pytest.raises(RuntimeError, match=r"sums\.jsonl of the demo was not imported \(running\)"):
        load(project, tmp_path, neutral_row())
    assert not Trace.objects.exists()
