"""Files as published by others: read if possible, otherwise named; traces are never lost silently."""

import bz2
import csv
import gzip
import io
import json
import lzma
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.actions.imports import create_import, import_checked_file, run_import
from labeling.formats.json_values import CHUNK, list_values, object_values
from labeling.formats.reading import Limits, read_rows
from labeling.models import Problem, Trace
from labeling.tests.factories import make_member, make_project
from labeling.tests.imports.files import SHARED_DATA, faults_of, import_bytes, import_file, lines, neutral_row

pytestmark = pytest.mark.django_db(transaction=True)

ROWS = [
    neutral_row('Braces } ] in "text" \\ and é?', ["[", '{"a": "}'], first_error=1, final_answer_correct=False),
    neutral_row("Second?", ["Line\nbreak, comma."], step_labels=[1], level=5),
]
LINES = lines(*ROWS)
PRETTY = json.dumps(ROWS, indent=4, ensure_ascii=False)


def zipped(**files: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


def table(delimiter: str) -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter)
    names = ["problem", "steps", "first_error", "final_answer_correct", "step_labels", "level"]
    writer.writerow(names)
    for row in ROWS:
        cells = [row.get(name, "") for name in names]
        writer.writerow([cell if isinstance(cell, str) else json.dumps(cell) for cell in cells])
    return out.getvalue()


READ = {
    "a JSON list": json.dumps(ROWS).encode(),
    "a pretty JSON list": PRETTY.encode(),
    "pretty objects one after another": "\n".join(json.dumps(row, indent=2) for row in ROWS).encode(),
    "bzip2": bz2.compress(LINES),
    "xz": lzma.compress(LINES),
    "gzip of a list": gzip.compress(PRETTY.encode()),
    "zip of one file": zipped(**{"rows.json": PRETTY.encode()}),
    "UTF-16 with its mark": LINES.decode().encode("utf-16"),
    "UTF-16 without": PRETTY.encode("utf-16-le"),
    "UTF-32": LINES.decode().encode("utf-32"),
    "CSV": b"\xef\xbb\xbf" + table(",").encode(),
    "TSV": table("\t").encode(),
    "a list behind a byte order mark": b"\xef\xbb\xbf" + PRETTY.encode(),
}


def test_what_can_be_read_in_one_pass_is_read(tmp_path: Path) -> None:
    fields = ("problem__text", "steps", "recorded_first_error", "outcome", "recorded_ratings", "problem__level")
    for name, data in READ.items():
        project = make_project()
        job = import_bytes(project, data, tmp_path)
        assert (job.format, job.report["faults"]["kinds"], job.report["imported"]) == ("neutral", [], True), name
        assert list(Trace.objects.filter(project=project).order_by("id").values_list(*fields)) == [
            (ROWS[0]["problem"], ROWS[0]["steps"], 1, "wrong", None, ""),
            (ROWS[1]["problem"], ROWS[1]["steps"], None, "ungraded", [1], "5"),
        ], name


REFUSED: dict[str, tuple[bytes, str, str]] = {
    "a damaged Parquet file": (b"PAR1" + bytes(range(256)) * 20, "bad_parquet", "write it again"),
    "Arrow": (b"ARROW1\0\0" + bytes(500), "arrow_file", "read_feather"),
    "Zstandard": (b"\x28\xb5\x2f\xfd" + bytes(range(256)) * 20, "zstd_file", "zstd -d"),
    "a zip of two": (zipped(a=b"{}", b=b"{}"), "archive", "Unpack it"),
    "a tar": (b"rows.jsonl".ljust(257, b"\0") + b"ustar" + bytes(250), "archive", "Unpack it"),
    "an LFS pointer": (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
        "pointer_file",
        "git lfs pull",
    ),
    "a web page": (b"\n<!DOCTYPE html>\n<html><body>404</body></html>\n" * 50, "web_page", "Download the file itself"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(500), "binary_file", "JSON lines"),
    "prose": (b"Some words.\nMore words.\n" * 200, "not_json", "JSON lines, a JSON list, or CSV"),
    "half a UTF-16 file": (LINES.decode().encode("utf-16")[:-1], "bad_encoding", "cut off"),
    "columns of no known format": (b"ask,said\nWhat?,Nothing.\n" * 300, "unknown_columns", "--mapping"),
    "a chat log": (lines({"messages": [{"role": "user", "content": "Hi"}]}), "other_format", "format Traces"),
    "rows inside one object": (json.dumps({"data": ROWS}).encode(), "other_format", "jq -c '.data[]'"),
    "columns": (lines({"problem": {"0": "a", "1": "b"}}), "other_format", "orient='records'"),
}


