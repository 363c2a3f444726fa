"""Files handed out have the hash stored in their row, whoever wrote to the folder meanwhile."""

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from labeling.actions.export_file import hashes_path
from labeling.actions.exports import finished_file
from labeling.actions.release_folder import folder_path, unpacked_folder, zip_path
from labeling.errors import FileChanged
from labeling.models import Project
from labeling.tests.accounts import Program
from labeling.tests.exports.labeled import exported, give_label
from labeling.tests.factories import make_member, make_project, make_traces
from labeling.tests.releases.test_releases import drafted, released

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project() -> Project:
    made = make_project()
    make_traces(made, 3, generator="policy-1")
    give_label(made, [1, 1, -1])
    return made


def fetched(program: Program, address: str) -> tuple[int, bytes]:
    answer: Any = program.get(address)
    if answer.status_code == 500:
        assert answer.json()["code"] == "file_changed"
        return 500, b""
    return answer.status_code, b"".join(answer.streaming_content)


def test_an_export_that_somebody_changed_on_the_disk_is_not_handed_out(project: Project) -> None:
    _, export = exported(project, "neutral")
    program = Program(make_member(project, "admin"))
    address = f"/api/exports/{export.pk}/download"
    path = finished_file(export)
    whole = path.read_bytes()
    assert fetched(program, address) == (200, whole)
    for changed in (whole + b'{"tampered": 1}\n', whole[:-2] + b" \n"):
        path.write_bytes(changed)
        assert fetched(program, address)[0] == 500
    path.write_bytes(whole)
    assert fetched(program, address) == (200, whole)
    listed = hashes_path(path)
    listed.write_bytes(listed.read_bytes().translate(bytes.maketrans(b"0123456789abcdef", b"123456789abcdef0")))
    assert fetched(program, f"/api/exports/{export.pk}/row_hashes")[0] == 500


def with_more(path: Path) -> None:
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("data/more.jsonl", "{}")


def rewrite(path: Path, changed: str, text: Callable[[bytes], bytes | None]) -> None:
    """Return the zip with one of its files changed, or without it."""
    with zipfile.ZipFile(path) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    now = text(held.pop(changed))
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in [*held.items(), *([(changed, now)] if now else [])]:
            archive.writestr(name, data)


def with_another_card(path: Path) -> None:
    rewrite(path, "README.md", lambda text: text.replace(b"label", b"LABEL"))


def with_another_manifest(path: Path) -> None:
    rewrite(path, "MANIFEST.json", lambda text: text.replace(b'"version": 1', b'"version": 2'))


def without_its_manifest(path: Path) -> None:
    rewrite(path, "MANIFEST.json", lambda _: None)


def torn(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-50])


@pytest.mark.parametrize("change", [with_more, with_another_card, with_another_manifest, without_its_manifest, torn])
def test_a_release_that_somebody_changed_is_neither_handed_out_nor_pushed(project: Project, change: Any) -> None:
    admin = make_member(project, "admin")
    release = released(drafted(project, admin), admin)
    program, address = Program(admin), f"/api/releases/{release.pk}/download"
    assert fetched(program, address)[0] == 200
    (folder_path(release) / "README.md").write_text("another card")
    assert (unpacked_folder(release) / "README.md").read_text() == release.words["README.md"], "out of the zip, anew"
    change(zip_path(release))
    assert fetched(program, address)[0] == 500
    (folder_path(release) / "README.md").unlink()
    with pytest.raises(FileChanged, match="its hash differs"):
        unpacked_folder(release)
