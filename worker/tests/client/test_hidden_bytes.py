"""Bytes of a release's zip that no file of its manifest has: Python's own reader passes over them, others do not."""

import hashlib
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from stepmark import Damaged
from stepmark.releases import hold

ROWS = {"data/train.jsonl": b'{"row": 1}\n' * 50, "data/test.jsonl": b'{"row": 2}\n'}
MANIFEST = json.dumps(
    {"files": [{"path": path, "sha256": hashlib.sha256(content).hexdigest()} for path, content in ROWS.items()]}
).encode()
HIDDEN = b"hidden between the lines"
Change = Callable[[zipfile.ZipFile], None]


def release(between: Change = lambda _: None, last: Change = lambda _: None, *, packed: bool = True) -> bytes:
    """A release's zip as the server writes it; what `between` and `last` do goes in after a file, and at the end."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for number, (path, content) in enumerate({**ROWS, "MANIFEST.json": MANIFEST}.items()):
            entry = zipfile.ZipInfo(path)
            entry.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
            with archive.open(entry, "w", force_zip64=True) as file:
                file.write(content)
            if number == 0:
                between(archive)
        last(archive)
    return written.getvalue()


def check(content: bytes, tmp_path: Path) -> None:
    zipped = tmp_path / "r.zip"
    zipped.write_bytes(content)
    with zipfile.ZipFile(zipped) as archive:
        assert archive.testzip() is None, "Python itself sees nothing wrong"
        assert sorted(archive.namelist()) == sorted([*ROWS, "MANIFEST.json"])
    hold(zipped, hashlib.sha256(MANIFEST).hexdigest())


def insert(archive: zipfile.ZipFile) -> None:
    """Bytes at this place of the zip."""
    archive.fp.write(HIDDEN)
    archive.start_dir = archive.fp.tell()


def insert_file(archive: zipfile.ZipFile) -> None:
    """A whole file that the list does not have."""
    archive.writestr("evil.sh", HIDDEN)
    del archive.filelist[-1], archive.NameToInfo["evil.sh"]


def remark(archive: zipfile.ZipFile) -> None:
    archive.comment = HIDDEN


def remark_on_a_file(archive: zipfile.ZipFile) -> None:
    archive.filelist[0].comment = HIDDEN


def field(archive: zipfile.ZipFile) -> None:
    archive.filelist[0].extra = struct.pack("<2H", 0xCAFE, len(HIDDEN)) + HIDDEN


def packed_with_a_tail(archive: zipfile.ZipFile) -> None:
    """Replaces the file that was written: its packed bytes go on behind their end."""
    whole = ROWS["data/train.jsonl"]
    entry = archive.filelist[0]
    stream = zlib.compressobj(9, zlib.DEFLATED, -15)
    tailed = stream.compress(whole) + stream.flush() + HIDDEN
    archive.fp.seek(0)
    archive.fp.truncate()
    entry.compress_size, entry.extra = len(tailed), b""
    archive.fp.write(entry.FileHeader(zip64=False) + tailed)
    archive.start_dir = archive.fp.tell()


def two_ends(content: bytes) -> bytes:
    """A list of other files before the list's end, for who reads backwards from there."""
    at = content.rindex(b"PK\x05\x06")
    return content[:at] + b"PK\x06\x06" + bytes(52) + b"PK\x06\x07" + bytes(16) + content[at:]


def other_header(content: bytes) -> bytes:
    """Who reads from the front sees a file of another name."""
    return content.replace(b"data/train.jsonl", b"data/evil!.jsonl", 1)


@pytest.mark.parametrize("packed", [True, False])
def test_a_release_as_the_server_packs_it_is_held(tmp_path: Path, packed: bool) -> None:
    check(release(packed=packed), tmp_path)


def test_so_is_one_of_very_many_or_large_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zipfile.ZIP_FILECOUNT_LIMIT", 1)
    monkeypatch.setattr("zipfile.ZIP64_LIMIT", 20)
    content = release()
    monkeypatch.undo()
    assert b"PK\x06\x06" in content
    check(content, tmp_path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (HIDDEN + release(), "before data/train.jsonl"),
        (release(insert), "before data/test.jsonl"),
        (release(insert_file), "before data/test.jsonl"),
        (release(last=insert), "before its list"),
        (release(last=insert_file), "before its list"),
        (release() + HIDDEN, "behind its list"),
        (release(last=remark), "behind its list"),
        (release(last=remark_on_a_file), "data/train.jsonl has a remark"),
        (release(last=field), "data/train.jsonl has a field"),
        (release(packed_with_a_tail), "behind the end of data/train.jsonl"),
    ],
)
def test_bytes_that_belong_to_no_file_are_noticed(tmp_path: Path, content: bytes, said: str) -> None:
    with pytest.raises(Damaged, match=said):
        check(content, tmp_path)


@pytest.mark.parametrize("change", [other_header, two_ends])
def test_a_zip_that_two_programs_read_in_two_ways_is_noticed(tmp_path: Path, change: Callable[[bytes], bytes]) -> None:
    (tmp_path / "r.zip").write_bytes(change(release()))
    with pytest.raises(Damaged):
        hold(tmp_path / "r.zip", hashlib.sha256(MANIFEST).hexdigest())


@pytest.mark.parametrize("end", range(1, 140, 7))
def test_a_zip_that_ends_too_early_is_damaged_and_nothing_worse(tmp_path: Path, end: int) -> None:
    (tmp_path / "r.zip").write_bytes(release()[:-end])
    with pytest.raises(Damaged):
        hold(tmp_path / "r.zip", hashlib.sha256(MANIFEST).hexdigest())


@pytest.mark.parametrize("place", range(0, 900, 11))
def test_no_changed_byte_ends_in_anything_but_damaged(tmp_path: Path, place: int) -> None:
    """Dates and the like, which no program acts on, may differ."""
    content = bytearray(release())
    content[place % len(content)] ^= 0x55
    (tmp_path / "r.zip").write_bytes(content)
    try:
        hold(tmp_path / "r.zip", hashlib.sha256(MANIFEST).hexdigest())
    except Damaged:
        return
