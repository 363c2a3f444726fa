"""A small file that would exhaust the memory or time of the worker that reads it is reported as a fault."""

import bz2
import gzip
import io
import lzma
import tracemalloc
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import orjson
import pytest

from labeling.formats import csv_rows, reading
from labeling.formats.imports.agents import files as agent_files
from labeling.formats.reading import Limits
from labeling.models import Trace
from labeling.tests.factories import make_project
from labeling.tests.imports.files import faults_of, import_bytes, lines, neutral_row

pytestmark = pytest.mark.django_db(transaction=True)

ROW = Limits(line=10 * 2**20)  # of runs; their rows may have more, but the tests would take longer
BLANK = b" " * (56 * 2**20)  # one line, longer than any row may be
MUCH = 40 * 2**20  # bytes that reading must not exceed: a row may have ten megabytes


@contextmanager
def little_memory(much: int = MUCH) -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < much, f"{peak / 2**20:.0f} MB"


def zipped(method: int, *, size: int | None = None, **members: bytes) -> bytes:
    """Return an archive; `size`: the size that it claims for its members."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/") + ".json", data)
        for member in archive.infolist():
            member.file_size = member.file_size if size is None else size
    return packed.getvalue()


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_of_a_kind_that_is_unpacked_at_once_is_refused_in_words(method: int, tmp_path: Path) -> None:
    data = zipped(method, rows=BLANK)
    assert len(data) < 100_000
    with little_memory():
        job = import_bytes(make_project(), data, tmp_path, skip_faulty=True)
    assert faults_of(job) == [("archive", 1, "")]


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
def test_a_log_whose_samples_are_larger_than_they_say_is_a_fault(
    method: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_files, "MEMBER_LIMIT", 2**20)
    data = zipped(method, size=100, header=b'{"eval": {}}' + b" " * 88, samples__one=BLANK)
    with little_memory():
        job = import_bytes(make_project(), data, tmp_path, skip_faulty=True)
    assert [kind for kind, *_ in faults_of(job)] == ["bad_packing"]


def test_a_log_of_very_many_samples_ends_where_any_file_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_files, "LIMITS", Limits(text=3 * 2**20))
    samples = {f"samples__{number}": b'{"id": 1}' + b" " * 2**20 for number in range(6)}
    data = zipped(zipfile.ZIP_DEFLATED, header=b'{"eval": {}}', **samples)
    job = import_bytes(make_project(), data, tmp_path, skip_faulty=True)
    assert faults_of(job)[-1] == ("file_too_large", 3, "")


def test_a_row_of_very_many_lists_is_not_decoded(tmp_path: Path) -> None:
    """Each takes three bytes in the file, and at least 64 in memory."""
    row = lines(neutral_row("First?", ["a"]))[:-2] + b', "many": [' + b"[]," * 2_100_000 + b"1]}\n"
    with little_memory():
        job = import_bytes(make_project(), row, tmp_path, skip_faulty=True)
    assert faults_of(job) == [("too_many_values", 1, "")]


def test_a_zip_with_a_list_of_files_without_end_is_refused(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number in range(100):
            entry = zipfile.ZipInfo(f"{number}")
            entry.comment = b"x" * 60_000
            archive.writestr(entry, b"")
    with little_memory():
        job = import_bytes(make_project(), packed.getvalue(), tmp_path, skip_faulty=True)
    assert faults_of(job) == [("bad_packing", 1, "")]


def test_an_xz_file_that_asks_for_gigabytes_of_memory_is_refused_in_words(tmp_path: Path) -> None:
    dictionary = {"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 192 * 2**20}
    job = import_bytes(make_project(), lzma.compress(b"{}\n", filters=[dictionary]), tmp_path, skip_faulty=True)
    assert faults_of(job) == [("bad_packing", 1, "")]
    assert "xz -9 or less" in str(job.report)


def test_xz_streams_after_each_other_are_read_and_a_cut_one_is_a_fault(tmp_path: Path) -> None:
    project = make_project()
    first, second = (lzma.compress(lines(neutral_row(name, ["a"]))) for name in ("First?", "Second?"))
    import_bytes(project, first + bytes(8) + second, tmp_path)
    assert Trace.objects.filter(project=project).count() == 2
    assert faults_of(import_bytes(project, second[:-20], tmp_path, skip_faulty=True))[0][0] == "bad_packing"


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_line_without_end_is_skipped_in_little_memory(
    pack: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_files, "LIMITS", ROW)
    data = pack(lines(neutral_row("First?", ["a"])) + b'{"a": "' + BLANK + b'"}')  # type: ignore[operator]
    with little_memory():
        job = import_bytes(make_project(), data, tmp_path, skip_faulty=True)
    assert faults_of(job) == [("line_too_long", 2, "")]


def test_a_row_of_a_table_that_never_ends_ends_the_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Quoted cells continue over line ends, so no line and no cell of this row is too long."""
    monkeypatch.setattr(agent_files, "LIMITS", ROW)
    told = csv_rows.csv_rows(io.BytesIO(b'problem,steps\na,b\n"' + b'x\n",1,"' * 1000), ",", 100)
    assert [(one.line, one.row is None) for one in told] == [(2, False), (3, True)]
    piece = b'\n",' + b"1," * 500_000 + b'"'
    with little_memory(3 * MUCH):  # ten megabytes are five million cells
        job = import_bytes(make_project(), gzip.compress(b'problem,steps\n"' + piece * 40), tmp_path, skip_faulty=True)
    assert faults_of(job) == [("bad_csv", 2, "")]
    header = b'problem,steps,"' + b"x" * (11 * 2**20) + b'"\na,b,c\n'
    assert faults_of(import_bytes(make_project(), header, tmp_path, skip_faulty=True)) == [("bad_csv", 1, "")]


