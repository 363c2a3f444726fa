r"""Sets of real numbers with ends: intervals, their unions, inequalities, all reals except a few.

Two sets are compared by whether they contain the same test numbers: each end, and a number between neighbouring ends.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from sympy import Float, oo

from labeling.grading.parts import Parts, interval_of, parts_of, split
from labeling.grading.values import PROOF, real_value
from labeling.grading.verdict import Verdict

ALL_REALS = re.compile(
    r"(?:the )?(?:set of )?(?:all |any |every )?(?:the )?real(?: numbers?|s)|all reals?", re.IGNORECASE
)
UNEQUAL = re.compile(r"\\?[A-Za-z]\s*\\ne(?![A-Za-z])\s*([^=<>]+)")


class Span(NamedTuple):
    """The numbers between two ends, each of which belongs to it or not."""

    low: Float
    low_in: bool
    high: Float
    high_in: bool

    def holds(self, number: Float) -> bool:
        """Whether it contains the number."""
        if _equal(number, self.low):
            return self.low_in and (not _equal(self.low, self.high) or self.high_in)
        if _equal(number, self.high):
            return self.high_in
        return bool(self.low < number < self.high)


class Region(NamedTuple):
    """The union of spans. `sure`: it is not a list or point that only looks like an interval."""

    spans: tuple[Span, ...]
    sure: bool

    def holds(self, number: Float) -> bool:
        """Whether it contains the number."""
        return any(span.holds(number) for span in self.spans)


EVERYTHING = Span(-oo, False, oo, False)


def compare_regions(one: Region, other: Region) -> Verdict:
    """Whether both contain the same numbers; the answer is certain either way."""
    ends = sorted({end for span in (*one.spans, *other.spans) for end in (span.low, span.high) if abs(end) != oo})
    distinct = [end for place, end in enumerate(ends) if place == 0 or not _equal(end, ends[place - 1])]
    between = [(low + high) / 2 for low, high in zip(distinct, distinct[1:], strict=False)]
    outside = [distinct[0] - 1, distinct[-1] + 1] if distinct else [Float(0)]
    if all(one.holds(number) == other.holds(number) for number in (*distinct, *between, *outside)):
        return Verdict(True, "same_region")
    return Verdict(False, "other_region")


def region_of(text: str) -> Region | None:
    """Return the region a cleaned text describes, if it can be one."""
    if text == r"\R" or ALL_REALS.fullmatch(text):
        return Region((EVERYTHING,), sure=True)
    if text == r"\emptyset":
        return Region((), sure=True)
    without = split(text, (r"\setminus",))
    if len(without) == 2:
        return _without(region_of(without[0]), without[1])
    if r"\ne" in text:
        return _unequal(text)
    pieces = [_piece(piece) for piece in split(text, (r"\cup",))]
    if len(pieces) == 1:
        alternatives = [interval_of(piece) for piece in split(text, (" or ", ","))]
        if len(alternatives) > 1:
            pieces = [_span_of(piece) if piece else None for piece in alternatives]
    spans = tuple(span for piece in pieces if piece for span in piece.spans)
    if None in pieces or not pieces:
        return None
    return Region(spans, sure=len(pieces) > 1 or any(piece.sure for piece in pieces if piece))


def _piece(text: str) -> Region | None:
    """Return one interval, or the numbers in braces."""
    if text == r"\R":
        return Region((EVERYTHING,), sure=True)
    by_inequality = interval_of(text)
    if by_inequality:
        return _span_of(by_inequality)
    parts = parts_of(text)
    if parts is None or parts.opening == "":
        return None
    return _points(parts.items) if parts.opening == "{" else _span_of(parts, sure=False)


def _span_of(parts: Parts, *, sure: bool = True) -> Region | None:
    if len(parts.items) != 2 or parts.opening not in "([" or parts.closing not in ")]":
        return None
    low, high = (_end(item) for item in parts.items)
    if low is None or high is None or not low <= high or low == oo or high == -oo:
        return None
    mixed = (parts.opening == "(") != (parts.closing == ")")
    span = Span(low, parts.opening == "[" and low != -oo, high, parts.closing == "]" and high != oo)
    return Region((span,), sure=sure or mixed or low == -oo or high == oo)


def _end(text: str) -> Float | None:
    infinite = {r"\infty": oo, r"+\infty": oo, r"-\infty": -oo}.get(text.replace(" ", ""))
    return real_value(text) if infinite is None else infinite


def _points(items: Sequence[str]) -> Region | None:
    values = [real_value(item) for item in items]
    spans = tuple(Span(value, True, value, True) for value in values if value is not None)
    return Region(spans, sure=False) if len(spans) == len(values) else None


def _without(region: Region | None, points: str) -> Region | None:
    """Return the region without the numbers in braces."""
    parts = parts_of(points)
    taken = _points(parts.items) if parts and parts.opening == "{" else None
    if region is None or taken is None:
        return None
    spans = list(region.spans)
    for hole in taken.spans:
        spans = [part for span in spans for part in _cut(span, hole.low)]
    return Region(tuple(spans), sure=True)


def _cut(span: Span, hole: Float) -> list[Span]:
    if not span.holds(hole):
        return [span]
    return [
        Span(span.low, span.low_in and not _equal(span.low, hole), hole, False),
        Span(hole, False, span.high, span.high_in and not _equal(span.high, hole)),
    ]


def _unequal(text: str) -> Region | None:
    r"""Read `x \ne 1, 2` and `x \ne 1 and x \ne 2` as all numbers except these."""
    points = []
    for piece in split(text, (",", " and ")):
        found = UNEQUAL.fullmatch(piece)
        points.append(found[1].strip() if found else piece.removeprefix("and "))
    return _without(Region((EVERYTHING,), sure=True), rf"\{{{','.join(points)}\}}") if UNEQUAL.match(text) else None


def _equal(one: Float, other: Float) -> bool:
    if abs(one) == oo or abs(other) == oo:
        return bool(one == other)
    return bool(abs(one - other) <= max(abs(one), abs(other)) * PROOF)
