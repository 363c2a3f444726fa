"""Whether a PRM's score of a trace follows its length: a product of probabilities falls with every step."""

from dataclasses import dataclass

import numpy as np

from labeling.metrics.steps import Bools, Ints
from labeling.statistics.intervals import Floats

MOST_BINS = 8


@dataclass(frozen=True)
class LengthBin:
    """Traces of `fewest` to `most` steps: how many, their median score (a logarithm) and the share of right answers."""

    fewest: int
    most: int
    n: int
    median: float
    correct: float


def rank_correlation(scores: Floats, steps: Ints) -> float | None:
    """Return Spearman's rho between score and number of steps, ties at their mean rank; None if either is constant."""
    if len(scores) < 2 or np.ptp(scores) == 0 or np.ptp(steps) == 0:
        return None
    return float(np.corrcoef(_ranks(scores), _ranks(steps))[0, 1])


class WeightedRanks:
    """Spearman's rho as a function of weights, one per item: each call ranks again, ties at their mean rank. Each
    column is sorted once; a set of weights then takes linear time.
    """

    def __init__(self, one: Floats, other: Floats) -> None:
        self.columns = [_Sorted(one), _Sorted(other)]

    def __call__(self, weights: Floats) -> float | None:
        """Return rho, or None if either column is constant among the items with weight."""
        total = float(weights.sum())
        if total == 0:
            return None
        ranks = [column.ranks(weights) for column in self.columns]
        apart = [found - float((weights * found).sum()) / total for found in ranks]
        spread = [float((weights * one * one).sum()) for one in apart]
        if min(spread) <= 1e-9 * total:
            return None
        return float((weights * apart[0] * apart[1]).sum()) / float(np.sqrt(spread[0] * spread[1]))


class _Sorted:
    """A column's items by value: which values are equal, and the place of each item."""

    def __init__(self, values: Floats) -> None:
        _, self.place = np.unique(values, return_inverse=True)
        self.kinds = int(self.place.max(initial=-1)) + 1

    def ranks(self, weights: Floats) -> Floats:
        """Return the mean rank of each item."""
        count = np.bincount(self.place, weights=weights, minlength=self.kinds)
        last = np.cumsum(count)
        return np.asarray((last - count / 2)[self.place], dtype=np.float64)


def by_length(scores: Floats, steps: Ints, correct: Bools, most: int = MOST_BINS) -> list[LengthBin]:
    """Split traces into up to `most` groups of about equal size by number of steps; no length is in two groups."""
    if len(steps) == 0:
        return []
    edges = np.unique(np.quantile(steps, np.linspace(0, 1, most + 1)[1:], method="higher"))
    places = np.searchsorted(edges, steps)
    found = []
    for place in range(len(edges)):
        inside = places == place
        if inside.any():
            lengths = steps[inside]
            median, right = float(np.median(scores[inside])), float(correct[inside].mean())
            found.append(LengthBin(int(lengths.min()), int(lengths.max()), int(inside.sum()), median, right))
    return found


def _ranks(values: Floats | Ints) -> Floats:
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return np.asarray((last - (count - 1) / 2)[place], dtype=np.float64)
