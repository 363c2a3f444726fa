"""Whether a PRM's probabilities mean what they say.

The expected calibration error is that of Guo et al. 2017 (arXiv 1706.04599) with bins of equal width. The Brier score
is that of 1950: the mean squared distance of probability and truth.
"""

from dataclasses import dataclass

import numpy as np

from labeling.metrics.steps import Bools, Ints
from labeling.statistics.intervals import Estimate, Floats, share_of_clusters

BINS = 10


@dataclass(frozen=True)
class Bin:
    """Steps with scores in [low, high) (the last bin: [low, high]). `score` is their mean score, None if the bin is
    empty; `right` the share that humans found right, with its interval over problems.
    """

    low: float
    high: float
    score: float | None
    right: Estimate


def reliability(targets: Bools, scores: Floats, problems: Ints | None = None, bins: int = BINS) -> list[Bin]:
    """Return the reliability diagram: `bins` bins of equal width over [0, 1]. Scores are probabilities. `problems` is
    each step's problem (0, 1, …); without it, each step counts as its own problem.
    """
    problems = np.arange(len(scores)) if problems is None else problems
    places = np.minimum((scores * bins).astype(int), bins - 1)
    found = []
    for place in range(bins):
        inside = places == place
        mean = float(scores[inside].mean()) if inside.any() else None
        of_right = np.bincount(problems[inside], weights=targets[inside])
        seen = np.bincount(problems[inside]).astype(np.float64)
        right = share_of_clusters(of_right.astype(np.float64), seen, n=int(inside.sum()))
        found.append(Bin(place / bins, (place + 1) / bins, mean, right))
    return found


def expected_calibration_error(targets: Bools, scores: Floats, bins: int = BINS) -> float | None:
    """Return the mean distance between a bin's score and its share of right steps, weighted by steps; None without
    steps.
    """
    if len(scores) == 0:
        return None
    filled = [one for one in reliability(targets, scores, bins=bins) if one.score is not None]
    gaps = sum(one.right.n * abs(one.score - one.right.value) for one in filled)  # type: ignore[operator]
    return float(gaps / len(scores))


def brier(targets: Bools, scores: Floats) -> float | None:
    """Return the mean squared distance between score and truth; a constant 0.5 gets 0.25. None without steps."""
    return float(((scores - targets) ** 2).mean()) if len(scores) else None


def tempered(scores: Floats, temperature: float) -> Floats:
    """Return scores with their logits divided by a temperature: above 1 less sure, below 1 surer; their order stays."""
    logits = np.log(np.clip(scores, 1e-12, None)) - np.log(np.clip(1 - scores, 1e-12, None))
    return np.asarray(1 / (1 + np.exp(-logits / temperature)), dtype=np.float64)


def best_temperature(targets: Bools, scores: Floats) -> float | None:
    """Return the temperature in [1/20, 20] with the lowest log loss (golden-section search over its logarithm, in which
    the loss has a single minimum). For validation steps. None unless there are both right and wrong steps.
    """
    if len(np.unique(targets)) < 2:
        return None
    low, high = -np.log(20.0), np.log(20.0)
    golden = (np.sqrt(5) - 1) / 2
    while high - low > 1e-6:
        one, two = high - golden * (high - low), low + golden * (high - low)
        if _log_loss(targets, scores, np.exp(one)) <= _log_loss(targets, scores, np.exp(two)):
            high = two
        else:
            low = one
    return float(np.exp((low + high) / 2))


def _log_loss(targets: Bools, scores: Floats, temperature: float) -> float:
    said = np.clip(tempered(scores, temperature), 1e-12, 1 - 1e-12)
    return float(-np.log(np.where(targets, said, 1 - said)).mean())
