"""Archiving or restoring a project with a fault: it is complete here, or complete in its file, and a message says
which.
"""

import hashlib
import json
import tarfile
from collections.abc import Callable
from contextlib import closing
from io import BytesIO
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from pytest_django import Settings

from annotation_app.tests.running_installation import wait_for
from labeling.actions.project_archives import bring_back_project, take_out_project
from labeling.actions.release_folder import checked_zip
from labeling.errors import ArchiveRefused
from labeling.models import Project, Trace, TrainingRun
from labeling.tests.exports.labeled import give_label
from labeling.tests.factories import make_member, make_project, make_traces
from labeling.tests.jobs.small_disk import fill, small_disk
from labeling.tests.releases.test_releases import drafted, released
from labeling.tests.storage.test_project_archives import archived, files, folder, rows

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["folder", "small_disk"]  # fixtures
NOTHING = hashlib.sha256(b"").hexdigest()
BLOCKED = "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"


@pytest.fixture
def project() -> Project:
    """An archived project with a label."""
    made = make_project("algebra")
    make_traces(made)
    give_label(made, [1, -1, None])
    return archived(made)


def meanwhile(act: Callable[[], object]) -> Thread:
    """Somebody else, who does this from now on; faults that they are told are theirs."""

    def do() -> None:
        with closing(connection):
            act()

    thread = Thread(target=do)
    thread.start()
    return thread


def once(act: Callable[[], object]) -> Callable[[int], None]:
    """Do it at the first table that is moved."""
    done: list[int] = []

    def tell(count: int) -> None:
        done.append(count)
        if len(done) == 1:
            act()

    return tell


def test_a_disk_that_is_full_keeps_the_project_here_and_no_half_file(project: Project, small_disk: Path) -> None:
    before, target = rows(), small_disk / "archive"
    filler = fill(small_disk)
    with pytest.raises(CommandError, match="failed, and nothing was taken out.*No space left"):
        call_command("take_out_project", project.slug, "--to", str(target))
    assert (rows(), list(target.iterdir())) == (before, [])
    filler.unlink()
    assert take_out_project(project, target).is_file()


