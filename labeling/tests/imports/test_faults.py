"""Every way in which a file can be wrong: reported with its place, and kept out."""

import gzip
import json
import re
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from labeling.formats.reading import LINE_LIMIT, Limits, read_rows
from labeling.models import Problem, Trace
from labeling.tests.factories import make_project
from labeling.tests.imports.files import faults_of, import_bytes, import_file, lines, neutral_row

pytestmark = pytest.mark.django_db(transaction=True)

GOOD = neutral_row("Good?")
BAD_LINES: list[tuple[str, Any, str, str]] = [
    ("invalid UTF-8", b'{"problem": "\xff", "steps": ["a"]}\n', "bad_utf8", ""),
    ("UTF-16 surrogate bytes", b'{"problem": "\xed\xa0\x80", "steps": ["a"]}\n', "bad_utf8", ""),
    ("half a surrogate pair", b'{"problem": "\\ud800", "steps": ["a"]}\n', "lone_surrogate", ""),
    ("NUL in a step", neutral_row(steps=["a", "b\x00"]), "nul_character", "steps[1]"),
    ("NUL in an unknown key", neutral_row(**{"no\x00te": 1}), "nul_character", "no\\u0000te"),
    ("NaN", b'{"problem": "p", "steps": ["a"], "score": NaN}\n', "not_a_number", ""),
    ("Infinity", b'{"problem": "p", "steps": ["a"], "score": -Infinity}\n', "not_a_number", ""),
    ("1e999", b'{"problem": "p", "steps": ["a"], "score": 1e999}\n', "number_too_large", ""),
    (
        "a key twice",
        b'{"problem": "p", "steps": ["a"], "first_error": 0, "first_error": 0}\n',
        "key_given_twice",
        "first_error",
    ),
    ("an own key twice", b'{"problem": "p", "x": "", "steps": ["a"], "x": "\\""}\n', "key_given_twice", "x"),
    (
        "a key within a value twice",
        b'{"problem": "p", "steps": ["a"], "x": [{"y": 1, "y": 2}]}\n',
        "key_given_twice",
        "y",
    ),
    ("half a step as first error", neutral_row(first_error=0.5), "wrong_type", "first_error"),
    ("half a rating", neutral_row(step_labels=[1.0, 0.5]), "bad_rating", "step_labels[1]"),
    ("cut off", b'{"problem": "p", "steps": ["a"\n', "bad_json", ""),
    ("a list", b'[{"problem": "p"}]\n', "not_an_object", ""),
    (
        "2,000 levels",
        b'{"problem": "p", "steps": ["a"], "x": ' + b"[" * 2000 + b"]" * 2000 + b"}\n",
        "nested_too_deep",
        "",
    ),
    ("200 levels", neutral_row(x=json.loads("[" * 200 + "]" * 200)), "nested_too_deep", "x" + "[0]" * 39 + "[…"),
    ("a number beyond 64 bits", neutral_row(x=10**30), "number_too_large", "x"),
    ("no problem", {"steps": ["a"]}, "missing_field", "problem"),
    ("a number as problem", neutral_row(problem=7), "wrong_type", "problem"),
    ("a blank problem", neutral_row(problem=" \n"), "empty_problem", "problem"),
    ("a text as steps", {"problem": "p", "steps": "a\nb"}, "wrong_type", "steps"),
    ("an object as step", neutral_row(steps=["a", {"text": "b"}]), "wrong_type", "steps[1]"),
    ("no step", neutral_row(steps=[]), "no_steps", "steps"),
    ("5,000 steps", neutral_row(steps=["a"] * 5000), "too_many_steps", "steps"),
    ("an empty step", neutral_row(steps=["a", ""]), "empty_step", "steps[1]"),
    ("a blank step", neutral_row(steps=["\t", "b"]), "empty_step", "steps[0]"),
    ("a number as answer", neutral_row(ground_truth_answer=4), "wrong_type", "ground_truth_answer"),
    ("one answer as answers", neutral_row(ground_truth_answers="4"), "wrong_type", "ground_truth_answers"),
    ("a number among answers", neutral_row(ground_truth_answers=["4", 5]), "wrong_type", "ground_truth_answers[1]"),
    ("a blank among answers", neutral_row(ground_truth_answers=[" "]), "wrong_type", "ground_truth_answers[0]"),
    ("101 answers", neutral_row(ground_truth_answers=["4"] * 101), "wrong_type", "ground_truth_answers"),
    ("1 as outcome", neutral_row(final_answer_correct=1), "wrong_type", "final_answer_correct"),
    ("an error beyond the end", neutral_row(first_error=2), "no_such_step", "first_error"),
    ("an error of -2", neutral_row(first_error=-2), "no_such_step", "first_error"),
    ("true as first error", neutral_row(first_error=True), "wrong_type", "first_error"),
    ("too few ratings", neutral_row(step_labels=[1]), "ratings_do_not_match_steps", "step_labels"),
    ("a rating of 2", neutral_row(step_labels=[1, 2]), "bad_rating", "step_labels[1]"),
    ("a rating of true", neutral_row(step_labels=[True, 1]), "bad_rating", "step_labels[0]"),
    ("a long id", neutral_row(problem_id="x" * 201), "text_too_long", "problem_id"),
    ("our own key", neutral_row(problem_as_given={}), "reserved_key", "problem_as_given"),
]


