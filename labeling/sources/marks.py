"""What rollouts say of a step: a soft mark, and a hard one where it is sure.

Rollouts from a prefix tell whether the right answer is still *reachable* for one completer, not whether the step is
correct: a wrong step with a lucky recovery is marked right, a right one that the completer cannot go on from is marked
wrong. So hits and trials are kept, not their ratio alone (Math-Shepherd, arXiv 2312.08935, §3.3).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from labeling.protocol.interface import NO_ERROR
from labeling.statistics.intervals import wilson

THRESHOLD = 0.5
EACH_STEP = ("verifier", "formal")  # kinds that look at each step by itself
UNKNOWN = "unknown"  # why no first error is named: too few rollouts could be graded


class Hits(NamedTuple):
    """Of `n` graded rollouts from a prefix so many were right. Ungraded ones are no trials."""

    hits: int
    n: int


class Mark(NamedTuple):
    """A step's: `soft` the share of hits with its interval, `hard` right, wrong, or None where that is not sure."""

    soft: float | None
    low: float
    high: float
    hard: bool | None


NOTHING = Mark(None, 0.0, 1.0, None)


@dataclass(frozen=True)
class Marked:
    """What a source says of one trace.

    `steps`: a number for each, None where it says nothing. `first_error`: a step, NO_ERROR, or None: it does not say,
    for `why`. `evidence` is what it rests on, as JSON.
    """

    steps: Sequence[float | None]
    first_error: int | None
    why: str = ""
    evidence: dict[str, Any] = field(default_factory=dict)


def unlooked_at(kind: str, rule: str | None, steps: Sequence[float | None] | None) -> frozenset[int]:
    """The places of which a mark says nothing, though its first error may be later: those without a number, of a source
    that looks at each step by itself. `rule` is that of a consensus; its `weakest` takes numbers step by step, too."""
    if kind not in EACH_STEP and rule != "weakest":
        return frozenset()
    return frozenset(place for place, one in enumerate(steps or ()) if one is None)


def mark_of(found: Hits, wanted: int, threshold: float = THRESHOLD) -> Mark:
    """The mark of a step from the rollouts behind it, of which `wanted` were asked for.

    Fewer than half of them graded: nothing. Hard only where Wilson's interval leaves the threshold out.
    """
    if found.n == 0 or 2 * found.n < wanted:
        return NOTHING
    low, high = wilson(found.hits, found.n)
    hard = True if low > threshold else False if high < threshold else None
    return Mark(found.hits / found.n, low, high, hard)


def first_without_hit(after: Sequence[Hits | None], wanted: int) -> tuple[int | None, str]:
    """The first step behind which no rollout was right, from the hits after 0, 1, … steps; or why it is not known.

    No hit before the first step: the completer cannot solve the problem, which says nothing of the steps.
    """
    known = [hits is not None and mark_of(hits, wanted).soft is not None for hits in after]
    if not known[0]:
        return None, UNKNOWN
    if after[0] is not None and after[0].hits == 0:
        return None, "unsolvable"
    for step, hits in enumerate(after[1:]):
        if not known[step + 1] or hits is None:
            return None, UNKNOWN
        if hits.hits == 0:
            return step, ""
    return NO_ERROR, ""


def is_monotone(after: Sequence[Hits | None]) -> bool:
    """Whether no prefix with a hit comes behind one without: else a step recovered, and the boundary is one of some."""
    hit = [hits.hits > 0 for hits in after if hits is not None and hits.n]
    return hit == sorted(hit, reverse=True)


def progress(after: Sequence[Hits | None]) -> list[dict[str, float | None]]:
    """Per step the chance of success before and after it, and the difference: its progress for this completer
    (*Rewarding Progress*, arXiv 2410.08146). It says nothing of whether the step is correct."""
    chance = [hits.hits / hits.n if hits is not None and hits.n else None for hits in after]
    return [
        {"before": q, "after": r, "difference": None if q is None or r is None else r - q}
        for q, r in zip(chance, chance[1:], strict=False)
    ]
