"""Whole histories: the cases that the page replays too, and PRM800K's own records."""

import json
from pathlib import Path
from typing import Any

import pytest

from labeling.formats.prm800k import parse
from labeling.models import Project
from labeling.tests.exports.labeled import exported
from labeling.tests.factories import make_project
from labeling.tests.imports.files import SHARED_DATA
from labeling.tests.paths.replay import Replay, case_of

pytestmark = pytest.mark.django_db
RECORDS = SHARED_DATA / "prm800k_native_records.jsonl"
CASES = json.loads((Path(__file__).parent.parent / "choose_step_cases.json").read_text())


@pytest.fixture
def project(settings: Any) -> Project:
    settings.GENERATORS = {"qwen": type("Qwen", (), {"models": ()})()}
    return make_project()


def test_each_shared_case_is_taken_as_it_says_and_exports_its_row(project: Project) -> None:
    for number, case in enumerate(CASES):
        Replay(project, case, f"What is {number} + 4?").run()
    rows, _ = exported(project)
    assert [row["label"]["steps"] for row in rows] == [case["row"] for case in CASES]
    for row in rows:
        parsed, faults = parse(row, 1)
        assert (parsed is not None, faults) == (True, [])


@pytest.mark.skipif(not RECORDS.exists(), reason="the shared data is not on this machine (STEPMARK_SHARED_DATA)")
def test_the_real_records_of_phase_1_replayed_give_the_same_rows(project: Project) -> None:
    records = [json.loads(line) for line in RECORDS.read_text().splitlines()]
    records = [one for one in records if "pre_generated_steps" not in one["question"]]
    for record in records:
        Replay(project, case_of(record), record["question"]["problem"]).run()
    rows, _ = exported(project)
    assert len(rows) == len(records) == 6
    for row, record in zip(rows, records, strict=True):
        assert row["label"]["steps"] == record["label"]["steps"]
        assert row["label"]["finish_reason"] == record["label"]["finish_reason"]
        ours = {name: value for name, value in row.items() if name not in ("labeler", "timestamp", "label", "question")}
        assert ours == {name: record[name] for name in ours}
        assert row["question"]["problem"] == record["question"]["problem"]