def test_a_folder_that_cannot_be_made_is_said_in_words(project: Project, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    before = rows()
    with pytest.raises(CommandError, match="below cannot be made: Not a directory"):
        call_command("take_out_project", project.slug, "--to", str(tmp_path / "file" / "below"))
    assert rows() == before


def test_a_row_that_changes_meanwhile_keeps_all_of_it_here_as_it_is_then(project: Project, folder: Path) -> None:
    def change_one() -> None:
        meanwhile(lambda: Trace.objects.filter(project=project).update(generator="another")).join()

    with pytest.raises(ArchiveRefused, match="algebra was changed in the meantime"):
        take_out_project(project, folder, tell=once(change_one))
    assert list(folder.iterdir()) == []
    assert Trace.objects.get(project=project).generator == "another"
    bring_back_project(take_out_project(project, folder))
    assert Trace.objects.get(project=project).generator == "another"


def test_of_two_who_bring_it_back_at_once_one_does_and_the_other_is_told(project: Project, folder: Path) -> None:
    before = rows()
    path = take_out_project(project, folder)
    told: list[str] = []
    threads: list[Thread] = []

    def second() -> None:
        try:
            bring_back_project(path)
        except ArchiveRefused as refused:
            told.append(refused.detail)

    def waits() -> bool:
        with connection.cursor() as cursor:
            cursor.execute(BLOCKED)
            return bool(cursor.fetchone()[0])

    def let_another_try() -> None:
        threads.append(meanwhile(second))
        wait_for("the other to wait", waits, 30)

    bring_back_project(path, tell=once(let_another_try))
    threads[0].join()
    assert told == ["algebra is already being brought back."]
    assert rows() == before


def test_a_trained_prm_goes_and_comes_back_with_its_project(project: Project, folder: Path, settings: Settings) -> None:
    runs = [TrainingRun.objects.create(project=project, base="Tiny", round_ids=[], status="failed") for _ in range(2)]
    head = settings.MODELS_DIR / "trained" / f"algebra-{runs[1].pk}" / "heads" / "head.safetensors"
    other = settings.MODELS_DIR / "trained" / "geometry-1" / "head.safetensors"
    for path in (head, other):
        path.parent.mkdir(parents=True)
        path.write_bytes(b"weights")
    path = take_out_project(project, folder)
    assert list(files(settings.MODELS_DIR)) == ["trained/geometry-1/head.safetensors"], "nobody else's goes"
    bring_back_project(path)
    assert head.read_bytes() == b"weights"


def rewritten(path: Path, change: Callable[[dict[str, Any]], object], *, known: bool = True, more: str = "") -> Path:
    """The project's file as written by another version of Stepmark, with an empty file called `more` in it; `known`: it
    is the file that the project was archived to.
    """
    other = path.with_name("other.tar")
    with tarfile.open(path) as old, tarfile.open(other, "w") as new:
        held = {member.name: old.extractfile(member).read() for member in old}
        manifest = json.loads(held["MANIFEST.json"])
        change(manifest)
        held |= {"MANIFEST.json": json.dumps(manifest).encode()} | ({more: b""} if more else {})
        for name, data in held.items():
            about = tarfile.TarInfo(name)
            about.size = len(data)
            new.addfile(about, BytesIO(data))
    if known:
        taken = Project.objects.get(pk=manifest["project"]["id"])
        taken.taken_out = (taken.taken_out or {}) | {"sha256": hashlib.sha256(held["MANIFEST.json"]).hexdigest()}
        taken.save()
    return other


def with_count(manifest: dict[str, Any]) -> None:
    traces_in(manifest)["rows"] = 7


def with_column(manifest: dict[str, Any]) -> None:
    traces_in(manifest)["columns"].append("mood")


def with_table(manifest: dict[str, Any]) -> None:
    manifest["tables"].append({"name": "labeling_user", "columns": ["id"], "rows": 0, "sha256": NOTHING})


def with_way_out(manifest: dict[str, Any]) -> None:
    manifest["files"].append({"name": "../way_out", "sha256": NOTHING})


def traces_in(manifest: dict[str, Any]) -> dict[str, Any]:
    return next(table for table in manifest["tables"] if table["name"] == "labeling_trace")


@pytest.mark.parametrize(
    ("change", "more", "said"),
    [
        (with_count, "", "1 rows of labeling_trace came back, not 7"),
        (with_column, "", "could not be brought back, and nothing was changed: .*mood"),
        (with_table, "rows/labeling_user", "This version has no table labeling_user"),
        (with_way_out, "../way_out", "'../way_out' is not one of our files"),
    ],
)
def test_a_file_that_does_not_fit_brings_nothing_back(
    project: Project, folder: Path, settings: Settings, change: Callable[[dict[str, Any]], object], more: str, said: str
) -> None:
    path = take_out_project(project, folder)
    gone = rows()
    with pytest.raises(CommandError, match=said):
        call_command("bring_back_project", str(rewritten(path, change, more=more)))
    assert rows() == gone
    assert Project.objects.get(pk=project.pk).taken_out
    assert files(settings.DATA_DIR) == {}


def test_a_file_of_another_installation_or_of_another_kind_is_refused(project: Project, folder: Path) -> None:
    path = take_out_project(project, folder)

    def refusal(file: Path, words: str) -> None:
        with pytest.raises(CommandError, match=words):
            call_command("bring_back_project", str(file))

    later = rewritten(path, lambda manifest: manifest.update(format=2), known=False)
    refusal(later, "made by a version of Stepmark with another file format")
    elsewhere = rewritten(path, lambda manifest: manifest["project"].update(slug="geometry"), known=False)
    refusal(elsewhere, "of the project geometry, which this installation does not have")
    (folder / "page.tar").write_text("<html>Not found</html>" * 100)
    refusal(folder / "page.tar", "cannot be read as a project's file")
    bring_back_project(path)


def test_a_project_with_a_release_comes_back_with_the_files_of_both(folder: Path, settings: Settings) -> None:
    """The rows of a release's folder are the same files on disk as those of its exports."""
    project = make_project("algebra")
    make_traces(project)
    give_label(project, [1, -1, None])
    admin = make_member(project, "admin")
    release = released(drafted(project, admin), admin)
    before, kept = rows(), files(settings.DATA_DIR)
    bring_back_project(take_out_project(archived(project), folder))
    assert (rows(), files(settings.DATA_DIR)) == (before, kept)
    assert checked_zip(release).stat().st_size == release.bytes
