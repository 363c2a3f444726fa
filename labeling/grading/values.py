"""The values of expressions: without variables, to more digits than a proof needs, and when two of them differ.

A value is taken only from a text in which every mark has one meaning. Left out are `\\log` without a base, `1/2\\pi`,
`\\sin 30`, the root of a negative number, words and subscripts. These may equal something they do not seem to equal.
"""

import hashlib
import logging
import re
from functools import lru_cache
from typing import NamedTuple

from math_verify import LatexExtractionConfig, parse
from sympy import Basic, Expr, Float, I, MatrixBase, N, Pow, Rational, Symbol, log, nan, oo, pi, zoo
from sympy.core.function import AppliedUndef
from sympy.functions.elementary.trigonometric import InverseTrigonometricFunction, TrigonometricFunction
from sympy.polys.polyerrors import BasePolynomialError

from labeling.grading.plain_answers import plain_number

# Silences its warning that we use our own time limit, once per process.
logging.getLogger("math_verify").setLevel(logging.ERROR)

# What sympy raises on input it cannot handle. Any other error ends the process, which leaves the answer ungraded too.
CANNOT = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, NotImplementedError, RecursionError),
    *(TypeError, ValueError, BasePolynomialError),
)
LATEX_ONLY = (LatexExtractionConfig(boxed_match_priority=-1),)  # the other parser evaluates text as Python
DIGITS = 40  # of a value
PROOF = Float("1e-30", DIGITS)  # the relative distance from which two values differ
ZERO = Float(0, DIGITS)
NOTHING = Float("1e-60", DIGITS)  # a smaller value may be a zero that evaluation did not recognise

FUNCTION = r"\\(?:arc)?(?:sin|cos|tan|cot|sec|csc)(?![A-Za-z])|\\(?:ln|exp)(?![A-Za-z])"
GREEK = r"\\(?:alpha|beta|gamma|delta|theta|lambda|mu|rho|sigma|phi|omega)(?![A-Za-z])"
MARKS = rf"[0-9.+\-*/^(){{}}|! ]|\\(?:frac|pi|cdot|times|div|binom)(?![A-Za-z])|\\sqrt(?:\s*\[\d+\])?|{FUNCTION}"
LOGARITHM = r"\\log\s*_(?:\d|\{\d+\})"
CLOSED = re.compile(rf"(?:{MARKS}|{LOGARITHM}|(?<![A-Za-z])[ei](?![A-Za-z]))+")
OPEN = re.compile(rf"(?:{MARKS}|{LOGARITHM}|{GREEK}|(?<![A-Za-z])[A-Za-z]{{1,2}}(?![A-Za-z])|=)+")
TWO_WAYS = re.compile(
    r"\d\s+[\d.]"  # two numbers side by side
    r"|/\s*[\d.]+\s*(?:\\(?!cdot|times|div)|[A-Za-z(])"  # 1/2\pi
    r"|\d\s*\\frac\s*\{\s*\d+\s*\}\s*\{\s*\d+\s*\}"  # 3\frac12\pi
    rf"|(?:{FUNCTION})\s*(?:\^\s*(?:\d|\{{-?\d+\}})\s*)?(?:[\d.]+|\\pi|[A-Za-z])\s*(?![\s\d.)}}+\-]|\Z)"  # \ln 2x
    r"|!\s*!|\^\s*\d\d"
)
SAME_UNIT = (TrigonometricFunction, InverseTrigonometricFunction)
PARAMETERS = frozenset("CcKkmnstN") | {"lambda", "mu"}  # any number, or any whole one: other letters may mean the same


class Value(NamedTuple):
    """A complex number, each part to DIGITS digits."""

    real: Float
    imaginary: Float


@lru_cache(maxsize=256)
def parsed(text: str) -> Basic | MatrixBase | None:
    """Return the expression a text describes, or None."""
    if "$" in text:
        return None
    try:
        found = parse(f"$${text}$$", LATEX_ONLY, fallback_mode="no_fallback", parsing_timeout=None, raise_on_error=True)
    except CANNOT:
        return None
    return found[0] if found and isinstance(found[0], Basic | MatrixBase) else None


@lru_cache(maxsize=256)
def closed_value(text: str) -> Value | None:
    """Return the value of a cleaned expression without variables, if there is only one way to read it."""
    number = plain_number(text)
    if number is not None:
        value = Float(number.value.numerator, DIGITS) / number.value.denominator
        return Value(value, ZERO) if number.unit is None else None
    if not CLOSED.fullmatch(text) or TWO_WAYS.search(text):
        return None
    expression = parsed(text)
    if not isinstance(expression, Expr):
        return None
    try:
        return value_at(expression) if _one_meaning(expression) else None
    except CANNOT:
        return None


