"""Where a solution's final answer is found, and by which rule."""

import pytest

from labeling.grading import Question
from labeling.grading.extraction import TAIL, extract_answer
from labeling.grading.grader import grade

FOUND = [
    (r"So we have \boxed{12}.", "12", "boxed"),
    (r"First \boxed{1}, but in fact \boxed{2}.", "2", "boxed"),
    (r"\boxed{\frac{1}{\sqrt{2}}}", r"\frac{1}{\sqrt{2}}", "boxed"),
    (r"\boxed{\left\{ \{1\}, 2 \right\}}", r"\left\{ \{1\}, 2 \right\}", "boxed"),
    (r"\boxed{5} and then \boxed{6", "5", "boxed"),
    (r"\boxed 7 is it", "7", "boxed"),
    ("Text.\n\n# Answer\n\n4p", "4p", "answer_block"),
    ("8 + 6 = 14\n#### 14", "14", "hashes"),
    ("So it is 24 - 14.\nA: 10", "10", "a_line"),
    ("Therefore, the final answer is: $2x + 1$. I hope it is correct.", "$2x + 1$", "answer_is"),
    ("The answer is 3.5. Done.", "3.5", "answer_is"),
    ("**Answer:** 42", "42", "answer_is"),
    (r"So the answer is \boxed{8}", "8", "boxed"),
    ("The correct answer to the question is 0.75", "0.75", "answer_is"),
]


@pytest.mark.parametrize(("text", "answer", "rule"), FOUND)
def test_the_answer_is_found_and_the_rule_is_named(text: str, answer: str, rule: str) -> None:
    assert extract_answer(["Step.", text]) == (answer, rule)


@pytest.mark.parametrize("text", ["We have 12 apples.", "", r"\boxed{}", r"\boxed{5", "The answer is", "# Answer\n\n"])
def test_no_answer_is_made_up(text: str) -> None:
    assert extract_answer([text]) is None
    assert grade(Question((text,), None, "5")).reason == "no_answer"


def test_options_are_answers_only_where_the_problem_offers_them() -> None:
    steps = ["At the end of the event, Bob has the pink ball: (A)"]
    assert extract_answer(steps) is None
    assert extract_answer(steps, options=True) == ("A", "option")
    assert extract_answer(["A: pink, B: red. So the answer is (B)"], options=True) == ("(B)", "answer_is")
    assert extract_answer(["The answer is 5 nm.", "Solution: Choice_D"], options=True) == ("D", "option")
    assert extract_answer(["None of the choices (Choice_A, Choice_B) is right."], options=True) is None


def test_a_recorded_answer_goes_before_what_the_steps_say_and_may_be_dressed() -> None:
    assert grade(Question((r"\boxed{6}",), "5", "5"))[:3] == ("correct", "same_text", "recorded")
    assert grade(Question((), r"It is \boxed{5}", "5"))[:3] == ("correct", "same_text", "boxed")
    assert grade(Question((r"\boxed{5}",), "  ", "5"))[:3] == ("correct", "same_text", "boxed")


def test_only_the_end_of_a_long_trace_is_looked_at() -> None:
    assert extract_answer([r"\boxed{5}" + "x" * TAIL]) is None
    assert extract_answer(["x" * 10**6, r"\boxed{5}"]) == ("5", "boxed")
