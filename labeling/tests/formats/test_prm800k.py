"""PRM800K rows converted to the shape of the tables and back, case by case and for any row."""

import copy
import os
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings

from labeling.formats import prm800k
from labeling.formats.patches import same
from labeling.formats.records import ParsedRow
from labeling.tests.formats.rows import prm800k_rows

SHARED_DATA = Path(os.environ.get("STEPMARK_SHARED_DATA", Path(__file__).parents[4] / "shared" / "data"))
RECORDS = SHARED_DATA / "prm800k_native_records.jsonl"


def parsed(row: dict[str, Any]) -> ParsedRow:
    found, faults = prm800k.parse(row, 1)
    assert not faults, faults
    assert found is not None
    return found


def rendered(record: ParsedRow) -> dict[str, Any]:
    assert record.trace is not None
    assert record.label is not None
    return prm800k.render(prm800k.label_out(record.problem, record.trace, record.label), record.label.extra)


def completion(text: str, rating: int | None, flagged: bool | None = None) -> dict[str, Any]:
    return {"text": text, "rating": rating, "flagged": flagged}


def step(completions: Any, chosen: int | None = None, human: Any = None) -> dict[str, Any]:
    return {"completions": completions, "human_completion": human, "chosen_completion": chosen}


def phase_2(steps: list[dict[str, Any]], generated: list[str], finish: str = "found_error") -> dict[str, Any]:
    return {
        "labeler": "e90a38f3-3135-4465-87af-3e6322e3d772",
        "timestamp": "2022-11-22T16:51:29.980606",
        "generation": 6,
        "is_quality_control_question": False,
        "is_initial_screening_question": False,
        "question": {
            "problem": "What is $2+2$?",
            "ground_truth_solution": None,
            "ground_truth_answer": "4",
            "pre_generated_steps": generated,
            "pre_generated_answer": "5",
            "pre_generated_verifier_score": 0.25,
        },
        "label": {"steps": steps, "total_time": 164458, "finish_reason": finish},
    }


def phase_1(steps: list[dict[str, Any]], finish: str = "solution") -> dict[str, Any]:
    row = phase_2(steps, [], finish)
    row["generation"] = None
    row["question"] = {"problem": "What is $2+2$?", "ground_truth_answer": "4"}
    return row


HUMAN = {"text": "By hand.", "rating": None, "source": "human", "flagged": False}


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(prm800k_rows())
def test_any_row_that_is_accepted_comes_back_equal(row: dict[str, Any]) -> None:
    before = copy.deepcopy(row)
    record, faults = prm800k.parse(row, 1)
    if record is None:
        assert {fault.kind for fault in faults} == {"no_steps"}
        return
    stored = record._replace(label=record.label._replace(extra=orjson.loads(orjson.dumps(record.label.extra))))
    assert same(rendered(stored), before)
    assert same(row, before), "parsing must not change the row it was given"


@pytest.mark.skipif(not RECORDS.exists(), reason="the shared data is not on this machine (STEPMARK_SHARED_DATA)")
def test_real_records_need_nothing_beside_the_tables() -> None:
    for line in RECORDS.read_bytes().splitlines():
        row = orjson.loads(line)
        record = parsed(row)
        assert record.label is not None
        assert "patch" not in record.label.extra["prm800k"]
        assert orjson.dumps(rendered(record)) == orjson.dumps(row), "equal to the order of the keys"


def test_a_found_error_tail_is_the_completion_equal_to_the_generated_step() -> None:
    tail = step([completion("b2", 1, False), completion("b", -1), completion("b3", 0, True)])
    row = phase_2([step([completion("a", 1)], 0), tail], ["a", "b", "c"])
    record = parsed(row)
    own = [(item.step_index, item.position, item.rating) for item in record.label.step_labels if item.text is None]
    assert own == [(0, 0, 1), (1, 1, -1)]
    assert record.trace.steps == ["a", "b", "c"], "steps after the error stand in the generated steps alone"
    assert [item.text for item in record.label.step_labels if item.text] == ["b2", "b3"]
    assert rendered(record) == row


def test_a_found_error_tail_without_the_generated_step_is_its_first_negative_completion() -> None:
    row = phase_2([step([completion("x", 1, False), completion("b (edited)", -1)])], ["b"])
    record = parsed(row)
    assert [item.text for item in record.label.step_labels] == ["x", None]
    assert rendered(record) == row


def test_a_give_up_tail_of_nulls_is_neither_a_step_nor_lost() -> None:
    row = phase_1([step([completion("a", 1, False)], 0), step(None)], "give_up")
    record = parsed(row)
    assert record.trace.steps == ["a"]
    assert len(record.label.step_labels) == 1
    assert "patch" not in record.label.extra["prm800k"]
    assert rendered(record) == row


def test_a_human_object_is_the_step_of_the_path_where_nothing_was_chosen() -> None:
    row = phase_1([step([completion("bad", -1, False)], None, HUMAN), step([completion("end", 1, False)], 0)])
    record = parsed(row)
    assert record.trace.steps == ["By hand.", "end"]
    assert record.label.extra["prm800k"]["human_steps"] == [0]
    assert rendered(record) == row


