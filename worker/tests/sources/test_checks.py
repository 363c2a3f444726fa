"""Recomputed equations, numbers from nowhere, and how a judge's answer is interpreted."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.sources import judging
from labeling.sources.equations import equations_of, symbolic_sides
from labeling.sources.verifier import check, marked
from labeling.tests.imports.files import SHARED_DATA
from worker.prm.families import generative_judge
from worker.prm.step_checks import numbers_of

HOLD = [
    "So he has $12 \\times 7 = 84$ eggs.",
    "$\\frac{1}{2} + \\frac{1}{3} = \\frac{5}{6}$",
    "10 / 3 ≈ 3.33, and 10/3 = 3.33",
    "2(3+4) = 14",
    "50 * 20% = 10",
    "2^{10} = 1,024",
    "1/4 = 25%",
]
FALSE = [
    "12 x 7 = 86",
    "1,000 + 2,000 = 3,500",
    "Total: $18 + $6 = $25.",
    "15 + 30 = 45 - 1 = 44.5",
    "5 - 3 = 3 apples",
]
NO_CLAIM = [
    "x + 3 = 5",
    "2x = 10 + 4",
    "3 eggs + 4 * 2 = 11",
    "20% of 50 + 5 = 15",
    "7+1 = 3 apples + 5 apples",
    "The ratio is 1:2+3 = 3",
    "3^2 + 0 = 2 (mod 7)",
    "9**9**9 = 1",
    "f(2) = 3",
    "we subtract 4 from 2x: 2x - 4 - 4 = 10 - 4",
    "__import__('os').getpid() + 1 = 2",
]


def test_equations_between_numbers_are_computed_again_and_nothing_else_is_judged():
    for text in HOLD:
        found = list(equations_of(text))
        assert found, text
        assert all(one.holds for one in found), text
    for text in FALSE:
        assert any(not one.holds for one in equations_of(text)), text
    for text in NO_CLAIM:
        assert all(one.holds for one in equations_of(text)), text


def test_a_remark_in_parentheses_behind_an_equation_changes_nothing():
    def found(text, **how):
        return [(one.text, one.holds) for one in equations_of(text, **how)]

    for remark in ("(left: 24)", "(left: 6 4)", "(left: 6, 4)", "( )", "(rounded down)", "(as 3 + 4 is no 8)"):
        assert found(f"16 + 9 = 24 {remark}") == [("16 + 9 = 24", False)], remark
        assert found(f"8 - 2 = 6 eggs {remark}.") == [("8 - 2 = 6", True)], remark
    assert found("2 + 2 = 4 (so far) = 5") == [("2 + 2 = 4", True)]
    for part in ("(eggs) + 5", "(sqrt 4)", "(times 3)", "(x + 1)", "(3 + 1)"):  # these are of the calculation
        assert all(holds for _, holds in found(f"1 + 1 = 2 {part}") if part != "(3 + 1)"), part
    assert found("16 + 9 = 24 (left: 24)", remarks=False) == []


def test_what_a_calculator_was_asked_is_computed_again_and_so_is_what_stands_around_it():
    def found(text, **how):
        return [(one.text, one.holds) for one in equations_of(text, **how)]

    assert found("He has 60 x 3 = <<60*3=180>>180 eggs.") == [("60 x 3 = 180", True)]  # one claim, written twice
    assert found("They pay $<<2+2=5>>5.") == [("2+2 = 5", False)]
    assert found("So 7 x 3 = <<3*4=12>>12.") == [("7 x 3 = 12", False), ("3 x 4 = 12", True)]
    assert found("240 x 30/100 = <<240*30/100=72.0>>72") == [("240 x 30/100 = 72", True), ("240 x 30/100 = 72.0", True)]
    assert found("<<__import__('os').getpid()=2>>2 << 3 = 4") == []
    assert found("60 x 3 = <<60*3=180>>180", calculator=False) == []


def test_a_number_that_the_problem_has_in_words_comes_from_somewhere():
    problem = "Each of 60 people brought three times a dozen eggs, and half of them broke."
    assert [one.from_nowhere for one in check(problem, ["60 x 3 = 180", "180 x 12 = 2160", "2160 / 2 = 1080"])] == [
        ()
    ] * 3
    assert check(problem, ["7 is odd"])[0].from_nowhere == (7.0,)
    assert check(problem, ["3 x 12 = 36"], version="verifier/2")[0].from_nowhere == (3.0, 12.0)


def test_heads_that_read_the_checks_go_on_reading_those_of_the_version_they_learned_from():
    steps = ["16 + 9 = 24 (left: 24)"]
    assert check("", steps)[0].equations == 1
    assert check("", steps, version="verifier/1")[0].equations == 0
    asked = ["60 x 3 = <<60*3=180>>180"]
    assert [check("", asked, version=f"verifier/{one}")[0].equations for one in (1, 2, 3)] == [0, 0, 1]
    assert numbers_of("", asked)[0][0] == 0.0
    assert numbers_of("", steps)[0][0] == 0.0
    assert marked(check("", steps, version="verifier/1"), version="verifier/1").evidence["version"] == "verifier/1"


@pytest.mark.skipif(not SHARED_DATA.exists(), reason="needs the shared data (STEPMARK_SHARED_DATA)")
def test_the_steps_of_the_game_of_24_are_computed_again():
    rows = [json.loads(line) for line in (SHARED_DATA / "tot_game24.jsonl").read_text().splitlines()]
    steps = [step for row in rows for step in row["steps"] if "(left:" in step]
    checked = [list(equations_of(step)) for step in steps]
    assert len(steps) > 8_000
    assert sum(bool(one) for one in checked) > 0.999 * len(steps)
    assert [one.holds for one in checked[steps.index("16 + 9 = 24 (left: 24)")]] == [False]
    row = next(row for row in rows if "16 + 9 = 24 (left: 24)" in row["steps"])
    assert marked(check(row["problem"], row["steps"])).first_error == row["steps"].index("16 + 9 = 24 (left: 24)")


@given(st.integers(1, 999), st.integers(1, 999), st.integers(-5, 5), st.sampled_from("+-*"))
def test_a_calculation_holds_exactly_where_its_result_is_the_one(one, other, off, sign):
    right = {"+": one + other, "-": one - other, "*": one * other}[sign]
    [found] = equations_of(f"He gets {one} {sign} {other} = {right + off} of them.")
    near = abs(off) <= 1e-6 * max(1, abs(right))
    assert found.holds == near or right + off in (right * 100, right / 100)


@given(st.text(max_size=200))
def test_no_text_breaks_the_checks(text):
    checks = check(text, [text, text], [[text]])
    assert len(marked(checks).steps) == 2
    symbolic_sides(text)


def test_the_evidence_says_in_words_what_does_not_hold_and_what_comes_from_nowhere():
    problem = "Tom has 12 boxes with 7 eggs each. He breaks 4."
    steps = ["12 x 7 = 86 eggs.", "86 - 4 = 82 are left.", "With 137 more he would have 219."]
    others = [["12 x 7 = 84"], ["It is 84 - 4 = 80"]]
    found = marked(check(problem, steps, others))
    assert found.evidence["words"][0] == [
        "12 x 7 = 86 does not hold (84)",
        "86: neither given nor one operation away",
        "0% of 2 other traces hold its numbers",
    ]
    assert found.evidence["words"][2][0] == "137: neither given nor one operation away"
    assert (found.first_error, list(found.steps)) == (0, [0.0, 1.0, None])
    assert marked(check("1 + 1?", ["1 + 1 = 2"])).first_error is None  # nothing false is not a verdict


@pytest.mark.skipif(not SHARED_DATA.exists(), reason="needs the shared data (STEPMARK_SHARED_DATA)")
def test_a_false_equation_speaks_against_its_step_as_often_as_was_measured():
    false = wrong = 0
    for line in (SHARED_DATA / "bbmistake_multistep_arithmetic.jsonl").read_text().splitlines():
        row = json.loads(line)
        first = row["label"] if "label" in row else row["first_error"]
        for place, step in enumerate(row["steps"][: first + 1] if first >= 0 else row["steps"]):
            if any(not one.holds for one in equations_of(step)):
                false, wrong = false + 1, wrong + (place == first)
    assert false > 200
    assert wrong / false > 0.9


TEXTS = [
    "\\boxed{2}",
    "\\boxed{-1}",
    "\\boxed{9}",
    "\\boxed{correct} \\boxed{incorrect}",
    "none",
    "",
    "\\boxed{correct}",
]


def test_judges_that_label_read_and_ask_what_judges_that_select_do():
    steps = ["One.", "Two {problem}.", "Three."]
    for name in generative_judge.TEMPLATES:
        judge = object.__new__(generative_judge.GenerativeJudge)
        judge.template = name
        [message] = judge.messages("What {solution}?", steps)
        assert judging.write_prompt(f"{name}/1", "What {solution}?", steps) == message["content"]
        for text in TEXTS:
            assert judging.read_vote(f"{name}/1", text, 3).first_error == generative_judge.first_error(text, 3, name)
    votes = [0, 2, -1, 2]
    assert judging.log_shares(votes, 3) == generative_judge.log_shares(votes, 3)


def test_what_cannot_be_read_is_said_and_votes_that_are_split_name_no_step():
    votes = [judging.read_vote("processbench/1", text, 3) for text in TEXTS]
    assert [vote.why for vote in votes] == [
        *("", "", "index 9 of a solution with 3 steps", "\\boxed{incorrect} is not an index"),
        *("no verdict in \\boxed{}", "the answer is empty", "\\boxed{correct} is not an index"),
    ]
    found = judging.marked(votes, 3)
    assert (found.first_error, found.why) == (None, "split")
    assert [one["vote"] for one in found.evidence["unread"]] == [2, 3, 4, 5, 6]
    assert judging.marked(votes[2:], 3).why == "unread"
    with pytest.raises(judging.UnusableTemplate):
        judging.template_of("Judge {problem}!")
