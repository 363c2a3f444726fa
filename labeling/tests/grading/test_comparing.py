"""Which answers are the same, which are not, and which a program cannot decide."""

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

from labeling.grading import GRADER_VERSION, Question
from labeling.grading.grader import grade, options_of
from labeling.models import Project

# First the lists of the labeling protocol, then cases from real traces.
EQUAL = [
    ("40000", r"40,\!000"),
    ("0.25", r"\frac14"),
    ("x=5", "5"),
    (r"\sqrt8", r"2\sqrt2"),
    ("7i-2", "-2+7i"),
    ("1<x<3", "(1,3)"),
    ("0, 4, -4", "-4,0,4"),
    (r"\{4, -4, 0\}", "-4,0,4"),
    ("115{,}000", r"\$115,000"),
    ("400 000", "400000"),
    (r"$\dfrac{1}{2}$", "0.5"),
    ("-1/3", r"-\frac{1}{3}"),
    ("0.333333", "1/3"),
    ("3 1/2", "3.5"),
    (r"3\frac12", "7/2"),
    (r"3\times10^{5}", "300000"),
    ("1.5e3", "1,500"),
    ("50%", "0.5"),
    (r"50\%", "50"),
    (r"\frac{270}{7}", r"\frac{270}7\text{ degrees}"),
    ("5 m", "500 cm"),
    ("12 square feet", r"12\text{ ft}^2"),
    ("Evelyn", r"\text{Evelyn}"),
    ("7602", "7602_8"),
    ("11_2", "3_{10}"),
    ("(b,c)=(6,5)", "(6,5)"),
    (r"x \in [1,2]\cup[3,4]", r"[3,4] \cup [1,2]"),
    ("x>3", r"(3,\infty)"),
    (r"x \le 2", r"(-\infty, 2]"),
    (r"3\pm\sqrt2", r"3-\sqrt2, 3+\sqrt2"),
    ("x=1 or x=2", "1, 2"),
    ("(x+1)^2", "x^2+2x+1"),
    ("y=2x+3", "2x-y+3=0"),
    ("4x - 7", "(4x - 7)"),
    ("2**10", "1024"),
    (r"\frac{\sqrt{3}}{2}", "0.8660254"),
    (r"\begin{pmatrix}1\\2\end{pmatrix}", r"\begin{pmatrix}1\\ \frac{4}{2}\end{pmatrix}"),
    (r"\frac{3}{16} = 0.0011_2", "0.0011_{2}"),
    ("2+3=5", "5"),
]
DIFFERENT = [
    ("5 meters", "5 cm"),
    ("5 hours", "5 kg"),
    ("(2,1)", "(1,2)"),
    ("(1,2)", "(1,2,3)"),
    ("1,2", "1,3"),
    ("x>3", r"x\ge 3"),
    ("0.33", "1/3"),
    ("0.0000001", "0.0000002"),
    (r"\sqrt2", "1.41"),
    ("x+1", "x+2"),
    ("y=2x+3", "y=2x+4"),
    ("7602_8", "7602_9"),
    (r"3 - \frac{2}{3}f(x)", "3 - 2f(x)"),
    (r"\infty", "5"),
    (r"\begin{pmatrix}1\\2\end{pmatrix}", r"\begin{pmatrix}1\\3\end{pmatrix}"),
]
UNDECIDED = [
    ("", "", "no_answer"),
    ("$$", "5", "no_answer"),
    ("5", " ", "no_truth"),
    ("There is no solution.", "24", "words_against_mathematics"),
    ("5 apples", "5 pears", "unknown_units"),
    ("2, 1", "(1,2)", "order_unclear"),
    ("((((", "5", "answer_unreadable"),
    ("5", "((((", "truth_unreadable"),
    ("(13 - 6) * 7 - 5 = 24", "24", "false_equation"),
    ("5" * 2001, "5", "answer_too_long"),
    ("Evelyn", "Carla", "other_words"),
    ("x=1", "y=1", "other_names"),
    ("[1,2]", "(1,2)", "brackets_unclear"),
    ("1,1,2", "1,2,2", "repetition_unclear"),
    ("x>3", "4", "other_kind"),
    ("5 m", "500", "unit_unclear"),
    ("3,4", "3.4", "two_readings"),
]


def outcome(answer: str | None, truth: str | None, kind: str = "maths", tolerance: float = 0.0) -> str:
    return grade(Question((), answer, truth, kind, tolerance)).outcome


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_equal_answers_are_correct_either_way_round(one: str, other: str) -> None:
    assert outcome(one, other) == "correct"
    # An equation is an answer's luxury: the truth of a problem says the value.
    assert "2+3" in one or "16}" in one or outcome(other, one) == "correct"


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_answers_are_wrong_either_way_round(one: str, other: str) -> None:
    assert (outcome(one, other), outcome(other, one)) == ("wrong", "wrong")