@pytest.mark.parametrize(
    ("row", "kind", "field"), [case[1:] for case in BAD_LINES], ids=[case[0] for case in BAD_LINES]
)
def test_a_bad_row_is_told_with_its_place_and_the_rows_around_it_are_read(
    row: Any, kind: str, field: str, tmp_path: Path
) -> None:
    data = lines(GOOD, row, neutral_row("Good too?"))
    job = import_bytes(make_project(), data, tmp_path, format="neutral", dry_run=True)
    assert faults_of(job) == [(kind, 2, field)]
    example = job.report["faults"]["kinds"][0]["examples"][0]
    assert example["found"]
    assert example["do"]
    assert job.report["rows"] == 3
    assert job.report["traces"]["new"] == 2


def test_nothing_is_imported_when_one_row_is_faulty(tmp_path: Path) -> None:
    project = make_project()
    job = import_bytes(project, lines(GOOD, neutral_row(steps=[])), tmp_path)
    assert (job.status, job.report["imported"]) == ("failed", False)
    assert "skip the faulty rows" in job.error
    assert not Problem.objects.filter(project=project).exists()


def test_skip_faulty_imports_the_rest(tmp_path: Path) -> None:
    project = make_project()
    job = import_bytes(project, lines(GOOD, b"{\n", neutral_row("Other?")), tmp_path, skip_faulty=True)
    assert (job.status, job.report["imported"], job.report["faults"]["total"]) == ("succeeded", True, 1)
    assert Trace.objects.filter(project=project).count() == 2


def test_a_dry_run_reports_what_the_import_then_reports_and_stores_nothing(tmp_path: Path) -> None:
    project = make_project()
    data = lines(GOOD, GOOD, b"{\n", neutral_row("Other?"))
    dry = import_bytes(project, data, tmp_path, dry_run=True)
    assert dry.status == "succeeded"
    assert not Trace.objects.filter(project=project).exists()
    real = import_bytes(project, data, tmp_path, skip_faulty=True)
    assert {**dry.report, "imported": True} == real.report


def test_a_hundred_faults_of_a_kind_are_shown_and_all_are_counted(tmp_path: Path) -> None:
    data = lines(*[neutral_row(steps=[]) for _ in range(250)], *[b"{\n"] * 3)
    job = import_bytes(make_project(), data, tmp_path, format="neutral")
    kinds = {kind["kind"]: (kind["count"], len(kind["examples"])) for kind in job.report["faults"]["kinds"]}
    assert kinds == {"no_steps": (250, 100), "bad_json": (3, 3)}
    assert job.report["faults"]["total"] == 253


def test_every_fault_of_a_row_is_told_at_once(tmp_path: Path) -> None:
    row = neutral_row(steps=["", 3], ground_truth_answer=4, first_error=9)
    job = import_bytes(make_project(), lines(row), tmp_path, format="neutral")
    fields = sorted(field for _, _, field in faults_of(job))
    assert fields == ["first_error", "ground_truth_answer", "steps[0]", "steps[1]"]