def test_a_human_text_and_a_corrected_rating_come_back_as_they_were() -> None:
    corrected = {**HUMAN, "corrected_rating": 1}
    row = phase_1([step([completion("bad", -1, False)], None, corrected), step(None, None, "Only text.")])
    record = parsed(row)
    assert record.trace.steps == ["By hand.", "Only text."]
    assert rendered(record) == row


def test_a_neutral_completion_may_be_chosen_after_negative_ones() -> None:
    row = phase_1([step([completion("no", -1, False), completion("so so", 0, False)], 1)])
    record = parsed(row)
    assert record.trace.steps == ["so so"]
    assert [(item.text, item.rating, item.chosen) for item in record.label.step_labels] == [
        ("no", -1, False),
        (None, 0, True),
    ]
    assert rendered(record) == row


def test_flags_are_null_on_the_path_of_phase_2_and_kept_on_alternatives() -> None:
    row = phase_2([step([completion("a", -1), completion("x", None, True), completion("y", 1, False)])], ["a"])
    record = parsed(row)
    assert [item.flagged for item in record.label.step_labels] == [None, True, False]
    assert "patch" not in record.label.extra["prm800k"]


def test_the_answer_after_its_mark_becomes_the_final_answer_and_the_step_keeps_it() -> None:
    last = "So it is 4.\n\n# Answer\n\n4"
    record = parsed(phase_1([step([completion(last, 1, False)], 0)]))
    assert record.trace.final_answer == "4"
    assert record.trace.steps == [last]


def test_equal_completions_of_one_step_stay_two() -> None:
    row = phase_1([step([completion("a", 1, False), completion("same", 1, False), completion("same", 0, False)], 0)])
    assert [item.text for item in parsed(row).label.step_labels] == [None, "same", "same"]
    assert rendered(parsed(row)) == row


def test_unknown_keys_are_all_that_the_extra_holds_of_a_row() -> None:
    row = phase_2([step([completion("a", 1) | {"logprob": -0.5}], 0)], ["a"], "solution")
    row["campaign"] = {"deep": [1, {"er": True}]}
    extra = parsed(row).label.extra["prm800k"]
    assert b"What is" not in orjson.dumps(extra)
    assert extra["patch"]["set"] == {"campaign": {"deep": [1, {"er": True}]}}
    assert rendered(parsed(row)) == row


def first_step(row: dict[str, Any]) -> Any:
    return row["label"]["steps"][0]


def first_completion(row: dict[str, Any]) -> Any:
    return first_step(row)["completions"][0]


AT = "label.steps[0]"


@pytest.mark.parametrize(
    ("change", "kind", "field"),
    [
        (lambda row: row.pop("labeler"), "missing_field", "labeler"),
        (lambda row: row.update(labeler=7), "wrong_type", "labeler"),
        (lambda row: row.update(question=[]), "wrong_type", "question"),
        (lambda row: row["question"].update(problem=" "), "empty_problem", "question.problem"),
        (
            lambda row: row["question"].update(pre_generated_steps="a"),
            "wrong_type",
            "question.pre_generated_steps",
        ),
        (
            lambda row: row["question"].update(pre_generated_steps=["a", ""]),
            "empty_step",
            "question.pre_generated_steps[1]",
        ),
        (lambda row: row["label"].update(finish_reason="done"), "bad_finish_reason", "label.finish_reason"),
        (lambda row: row["label"].update(steps=[None]), "wrong_type", AT),
        (lambda row: first_step(row).update(completions="a"), "wrong_type", f"{AT}.completions"),
        (lambda row: first_completion(row).pop("text"), "missing_field", f"{AT}.completions[0].text"),
        (lambda row: first_completion(row).update(rating=2), "bad_rating", f"{AT}.completions[0].rating"),
        (lambda row: first_completion(row).update(rating=True), "bad_rating", f"{AT}.completions[0].rating"),
        (lambda row: first_step(row).update(human_completion={}), "missing_field", f"{AT}.human_completion.text"),
        (lambda row: row.update(big=2.0**70), "number_too_large", "big"),
    ],
)
def test_a_row_of_the_wrong_shape_is_a_fault_with_its_place(change: Any, kind: str, field: str) -> None:
    row = phase_2([step([completion("a", 1)], 0)], ["a"], "solution")
    change(row)
    record, faults = prm800k.parse(row, 12)
    assert record is None
    assert [(fault.kind, fault.line, fault.field) for fault in faults] == [(kind, 12, field)]
    assert faults[0].do


def test_steps_get_the_answer_mark_once() -> None:
    assert prm800k.with_final_answer(["a", "b"], "4") == ["a", "b\n\n# Answer\n\n4"]
    assert prm800k.with_final_answer(["b\n\n# Answer\n\n4"], "4") == ["b\n\n# Answer\n\n4"]
    assert prm800k.with_final_answer(["b"], None) == ["b"]
