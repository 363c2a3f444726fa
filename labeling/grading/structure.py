r"""Answers of several parts: lists, tuples, intervals, unions, inequalities and assignments, compared part by part.

What has no parts is compared as text, as a number with its unit, and last by `labeling.grading.symbolic`.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from labeling.grading.plain_answers import PlainNumber, plain_number, same_number, text_key
from labeling.grading.symbolic import Verdict, compare_expressions
from labeling.grading.units import PERCENT

OPENING, CLOSING = "([{", ")]}"
SIGNS = r"(?:<|>|\\le |\\ge )"
CHAIN = re.compile(rf"(?P<low>[^<>=]+?)\s*(?P<left>{SIGNS})\s*\\?[A-Za-z]+\s*(?P<right>{SIGNS})\s*(?P<high>[^<>=]+)")
ONE_SIDED = re.compile(rf"\\?[A-Za-z]\s*(?P<sign>{SIGNS})\s*(?P<bound>[^<>=]+)")
MEMBERSHIP = re.compile(r"\\?[A-Za-z]\s*\\in(?![A-Za-z])\s*(.+)")
NAME = r"\\?[A-Za-z]+(?:_\{?\w+\}?)?(?:\([A-Za-z]\))?"
ASSIGNMENT = re.compile(rf"(?P<name>{NAME}|\({NAME}(?:,\s*{NAME})+\))\s*=\s*(?P<value>[^=<>]+)")
IN_BASE = re.compile(r"(?P<digits>\d[0-9A-Za-z]*)_\{?(?P<base>\d{1,2})\}?", re.ASCII)
PLUS_MINUS = re.compile(r"\\pm(?![A-Za-z])")
WORDS = re.compile(r"[^\W\d_]+(?:[ '-][^\W\d_]+)*")
MOST_PARTS = 200


class Parts(NamedTuple):
    """`opening` and `closing` are the brackets, empty for a bare list; `{` means that order does not count."""

    opening: str
    items: tuple[str, ...]
    closing: str

    @property
    def ordered(self) -> bool:
        """Whether the place of each part is part of the answer."""
        return self.opening not in ("", "{")


def compare(given: str, truth: str) -> Verdict:
    """Whether two cleaned answers are the same. Every rule either decides or leaves it to the next."""
    if text_key(given) == text_key(truth):
        return Verdict(True, "same_text")
    given, truth = _without_names(given, truth)
    for rule in (_texts, _numbers, _bases, _parts, _words):
        verdict = rule(given, truth)
        if verdict is not None:
            return verdict
    return compare_expressions(given, truth)


def _texts(given: str, truth: str) -> Verdict | None:
    return Verdict(True, "same_text") if text_key(given) == text_key(truth) else None


def _without_names(given: str, truth: str) -> tuple[str, str]:
    r"""`x=5` against `5`, `x \in (1,3)` against `(1,3)`; names stay where both have one, so that x=1 is not y=1."""
    given, truth = (MEMBERSHIP.sub(r"\1", text) for text in (given, truth))
    one, other = ASSIGNMENT.fullmatch(given), ASSIGNMENT.fullmatch(truth)
    if one and (other is None or one["name"] == other["name"]) and "=" not in (other["value"] if other else truth):
        given = one["value"]
    if other and (one is None or one["name"] == other["name"]) and "=" not in given:
        truth = other["value"]
    return given.strip(), truth.strip()


def _numbers(given: str, truth: str) -> Verdict | None:
    one, other = plain_number(given), plain_number(truth)
    if one is None or other is None:
        return None
    if one.unit and other.unit and one.unit.name != other.unit.name:
        return _with_units(one, other)
    percents = [number.unit is not None and number.unit.name == f"{PERCENT}^1" for number in (one, other)]
    equal = same_number(one, other)
    if not equal and percents[0] != percents[1]:  # 50% is 0.5 as well as 50
        one, other = (_share(number, percent) for number, percent in zip((one, other), percents, strict=True))
        equal = same_number(one, other)
    return Verdict(equal, "same_number" if equal else "other_number")


def _with_units(one: PlainNumber, other: PlainNumber) -> Verdict:
    assert one.unit
    assert other.unit
    if one.unit.dimension and other.unit.dimension:
        if one.unit.dimension != other.unit.dimension:
            return Verdict(False, "other_unit")
        equal = one.value * one.unit.factor == other.value * other.unit.factor
        return Verdict(equal, "same_number" if equal else "other_number")
    if same_number(one, other):
        return Verdict(None, "unknown_units")
    return Verdict(False, "other_number")


def _share(number: PlainNumber, percent: bool) -> PlainNumber:
    if not percent:
        return number
    return number._replace(value=number.value / 100, place=number.place and number.place / 100)


def _bases(given: str, truth: str) -> Verdict | None:
    """Numerals with a written base: `7602_8`. Against a bare numeral, the digits decide."""
    one, other = IN_BASE.fullmatch(given), IN_BASE.fullmatch(truth)
    if one and other and one["base"] != other["base"] and _fits(one) and _fits(other):
        equal = int(one["digits"], int(one["base"])) == int(other["digits"], int(other["base"]))
    elif (one or given.isdigit()) and (other or truth.isdigit()):
        equal = (one["digits"] if one else given) == (other["digits"] if other else truth)
        equal = equal and not (one and other and one["base"] != other["base"])
    else:
        return None
    return Verdict(equal, "same_number" if equal else "other_number")


def _fits(match: re.Match[str]) -> bool:
    base = int(match["base"])
    return 2 <= base <= 36 and all(int(character, 36) < base for character in match["digits"])


def _parts(given: str, truth: str) -> Verdict | None:
    one, other = parts_of(given), parts_of(truth)
    if one is None and other is None:
        return None
    # A lone part against several: `5` is the list of one.
    one, other = one or Parts("", (given,), ""), other or Parts("", (truth,), "")
    if len(one.items) != len(other.items):
        return Verdict(False, "other_count")
    if len(one.items) == 1 and not (one.opening and other.opening):
        return compare(one.items[0], other.items[0])
    if one.ordered and other.ordered:
        if (one.opening, one.closing) != (other.opening, other.closing):
            return Verdict(False, "other_brackets")
        return _in_order(one.items, other.items)
    if one.ordered != other.ordered:  # `1,2` against `(1,2)`: right in the same order, unclear in another
        verdict = _in_order(one.items, other.items)
        if verdict.equal is False and _in_any_order(one.items, other.items).equal is not False:
            return Verdict(None, "order_unclear")
        return verdict
    return _in_any_order(one.items, other.items)


def _in_order(given: Sequence[str], truth: Sequence[str]) -> Verdict:
    verdicts = [compare(*pair) for pair in zip(given, truth, strict=True)]
    for verdict in verdicts:
        if verdict.equal is False:
            return Verdict(False, "other_part")
    return next((verdict for verdict in verdicts if verdict.equal is None), Verdict(True, "same_parts"))


def _in_any_order(given: Sequence[str], truth: Sequence[str]) -> Verdict:
    """Each given part is some true part, once each. Equality is taken as transitive: the first partner will do."""
    left = list(truth)
    unclear: list[Verdict] = []
    for part in given:
        verdicts = [compare(part, other) for other in left]
        found = next((index for index, verdict in enumerate(verdicts) if verdict.equal), None)
        if found is not None:
            left.pop(found)
            continue
        unclear += [verdict for verdict in verdicts if verdict.equal is None][:1]
        if not any(verdict.equal is None for verdict in verdicts):
            return Verdict(False, "other_part")
    return unclear[0] if unclear else Verdict(True, "same_parts")


def parts_of(text: str) -> Parts | None:
    """The parts of a list, tuple, interval, union, chain of inequalities or plus-minus; None for a single thing."""
    interval = _interval(text)
    if interval:
        return interval
    union = _split(text, (r"\cup",))
    if len(union) > 1:
        return Parts("", tuple(union), "")
    bare = _split(text, (",", ";", " and ", " or "))
    if len(bare) > 1:
        return Parts("", tuple(part.removeprefix("and ").removeprefix("or ") for part in bare), "")
    if len(PLUS_MINUS.findall(text)) == 1:
        return Parts("", (PLUS_MINUS.sub("+", text), PLUS_MINUS.sub("-", text)), "")
    opening, closing = ("\\{", "\\}") if text.startswith("\\{") else (text[:1], text[-1:])
    if opening[-1:] not in OPENING or closing[-1:] not in CLOSING or not text.endswith(closing) or len(text) < 3:
        return None
    inside = text[len(opening) : -len(closing)]
    if not _balanced(inside):
        return None
    return Parts(opening[-1:], tuple(_split(inside, (",", ";"))), closing[-1:])


def _interval(text: str) -> Parts | None:
    r"""`1<x\le 3` is `(1,3]`; `x>3` is `(3,\infty)`."""
    chain = CHAIN.fullmatch(text)
    if chain:
        low, left, right, high = (chain[name].strip() for name in ("low", "left", "right", "high"))
        if (left in ("<", r"\le")) != (right in ("<", r"\le")):
            return None
        if left in (">", r"\ge"):
            low, left, right, high = high, right, left, low
        return Parts("(" if left in "<>" else "[", (low, high), ")" if right in "<>" else "]")
    one_sided = ONE_SIDED.fullmatch(text)
    if one_sided is None:
        return None
    sign, bound = one_sided["sign"].strip(), one_sided["bound"].strip()
    if sign in (">", r"\ge"):
        return Parts("(" if sign == ">" else "[", (bound, r"\infty"), ")")
    return Parts("(", (r"-\infty", bound), ")" if sign == "<" else "]")


def _split(text: str, separators: Sequence[str]) -> list[str]:
    """The text cut at separators outside of any bracket; empty parts are left out."""
    parts, depth, start, position = [], 0, 0, 0
    while position < len(text):
        depth += (text[position] in OPENING) - (text[position] in CLOSING)
        found = next((mark for mark in separators if text.startswith(mark, position)), "") if depth == 0 else ""
        if found:
            parts.append(text[start:position])
            start = position = position + len(found)
        else:
            position += 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()][:MOST_PARTS]


def _balanced(text: str) -> bool:
    """Whether no bracket of `text` closes one outside of it."""
    depth = 0
    for character in text:
        depth += (character in OPENING) - (character in CLOSING)
        if depth < 0:
            return False
    return depth == 0


def _words(given: str, truth: str) -> Verdict | None:
    """Names and prose. `Evelyn` is not `Carla`; prose against mathematics is nobody's to decide here."""
    one, other = is_prose(given), is_prose(truth)
    if one and other:
        equal = _plain_words(given) == _plain_words(truth)
        return Verdict(equal, "same_words" if equal else "other_words")
    if one or other:
        return Verdict(None, "words_against_mathematics")
    return None


def _plain_words(text: str) -> str:
    return re.sub(r"^(?:the|an?) ", "", text.casefold())


def is_prose(text: str) -> bool:
    """Whether the text is words, not a product of variables such as `xyz` or `ab`."""
    if WORDS.fullmatch(text):
        return " " in text or len(text) > 3
    names = re.findall(r"(?<!\\)\b[^\W\d_]{3,}", re.sub(r"\\[A-Za-z]+", " ", text))
    return len(names) >= 3
