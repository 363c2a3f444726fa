"""What rollouts say of a step: a soft mark, and a hard one if it is certain.

Rollouts from a prefix show whether one completer can still *reach* the right answer, not whether the step is correct: a
wrong step with a lucky recovery is marked right, a right one that the completer cannot continue from is marked wrong.
So hits and trials are stored, not only their ratio (Math-Shepherd, arXiv 2312.08935, §3.3).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from labeling.protocol.interface import NO_ERROR
from labeling.statistics.intervals import wilson

THRESHOLD = 0.5
EACH_STEP = ("verifier", "formal")  # kinds that judge each step separately
UNKNOWN = "unknown"  # why no first error is named: too few rollouts could be graded


class Hits(NamedTuple):
    """How many of `n` graded rollouts from a prefix were right. Ungraded ones do not count."""

    hits: int
    n: int


class Mark(NamedTuple):
    """A step's mark: `soft` the share of hits with its interval, `hard` right, wrong, or None if uncertain."""

    soft: float | None
    low: float
    high: float
    hard: bool | None


NOTHING = Mark(None, 0.0, 1.0, None)


@dataclass(frozen=True)
class Marked:
    """What a source says of one trace.

    `steps`: a number for each, None if it says nothing. `first_error`: a step, NO_ERROR, or None if it does not say,
    with the reason in `why`. `evidence`: what it is based on, as JSON.
    """

    steps: Sequence[float | None]
    first_error: int | None
    why: str = ""
    evidence: dict[str, Any] = field(default_factory=dict)


def unlooked_at(kind: str, rule: str | None, steps: Sequence[float | None] | None) -> frozenset[int]:
    """Return the places of which a mark says nothing, though its first error may be later: those without a number, from
    a source that judges each step separately. `rule` is a consensus's; its `weakest` also takes numbers step by step.
    """
    if kind not in EACH_STEP and rule != "weakest":
        return frozenset()
    return frozenset(place for place, one in enumerate(steps or ()) if one is None)


def mark_of(found: Hits, wanted: int, threshold: float = THRESHOLD) -> Mark:
    """Return the mark of a step from the rollouts after it, of which `wanted` were requested.

    No mark if fewer than half of them were graded. Hard only if Wilson's interval excludes the threshold.
    """
    if found.n == 0 or 2 * found.n < wanted:
        return NOTHING
    low, high = wilson(found.hits, found.n)
    hard = True if low > threshold else False if high < threshold else None
    return Mark(found.hits / found.n, low, high, hard)


def first_without_hit(after: Sequence[Hits | None], wanted: int) -> tuple[int | None, str]:
    """Return the first step after which no rollout was right, given the hits after 0, 1, … steps; or why it is unknown.

    Without a hit before the first step, the completer cannot solve the problem, which says nothing about the steps.
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
    """Whether no prefix with a hit follows one without. Otherwise a step recovered, and there are several
    boundaries.
    """
    hit = [hits.hits > 0 for hits in after if hits is not None and hits.n]
    return hit == sorted(hit, reverse=True)


def progress(after: Sequence[Hits | None]) -> list[dict[str, float | None]]:
    """Return for each step the chance of success before and after it, and the difference: its progress for this
    completer (*Rewarding Progress*, arXiv 2410.08146). It does not say whether the step is correct.
    """
    chance = [hits.hits / hits.n if hits is not None and hits.n else None for hits in after]
    return [
        {"before": q, "after": r, "difference": None if q is None or r is None else r - q}
        for q, r in zip(chance, chance[1:], strict=False)
    ]
