"""Results of an assisted round: tasks whose labelers saw a machine's marks while they rated, compared with randomly
drawn tasks that showed none.

The arm is the one that was drawn, whether or not the labeler looked at the marks: only that is comparable. Intervals
are over problems.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

import numpy as np

from labeling.statistics.intervals import (
    Estimate,
    Floats,
    difference,
    holding,
    of_totals,
    share_of_clusters,
    unknown,
)

NO_TIMES = "the labels of one of the two arms have no recorded times"
EMPTY_ARM = "one of the two arms has no label on a trace for which the machine has a verdict"
NO_TRUTH = "nothing shows what is true of the traces in one of the arms: no ruling, no other round's label, no record"
NEVER_WRONG = "the machine is not known to be wrong about any trace in one of the arms"


class AssistedRoundLabel(NamedTuple):
    """A label of either arm of an assisted round. `before` counts only if `was_blind`: the verdict before the marks
    were shown.
    """

    trace: int
    problem: Hashable
    assisted: bool | None
    verdict: int | None
    active_ms: int
    seen: bool
    edited: bool
    was_blind: bool
    before: int | None
    finished_otherwise: bool
    machine: int | None
    truth: int | None

    @property
    def changed(self) -> bool:
        """Whether it differs from what it was before the marks were shown."""
        return self.edited and (self.verdict != self.before or self.finished_otherwise)

    @property
    def follows(self) -> bool:
        """Whether it agrees with the machine."""
        return self.verdict == self.machine


class Compared(NamedTuple):
    """A figure of one arm or both; `why` says why it has no value."""

    name: str
    found: Estimate
    why: str


def beside_marks(labels: Sequence[AssistedRoundLabel]) -> list[Compared]:
    """Return seconds, agreement with the machine, the share that is right, and the share that follows a wrong machine;
    only traces with a machine verdict count.
    """
    spoken = [one for one in labels if one.machine is not None and one.assisted is not None]
    arms = [[one for one in spoken if one.assisted is arm] for arm in (True, False)]
    known = [[one for one in arm if one.truth is not None] for arm in arms]
    wrong = [[one for one in arm if one.machine != one.truth] for arm in known]
    no_truth = NO_TRUTH if all(arms) else EMPTY_ARM
    return [
        *_seconds(arms),
        *_shares("agreed_with_the_machine", arms, lambda one: one.follows, EMPTY_ARM),
        *_shares("right", known, lambda one: one.verdict == one.truth, no_truth),
        *_shares("followed_wrong_marks", wrong, lambda one: one.follows, NEVER_WRONG if all(known) else no_truth),
    ]


def misled(labels: Sequence[AssistedRoundLabel]) -> list[int]:
    """Return the traces whose labelers saw a wrong mark and followed it."""
    return [
        one.trace for one in labels
        if one.assisted and one.machine is not None and one.truth not in (None, one.machine) and one.follows
    ]  # fmt: skip


def share_where(labels: Sequence[AssistedRoundLabel], yes: Callable[[AssistedRoundLabel], bool]) -> Estimate:
    """Return a share over problems, which are resampled as a whole."""
    places = _places(labels)
    of = np.array([places[one.problem] for one in labels], dtype=int)
    hits = np.array([yes(one) for one in labels], dtype=float)
    counted = np.bincount(of, minlength=len(places)).astype(float)
    return share_of_clusters(np.bincount(of, hits, len(places)).astype(float), counted, n=len(labels))


def _seconds(arms: Sequence[Sequence[AssistedRoundLabel]]) -> list[Compared]:
    """Return active seconds per label of each arm, and how many are saved by marks. A label without times has no known
    time, so it counts in neither arm.
    """
    timed = [[one for one in arm if one.active_ms > 0] for arm in arms]
    places = _places([one for arm in timed for one in arm])
    parts = np.zeros((len(places), 4))
    for column, arm in enumerate(timed):
        for one in arm:
            parts[places[one.problem], 2 * column] += one.active_ms / 1000
            parts[places[one.problem], 2 * column + 1] += 1
    n = [len(arm) for arm in timed]
    why = NO_TIMES if all(arms) else EMPTY_ARM
    figures = {
        "seconds_beside": _mean(parts, lambda sums: _ratio(sums[..., 0], sums[..., 1]), n[0], 1),
        "seconds_blind": _mean(parts, lambda sums: _ratio(sums[..., 2], sums[..., 3]), n[1], 3),
        "seconds_saved": _mean(parts, _saved, sum(n), 1, 3),
    }
    return [_named(name, one, why) for name, one in figures.items()]


def _saved(sums: Floats) -> Floats:
    return _ratio(sums[..., 2], sums[..., 3]) - _ratio(sums[..., 0], sums[..., 1])


def _ratio(top: Floats, bottom: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(bottom > 0, top / bottom, np.nan)


def _mean(parts: Floats, figure: Callable[[Floats], Floats], n: int, *counts: int) -> Estimate:
    if any(parts[:, count].sum() == 0 for count in counts):
        return unknown(n)
    return of_totals(parts, figure, n=n, clusters=holding(*(parts[:, count] for count in counts)))


def _shares(
    name: str, arms: Sequence[Sequence[AssistedRoundLabel]], yes: Callable[[AssistedRoundLabel], bool], why: str
) -> list[Compared]:
    """Return a share for both arms, and how much higher it is with marks."""
    beside, blind = (share_where(arm, yes) for arm in arms)
    both = difference(beside, blind) if None not in (beside.low, blind.low) else _without_interval(beside, blind)
    named = {f"{name}_beside": beside, f"{name}_blind": blind, f"{name}_difference": both}
    return [_named(one, figure, why) for one, figure in named.items()]


def _without_interval(one: Estimate, other: Estimate) -> Estimate:
    n = one.n + other.n
    if one.value is None or other.value is None:
        return unknown(n)
    fewest = min(one.clusters or 0, other.clusters or 0)
    return Estimate(one.value - other.value, None, None, n, fewest, one.no_interval or other.no_interval)


def _places(labels: Sequence[AssistedRoundLabel]) -> dict[Hashable, int]:
    return {problem: place for place, problem in enumerate(dict.fromkeys(one.problem for one in labels))}


def _named(name: str, found: Estimate, why: str) -> Compared:
    return Compared(name, found, "" if found.value is not None else why)
