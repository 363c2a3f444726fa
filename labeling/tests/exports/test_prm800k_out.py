"""Exports of PRM800K files: imported rows come out equal, labels from the product are valid rows."""

import json
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labeling.formats import prm800k
from labeling.models import Completion, Label
from labeling.tests.exports.labeled import exported, give_label, traces_of
from labeling.tests.factories import make_member, make_project
from labeling.tests.formats.rows import prm800k_rows
from labeling.tests.imports.files import SHARED_DATA, import_bytes, import_file, lines, neutral_row, prm800k_row

pytestmark = pytest.mark.django_db(transaction=True)
RECORDS = SHARED_DATA / "prm800k_native_records.jsonl"


@pytest.mark.skipif(not RECORDS.exists(), reason="the shared data is not on this machine (STEPMARK_SHARED_DATA)")
def test_real_records_come_back_equal_and_nothing_is_stored_twice() -> None:
    project = make_project()
    import_file(project, RECORDS)
    rows, _ = exported(project)
    given_rows = [json.loads(line) for line in RECORDS.read_bytes().splitlines()]
    assert rows == given_rows
    assert [list(row) for row in rows] == [list(row) for row in given_rows], "keys in PRM800K's order"
    for extra in Label.objects.filter(project=project).values_list("extra", flat=True):
        assert set(extra["prm800k"]) <= {"phase", "generation", "screening", "quality_control", "human_steps"}


