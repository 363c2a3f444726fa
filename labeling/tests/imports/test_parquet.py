"""Parquet: decoded in a separate process, one batch at a time, within a memory limit."""

import decimal
import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from labeling.formats import parquet_rows
from labeling.formats.imports.agents import files as agent_files
from labeling.formats.reading import Limits, Line, read_rows
from labeling.models import Score, Trace
from labeling.tests.factories import make_project
from labeling.tests.imports.files import faults_of, import_file
from labeling.tests.imports.test_published_formats import SAME

pa = pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
pq = pytest.importorskip("pyarrow.parquet", reason="Parquet needs pyarrow")
pytestmark = pytest.mark.django_db(transaction=True)


def rows_of(file: Path) -> list[Line]:
    with open(file, "rb") as raw:
        return list(read_rows(raw))


def test_formats_are_read_out_of_parquet(tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    for name, (row, machine) in ((name, SAME[name]) for name in ("trl_stepwise", "rlhflow", "versaprm")):
        project = make_project()
        pq.write_table(pa.Table.from_pylist([row]), file)
        job = import_file(project, file)
        assert (job.format, job.report["faults"]["kinds"], job.bytes_done) == (name, [], file.stat().st_size), name
        assert Trace.objects.get(project=project).steps == ["2+3 = 5 + 0.", "The answer is: 6"], name
        assert Score.objects.filter(trace__project=project).exists() == bool(machine), name


def test_row_groups_follow_one_another_and_values_become_json(tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    rows = [{"problem": f"p{n}", "b": "é".encode(), "d": decimal.Decimal("1.5"), "n": float("nan")} for n in range(700)]
    pq.write_table(pa.Table.from_pylist(rows), file, row_group_size=300)
    read = rows_of(file)
    assert [line.number for line in read] == list(range(1, 701))
    assert read[-1].row == {"problem": "p699", "b": "é", "d": "1.5", "n": None}
    pq.write_table(pa.Table.from_pylist([{"b": b"\xff"}, {"b": b"ok"}, {"b": b"a\x00"}]), file)
    assert [line.fault.kind if line.fault else line.row for line in rows_of(file)] == [
        "bad_value",
        {"b": "ok"},
        "nul_character",
    ]
    pq.write_table(pa.table({"problem": pa.array([], pa.string())}), file)
    assert faults_of(import_file(make_project(), file)) == [("empty_file", 1, "")]


def hostile(folder: Path) -> Iterator[tuple[str, Path, str]]:
    """Yield a name, a file, and the kind of its fault."""
    file = folder / "rows.parquet"
    packed = pa.DictionaryArray.from_arrays(pa.array([0] * 40_000, pa.int32()), pa.array(["x" * (9 * 2**20)]))
    pq.write_table(pa.table({"problem": packed}), file)
    assert file.stat().st_size < 2**20, "360 GB in less than one MB"
    yield "a bomb", file, "parquet_too_large"
    pq.write_table(pa.table({"problem": [f"text {n}" for n in range(1000)]}), file)
    whole = file.read_bytes()
    for name, data in (
        ("cut off", whole[:-200]),
        ("overwritten", whole[:40] + b"\xff" * 200 + whole[240:]),
    ):
        file.write_bytes(data)
        yield name, file, "bad_parquet"
    deep = pa.array([1])
    for _ in range(120):
        deep = pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), deep)
    pq.write_table(pa.table({"problem": ["p"], "steps": deep}), file)
    yield "deep lists", file, "bad_parquet"
    pq.write_table(pa.table({"problem": ["x" * (11 * 2**20)]}), file)
    yield "a row beyond the limit", file, "line_too_long"


def test_bombs_and_damaged_files_are_one_fault_and_end_no_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_files, "LIMITS", Limits(line=10 * 2**20))  # runs of agents may have more
    for name, file, kind in hostile(tmp_path):
        faults = {fault[0] for fault in faults_of(import_file(make_project(), file, format="neutral"))}
        assert kind in faults, (name, faults)
    assert not Trace.objects.exists()


def test_without_pyarrow_the_way_out_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_rows, "find_spec", lambda name: None)
    (line,) = read_rows(io.BytesIO(b"PAR1" + bytes(100)))
    assert line.fault is not None
    assert (line.fault.kind, "read_parquet" in line.fault.do) == ("parquet_file", True)
