"""Answers as text and as numbers: what can be compared exactly, without a computer algebra system."""

import re
import unicodedata
from fractions import Fraction
from typing import NamedTuple

from labeling.grading.extraction import closing_braces
from labeling.grading.units import CURRENCIES, MONEY, Unit, unit_of

SYMBOLS = str.maketrans(
    {
        "−": "-",
        "–": "-",
        "×": r" \times ",
        "·": r" \cdot ",
        "⋅": r" \cdot ",
        "÷": "/",
        "∞": r"\infty ",
        "π": r"\pi ",
        "≤": r"\le ",
        "≥": r"\ge ",
        "∪": r"\cup ",
        "²": "^{2}",
        "³": "^{3}",
        "°": r"^\circ ",
        "±": r"\pm ",
        "½": r"\frac{1}{2}",
        "¼": r"\frac{1}{4}",
        "¾": r"\frac{3}{4}",
        "\u00a0": " ",
        "√": r"\sqrt ",
        "≠": r"\ne ",
        "≈": r"\approx ",
        "∓": r"\mp ",
        "∈": r"\in ",
        "∅": r"\emptyset ",
        "ℝ": r"\mathbb{R}",
        "∖": r"\setminus ",
        "⟨": "(",
        "⟩": ")",
    }
)
REPLACEMENTS = [
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"(?<!\\)\\!|\\displaystyle(?![A-Za-z])", ""),
        (r"(?<!\\)\\[,;: ]|\\q?quad(?![A-Za-z])", " "),
        (r"\\(?:left|right|[Bb]igg?[lr]?)(?![A-Za-z])", ""),
        (r"\\math(?:bb|bf)\s*(?:\{\s*R\s*\}|R(?![A-Za-z]))|\\Reals(?![A-Za-z])", r"\\R "),
        (r"\\langle(?![A-Za-z])", "("),
        (r"\\rangle(?![A-Za-z])", ")"),
        (r"\\lbrace(?![A-Za-z])", r"\\{"),
        (r"\\rbrace(?![A-Za-z])", r"\\}"),
        (r"\\(?:varnothing|emptyset)(?![A-Za-z])|\\\{\s*\\\}", r"\\emptyset "),
        (r"\\[dtc]frac(?![A-Za-z])", r"\\frac"),
        (r"\\frac\s*(\d)\s*(\d)", r"\\frac{\1}{\2}"),
        (r"\\frac\s*(\d)\s*\{", r"\\frac{\1}{"),
        (r"(\\frac\s*\{[^{}]*\})\s*(\d|[A-Za-z])", r"\1{\2}"),
        (r"\\sqrt\s*(\d|[A-Za-z])(?!\w)", r"\\sqrt{\1}"),
        (r"\\(?:leq?|leqslant)(?![A-Za-z])", r"\\le "),
        (r"\\(?:geq?|geqslant)(?![A-Za-z])", r"\\ge "),
        (r"\\lt(?![A-Za-z])", "<"),
        (r"\\gt(?![A-Za-z])", ">"),
        (r"\\neq?(?![A-Za-z])", r"\\ne "),
        (r"\\(?:backslash|smallsetminus)(?![A-Za-z])", r"\\setminus "),
        (r"\\(?:simeq|approxeq)(?![A-Za-z])", r"\\approx "),
        (r"\\(?:land|wedge|&)(?![A-Za-z])", " and "),
        (r"\\(?:lor|vee)(?![A-Za-z])", " or "),
        (r"\^\s*(?:\{\s*\\circ\s*\}|\\circ)|\\degree(?![A-Za-z])", " degrees "),
        (r"\\([$%])", r"\1"),
        (
            r"\\(?:text|textrm|textbf|textit|textsf|texttt|mbox|hbox|mathrm|mathbf|mathit|operatorname)\s*\{([^{}]*)\}",
            r" \1 ",
        ),
    )
]
# Typed without a backslash.
TYPED = [
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"~", " "),
        (r"\{,\}", ","),
        (r"<=", r"\\le "),
        (r">=", r"\\ge "),
        (r"(?<![A-Za-z\\])pi(?![A-Za-z])", r"\\pi "),
        (r"(?<![A-Za-z\\])(?:infinity|infty|inf|oo)(?![A-Za-z])", r"\\infty "),
        (r"(?<![A-Za-z\\])sqrt\s*(?:\(([^()]*)\)|\{([^{}]*)\}|(\d+))", r"\\sqrt{\1\2\3}"),
        (r"\+\s*/\s*-|(?:(?<=^)|(?<==)|(?<==\s))\+-", r"\\pm "),
    )
]
REPEATING = re.compile(r"(?<![\d.])(\d*)\.(\d{0,20})\\(?:overline|bar|dot)\s*(?:\{(\d{1,20})\}|(\d))(?!\d)")
POWER = re.compile(r"\s*(?:-?[\w.]+|\([^()]*\))")
DIGITS_ALONE = re.compile(r"-?\d+(?:\.\d+)?", re.ASCII)
# A number in math delimiters, with its unit behind them: `$21$ candies`, `\(50\)\%`.
FORMULA_AND_UNIT = re.compile(
    r"(?:\$((?:[^$\\]|\\.)+)\$|\\\(((?:[^()\\]|\\[^()])+)\\\))(\s*[A-Za-z%\\][^$]*)", re.DOTALL
)
TRAILING = ".,;: \t\n"
DIGITS = 60  # longer numbers are left to the process that can be killed

