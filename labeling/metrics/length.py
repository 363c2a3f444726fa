"""Whether a PRM's score of a trace follows its length. A product of probabilities falls with every step."""

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
    """Spearman's rho between score and number of steps, ties at their mean rank; None where either is constant."""
    if len(scores) < 2 or np.ptp(scores) == 0 or np.ptp(steps) == 0:
        return None
    return float(np.corrcoef(_ranks(scores), _ranks(steps))[0, 1])


def by_length(scores: Floats, steps: Ints, correct: Bools, most: int = MOST_BINS) -> list[LengthBin]:
    """Traces in up to `most` groups of about equal size, by number of steps; a length is in one group only."""
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
