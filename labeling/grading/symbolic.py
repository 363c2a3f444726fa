"""Single expressions compared by math-verify (sympy). May take forever, or all memory: run it where it can be killed.

math-verify swallows every failure, running out of memory too, and says "not equal". So only its yes is taken; a no
counts when the two are *shown* to differ, by their values at a point; else nothing is decided.
"""

import hashlib
import logging
from functools import lru_cache
from typing import NamedTuple

from latex2sympy2_extended.logic import And
from math_verify import LatexExtractionConfig, parse, verify
from sympy import Basic, Eq, Expr, Float, I, MatrixBase, N, Rational, Symbol, UnevaluatedExpr, nan, oo, zoo
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.polys.polyerrors import BasePolynomialError

# Its warning that we bring our own time limit, once per process.
logging.getLogger("math_verify").setLevel(logging.ERROR)

# What sympy raises on what it cannot do. Anything else ends the process, and the answer is ungraded all the same.
CANNOT = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, NotImplementedError, RecursionError),
    *(TypeError, ValueError, BasePolynomialError),
)
LATEX_ONLY = (LatexExtractionConfig(boxed_match_priority=-1),)  # the other parser evaluates text as Python
DIGITS = 15
APART = 1e-8  # relative distance from which two values are taken as different
ALWAYS_THE_SAME = frozenset({"pi", "e", "E", "i", "I"})


class Verdict(NamedTuple):
    """`equal` True, False or None (not decided), and why in one word."""

    equal: bool | None
    reason: str


def compare_expressions(given: str, truth: str) -> Verdict:
    """Whether two cleaned expressions have the same value for all values of their variables."""
    one, other = parsed(given), parsed(truth)
    if other is None:
        return Verdict(None, "truth_unreadable")
    if one is None:
        return Verdict(None, "answer_unreadable")
    try:
        if "_" not in given and _is_false(one):  # the parser drops the base of `0.11_2`
            return Verdict(None, "false_equation")
        if _exact(one) and _exact(other) and _apart(one, other):  # so most wrong answers need no algebra
            return Verdict(False, "other_value")
        if _same(other, one):
            return Verdict(True, "same_value")
        if _apart(one, other):
            return Verdict(False, "other_value")
        # It may see it from one side only: sqrt(pi / 0.5) and sqrt(pi) / sqrt(0.5).
        if isinstance(one, Expr) and isinstance(other, Expr) and _same(one, other):
            return Verdict(True, "same_value")
    except CANNOT:
        pass
    return Verdict(None, "undecided")


def _same(truth: Basic | MatrixBase, answer: Basic | MatrixBase) -> bool:
    """What math-verify says of a truth and an answer."""
    return bool(verify(truth, answer, timeout_seconds=None, raise_on_error=True, allow_set_relation_comp=True))


@lru_cache(maxsize=256)
def parsed(text: str) -> Basic | MatrixBase | None:
    """The expression a text stands for, or None."""
    if "$" in text:
        return None
    try:
        found = parse(f"$${text}$$", LATEX_ONLY, fallback_mode="no_fallback", parsing_timeout=None, raise_on_error=True)
    except CANNOT:
        return None
    return found[0] if found and isinstance(found[0], Basic | MatrixBase) else None


def value_of(text: str) -> float | None:
    """The real value of a cleaned expression without variables; None where it has none."""
    expression = parsed(text)
    if not isinstance(expression, Expr) or expression.free_symbols - _constants(expression):
        return None
    try:
        value = _value(expression)
    except CANNOT:
        return None
    return value.real if value is not None and abs(value.imag) <= APART * (1 + abs(value.real)) else None


def _apart(one: Basic | MatrixBase, other: Basic | MatrixBase) -> bool:
    """Whether the two are shown to differ."""
    if isinstance(one, MatrixBase) and isinstance(other, MatrixBase):
        if one.shape != other.shape:
            return True
        return any(_apart(*pair) for pair in zip(one.doit(), other.doit(), strict=True))
    if isinstance(one, Eq) and isinstance(other, Eq):
        return _equations_apart(one, other)
    if isinstance(one, Relational | And) != isinstance(other, Relational | And):
        return isinstance(one, Expr) != isinstance(other, Expr)
    if not isinstance(one, Expr) or not isinstance(other, Expr):
        return False
    infinite = [expression in (oo, -oo) for expression in (one, other)]
    if any(infinite):
        return infinite[0] != infinite[1] or one != other
    first, second = _value(one), _value(other)
    return first is not None and second is not None and _far(first, second)


def _exact(expression: Basic | MatrixBase) -> bool:
    """Whether two such expressions are equal only where their values are: no decimals, percents, words, relations."""
    return (
        isinstance(expression, Expr)
        and not isinstance(expression, Symbol)
        and not expression.has(Float, UnevaluatedExpr)
    )


def _is_false(answer: Basic | MatrixBase) -> bool:
    """Whether the answer is an equation of numbers that does not hold: `2 + 2 = 5` is nobody's 5."""
    if not isinstance(answer, Eq) or answer.free_symbols:
        return False
    left, right = _value(answer.lhs), _value(answer.rhs)
    return left is not None and right is not None and _far(left, right)


def _equations_apart(one: Eq, other: Eq) -> bool:
    """Two equations are the same when their sides' differences are in one proportion everywhere."""
    ratios = []
    for turn in (0, 1):
        first, second = _value(one.lhs - one.rhs, turn), _value(other.lhs - other.rhs, turn)
        if first is None or second is None or second == 0:
            return False
        ratios.append(first / second)
    return _far(*ratios)


def _far(first: complex, second: complex) -> bool:
    return abs(first - second) > APART * max(abs(first), abs(second))


def _value(expression: Expr, turn: int = 0) -> complex | None:
    """The value where each variable has a number of its own, made from its name; None where it cannot be told."""
    expression = expression.subs({call: Symbol(str(call)) for call in expression.atoms(AppliedUndef)})
    point = {symbol: _number_for(symbol, turn) for symbol in expression.free_symbols}
    value = N(expression.subs(point).doit(), DIGITS, maxn=200)
    if not value.is_number or value.has(nan, oo, zoo) or value.free_symbols:
        return None
    return complex(value)


def _number_for(symbol: Basic, turn: int) -> Expr:
    if str(symbol) in ("i", "I"):
        return I
    digest = hashlib.sha256(f"{symbol}{turn}".encode()).digest()
    return Rational(1, 3) + Rational(int.from_bytes(digest[:4], "big"), 2**32)


def _constants(expression: Expr) -> set[Basic]:
    return {
        symbol for symbol in expression.free_symbols if isinstance(symbol, Symbol) and str(symbol) in ALWAYS_THE_SAME
    }
