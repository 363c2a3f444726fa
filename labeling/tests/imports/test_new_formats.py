"""An import format is one record: once registered, it is detected, read and described like the existing ones."""

from pathlib import Path
from typing import Any

import pytest

from labeling.formats.faults import Fault
from labeling.formats.imports import IMPORT_FORMATS
from labeling.formats.imports.import_format import ImportFormat, Parsed
from labeling.formats.records import ParsedRow, ProblemRecord, TraceRecord
from labeling.models import Trace
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_project, make_user
from labeling.tests.imports.files import faults_of, import_bytes, lines, neutral_row, prm800k_row

pytestmark = pytest.mark.django_db(transaction=True)


def read_signs(row: dict[str, Any], line: int) -> Parsed:
    """`{question, process, signs}`: steps in one text, with a + or - for each."""
    steps = row["process"].split("\n")
    if len(row["signs"]) != len(steps):
        found = f"{len(row['signs'])} signs, {len(steps)} steps"
        return None, [Fault("signs_do_not_match_steps", line, "signs", found, "Give a sign for each step.")]
    ratings = [1 if sign == "+" else -1 for sign in row["signs"]]
    return ParsedRow(ProblemRecord(row["question"]), TraceRecord(steps, recorded_ratings=ratings)), []


SIGNS = ImportFormat(
    name="signs",
    title="Signs",
    means="A benchmark of our own.",
    looks_like="`process` and `signs`.",
    sniff=lambda row: 3 if {"process", "signs"} <= row.keys() else 0,
    read=read_signs,
    always_held_out=True,
)
ROW = {"question": "2+2?", "process": "Add.\nIt is 5.", "signs": "+-"}


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(IMPORT_FORMATS, SIGNS.name, SIGNS)


def test_a_format_of_the_registry_is_found_out_and_read(tmp_path: Path) -> None:
    project = make_project()
    job = import_bytes(project, lines(ROW), tmp_path)
    assert (job.format, job.report["imported"]) == ("signs", True)
    trace = Trace.objects.get(project=project)
    assert (trace.steps, trace.recorded_ratings) == (["Add.", "It is 5."], [1, -1])
    assert trace.problem.split == "held_out", "the format says so, not the row"


def test_its_faults_are_told_and_a_row_that_wants_into_training_is_one(tmp_path: Path) -> None:
    rows = lines(ROW, {**ROW, "signs": "+"}, {**ROW, "split": "train"})
    job = import_bytes(make_project(), rows, tmp_path)
    assert faults_of(job) == [("signs_do_not_match_steps", 2, "signs"), ("held_out_problem", 3, "split")]


@pytest.mark.parametrize(
    ("row", "name"),
    [
        (neutral_row(), "neutral"),
        (neutral_row(label=1), "processbench"),
        (neutral_row(label=1, first_error=1), "neutral"),
        (neutral_row(label="1"), "neutral"),
        (prm800k_row(), "prm800k"),
        (prm800k_row(steps=["a"]), "prm800k"),
        ({"question": "2+2?", "answer": "#### 4"}, "problems"),
        ({"question": "2+2?", "level": 3}, "problems"),
    ],
)
def test_the_others_keep_their_marks(tmp_path: Path, row: dict[str, Any], name: str) -> None:
    assert import_bytes(make_project(), lines(row), tmp_path, dry_run=True).format == name


def test_the_api_lists_it_with_the_others_in_the_order_of_the_registry() -> None:
    listed = Browser(make_user()).call("GET", "/api/import_formats")["formats"]
    assert [(one["name"], one["always_held_out"]) for one in listed] == [
        (one.name, one.always_held_out) for one in IMPORT_FORMATS.values()
    ]
    assert listed[-1] == {
        "name": "signs",
        "title": "Signs",
        "means": "A benchmark of our own.",
        "looks_like": "`process` and `signs`.",
        "leaves": "",
        "marks_by": "",
        "always_held_out": True,
    }
