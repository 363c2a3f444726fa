"""Active time from spans of attention. Pure; the browser counts it the same way.

Both sides are tested on `labeling/tests/active_time_cases.json`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter


@dataclass(frozen=True)
class Span:
    """Attention on one step (None: the problem, a dialog) from `start` to `end`, in epoch milliseconds. The page ends a
    span after a minute without a key press or movement (frontend/src/features/labeling/attention.ts).
    """

    start: int
    end: int
    step: int | None


@dataclass(frozen=True)
class ActiveTime:
    """Milliseconds per step, on no step, and in total; `total == sum(per_step) + other`."""

    per_step: list[int]
    other: int

    @property
    def total(self) -> int:
        return sum(self.per_step) + self.other


def active_time(
    spans: Iterable[Span], steps: int, *, counted: Iterable[Span] = (), limit_ms: int | None = None
) -> ActiveTime:
    """Count every moment once. Where spans overlap (two tabs), it counts for the one that started first, and for the
    one listed first if both started together.

    Moments inside `counted` spans (an earlier version of the same label) are left out, and the total is at most
    `limit_ms`. A span on a step that the trace does not have counts as no step.
    """
    held = _union(sorted(counted, key=attrgetter("start")))
    pieces = [piece for span in spans for piece in _minus(span, held)]
    per_step = [0] * steps
    other = 0
    covered = 0
    left = limit_ms
    for piece in sorted(pieces, key=attrgetter("start")):
        length = max(0, piece.end - max(piece.start, covered))
        covered = max(covered, piece.end)
        if left is not None:
            length = min(length, left)
            left -= length
        if piece.step is not None and 0 <= piece.step < steps:
            per_step[piece.step] += length
        else:
            other += length
    return ActiveTime(per_step, other)


def _union(spans: list[Span]) -> list[tuple[int, int]]:
    """Return disjoint intervals, in order, that cover what the spans (sorted by start) cover."""
    merged: list[tuple[int, int]] = []
    for span in spans:
        if merged and span.start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], span.end))
        elif span.end > span.start:
            merged.append((span.start, span.end))
    return merged


def _minus(span: Span, held: list[tuple[int, int]]) -> list[Span]:
    """Return the pieces of `span` outside the disjoint, ordered intervals `held`."""
    pieces = []
    start = span.start
    for low, high in held:
        if high <= start or low >= span.end:
            continue
        if low > start:
            pieces.append(Span(start, low, span.step))
        start = max(start, high)
    if span.end > start:
        pieces.append(Span(start, span.end, span.step))
    return pieces
