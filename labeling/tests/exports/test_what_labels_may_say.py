"""The `label` of an imported row: what can be stored, what is a fault, and which format it belongs to."""

import json
from pathlib import Path
from typing import Any

import pytest

from labeling.models import Label
from labeling.protocol.run_marks import MOST_ACTS
from labeling.tests.exports.labeled import exported
from labeling.tests.factories import make_project
from labeling.tests.imports.files import faults_of, import_bytes, lines, neutral_row

pytestmark = pytest.mark.django_db(transaction=True)  # several imports
Json = dict[str, Any]


def row_of_ours(said: Json | None = None, **fields: Any) -> Json:
    label = {"labeler": "ada", "finish_reason": "found_error", "submitted_at": None, "alternative_at_step": None}
    fields = {"first_error": 1, "step_labels": [1, -1], **fields}
    return neutral_row(label={**label, **(said or {})}, **fields)


@pytest.mark.parametrize(
    "at",
    [
        *("9999-12-31T23:59:59-05:00", "9999-12-31T23:59:59", "0001-01-01T00:00:00+14:00"),
        *("2026-01-01T00:00:00+20:00", "2026-01-01T00:00:00+00:00:30.500000", 0, False),
    ],
)
def test_a_time_that_cannot_be_kept_is_a_fault_with_its_place(tmp_path: Path, at: Any) -> None:
    row = row_of_ours({"submitted_at": at})
    job = import_bytes(make_project(), lines(row_of_ours(), row), tmp_path, labels_of="X")
    assert faults_of(job) == [("wrong_type", 2, "label.submitted_at")]


def test_a_time_in_a_zone_is_kept(tmp_path: Path) -> None:
    project = make_project()
    import_bytes(project, lines(row_of_ours({"submitted_at": "2026-01-01T01:30:00+05:30"})), tmp_path, labels_of="X")
    ([row], _) = exported(project, "neutral")
    assert row["label"]["submitted_at"] == "2025-12-31T20:00:00+00:00"
    assert Label.objects.get(project=project).submitted_at.isoformat() == row["label"]["submitted_at"]


def test_a_label_of_somebody_elses_that_ends_in_a_word_of_ours_is_a_further_key(tmp_path: Path) -> None:
    theirs: Json = {"finish_reason": "give_up", "total_ms": "long", "comments": "none"}
    row = neutral_row(label=theirs, first_error=1)
    project = make_project()
    job = import_bytes(project, lines(row), tmp_path, labels_of="X")
    assert (job.report["labels"]["new"], faults_of(job)) == (1, [])
    assert Label.objects.get(project=project).verdict == 1, "by its first error, as of any row"
    rated = neutral_row(label=theirs, step_labels=[1, 1])
    gold = import_bytes(make_project(), lines(rated), tmp_path, as_gold=True)
    assert (gold.report["gold"]["new"], faults_of(gold)) == (1, [])


def as_floats(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: as_floats(one) for name, one in value.items()}
    if isinstance(value, list):
        return [as_floats(one) for one in value]
    return float(value) if type(value) is int else value


def test_whole_numbers_that_pandas_wrote_as_floats_are_taken_in_labels_too(tmp_path: Path) -> None:
    said: Json = {"total_ms": 1200, "active_ms": 1100, "noticed_at_step": 1, "comments": [{"step": 1, "text": "x"}]}
    said["reports"] = [{"kind": "split_badly", "step": 0, "text": ""}]
    said["mistake"] = {"progress": "some", "explanations": [{"text": "y", "rating": -1, "flagged": None}]}
    rows = [row_of_ours(said, verdict=1), row_of_ours({"alternative_at_step": 1})]
    floats, whole = make_project(), make_project()
    for project, given in ((floats, as_floats(rows)), (whole, rows)):
        job = import_bytes(project, lines(*given), tmp_path, labels_of="X")
        assert faults_of(job) == []
        assert job.report["without_label"] == 1, "the alternative: without a time it is of no label"
    assert Label.objects.get(project=floats).mistake == Label.objects.get(project=whole).mistake
    (back, _), (expected, _) = exported(floats, "neutral"), exported(whole, "neutral")
    now = {"submitted_at": None}
    assert [json.dumps(row["label"] | now) for row in back] == [json.dumps(row["label"] | now) for row in expected]
    [verdict] = Label.objects.filter(project=floats).values_list("verdict", flat=True)
    assert verdict == 1


ACT: Json = {"step": 1, "clause": "§2.1", "verdict": "in_line"}
RUNS: list[tuple[Json, list[tuple[str, str]]]] = [
    ({"decisive_error": 1999}, [("no_such_step", "decisive_error")]),
    ({"recovered_at": 2}, [("no_such_step", "recovered_at")]),
    ({"acts": [ACT, ACT | {"step": 2}]}, [("no_such_step", "acts[1].step")]),
    ({"acts": [{"step": 0}]}, [("wrong_type", "acts[0].clause"), ("wrong_type", "acts[0].verdict")]),
    ({"acts": [ACT | {"clause": ""}]}, [("wrong_type", "acts[0].clause")]),
    ({"acts": [ACT] * (MOST_ACTS + 1)}, [("wrong_type", "acts")]),
]


@pytest.mark.parametrize(("run", "faults"), RUNS)
def test_marks_of_a_run_that_no_label_has_are_faults(tmp_path: Path, run: Json, faults: list[tuple[str, str]]) -> None:
    job = import_bytes(make_project(), lines(row_of_ours({"run": run})), tmp_path, labels_of="X")
    assert faults_of(job) == [(kind, 1, f"label.run.{field}") for kind, field in faults]


def test_an_act_is_kept_with_every_key_that_exports_read(tmp_path: Path) -> None:
    project = make_project()
    run = {"outcome": "success", "acts": [ACT | {"mood": "good", "comment": None}]}
    import_bytes(project, lines(row_of_ours({"run": run})), tmp_path, labels_of="X")
    kept = ACT | {"severity": "", "text": "", "comment": ""}
    assert Label.objects.get(project=project).run_marks == {"outcome": "success", "acts": [kept]}