AMOUNT = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?: \d{3})+(?:\.\d+)?|\d+(?:\.\d*)?|\.\d+)"
POWER_OF_TEN = (
    r"(?:\s*(?:\\times|\\cdot|\*|x)\s*10\s*\^\s*\{?\s*(?P<power>[+-]?\d{1,2})\s*\}?|[eE](?P<exponent>[+-]?\d{1,2}))?"
)
NUMBER = re.compile(
    r"(?P<sign>[+-]?)\s*(?P<currency>[$€£¥]?)\s*(?P<inner_sign>-?)"
    rf"(?:(?:(?P<whole>\d+)\s*)?\\frac\s*\{{\s*(?P<top>-?\d+)\s*\}}\s*\{{\s*(?P<bottom>\d+)\s*\}}"
    r"|(?:(?P<whole2>\d+) )?(?P<top2>\d+)\s*/\s*(?P<bottom2>\d+)"
    rf"|(?P<amount>{AMOUNT}){POWER_OF_TEN})"
    r"(?P<unit>\s*%|\s*[A-Za-z][^=<>]*)?"
)


class PlainNumber(NamedTuple):
    """An exact value; `place` is the value of its last decimal place (None: a whole number or a fraction).

    `money` is the currency before or after it. A sign before it is no `unit`: `$45 profit` and `$45` are the same
    amount.
    """

    value: Fraction
    place: Fraction | None
    unit: Unit | None
    money: Unit | None = None


def cleaned(answer: str) -> str:
    """Return the answer without purely visual marks: math delimiters, spacing, sizes, text boxes, a full stop."""
    if DIGITS_ALONE.fullmatch(answer):
        return answer
    text = unicodedata.normalize("NFC", answer).translate(SYMBOLS).strip()
    before = None
    while text != before:
        before = text
        text = _undressed(text)
    text = _number_and_unit(text)
    for pattern, replacement in (*(REPLACEMENTS if "\\" in text else ()), *TYPED):
        text = pattern.sub(replacement, text)
    if "**" in text:
        text = _with_carets(text)
    text = REPEATING.sub(_as_fraction, text)
    return " ".join(text.split()).rstrip(TRAILING)