@pytest.mark.parametrize(("answer", "truth", "reason"), UNDECIDED)
def test_what_cannot_be_decided_is_ungraded_and_says_why(answer: str, truth: str, reason: str) -> None:
    found = grade(Question((), answer, truth))
    assert (found.outcome, found.reason) == ("ungraded", reason)


def test_exact_answers_must_have_the_same_letters() -> None:
    assert outcome(" pink  ball", "pink ball", "exact") == "correct"
    assert outcome("Pink ball", "pink ball", "exact") == "wrong"
    assert outcome("1/2", "0.5", "exact") == "wrong"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [("2", "correct"), ("4", "correct"), ("-4", "correct"), ("5", "wrong"), ("y", "ungraded"), ("2+2=5", "ungraded")],
)
def test_of_several_right_answers_any_will_do_and_only_none_of_them_is_wrong(answer: str, expected: str) -> None:
    assert grade(Question((), answer, "2", accepted=("x+1", r"\pm 4", "4", "-4")[2:])).outcome == expected
    assert grade(Question((), answer, None, accepted=("2", "4", " ", "-4"))).outcome == expected


def test_an_answer_that_may_be_one_of_several_is_not_wrong() -> None:
    found = grade(Question((), "y+1", "3", accepted=("4", "x+1")))
    assert (found.outcome, found.reason) == ("ungraded", "undecided")
    assert grade(Question((), "5", "3")).outcome == "wrong"
    assert grade(Question((), "5", "3", accepted=("x+1",))).outcome == "ungraded"
    assert grade(Question((), "(B)", "(A)", "choice", 0.0, ("(B)",))).outcome == "correct"
    assert grade(Question((), "ten", "10", "exact", 0.0, ("ten",))).outcome == "correct"


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("(B)", "B"),
        ("B", "B"),
        ("b.", "B"),
        ("Choice_B", "B"),
        (r"Choice\_B: 300 nm", "B"),
        ("B: 5 m/s", "B"),
        ("Option (B)", "B"),
        ("(A) and (C)", "AC"),
        ("A, C", "AC"),
        ("a bird", None),
        ("(None of the above choices.)", None),
        ("605.04 Hz", None),
    ],
)
def test_options_are_read_in_every_usual_spelling(text: str, letters: str | None) -> None:
    assert options_of(text) == (None if letters is None else frozenset(letters))


def test_a_choice_is_correct_when_it_names_the_true_options() -> None:
    assert outcome("Choice_A", "(A)", "choice") == "correct"
    assert outcome("(B)", "(A)", "choice") == "wrong"
    assert outcome("(A) and (B)", "(A)", "choice") == "wrong"
    assert outcome("None", "(A)", "choice") == "ungraded"
    assert outcome("(A)", "pink ball", "choice") == "ungraded"


@pytest.mark.parametrize(
    ("answer", "truth", "expected"),
    [
        ("9.8 m/s", "9.81 m/s", "correct"),
        ("9.6", "9.81", "wrong"),
        ("x = 9.8", "9.81", "correct"),
        ("981 cm", "9.81 m", "correct"),
        (r"\frac{\sqrt{3}}{2}", "0.87", "correct"),
        ("0.009", "0", "correct"),
        ("0.02", "0", "wrong"),
        ("9.81 m", "9.81 kg", "wrong"),
        ("about ten", "10", "ungraded"),
        ("x+1", "10", "ungraded"),
    ],
)
def test_numbers_are_compared_within_the_tolerance(answer: str, truth: str, expected: str) -> None:
    assert outcome(answer, truth, "numeric", 0.01) == expected


def test_a_project_that_is_not_graded_stays_so() -> None:
    assert grade(Question((r"\boxed{5}",), "5", "5", "none")).reason == "not_graded"


def test_the_version_names_the_installed_library() -> None:
    assert GRADER_VERSION.endswith(f"+math-verify-{importlib.metadata.version('math-verify')}")
    assert len(GRADER_VERSION) <= 40


def test_every_kind_of_answer_a_project_may_have_is_graded() -> None:
    for kind in Project.AnswerKind.values:
        assert outcome("(B)", "(B)", kind) == ("ungraded" if kind in ("none", "numeric") else "correct"), kind


def test_the_web_process_does_not_load_sympy() -> None:
    code = "import django, sys; django.setup(); import annotation_app.urls; print('sympy' in sys.modules)"
    folder = Path(__file__).parents[3]
    ran = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