def test_an_empty_file_is_a_fault(tmp_path: Path) -> None:
    for data in (b"", b"\n \n", gzip.compress(b""), b"[]", b"problem,steps\n"):
        job = import_bytes(make_project(), data, tmp_path)
        assert faults_of(job) == [("empty_file", 1, "")]
        [example] = job.report["faults"]["kinds"][0]["examples"]
        assert "JSON lines, a JSON list, or a table with rows below its header" in example["do"]
        assert job.status == "failed"


def test_a_table_of_more_columns_than_are_looked_at_is_told_as_that(tmp_path: Path) -> None:
    names = ",".join(f"feature {number}" for number in range(100_000))
    job = import_bytes(make_project(), f"{names}\n{',' * 99_999}\n".encode(), tmp_path)
    assert faults_of(job) == [("too_many_columns", 1, "")]
    [example] = job.report["faults"]["kinds"][0]["examples"]
    assert re.fullmatch(
        r"a first line with 1,\d\d\d columns in its first 16,384 bytes, and more after that", example["found"]
    )
    assert "Keep only the columns" in example["do"]
    prose = import_bytes(make_project(), b"It goes on, and on, and never ends. " * 1_000, tmp_path)
    assert faults_of(prose) == [("not_json", 1, "")]


def test_a_number_that_json_has_none_for_is_told_with_its_key_and_the_way_out(tmp_path: Path) -> None:
    row = b'{"problem": "p", "steps": ["a"], "prm_score": NaN}\n'
    job = import_bytes(make_project(), lines(GOOD, row), tmp_path)
    [example] = job.report["faults"]["kinds"][0]["examples"]
    assert (example["line"], example["found"].endswith('"prm_score": NaN')) == (2, True)
    assert "write null" in example["do"]


@pytest.mark.parametrize("number", ["1e400", "-1e400", "1" + "0" * 400])
def test_a_number_that_is_too_large_is_told_so_and_not_as_infinity(number: str, tmp_path: Path) -> None:
    row = f'{{"problem": "To Infinity, NaN?", "steps": ["a"], "prm_score": {number}, "x": 1}}\n'.encode()
    [example] = import_bytes(make_project(), row, tmp_path).report["faults"]["kinds"][0]["examples"]
    assert f'"prm_score": {number[:5]}' in example["found"]
    assert "a number that large" in example["do"]


def test_a_key_that_stands_twice_is_named_and_equal_keys_of_several_objects_are_none(tmp_path: Path) -> None:
    inner = [{"role": "user", "text": '"problem": {"steps"'}, {"role": "user", "text": "\u0022"}]
    good = neutral_row("Good?", x=inner, y={"problem": 1, "steps": inner})
    twice = b'{"problem": "One?", "problem": "Two?", "steps": ["a"]}\n'
    escaped = json.dumps(good | {"problem": "Escaped?"}).replace("Good", "\\u0022").encode() + b"\n"
    job = import_bytes(make_project(), lines(good, escaped, twice), tmp_path, skip_faulty=True)
    assert faults_of(job) == [("key_given_twice", 3, "problem")]
    assert job.report["problems"]["new"] == 2
    assert "the last" in job.report["faults"]["kinds"][0]["examples"][0]["do"]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.csv", "rows.parquet"])
def test_a_whole_number_that_pandas_wrote_as_a_float_is_a_step_s_number_and_a_rating(name: str, tmp_path: Path) -> None:
    rows = [neutral_row("One?", first_error=1.0, step_labels=[1.0, -1.0]), neutral_row("None?")]
    rows += [neutral_row("Right?", first_error=-1.0, step_labels=[1.0, None])]
    data = lines(*rows)
    if name == "rows.csv":
        data = b"problem,steps,first_error,step_labels\n"
        data += b'One?,"[""Add."", ""It is 4.""]",1.0,"[1.0, -1.0]"\nNone?,"[""Add."", ""It is 4.""]",,\n'
        data += b'Right?,"[""Add."", ""It is 4.""]",-1.0,"[1.0, null]"\n'
    (tmp_path / name).write_bytes(data)
    if name == "rows.parquet":
        parquet = pytest.importorskip("pyarrow.parquet")
        columns = pytest.importorskip("pyarrow").Table.from_pylist(rows)
        parquet.write_table(columns, tmp_path / name)
    project = make_project()
    job = import_file(project, tmp_path / name)
    assert faults_of(job) == []
    told = Trace.objects.filter(project=project).order_by("id").values_list("recorded_first_error", "recorded_ratings")
    assert list(told) == [(1, [1, -1]), (None, None), (-1, [1, None])]