def _undressed(text: str) -> str:
    text = text.strip().rstrip(TRAILING)
    if not text.strip("$"):
        return ""
    for opening, closing in (("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]"), ("**", "**")):
        inside = text[len(opening) : len(text) - len(closing)]
        long_enough = len(text) > len(opening) + len(closing)
        if long_enough and text.startswith(opening) and text.endswith(closing) and opening not in inside:
            return inside
    for command in (r"\boxed", r"\text", ""):
        start = len(command)
        if text.startswith(command + "{") and closing_braces(text).get(start) == len(text) - 1:
            return text[start + 1 : -1]
    return text


def _number_and_unit(text: str) -> str:
    """Drop the math delimiters around a number in front of its unit. Anything else in front of words stays."""
    match = FORMULA_AND_UNIT.fullmatch(text)
    if match is None:
        return text
    alone = match[1] or match[2]
    number, amount = plain_number(cleaned(alone)), plain_number(cleaned(alone + match[3]))
    found = number and amount and amount.unit and number.value == amount.value
    return alone + match[3] if found else text


def _with_carets(text: str) -> str:
    """Write powers as in LaTeX: `9**9**9` becomes `9^{9^{9}}`. Anything but a plain power stays."""
    for _ in range(text.count("**")):
        before, _, after = text.rpartition("**")
        match = POWER.match(after)
        if match is None:
            break
        end = match.end()
        if after.startswith("^{", end):
            end = closing_braces(after).get(end + 1, end - 1) + 1
        text = f"{before}^{{{after[:end].strip()}}}{after[end:]}"
    return text


def _as_fraction(match: re.Match[str]) -> str:
    r"""Rewrite `0.1\overline{6}` as `\frac{15}{90}`."""
    whole, fixed, repeated = match[1] or "0", match[2], match[3] or match[4]
    bottom = (10 ** len(repeated) - 1) * 10 ** len(fixed)
    top = int(whole + fixed + repeated) - int(whole + fixed)
    return rf"\frac{{{top}}}{{{bottom}}}"


def text_key(text: str) -> str:
    """Return the form in which equal cleaned answers are the same text: spaces only between digits, no
    needless braces.
    """
    return re.sub(r"([\^_])\{(\w)\}", r"\1\2", re.sub(r"(?<!\d)\s+|\s+(?!\d)", "", text))


def plain_number(text: str) -> PlainNumber | None:
    r"""Read a whole number, decimal, fraction, mixed or scientific number, with its unit; None for anything else.

    Takes a cleaned answer. Thousands may be grouped by commas or spaces: `40,000`.
    """
    match = NUMBER.fullmatch(text) if len(text) <= 4 * DIGITS else None
    if match is None or sum(character.isdigit() for character in text) > DIGITS:
        return None
    unit = None
    if match["unit"]:
        unit = unit_of(match["unit"])
        if unit is None:
            return None
    value, place = _value(match)
    if value is None:
        return None
    negative = (match["sign"] == "-") != (match["inner_sign"] == "-")
    money = unit if unit and unit.dimension == MONEY else CURRENCIES.get(match["currency"])
    return PlainNumber(-value if negative else value, place, unit, money)


def _value(match: re.Match[str]) -> tuple[Fraction | None, Fraction | None]:
    if match["amount"] is None:
        whole, top, bottom = (match[name] or match[name + "2"] for name in ("whole", "top", "bottom"))
        if int(bottom) == 0:
            return None, None
        return Fraction(int(whole or 0)) + Fraction(int(top), int(bottom)), None
    amount = match["amount"].replace(",", "").replace(" ", "")
    power = Fraction(10) ** int(match["power"] or match["exponent"] or 0)
    decimals = len(amount.partition(".")[2])
    return Fraction("0" + amount.rstrip(".")) * power, Fraction(1, 10**decimals) * power if decimals else None


def same_number(one: PlainNumber, other: PlainNumber) -> bool:
    """Whether the values are equal, or one is a decimal of six or more significant digits close to the other."""
    if one.value == other.value:
        return True
    difference = abs(one.value - other.value)
    return any(
        number.place is not None and abs(number.value) >= number.place * 10**5 and difference < number.place
        for number in (one, other)
    )