def test_calls_of_an_agent_without_end_are_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_files, "TOGETHER_LIMIT", 10_000)
    calls = b"".join(
        orjson.dumps(["client.beta", {"id": str(number), "text": "x" * 100}]) + b"\n" for number in range(200)
    )
    job = import_bytes(make_project(), calls, tmp_path, format="agent_runs", skip_faulty=True)
    assert [kind for kind, *_ in faults_of(job)] == ["file_too_large"]


def test_rows_that_are_held_together_are_held_to_a_number_of_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list of three bytes takes sixty and more in memory; each of these rows alone is allowed."""
    monkeypatch.setattr(agent_files, "TOGETHER_VALUES", 400_000)
    row = b'{"traceId":"a","startTime":"2026-01-01T00:00:00Z","type":"SPAN","k":[' + b"[]," * 190_000 + b"[]]}\n"
    data = gzip.compress(row * 12)
    assert len(data) < 20_000
    with little_memory(2 * MUCH):
        job = import_bytes(make_project(), data, tmp_path, skip_faulty=True)
    [kind] = job.report["faults"]["kinds"]
    [fault] = kind["examples"]
    assert (kind["kind"], fault["line"], fault["found"]) == ("file_too_large", 3, "570,015 values")
    assert fault["do"] == "A file whose runs span several lines may have at most 400,000 values. Split it by run."


def test_events_of_calls_are_held_to_a_number_of_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repeated event is stored once."""
    monkeypatch.setattr(agent_files, "TOGETHER_VALUES", 1_000)
    calls = [orjson.dumps(["client.beta", {"id": str(number // 2), "k": [[]] * 100}]) + b"\n" for number in range(20)]
    options = {"format": "agent_runs", "skip_faulty": True}
    job = import_bytes(make_project(), b"".join(calls[:18]), tmp_path, **options)
    assert "file_too_large" not in [kind for kind, *_ in faults_of(job)]
    job = import_bytes(make_project(slug="geometry"), b"".join(calls), tmp_path, **options)
    assert [(kind, line) for kind, line, _ in faults_of(job)] == [("file_too_large", 19)]


def test_a_run_in_yaml_is_held_to_a_number_of_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its reader takes 750 bytes for a list of three."""
    monkeypatch.setattr(agent_files, "YAML_VALUES", 100_000)
    data = b"messages:\n - k: [" + b"[]," * 400_000 + b"[]]\n"
    with little_memory():
        job = import_bytes(make_project(), data, tmp_path, skip_faulty=True)
    [kind] = job.report["faults"]["kinds"]
    assert (kind["kind"], kind["examples"][0]["found"]) == ("bad_yaml", "more than 100,000 values")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("large", ["rows", "picture"])
def test_rows_beside_pictures_are_unpacked_no_further_than_they_may_be(
    method: int, large: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_files, "LIMITS", ROW)
    row = lines({"messages": [{"role": "user", "content": "Look."}, {"role": "assistant", "content": "a.png"}]})
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("rows.jsonl", BLANK if large == "rows" else row, method if large == "rows" else None)
        archive.writestr(
            "a.png", BLANK if large == "picture" else b"no picture", method if large == "picture" else None
        )
        archive.infolist()[1].file_size = 100
    with little_memory():
        job = import_bytes(make_project(), packed.getvalue(), tmp_path, skip_faulty=True)
    assert [kind for kind, *_ in faults_of(job)] == ["bad_packing"]


def test_equal_blocks_that_unpack_to_thousands_of_times_their_size_end_the_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "PACKED_TEXT", 2**20)
    block = bz2.compress(b"\n" * 2**20)
    data = bz2.compress(lines(neutral_row("First?", ["a"]))) + block * 40
    assert len(data) < 4_000
    job = import_bytes(make_project(), data, tmp_path, skip_faulty=True)
    [(kind, line, _)] = faults_of(job)
    assert kind == "file_too_large"
    assert line < 6 * 2**20, "after a thousand times its size at the latest"


def test_a_file_of_very_many_lines_ends_where_any_does_also_where_they_are_blank(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_files, "LIMITS", Limits(lines=100))
    row = lines(neutral_row("First?", ["a"]))
    job = import_bytes(make_project(), row + b"\n" * 200, tmp_path, skip_faulty=True)
    assert faults_of(job) == [("too_many_lines", 101, "")]


def test_blanks_without_end_between_the_values_of_a_list_end_the_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_files, "LIMITS", Limits(text=3 * 2**20))
    data = b"[" + lines(neutral_row("First?", ["a"])).strip() + b"," + b" " * (6 * 2**20) + b"]"
    job = import_bytes(make_project(), data, tmp_path, skip_faulty=True)
    assert [kind for kind, *_ in faults_of(job)] == ["file_too_large"]