def test_a_whole_label_of_processbench_may_be_a_float(tmp_path: Path) -> None:
    row = {"id": "gsm8k-1", "problem": "p", "steps": ["a", "b"], "label": 1}
    project = make_project()
    job = import_bytes(project, lines(row, row | {"steps": ["c"], "label": 0.0}), tmp_path)
    assert faults_of(job) == []
    assert set(Trace.objects.filter(project=project).values_list("recorded_first_error", flat=True)) == {0, 1}


def test_a_byte_order_mark_gzip_and_windows_line_ends_are_read(tmp_path: Path) -> None:
    row = json.dumps(GOOD).encode()
    for data in (b"\xef\xbb\xbf" + row, gzip.compress(row + b"\n"), row + b"\r\n\r\n", b"\n\n" + row):
        job = import_bytes(make_project(), data, tmp_path)
        assert (job.status, job.report["traces"]["new"]) == ("succeeded", 1), data[:20]


def test_a_cut_off_gzip_file_is_a_fault(tmp_path: Path) -> None:
    rows = lines(*[neutral_row(f"Problem {number}?", steps=[f"{number * 7919}"]) for number in range(3000)])
    job = import_bytes(make_project(), gzip.compress(rows)[:-200], tmp_path)
    assert [fault[0] for fault in faults_of(job)] == ["bad_packing"]
    assert not job.report["imported"]


def test_a_file_that_unpacks_to_more_than_the_limit_is_stopped(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.gz"
    bomb.write_bytes(gzip.compress(b'{"a": 1}\n' * 100_000))
    with bomb.open("rb") as raw:
        read = list(read_rows(raw, Limits(text=9_000)))
    assert len(read) == 1001
    assert read[-1].fault is not None
    assert read[-1].fault.kind == "file_too_large"


def test_a_line_of_50_megabytes_is_a_fault_and_never_in_memory(tmp_path: Path) -> None:
    file = tmp_path / "long.jsonl"
    with file.open("wb") as out:
        out.write(lines(GOOD) + b'{"problem": "')
        for _ in range(50):
            out.write(b"x" * 2**20)
        out.write(b'"}\n' + lines(neutral_row("After?")))
    tracemalloc.start()
    with file.open("rb") as raw:
        read = list(read_rows(raw))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [(line.number, line.fault and line.fault.kind) for line in read] == [
        (1, None),
        (2, "line_too_long"),
        (3, None),
    ]
    assert peak < 3 * LINE_LIMIT


def test_a_line_of_just_the_limit_is_read(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    row = b'{"a": 1}'
    for ending, kinds in ((b"\n", [None]), (b"", [None]), (b" \n", [None]), (b"  \n", ["line_too_long"])):
        file.write_bytes(row + ending)
        with file.open("rb") as raw:
            read = list(read_rows(raw, Limits(line=len(row) + 1)))
        assert [line.fault and line.fault.kind for line in read] == kinds, ending


@pytest.mark.parametrize("begins", [b"[", b"{\n"])
def test_a_row_of_a_list_is_told_the_limit_that_it_is_held_to(begins: bytes, tmp_path: Path) -> None:
    file = tmp_path / "rows.json"
    file.write_bytes(begins.replace(b"[", b"[{") + b'"a": "' + b"x" * 3 * 2**20)
    with file.open("rb") as raw:
        [line] = read_rows(raw, Limits(line=2**20))
    assert "A row may have 1,048,576 bytes." in line.fault.do


@pytest.mark.parametrize(("value", "found"), [(None, "null"), (True, "true"), (7, "a whole number: 7")])
def test_what_was_found_is_written_as_the_file_has_it(value: Any, found: str, tmp_path: Path) -> None:
    job = import_bytes(make_project(), lines(neutral_row(problem=value)), tmp_path)
    [kind] = job.report["faults"]["kinds"]
    assert [one["found"] for one in kind["examples"]] == [found]
