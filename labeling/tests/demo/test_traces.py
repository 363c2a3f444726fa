"""The demo project's problems and traces: their statements about themselves are true."""

import re
from collections import Counter
from itertools import groupby
from typing import Any

import orjson
import pytest
import sympy

from labeling.actions.demo import TRACES
from labeling.formats.imports import neutral
from labeling.tests.demo.answers import ANSWERS
from labeling.tests.demo.plain_sums import holds, sums_in, value_of

ROWS: list[dict[str, Any]] = [orjson.loads(line) for line in TRACES.read_bytes().splitlines()]
BY_PROBLEM = {name: list(rows) for name, rows in groupby(ROWS, key=lambda row: row["problem_id"])}
MONEY_IN_STATEMENT = {"demo-algebra-2", "demo-algebra-7", "demo-probability-4"}
MONEY_IN_STEPS = {"demo-algebra-2", "demo-probability-4"}  # no formula there starts with a digit
each_problem = pytest.mark.parametrize("rows", list(BY_PROBLEM.values()), ids=list(BY_PROBLEM))


@each_problem
def test_a_ground_truth_answer_is_what_another_computation_gives(rows: list[dict[str, Any]]) -> None:
    stated = value_of(rows[0]["ground_truth_answer"])
    assert stated is not None
    assert sympy.simplify(stated - ANSWERS[rows[0]["problem_id"]]()) == 0


def test_every_problem_has_its_rows_together_and_a_computation() -> None:
    assert len(ROWS) == sum(len(rows) for rows in BY_PROBLEM.values())
    assert set(ANSWERS) == set(BY_PROBLEM)


@each_problem
def test_a_final_answer_is_called_correct_exactly_when_it_equals_the_ground_truth(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        given, truth = value_of(row["final_answer"]), value_of(row["ground_truth_answer"])
        equal = given is not None and sympy.simplify(given - truth) == 0
        assert row["final_answer_correct"] is equal


@each_problem
def test_the_final_answer_is_in_the_last_step(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        last = row["steps"][-1]
        if "# Answer" in last:
            assert last.endswith(f"\n\n# Answer\n\n{row['final_answer']}")
        else:
            assert all(number in last for number in re.findall(r"\d+", row["final_answer"]))


@each_problem
def test_ratings_stop_at_the_first_error_and_agree_with_it(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        first_error, ratings = row["first_error"], row["step_labels"]
        if not row["final_answer_correct"]:
            assert first_error >= 0, "a wrong answer without a wrong step"
        if ratings is None:
            continue
        path = ratings if first_error == -1 else ratings[:first_error]
        assert set(path) <= {0, 1}
        if first_error >= 0:
            assert ratings[first_error] == -1
            assert set(ratings[first_error + 1 :]) <= {None}


@each_problem
def test_plain_sums_hold_before_the_first_error(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        sound = row["steps"] if row["first_error"] == -1 else row["steps"][: row["first_error"]]
        assert [pair for step in sound for pair in sums_of(row, step) if not holds(*pair)] == []


def sums_of(row: dict[str, Any], step: str) -> list[tuple[str, str]]:
    return list(sums_in(step, money=row["problem_id"] in MONEY_IN_STEPS))


def test_the_sums_checked_are_many_and_slips_of_arithmetic_are_seen() -> None:
    seen = [pair for row in ROWS for step in row["steps"] for pair in sums_of(row, step)]
    assert len(seen) > 200
    assert [pair for pair in seen if not holds(*pair)] == [
        ("462-3* 147", "462-431"),
        ("6*7/2", "20"),
        ("1 + 2 + 4 + 6 + 2", "16"),
    ]


def test_reference_solutions_end_in_the_boxed_answer_and_add_up() -> None:
    for rows in BY_PROBLEM.values():
        solution = rows[0]["ground_truth_solution"]
        assert f"\\boxed{{{rows[0]['ground_truth_answer']}}}" in solution
        assert all(holds(*pair) for pair in sums_in(solution))


def test_a_problem_reads_the_same_in_each_of_its_traces() -> None:
    told = ("problem", "ground_truth_answer", "ground_truth_solution", "subject", "level", "split", "source")
    for rows in BY_PROBLEM.values():
        assert len({tuple(row[key] for key in told) for row in rows}) == 1
    assert len({rows[0]["problem"] for rows in BY_PROBLEM.values()}) == len(BY_PROBLEM)


def test_every_problem_has_three_to_six_traces_right_and_wrong() -> None:
    for rows in BY_PROBLEM.values():
        assert 3 <= len(rows) <= 6
        assert {row["final_answer_correct"] for row in rows} == {True, False}


def test_traces_have_4_to_14_steps_and_no_step_is_used_twice() -> None:
    assert {len(row["steps"]) for row in ROWS} <= set(range(4, 15))
    steps = Counter(step for row in ROWS for step in row["steps"])
    assert [step for step, times in steps.items() if times > 1] == []


def test_errors_come_early_and_late_and_some_right_answers_rest_on_them() -> None:
    errors = [(row["first_error"], len(row["steps"]), row["final_answer_correct"]) for row in ROWS]
    assert sum(first == 0 for first, _, _ in errors) >= 5
    assert sum(first == steps - 1 for first, steps, _ in errors) >= 5
    assert sum(first >= 0 and correct for first, _, correct in errors) >= 10
    assert sum(first == -1 for first, _, _ in errors) >= 50


def test_subjects_and_levels_are_all_there() -> None:
    problems = [rows[0] for rows in BY_PROBLEM.values()]
    assert {problem["level"] for problem in problems} == set("12345")
    subjects = {"Algebra", "Number Theory", "Counting", "Geometry", "Probability", "Calculus"}
    assert {problem["subject"] for problem in problems} == subjects


@each_problem
def test_tex_is_balanced(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        money = row["problem_id"] in MONEY_IN_STATEMENT, row["problem_id"] in MONEY_IN_STEPS
        texts = [(row["problem"], money[0]), (row["ground_truth_solution"], money[1])]
        for text, with_money in [*texts, *((step, money[1]) for step in row["steps"])]:
            assert faults_of_tex(text, money=with_money) == []


def faults_of_tex(text: str, *, money: bool) -> list[str]:
    """Return what is opened and not closed in a text."""
    text = re.sub(r"\\[${}]", "", text)
    if money:
        text = re.sub(r"\$(?=\d|<<)", "", text)
    environments = re.findall(r"\\(begin|end)\{(\w+)\}", text)
    counts = {
        "dollars": text.count("$") % 2,
        "braces": text.count("{") - text.count("}"),
        "display": len(re.findall(r"\\\[", text)) - len(re.findall(r"\\\]", text)),
        "inline": text.count("\\(") - text.count("\\)"),
        "left": len(re.findall(r"\\left\b", text)) - len(re.findall(r"\\right\b", text)),
        "environments": len(environments) % 2,
    }
    return [name for name, count in counts.items() if count]


def test_unbalanced_tex_is_seen() -> None:
    assert faults_of_tex("$x", money=False) == ["dollars"]
    assert faults_of_tex(r"$\frac{1}{2$", money=False) == ["braces"]
    assert faults_of_tex("tickets at $8 and $x$", money=True) == []


@each_problem
def test_the_import_format_finds_no_fault(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        parsed, faults = neutral.parse(row, 1)
        assert faults == []
        assert parsed is not None
        assert parsed.trace is not None
        assert parsed.trace.metadata == {}