def value_of_pi() -> Float:
    """Return pi to DIGITS digits."""
    return N(pi, DIGITS)


def real_value(text: str) -> Float | None:
    """Return the value if it is a real number."""
    value = closed_value(text)
    return value.real if value is not None and abs(value.imaginary) < NOTHING else None


def value_of(text: str) -> float | None:
    """Return the real value of a cleaned expression without variables, as math-verify reads it; None if it has none."""
    expression = parsed(text)
    if not isinstance(expression, Expr) or expression.free_symbols:
        return None
    try:
        value = value_at(expression)
    except CANNOT:
        return None
    return float(value.real) if value is not None and abs(value.imaginary) < NOTHING else None


def value_at(expression: Expr, turn: int | None = None) -> Value | None:
    """Return the value. With a `turn`, each variable gets its own number, derived from its name and the turn."""
    expression = expression.subs({call: Symbol(str(call)) for call in expression.atoms(AppliedUndef)})
    point: dict[Basic, Expr] = {number: Rational(str(number)) for number in expression.atoms(Float)}
    point |= {symbol: I for symbol in expression.free_symbols if str(symbol) == "i"}
    if turn is not None:
        point |= {symbol: _number_for(symbol, turn) for symbol in variables(expression)}
    expression = expression.xreplace(point).doit()
    if any(_odd_root(power) for power in expression.atoms(Pow)):
        return None
    value = N(expression, DIGITS, maxn=400)
    if not value.is_number or value.free_symbols or value.has(nan, oo, zoo):
        return None
    return Value(*(Float(part, DIGITS) for part in value.as_real_imag()))


def variables(expression: Basic) -> frozenset[Basic]:
    """Return the free symbols; `i` is a number."""
    return frozenset(symbol for symbol in expression.free_symbols if str(symbol) != "i")


def differ(one: Value, other: Value) -> bool:
    """Whether the two values are proven different: not the same number to 30 digits."""
    size = _size(one, other)
    return bool(size > NOTHING and _gap(one, other) > size * PROOF)


def alike(one: Value, other: Value) -> bool:
    """Whether the values are the same number, as far as the digits show."""
    return bool(_gap(one, other) <= max(_size(one, other), NOTHING) * PROOF)


def near(one: Value, other: Value, distance: Float) -> bool:
    """Whether the values are less than `distance` apart."""
    return bool(_gap(one, other) < distance)


def plain_text(text: str) -> bool:
    """Whether an expression or equation with variables has only one reading: no words, no subscripts, nothing
    unknown.
    """
    return OPEN.fullmatch(text) is not None and TWO_WAYS.search(text) is None


def one_family(one: Expr, other: Expr) -> bool:
    """Whether both may describe the same set of values: `\\pi k` and `\\pi k + \\pi`, `x^2 + C` and `x^2 + 5 + C`."""
    return any(
        str(letter) in PARAMETERS and one.diff(letter, 2) == 0 and other.diff(letter, 2) == 0
        for letter in variables(one) & variables(other)
    )


def _one_meaning(expression: Expr) -> bool:
    """Whether no angle may be in degrees and no logarithm lacks a base: the parser assumes 10, others e."""
    for call in expression.atoms(*SAME_UNIT):
        if isinstance(call, InverseTrigonometricFunction) or (call.args[0].doit().is_rational and call.args[0] != 0):
            return False
    return not any(call.args[0] == 0 for call in expression.atoms(log))


def _odd_root(power: Pow) -> bool:
    r"""Whether it is an odd root: `\sqrt[3]{-8}` is -2 to most, and a complex number to sympy."""
    exponent = power.exp
    odd = isinstance(exponent, Rational) and exponent.q % 2 == 1 and exponent.q > 1
    return bool(odd and power.base.is_extended_positive is not True and power.base.is_zero is not True)


def _gap(one: Value, other: Value) -> Float:
    return max(abs(one.real - other.real), abs(one.imaginary - other.imaginary))


def _size(one: Value, other: Value) -> Float:
    return max(abs(part) for part in (*one, *other))


def _number_for(symbol: Basic, turn: int) -> Expr:
    digest = hashlib.sha256(f"{symbol}{turn}".encode()).digest()
    return Rational(1, 3) + Rational(int.from_bytes(digest[:4], "big"), 2**32)