def test_what_cannot_be_read_is_one_fault_with_the_way_out(tmp_path: Path) -> None:
    project = make_project()
    for name, (data, kind, way_out) in REFUSED.items():
        job = import_bytes(project, data, tmp_path, skip_faulty=True)
        assert [fault[0] for fault in faults_of(job)] == [kind], name
        (example,) = job.report["faults"]["kinds"][0]["examples"]
        assert way_out in example["do"]
        assert "LATIN1" not in example["do"]
    assert Trace.objects.count() == Problem.objects.count() == 0


FORMATS = SHARED_DATA / "formats"
OTHERS = {
    "math_aps_flat.jsonl": "Math-APS",
    "math_aps_tree.jsonl": "Math-APS",
}


@pytest.mark.skipif(not FORMATS.exists(), reason="no shared data here (STEPMARK_SHARED_DATA)")
def test_published_files_of_other_formats_are_named() -> None:
    project = make_project()
    for name, known in OTHERS.items():
        (kind,) = import_file(project, FORMATS / name).report["faults"]["kinds"]
        assert (kind["kind"], kind["count"]) == ("other_format", 1), name
        assert known in kind["examples"][0]["found"], name
    assert import_file(project, FORMATS / "processbench_gsm8k.json").report["traces"]["new"] == 12
    assert import_file(project, FORMATS / "prm800k.jsonl").report["labels"]["new"] == 6


def test_a_row_whose_solutions_would_become_metadata_is_a_fault_that_names_the_keys(tmp_path: Path) -> None:
    rows = lines(
        {"question": "Good?", "answer": "1", "solution": "One.", "tags": ["a"], "options": {"A": "1"}},
        {"problem": "Lost?", "response": "Two."},
        {
            "question": "Lost too?",
            "model solutions": ["Two."],
            "175b_verification": {"solution": "2", "is_correct": True},
        },
        {"question": "And?", "messages": [{"role": "user"}], "labels": [1]},
        {"problem": "Misspelled?", "step": ["One.", "Two."]},
    )
    job = import_bytes(make_project(), rows, tmp_path)
    assert faults_of(job) == [
        ("traces_lost", 2, "response"),
        ("traces_lost", 3, "model solutions, 175b_verification"),
        ("traces_lost", 4, "messages, labels"),
        ("traces_lost", 5, "step"),
    ]
    assert "Problems only" in job.report["faults"]["kinds"][0]["examples"][0]["do"]
    (tmp_path / "sent").write_bytes(rows)
    by = make_member(job.project, "researcher")
    sent = create_import(job.project, by=by, uploaded=tmp_path / "sent", file_name="rows.jsonl")
    checked = run_import(sent.pk)
    assert checked is not None
    done = run_import(import_checked_file(checked, by=by, skip_faulty=True).pk)
    assert done is not None
    assert faults_of(done) == faults_of(job), "who imports without the faulty rows has still chosen no format"
    assert list(Problem.objects.filter(project=job.project).values_list("text", flat=True)) == ["Good?"]
    project = make_project()
    assert import_bytes(project, rows, tmp_path, format="problems").report["imported"], "who asks for it knows"
    assert Problem.objects.get(project=project, text="Lost?").metadata == {"response": "Two."}


def test_what_is_wrong_inside_a_list_is_told_by_its_line_and_the_rest_is_read(tmp_path: Path) -> None:
    good = json.dumps(ROWS[1])
    data = f'[\n{good},\n{{"problem": "p", "steps": ["a" "b"]}},\n7,\n{good.replace("Second", "Third")}\n'
    job = import_bytes(make_project(), (data + "]").encode(), tmp_path)
    assert faults_of(job) == [("bad_json", 3, ""), ("not_an_object", 4, "")]
    assert job.report["traces"]["new"] == 2
    for ending, found in (("", "the end of the file"), ("]\n[1]", "more after the end of the list")):
        job = import_bytes(make_project(), f"[{good}{ending}".encode(), tmp_path)
        assert [kind["examples"][0]["found"] for kind in job.report["faults"]["kinds"]] == [found]


def test_a_table_with_two_columns_of_one_name_loses_neither_in_silence(tmp_path: Path) -> None:
    data = b'problem,steps,Steps \n"Which?","[""a""]","[""b""]"\n'
    job = import_bytes(make_project(), data, tmp_path)
    assert faults_of(job) == [("bad_csv", 1, "")]
    assert "two columns are called 'steps'" in job.report["faults"]["kinds"][0]["examples"][0]["found"]


