"""Single expressions compared by math-verify (sympy). May take forever, or all memory: run it where it can be killed.

math-verify swallows every failure, even running out of memory, and then says "not equal". So only its "equal" is
trusted; "different" requires a *proof* by their values; otherwise nothing is decided.
"""

from latex2sympy2_extended.logic import And
from math_verify import verify
from sympy import Basic, Eq, Expr, Float, MatrixBase, UnevaluatedExpr, oo
from sympy.core.relational import Relational

from labeling.grading.plain_answers import plain_number
from labeling.grading.values import (
    CANNOT,
    DIGITS,
    Value,
    alike,
    closed_value,
    differ,
    near,
    one_family,
    parsed,
    plain_text,
    value_at,
    variables,
)
from labeling.grading.verdict import Verdict

ROUNDED = Float("1e-3", DIGITS)  # relative distance within which an expression with a decimal may be a rounded one


def compare_expressions(given: str, truth: str) -> Verdict:
    """Compare two cleaned expressions: equal if they have the same value for all values of their variables."""
    one, other = closed_value(given), closed_value(truth)
    if one is not None and other is not None:
        if alike(one, other) or _stands_for(given, one, other) or _stands_for(truth, other, one):
            return Verdict(True, "same_value")
        if differ(one, other) and not _may_be_rounded(given, truth, one, other):
            return Verdict(False, "other_value")
    return _compare_parsed(given, truth)


def _compare_parsed(given: str, truth: str) -> Verdict:
    one, other = parsed(given), parsed(truth)
    if other is None:
        return Verdict(None, "truth_unreadable")
    if one is None:
        return Verdict(None, "answer_unreadable")
    readable = plain_text(given) and plain_text(truth)
    try:
        if "_" not in given and _is_false(one):  # the parser drops the base of `0.11_2`
            return Verdict(None, "false_equation")
        if readable and _exact(one) and _exact(other) and _apart(one, other):  # most wrong answers need no algebra
            return Verdict(False, "other_value")
        if _same(other, one):
            return Verdict(True, "same_value")
        if _infinities(one, other) or (readable and _apart(one, other)):
            return Verdict(False, "other_value")
        # math-verify may see it from one side only: sqrt(pi / 0.5) and sqrt(pi) / sqrt(0.5).
        if isinstance(one, Expr) and isinstance(other, Expr) and _same(one, other):
            return Verdict(True, "same_value")
    except CANNOT:
        pass
    return Verdict(None, "undecided")


def _same(truth: Basic | MatrixBase, answer: Basic | MatrixBase) -> bool:
    """Return math-verify's answer for a truth and an answer."""
    return bool(verify(truth, answer, timeout_seconds=None, raise_on_error=True, allow_set_relation_comp=True))


def _stands_for(text: str, value: Value, other: Value) -> bool:
    """Whether the text is a decimal of six or more significant digits, within one unit of the last from the other
    value.
    """
    number = plain_number(text)
    if number is None or number.place is None or abs(number.value) < number.place * 10**5:
        return False
    return near(value, other, Float(number.place.numerator, DIGITS) / number.place.denominator)


def _may_be_rounded(given: str, truth: str, one: Value, other: Value) -> bool:
    """Whether a decimal inside an expression, `2.236\\pi`, may be a rounded value: nobody knows how it was rounded.

    A decimal that is the whole answer is taken as it is.
    """
    inside = any("." in text and plain_number(text) is None for text in (given, truth))
    return inside and near(one, other, max(abs(part) for part in (*one, *other)) * ROUNDED)


def _apart(one: Basic | MatrixBase, other: Basic | MatrixBase) -> bool:
    """Prove a difference between expressions or equations of the same variables: a point where they differ."""
    if not variables(one) or variables(one) != variables(other):
        return False
    if isinstance(one, Eq) and isinstance(other, Eq):
        return _on_one_only(one, other) or _on_one_only(other, one)
    if not isinstance(one, Expr) or not isinstance(other, Expr) or one_family(one, other):
        return False
    first, second = value_at(one, 0), value_at(other, 0)
    return first is not None and second is not None and differ(first, second)


def _exact(expression: Basic | MatrixBase) -> bool:
    """Whether such expressions are equal only if their values are: no decimals, percents, words or relations."""
    return isinstance(expression, Expr) and not expression.has(Float, UnevaluatedExpr)


def _is_false(answer: Basic | MatrixBase) -> bool:
    """Whether the answer is an equation of numbers that does not hold: `2 + 2 = 5` is not an answer of 5."""
    if not isinstance(answer, Eq) or variables(answer):
        return False
    left, right = value_at(answer.lhs), value_at(answer.rhs)
    return left is not None and right is not None and not near(left, right, max(abs(left.real), 1) * Float("1e-8"))


def _infinities(one: Basic | MatrixBase, other: Basic | MatrixBase) -> bool:
    """Whether infinity is compared with a number or with the opposite infinity: these differ."""
    infinite = [expression in (oo, -oo) for expression in (one, other)]
    if all(infinite):
        return one != other
    finite = other if infinite[0] else one
    return (
        any(infinite)
        and isinstance(finite, Expr)
        and not isinstance(finite, Relational | And)
        and not variables(finite)
    )


def _on_one_only(one: Eq, other: Eq) -> bool:
    """Whether a point solves the first equation but not the second; found by solving for a variable it is linear in."""
    difference = one.lhs - one.rhs
    if one_family(difference, other.lhs - other.rhs):
        return False
    for letter in sorted(variables(one), key=str, reverse=True):
        slope = difference.diff(letter)
        if slope == 0 or slope.has(letter):
            continue
        solution = -difference.subs(letter, 0) / slope
        sides = [value_at(side.subs(letter, solution), 0) for side in (other.lhs, other.rhs)]
        return None not in sides and differ(*sides)  # type: ignore[arg-type]
    return False
