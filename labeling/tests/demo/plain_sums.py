"""Finds the plain arithmetic in a step (`$6\\cdot 7=42$`, `3/6=0.5`) and computes it with sympy."""

import re
from collections.abc import Iterator

import sympy

GROUP = r"\{([^{}]*)\}"
WORDS_BETWEEN_SUMS = re.compile(r"\\(implies|iff|qquad|quad|equiv|ge|le|to|approx)(?![a-z])|\\\[|\\\]|\\\(|\\\)")
CHARACTERS = r"(?:binomial|sqrt|floor|pi|[\d+\-*/().,! ])"
NESTED = (
    (re.compile(r"\\[dt]?frac" + GROUP + GROUP), r"((\1)/(\2))"),
    (re.compile(r"\\binom" + GROUP + GROUP), r"binomial(\1,\2)"),
    (re.compile(r"\\sqrt" + GROUP), r"sqrt(\1)"),
    (re.compile(r"\^" + GROUP), r"**(\1)"),
)
ONCE = (
    (re.compile(r"<<[^<>]*>>"), ""),  # a calculator mark repeats the sum next to it
    (re.compile(r"(?<=\d),(?=\d{3})"), ""),
    (re.compile(r"\\[dt]?frac(\d)(\d)"), r"((\1)/(\2))"),
    (re.compile(r"\\binom(\d)(\d)"), r"binomial(\1,\2)"),
    (re.compile(r"\\sqrt ?(\d)"), r"sqrt(\1)"),
    (re.compile(r"(?<=\d) x (?=\d)"), "*"),
)
FACTORS_SIDE_BY_SIDE = re.compile(r"(?<=[\d)!])(?=\(|binomial|sqrt|pi)|(?<=!)(?=\d)|(?<=\))(?=\d)|(?<=pi)(?=\()")
SIGNS = {"\\cdot": "*", "^": "**", "−": "-", "\\pi": "pi", "\\lfloor": "floor(", "\\rfloor": ")"}
DROPPED = ("\\left", "\\right", "\\,", "\\$", "{", "}")


def value_of(answer: str) -> sympy.Expr | None:
    """Return the number in an answer such as `\\frac{9}{4}`, `36\\pi` or `5e^3`; None for anything else."""
    text = re.sub(r"(?<=\d)e", "*E", _as_sympy(answer)).replace("e", "E")
    if not re.fullmatch(r"(?:sqrt|pi|E|[\d+\-*/(). ])+", text):
        return None
    return sympy.sympify(text, rational=True)


def sums_in(text: str, *, money: bool = False) -> Iterator[tuple[str, str]]:
    """Yield both sides of every equation between plain numbers, in sympy's syntax.

    Anything next to a letter, an index or a ratio is left out: it may be part of something larger.
    """
    parts = _as_sympy(text.replace("$", "") if money else text).split("=")
    for left, right in zip(parts, parts[1:], strict=False):
        found = _number_at_end(left), _number_at_start(right)
        if found[0] and found[1]:
            yield found[0], found[1]


def holds(left: str, right: str) -> bool:
    """Return whether both sides are the same number, exactly."""
    difference = sympy.sympify(left, rational=True) - sympy.sympify(right, rational=True)
    return bool(sympy.simplify(difference) == 0)


def _as_sympy(text: str) -> str:
    text = WORDS_BETWEEN_SUMS.sub(";", text)
    for pattern, becomes in ONCE:
        text = pattern.sub(becomes, text)
    before = ""
    while before != text:
        before = text
        for pattern, becomes in NESTED:
            text = pattern.sub(becomes, text)
    for sign, becomes in SIGNS.items():
        text = text.replace(sign, becomes)
    for dropped in DROPPED:
        text = text.replace(dropped, "")
    return FACTORS_SIDE_BY_SIDE.sub("*", text.replace("$", ";"))


def _number_at_end(left: str) -> str:
    left = left.rstrip("; ")
    run = re.search(CHARACTERS + "+$", left)
    if run is None:
        return ""
    before, number = left[: run.start()], run[0]
    if not number.startswith(" ") and before and before[-1] not in ";":
        return ""
    number = re.split(r"\. |, ", number)[-1]
    return "" if number.strip()[:1] in ("+", "-", "*", "/", ",", "!") else _readable(number)


def _number_at_start(right: str) -> str:
    right = right.lstrip("; ")
    run = re.match(CHARACTERS + "+", right)
    if run is None:
        return ""
    after, number = right[run.end() :], run[0]
    if not number.endswith(" ") and after and after[0] not in ";\n":
        return ""
    return _readable(re.split(r"\. |, ", number)[0])


def _readable(number: str) -> str:
    number = number.strip().rstrip(".,").strip()
    whole = re.search(r"\d", number) and number[-1] not in "+-*/" and number.count("(") == number.count(")")
    return number if whole else ""
