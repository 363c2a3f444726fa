"""Laws for every answer: grading never raises or hangs, finds a thing equal to itself, and is symmetric."""

from collections.abc import Iterator
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from labeling.grading import KINDS, Question
from labeling.grading.extraction import extract_answer
from labeling.grading.plain_answers import cleaned, plain_number
from labeling.grading.process_pool import GradingPool

# The machine may be busy; slow cases are graded in processes with a time limit.
in_time = settings(
    deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)

MARKS = [*"{}()[],;:.$^_=<>-+/%#!", "**", "A:", "####", r"\boxed{", r"\(", r"\)", r"\[", r"\]"]
COMMANDS = [r"\frac", r"\sqrt", r"\text", r"\pm", r"\cup", r"\infty", r"\le", r"\pi"]
WORDS = [
    "answer",
    "is",
    "the",
    "The answer is",
    "and",
    "or",
    "Choice_A",
    "(B)",
    "meters",
    "cm",
    "x",
    "y",
    "pi",
    "\n",
    " ",
]
texts = st.lists(st.one_of(st.sampled_from(MARKS + COMMANDS + WORDS), st.integers(-99, 99).map(str)), max_size=12).map(
    "".join
)
wild = st.one_of(texts, st.text(max_size=40))

atoms = st.one_of(st.integers(0, 40).map(str), st.sampled_from(["x", "y", r"\pi", "0.5", "2.25", r"\frac{3}{4}"]))
expressions = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", r" \cdot "]), inner).map(lambda made: f"({''.join(made)})"),
        inner.map(lambda made: rf"\sqrt{{{made}}}"),
        st.tuples(inner, inner).map(lambda made: rf"\frac{{{made[0]}}}{{{made[1]}}}"),
    ),
    max_leaves=4,
)
fractions = st.fractions(min_value=-1000, max_value=1000, max_denominator=999)


@pytest.fixture(scope="module")
def pool() -> Iterator[GradingPool]:
    with GradingPool(1, seconds=5) as processes:
        yield processes


def outcome(pool: GradingPool, answer: str, truth: str) -> str:
    """Return the outcome; sympy may take forever for two roots, and a case that was given up proves nothing."""
    (found,) = pool.grade([Question((), answer, truth)])
    assume(found.reason not in ("timed_out", "out_of_memory", "too_deep"))
    return found.outcome


@in_time
@given(steps=st.lists(wild, max_size=4), answer=st.none() | wild, truth=st.none() | wild, kind=st.sampled_from(KINDS))
def test_grading_never_raises_and_never_hangs(
    pool: GradingPool, steps: list[str], answer: str | None, truth: str | None, kind: str
) -> None:
    (found,) = pool.grade([Question(tuple(steps), answer, truth, kind, 0.01)])
    assert found.outcome in ("correct", "wrong", "ungraded")
    assert found.reason not in ("", "crashed"), "a process that raises ends"


@in_time
@given(answer=expressions)
def test_every_expression_is_itself(pool: GradingPool, answer: str) -> None:
    assert outcome(pool, answer, answer) == "correct"
    assert outcome(pool, f"$ {answer} $", rf"\left({answer}\right)") == "correct"


@in_time
@given(one=expressions, other=expressions)
@example(one=r"\sqrt{\frac{\pi}{0.5}}", other=r"\frac{\sqrt{\frac{\pi}{1}}}{\sqrt{0.5}}")
def test_it_does_not_matter_which_of_two_expressions_is_the_truth(pool: GradingPool, one: str, other: str) -> None:
    assert outcome(pool, one, other) == outcome(pool, other, one)


@in_time
@given(one=fractions, other=fractions)
def test_fractions_are_equal_exactly_when_their_values_are(pool: GradingPool, one: Fraction, other: Fraction) -> None:
    answer = rf"\frac{{{one.numerator * 3}}}{{{one.denominator * 3}}}"
    assert outcome(pool, answer, f"{one.numerator}/{one.denominator}") == "correct"
    assert outcome(pool, answer, f"{other.numerator}/{other.denominator}") == ("correct" if one == other else "wrong")


@in_time
@given(value=st.integers(-(10**12), 10**12))
def test_whole_numbers_are_read_however_they_are_grouped(value: int) -> None:
    for spelled in (f"{value}", f"{value:,}", f"{value:,}".replace(",", r",\!"), f"${value}.0$", f"{value} apples"):
        number = plain_number(cleaned(spelled))
        assert number is not None, spelled
        assert number.value == value


@in_time
@given(items=st.lists(st.integers(-20, 20), min_size=2, max_size=6), seed=st.randoms())
def test_the_order_counts_in_a_tuple_and_not_in_a_set(pool: GradingPool, items: list[int], seed: object) -> None:
    mixed = list(items)
    seed.shuffle(mixed)  # type: ignore[attr-defined]
    one, other = (", ".join(map(str, numbers)) for numbers in (items, mixed))
    assert outcome(pool, one, other) == "correct"
    assert outcome(pool, rf"\{{{one}\}}", other) == "correct"
    assert outcome(pool, f"({one})", f"({other})") == ("correct" if items == mixed else "wrong")


@in_time
@given(before=wild, answer=expressions)
def test_a_boxed_answer_is_found_whatever_stands_before_it(before: str, answer: str) -> None:
    found = extract_answer([before.replace("\\", ""), rf"So it is \boxed{{{answer}}}."])
    assert found == (answer.strip(), "boxed")
