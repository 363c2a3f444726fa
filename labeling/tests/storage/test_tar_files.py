"""Extracting a tar file writes nothing outside its folder, and reads nothing from the disk into it."""

import tarfile
from io import BytesIO
from pathlib import Path

import pytest

from labeling.actions.tar_files import unpack


def packed(folder: Path, *members: tarfile.TarInfo) -> Path:
    """Return a tar file of these, after a file `kept` of four bytes."""
    with tarfile.open(folder / "it.tar", "w") as archive:
        kept = tarfile.TarInfo("kept")
        kept.size = 4
        archive.addfile(kept, BytesIO(b"text"))
        for member in members:
            archive.addfile(member)
    return folder / "it.tar"


def member(name: str, kind: bytes = tarfile.REGTYPE, to: str = "") -> tarfile.TarInfo:
    found = tarfile.TarInfo(name)
    found.type, found.linkname = kind, to
    return found


def test_a_file_under_two_names_comes_out_twice_and_for_its_owner_alone(tmp_path: Path) -> None:
    with tarfile.open(packed(tmp_path, member("below/again", tarfile.LNKTYPE, "kept"))) as archive:
        unpack(archive, tmp_path / "out")
    found = [tmp_path / "out" / name for name in ("kept", "below/again")]
    assert [(path.read_bytes(), path.stat().st_nlink, path.stat().st_mode & 0o077) for path in found] == [
        (b"text", 1, 0)
    ] * 2


@pytest.mark.parametrize(
    "odd",
    [
        member("../out"),
        member("a/../../out"),
        member("/tmp/out"),
        member("link", tarfile.SYMTYPE, "/etc/passwd"),
        member("link", tarfile.LNKTYPE, "/etc/passwd"),
        member("link", tarfile.LNKTYPE, "later"),
        member("folder", tarfile.DIRTYPE),
        member("null", tarfile.CHRTYPE),
    ],
    ids=lambda odd: f"{odd.name} {odd.linkname}".strip(),
)
def test_what_is_no_file_or_leads_elsewhere_ends_it(tmp_path: Path, odd: tarfile.TarInfo) -> None:
    with (
        tarfile.open(packed(tmp_path, odd, member("later"))) as archive,
        pytest.raises(tarfile.TarError, match="our files"),
    ):
        unpack(archive, tmp_path / "out")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["it.tar", "kept", "out"], (
        "what came before it is there"
    )
    with tarfile.open(packed(tmp_path, odd)) as archive:
        unpack(archive, tmp_path / "named", only=["kept"])
    assert [path.name for path in (tmp_path / "named").iterdir()] == ["kept"], "what nobody asked for is passed over"
