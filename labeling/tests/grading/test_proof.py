"""Wrong needs a proof: pairs by class, and rewritings that keep an answer's meaning and so are never called wrong."""

import re
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from labeling.grading import Question
from labeling.grading.grader import grade
from labeling.grading.process_pool import GradingPool
from labeling.tests.grading.answer_classes import CLASSES

LEAST = 15  # pairs of a class
in_time = settings(
    deadline=None, max_examples=80, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


@pytest.mark.parametrize("name", CLASSES)
def test_a_pair_is_wrong_only_where_that_is_proven(name: str) -> None:
    rows = CLASSES[name]
    found = [(one, other, grade(Question((), one, other)).outcome) for one, other, _ in rows]
    assert found == rows
    turned = [(one, other, grade(Question((), other, one)).outcome) for one, other, _ in rows]
    assert turned == rows, "the other way round"


def test_every_class_has_equal_and_different_pairs() -> None:
    for name, rows in CLASSES.items():
        assert len(rows) >= LEAST, name
        assert {outcome for _, _, outcome in rows} >= {"correct", "wrong"}, name
        assert len({(one, other) for one, other, _ in rows}) == len(rows), name


numbers = st.one_of(
    st.integers(-9999, 9999).map(str),
    st.decimals(-99, 99, places=2).map(str),
    st.tuples(st.integers(-40, 40), st.integers(2, 19)).map(lambda made: rf"\frac{{{made[0]}}}{{{made[1]}}}"),
)
roots = st.integers(2, 30).map(lambda under: rf"\sqrt{{{under}}}")
closed = st.one_of(
    numbers,
    st.tuples(st.integers(1, 9), st.integers(2, 9)).map(lambda made: rf"\frac{{{made[0]}\pi}}{{{made[1]}}}"),
    st.tuples(st.integers(-9, 9), roots).map(lambda made: f"{made[0]} + {made[1]}"),
    st.tuples(st.integers(-9, 9), roots).map(lambda made: rf"{made[0]} \pm {made[1]}"),
)
bodies = st.tuples(
    st.integers(2, 9), st.sampled_from(["x^2", "x", r"\frac{1}{x}", r"\sqrt{x}"]), st.integers(1, 9)
).map(lambda made: f"{made[0]}{made[1]} + {made[2]}")
several = st.lists(closed, min_size=2, max_size=4)
answers = st.one_of(
    closed,
    closed.map(lambda value: f"x = {value}"),
    bodies.map(lambda body: f"f(x) = {body}"),
    several.map(", ".join),
    several.map(lambda items: f"({', '.join(items)})"),
    several.map(lambda items: rf"\{{{', '.join(items)}\}}"),
    several.map(lambda items: r"\begin{pmatrix} " + r" \\ ".join(items) + r" \end{pmatrix}"),
    st.tuples(st.integers(-9, 0), st.integers(1, 9)).map(lambda ends: rf"{ends[0]} \le x < {ends[1]}"),
    st.lists(st.sampled_from(["Evelyn", "Carla", "a red ball"]), min_size=1, max_size=2, unique=True).map(" and ".join),
)


def _is_list(text: str) -> bool:
    return ", " in text and not text.startswith(("(", "\\", "f", "x"))


def _both(text: str) -> str:
    return text.replace(r"\pm", "-") + ", " + text.replace(r"\pm", "+")


def _renamed(text: str) -> str:
    return re.sub(r"\\[a-z]+|x", lambda found: "y" if found[0] == "x" else found[0], text) if "f(" in text else text


COLUMN = re.compile(r"\\begin\{pmatrix\} (.*) \\end\{pmatrix\}")
REWRITES: dict[str, Callable[[str], str]] = {
    "spaces": lambda text: re.sub(r"([-+=,<])", r" \1 ", text).replace(r"\ ,", r"\,"),
    "no spaces": lambda text: re.sub(r" (?=[-+\d(])|(?<=,) ", "", text),
    "thin spaces": lambda text: text.replace(", ", r",\, "),
    "left and right": lambda text: text.replace("(", r"\left(").replace(")", r"\right)"),
    "dfrac": lambda text: text.replace(r"\frac", r"\dfrac"),
    "frac by slash": lambda text: re.sub(r"\\frac\{(-?\d+)\}\{(\d+)\}", r"(\1)/\2", text),
    "dollars": lambda text: f"${text}$",
    "brackets of LaTeX": lambda text: rf"\({text}\)",
    "boxed": lambda text: rf"\boxed{{{text}}}",
    "a full stop": lambda text: f"{text}.",
    "the answer is": lambda text: f"The answer is {text}",
    "text around words": lambda text: rf"\text{{{text}}}" if re.fullmatch(r"[A-Za-z ]+", text) else text,
    "a unit": lambda text: rf"{text} \text{{ apples}}" if re.fullmatch(r"-?[\d.]+", text) else text,
    "a name": lambda text: f"x = {text}" if not re.search(r"[=,<A-Za-z]", text.replace("frac", "")) else text,
    "another variable": _renamed,
    "another order": lambda text: ", ".join(reversed(text.split(", "))) if _is_list(text) else text,
    "and": lambda text: r" \text{ and } ".join(text.rsplit(", ", 1)) if _is_list(text) else text,
    "braces": lambda text: rf"\{{{text}\}}" if _is_list(text) else text,
    "pi in letters": lambda text: text.replace(r"\pi", "pi"),
    "plus-minus written out": lambda text: _both(text) if text.count(r"\pm") == 1 and "," not in text else text,
    "the sign itself": lambda text: text.replace(r"\pm", "±"),
    "a tuple for a column": lambda text: COLUMN.sub(lambda found: "(" + found[1].replace(r" \\ ", ", ") + ")", text),
}


@pytest.fixture(scope="module")
def pool() -> Iterator[GradingPool]:
    with GradingPool(1, seconds=5) as processes:
        yield processes


@in_time
@given(answer=answers, rewrites=st.lists(st.sampled_from(sorted(REWRITES)), min_size=1, max_size=4, unique=True))
@example(answer=r"\frac{3\pi}{4}", rewrites=["pi in letters", "dfrac"])
@example(answer=r"2 \pm \sqrt{3}", rewrites=["plus-minus written out", "another order", "and"])
@example(answer="f(x) = 2x^2 + 1", rewrites=["another variable", "left and right"])
@example(answer=r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}", rewrites=["a tuple for a column"])
def test_an_answer_written_in_another_way_is_never_wrong(pool: GradingPool, answer: str, rewrites: list[str]) -> None:
    written = answer
    for name in rewrites:
        written = REWRITES[name](written)
    there, back = pool.grade([Question((), written, answer), Question((), answer, written)])
    assume("timed_out" not in (there.reason, back.reason))
    assert "wrong" not in (there.outcome, back.outcome), (written, there, back)


@in_time
@given(answer=closed, name=st.sampled_from(["dollars", "dfrac", "left and right", "a full stop", "boxed", "spaces"]))
def test_what_only_dresses_an_answer_leaves_it_right(pool: GradingPool, answer: str, name: str) -> None:
    (found,) = pool.grade([Question((), REWRITES[name](answer), answer)])
    assume(found.reason != "timed_out")
    assert found.outcome == "correct", REWRITES[name](answer)


@in_time
@given(one=st.integers(-50, 50), other=st.integers(-50, 50), under=st.integers(2, 30))
def test_closed_values_are_wrong_exactly_when_they_differ(pool: GradingPool, one: int, other: int, under: int) -> None:
    (found,) = pool.grade([Question((), rf"{one} + 2\sqrt{{{under}}}", rf"\sqrt{{{4 * under}}} + {other}")])
    assert found.outcome == ("correct" if one == other else "wrong")