@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(rows=st.lists(prm800k_rows(), min_size=1, max_size=12))
def test_any_rows_come_back_equal_through_the_database(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    rows = [row for number, row in enumerate(rows) if prm800k.parse(row, number)[0] is not None]
    if not rows:
        return
    project = make_project()
    job = import_bytes(project, lines(*(orjson.dumps(row) + b"\n" for row in rows)), tmp_path, format="prm800k")
    assert job.report["faults"]["total"] == 0
    found, _ = exported(project)
    assert canonical(found) == canonical(rows)


def canonical(rows: list[dict[str, Any]]) -> set[str]:
    """Return rows as sorted JSON; the same row twice is one label."""
    return {json.dumps(as_floats(row), sort_keys=True) for row in rows}


def as_floats(value: Any) -> Any:
    """1 and 1.0 are equal to a JSON reader; Postgres stores 1e16 as a whole number."""
    if isinstance(value, dict):
        return {key: as_floats(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_floats(item) for item in value]
    return float(value) + 0.0 if isinstance(value, int | float) and not isinstance(value, bool) else value


def test_rows_that_tell_one_problem_differently_each_come_back_as_they_were(tmp_path: Path) -> None:
    project = make_project()
    first, second, third = (prm800k_row("What is  2+2?", labeler=name) for name in "abc")
    second["question"] |= {"problem": "What is 2+2? ", "ground_truth_answer": None, "ground_truth_solution": "Add."}
    third["question"] |= {"pre_generated_answer": "7", "pre_generated_verifier_score": 0.5}
    import_bytes(project, lines(first), tmp_path)
    import_bytes(project, lines(second, third), tmp_path)
    rows, _ = exported(project)
    assert rows == [first, second, third]


def test_unknown_keys_at_every_level_come_back(tmp_path: Path) -> None:
    row = prm800k_row(campaign={"deep": [1, {"er": None}]})
    row["question"]["source"] = "x"
    row["label"]["steps"][1] |= {"seen": True}
    row["label"]["steps"][1]["completions"][1]["logprob"] = -0.25
    row["label"]["note"] = "n"
    project = make_project()
    import_bytes(project, lines(row), tmp_path)
    assert exported(project)[0] == [row]


def test_a_label_that_found_an_error_is_a_valid_row(tmp_path: Path) -> None:
    project = make_project("algebra")
    row = neutral_row("2+2?", ["Add.", "It is 5.", "So 5."], ground_truth_answer="4", final_answer="5")
    (trace,) = traces_of(project, tmp_path, row)
    better = Completion.objects.create(trace=trace, step_index=1, text="It is 4.")
    alternatives = [{"completion": better.pk, "rating": 1, "flagged": False}]
    label = give_label(project, [1, -1, None], alternatives=alternatives, total_ms=90_000)
    (out,), _ = exported(project)
    nobody = {"human_completion": None}
    marked = "So 5.\n\n# Answer\n\n5"
    assert out == {
        "labeler": out["labeler"],
        "timestamp": label.submitted_at.replace(tzinfo=None).isoformat(),
        "generation": 1,
        "is_quality_control_question": False,
        "is_initial_screening_question": False,
        "question": {
            "problem": "2+2?",
            "ground_truth_solution": None,
            "ground_truth_answer": "4",
            "pre_generated_steps": ["Add.", "It is 5.", marked],
            "pre_generated_answer": "5",
            "pre_generated_verifier_score": None,
        },
        "label": {
            "steps": [
                {"completions": [{"text": "Add.", "rating": 1, "flagged": None}], **nobody, "chosen_completion": 0},
                {
                    "completions": [
                        {"text": "It is 5.", "rating": -1, "flagged": None},
                        {"text": "It is 4.", "rating": 1, "flagged": False},
                    ],
                    **nobody,
                    "chosen_completion": None,
                },
            ],
            "total_time": 90_000,
            "finish_reason": "found_error",
        },
    }


def test_a_solution_carries_its_answer_in_the_last_step(tmp_path: Path) -> None:
    project = make_project()
    traces_of(project, tmp_path, neutral_row(steps=["Add.", "Done."], final_answer="4"))
    give_label(project, [1, 0])
    (out,), _ = exported(project)
    last = out["label"]["steps"][-1]
    assert last["completions"][0]["text"] == "Done.\n\n# Answer\n\n4" == out["question"]["pre_generated_steps"][-1]
    assert [step["chosen_completion"] for step in out["label"]["steps"]] == [0, 0]


def test_giving_up_leaves_a_tail_of_nulls_and_a_bad_problem_does_not(tmp_path: Path) -> None:
    project = make_project()
    traces_of(project, tmp_path)
    give_label(project, [1, None], finish_reason="give_up", finish_detail={"text": "Too hard."})
    detail = {"kind": "vague", "text": "What is asked?"}
    give_label(project, [None, None], finish_reason="bad_problem", finish_detail=detail)
    (gave_up, bad), _ = exported(project)
    tail = {"completions": None, "human_completion": None, "chosen_completion": None}
    assert gave_up["label"]["steps"][1:] == [tail]
    assert (bad["label"]["steps"], bad["label"]["finish_reason"]) == ([], "bad_problem")


def test_rows_given_here_come_back_equal_when_imported_elsewhere(tmp_path: Path) -> None:
    project, elsewhere = make_project(), make_project()
    traces_of(project, tmp_path, neutral_row(steps=["a", "b"], final_answer="4"), neutral_row("Q", ["c", "d"]))
    give_label(project, [1, -1])
    give_label(project, [1, None], finish_reason="give_up", finish_detail={"text": "No."})
    rows, _ = exported(project)
    job = import_bytes(elsewhere, lines(*rows), tmp_path)
    assert job.report["labels"]["new"] == len(rows) == 2
    assert exported(elsewhere)[0] == rows


def test_labelers_are_salted_ids_that_differ_between_projects_and_imported_ids_are_kept(tmp_path: Path) -> None:
    one, two = make_project(), make_project()
    ada = make_member(one)
    two.memberships.create(user=ada, role="annotator")
    for project in (one, two):
        traces_of(project, tmp_path, neutral_row("a"), neutral_row("b"))
        give_label(project, [1, 1], ada)
        give_label(project, [1, 1], ada)
        import_bytes(project, lines(prm800k_row(labeler="e90a38f3-3135-4465-87af-3e6322e3d772")), tmp_path)
    ids = [[row["labeler"] for row in exported(project)[0]] for project in (one, two)]
    assert ids[0][0] == ids[0][1] != ids[1][0]
    assert ids[0][2] == ids[1][2] == "e90a38f3-3135-4465-87af-3e6322e3d772"
    assert str(ada.pk) not in ids[0]
    assert ada.username not in json.dumps(exported(one)[0])
