"""Real traces, graded and compared with the outcomes their publishers recorded. The figures: docs/grading.md."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from labeling.grading import Question
from labeling.grading.process_pool import GradingPool
from labeling.tests.imports.files import SHARED_DATA

RECORDED = {True: "correct", False: "wrong", None: "ungraded"}


@pytest.fixture(scope="module")
def pool() -> Iterator[GradingPool]:
    with GradingPool(2, seconds=20) as processes:
        yield processes


def pairs(pool: GradingPool, name: str, kind: str, *, from_steps: bool) -> Counter[tuple[str, str]]:
    """Count each (recorded outcome, graded outcome)."""
    file = SHARED_DATA / f"{name}.jsonl"
    if not file.exists():
        pytest.skip("needs the shared data (STEPMARK_SHARED_DATA)")
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    grades = pool.grade(question(row, kind, from_steps) for row in rows)
    return Counter(
        (RECORDED[row["final_answer_correct"]], grade.outcome) for row, grade in zip(rows, grades, strict=True)
    )


def question(row: dict[str, Any], kind: str, from_steps: bool) -> Question:
    answer = None if from_steps else row["final_answer"]
    return Question(tuple(row["steps"]), answer, row["ground_truth_answer"], kind)


# file, kind, least graded of all, most (wrong as correct), most (correct as wrong): with the answer found in the steps
FILES = [
    ("gsm8k_openai", "maths", 0.998, 0, 0),
    ("processbench_gsm8k", "maths", 0.84, 2, 1),
    ("processbench_math", "maths", 0.89, 3, 0),
    ("bbmistake_logical_deduction", "choice", 0.98, 0, 0),
    ("bbmistake_tracking_shuffled_objects", "choice", 1.0, 0, 0),
    ("bbmistake_multistep_arithmetic", "maths", 1.0, 0, 0),
    ("mrben_physics", "choice", 0.95, 2, 0),
]


@pytest.mark.parametrize("from_steps", [False, True], ids=["recorded answer", "answer found in the steps"])
@pytest.mark.parametrize(("name", "kind", "graded", "too_kind", "too_strict"), FILES)
def test_grades_agree_with_the_recorded_outcomes(
    pool: GradingPool, name: str, kind: str, graded: float, too_kind: int, too_strict: int, from_steps: bool
) -> None:
    found = pairs(pool, name, kind, from_steps=from_steps)
    assert sum(count for (_, outcome), count in found.items() if outcome != "ungraded") >= graded * found.total()
    assert found["wrong", "correct"] <= too_kind
    assert found["correct", "wrong"] <= too_strict


def test_the_game_of_24_is_not_for_this_grader(pool: GradingPool) -> None:
    """Its answers are expressions: one that gives 24 with other numbers is wrong, which no recorded answer shows."""
    found = pairs(pool, "tot_game24", "maths", from_steps=False)
    assert found["correct", "wrong"] == 0
    assert found["wrong", "correct"] > 100, "grade it elsewhere, and set the project's kind of answer to none"
    assert set(pairs(pool, "tot_game24", "none", from_steps=False)) == {("correct", "ungraded"), ("wrong", "ungraded")}
