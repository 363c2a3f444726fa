"""Inspect's newer logs: zip archives whose members are compressed with Zstandard (method 93), which Python can neither
write nor read.
"""

import json
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pytest

from labeling.formats.imports.agents import files
from labeling.models import ImportJob, Project, Trace
from labeling.tests.factories import make_project
from labeling.tests.imports.files import faults_of, import_bytes

pytestmark = pytest.mark.django_db(transaction=True)
LOCAL, CENTRAL, END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
METHOD = 93


def archive(members: Mapping[str, bytes], *, crc: int | None = None, cut: int = 0, locked: bool = False) -> bytes:
    """Return a zip archive as written by Inspect; with a wrong `crc`, `cut` bytes short, or `locked`."""
    written, listed = b"", b""
    for name, data in members.items():
        packed = pa.Codec("zstd").compress(data, asbytes=True)[: -cut or None]
        checked = zlib.crc32(data) if crc is None else crc
        about = struct.pack("<HHHHI", locked, METHOD, 0, 0, checked)
        about += struct.pack("<IIHH", len(packed), len(data), len(name), 0)
        listed += CENTRAL + struct.pack("<HH", 63, 63) + about + struct.pack("<HHHII", 0, 0, 0, 0, len(written))
        listed += name.encode()
        written += LOCAL + struct.pack("<H", 63) + about + name.encode() + packed
    count = len(members)
    return written + listed + END + struct.pack("<HHHHIIH", 0, 0, count, count, len(listed), len(written), 0)


def log(**switches: int) -> bytes:
    """A log of two samples."""
    header = {"eval": {"task": "sums", "model": "small"}}
    members = {"header.json": json.dumps(header).encode()}
    for number in (1, 2):
        messages = [{"role": "user", "content": f"Add {number} and 1."}, {"role": "assistant", "content": "é" * 9_000}]
        sample = {"id": number, "epoch": 1, "input": messages[0]["content"], "messages": messages}
        members[f"samples/{number}_epoch_1.json"] = json.dumps(sample).encode()
    return archive(members, **switches)


def test_a_log_packed_with_zstandard_gives_its_runs(tmp_path: Path) -> None:
    project = make_project()
    job = import_bytes(project, log(), tmp_path)
    assert (job.format, faults_of(job)) == ("inspect", [])
    found = Trace.objects.filter(project=project).order_by("id")
    assert [(trace.problem.text, trace.steps, trace.generator) for trace in found] == [
        ("Add 1 and 1.", ["é" * 9_000], "small"),
        ("Add 2 and 1.", ["é" * 9_000], "small"),
    ]


def refused(project: Project, data: bytes, folder: Path) -> list[str]:
    """Return the faults of such a file, of which nothing is stored."""
    job = import_bytes(project, data, folder)
    assert job.status == ImportJob.Status.FAILED
    assert not Trace.objects.filter(project=project).exists()
    return [kind for kind, _, _ in faults_of(job)]


def test_a_log_that_is_cut_changed_or_locked_is_a_fault_and_so_is_one_that_unpacks_to_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_project()
    assert refused(project, log(cut=4), tmp_path) == ["bad_packing"]
    assert refused(project, log(crc=7), tmp_path) == ["bad_packing"]
    assert refused(project, log(locked=1), tmp_path) == ["bad_packing"]
    monkeypatch.setattr(files, "MEMBER_LIMIT", 5_000)
    assert refused(project, log(), tmp_path) == ["file_too_large", "file_too_large"]