def test_a_table_whose_rows_break_off_is_told_by_its_line(tmp_path: Path) -> None:
    data = b'problem,steps\n"Over\ntwo lines?","[""a""]"\nShort?\n"Good?","[""b""]"\n"Latin \xff","[""c""]"\n'
    job = import_bytes(make_project(), data, tmp_path)
    assert faults_of(job) == [("bad_csv", 4, ""), ("bad_csv", 6, "")]
    assert job.report["traces"]["new"] == 2


def test_a_table_whose_lists_are_as_python_writes_them_is_told_the_way_out(tmp_path: Path) -> None:
    steps = ["It's two.", "So 4."]
    tables: list[tuple[dict[str, Any], dict[str, Any], str]] = [
        ({"problem": "P?", "steps": steps}, {}, "steps"),
        ({"problem": "P?", "steps": json.dumps(steps), "step_labels": [1, None]}, {}, "step_labels"),
        ({"problem": "P?", "solution_steps": json.dumps(steps), "error_labels": [True, False]}, {}, "error_labels"),
        ({"ask": "P?", "said": steps}, {"mapping": {"problem": "ask", "steps": "said"}}, "said"),
    ]
    for row, options, field in tables:
        out = io.StringIO()
        csv.writer(out).writerows([list(row), [str(cell) for cell in row.values()]])
        job = import_bytes(make_project(), out.getvalue().encode(), tmp_path, **options)
        assert faults_of(job) == [("wrong_type", 2, field)]
        [example] = job.report["faults"]["kinds"][0]["examples"]
        assert f'Before to_csv: df["{field}"] = df["{field}"].map(json.dumps)' in example["do"]
    for steps_of in ('["a", "b"]', "[1] Add.", "One step."):  # JSON in a text, and texts
        job = import_bytes(make_project(), lines(neutral_row() | {"steps": steps_of}), tmp_path)
        [example] = job.report["faults"]["kinds"][0]["examples"]
        assert (faults_of(job), "json.dumps" in example["do"]) == ([("wrong_type", 1, "steps")], False)


json_rows = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


class Dribble(io.BytesIO):
    """A stream that returns a few bytes at a time, so that every token is split somewhere."""

    def read(self, size: int | None = -1) -> bytes:
        return super().read(min(3, size or 3) if size and size > 0 else 3)


@given(
    st.lists(st.dictionaries(st.text(max_size=4), json_rows, min_size=1, max_size=3), max_size=4),
    st.sampled_from([None, 1]),
    st.booleans(),
)
def test_the_values_of_a_list_are_its_values_wherever_reading_cuts_them(
    rows: list[dict[str, Any]], indent: int | None, raw: bool
) -> None:
    text = json.dumps(rows, indent=indent, ensure_ascii=raw)
    found = [json.loads(value.data or b"") for value in list_values(Dribble(text.encode(errors="replace")), 10_000)]
    assert found == json.loads(text.encode(errors="replace"))
    several = "\n".join(json.dumps(row, indent=indent, ensure_ascii=True) for row in rows)
    assert [json.loads(value.data or b"") for value in object_values(Dribble(several.encode()), 10_000)] == rows


def big_list(path: Path, rows: int) -> None:
    with path.open("wb") as out:
        out.write(b"[")
        for number in range(rows):
            out.write(b"," * (number > 0) + b'{"a": "' + b"x" * CHUNK + b'"}\n')
        out.write(b"]")


def test_a_list_of_any_size_is_read_in_constant_memory(tmp_path: Path) -> None:
    file = tmp_path / "rows.json"
    big_list(file, 60)
    tracemalloc.start()
    with file.open("rb") as raw:
        assert [line.number for line in read_rows(raw)] == list(range(1, 61))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < file.stat().st_size / 2
    with file.open("rb") as raw:
        assert [line.fault and line.fault.found for line in read_rows(raw, Limits(line=1000))] == [
            "a row over the limit"
        ]


def test_the_limit_of_unpacked_text_holds_for_every_kind(tmp_path: Path) -> None:
    file = tmp_path / "rows"
    for data in (bz2.compress(LINES * 50), json.dumps(ROWS * 50).encode(), table(",").encode()):
        file.write_bytes(data)
        with file.open("rb") as raw:
            *_, last = read_rows(raw, Limits(text=60))
        assert last.fault is not None
        assert last.fault.kind == "file_too_large"


def test_a_long_text_that_is_never_closed_is_gone_through_only_a_few_times():
    pulses: list[None] = []
    raw = io.BytesIO(b'[{"problem": "' + b"x" * (32 * CHUNK))
    (line,) = read_rows(raw, Limits(line=64 * CHUNK), lambda: pulses.append(None))
    assert line.fault is not None
    assert (line.fault.kind, len(pulses) < 12) == ("bad_json", True), f"{len(pulses)} reads, each of which starts anew"
