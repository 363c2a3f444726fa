"""How many random labels a round's chosen labels were worth, with an interval. Pure; seeded.

`worker.prm.choice_worth` measures the step AUC of heads that learned from random labels, in growing shares, and of one
that learned from the smallest of them, the base, with the chosen labels beside it. Where the curve of random labels has
that AUC, so many in place of the chosen ones would have taught as much: it is read between its points, on log odds over
the logarithm of the labels, and never beyond its end, where each of them that could be drawn says something else. The
joint covariance of points and round gives the interval: worths of curves and rounds drawn by it.

Chosen labels that taught more than all random ones there are have a low end only.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from labeling.statistics.intervals import LEVEL, Estimate, Floats, bounded
from labeling.statistics.learning_curves import EDGE

DRAWS = 4000
NEWEST = 10  # rounds that a training measures: MOST_ROUNDS of worker.prm.choice_worth
WIDEST = 2.5  # of the interval, in labels that were chosen
Json = dict[str, Any]
WorthSilence = Literal["few_problems", "few_random", "wide"]


@dataclass(frozen=True)
class Worth:
    """Random labels that `labels` chosen ones of a round were worth; `because`: why that cannot be said, and then
    `at_least` the low end, where that is more than nothing.
    """

    round: int
    labels: int
    worth: Estimate | None
    because: WorthSilence | None = None
    at_least: int | None = None


def told(found: Mapping[str, Any]) -> Json:
    """As a report keeps it: of each round what it was worth, and what it was measured on."""
    return {
        "random_labels": found["labels"],
        "problems": found["problems"],
        "rounds": [{**asdict(one), "worth": one.worth and asdict(one.worth)} for one in worths(found)],
    }


def worths(found: Mapping[str, Any]) -> list[Worth]:
    """Of each round that was measured, in its order."""
    return [worth(found, place) for place in range(len(found["rounds"]))]


def worth(found: Mapping[str, Any], place: int) -> Worth:
    """Of the round at this place."""
    about = found["rounds"][place]
    number, labels = about["round"], about["labels"]
    scale = labels / about["fitted"]  # a fold leaves some of them out, and as large a part of the random ones
    value, drawn = _drawn(found, place)
    tail = (1 - LEVEL) / 2
    low = float(np.quantile(drawn, tail, method="lower")) * scale
    high = float(np.quantile(drawn, 1 - tail, method="higher")) * scale
    at_least = math.floor(low) if low >= 1 else None
    if not math.isfinite(high) or not math.isfinite(value):
        return Worth(number, labels, None, "few_random", at_least)
    if high - low > WIDEST * labels:
        return Worth(number, labels, None, "wide", at_least)
    estimate = bounded(value * scale, (low, high), labels, found["problems"])
    if estimate.low is None:
        return Worth(number, labels, None, "few_problems")
    return Worth(number, labels, estimate)


def _drawn(found: Mapping[str, Any], place: int) -> tuple[float, Floats]:
    """The worth that was measured, and [DRAWS] of what else it may be; infinite beyond the random labels there are."""
    count = len(found["points"])
    kept = [*range(count), count + place]
    measured = [*[one["auc"] for one in found["points"]], found["rounds"][place]["auc"]]
    aucs = np.clip(np.array(measured, dtype=np.float64), EDGE, 1 - EDGE)
    slopes = 1 / (aucs * (1 - aucs))  # of log odds by the AUC
    noise = np.array(found["covariance"], dtype=np.float64)[np.ix_(kept, kept)] * np.outer(slopes, slopes)
    odds = np.log(aucs / (1 - aucs))
    around = np.random.default_rng(0).multivariate_normal(odds, noise, size=DRAWS, method="eigh")
    labels = np.array([one["labels"] for one in found["points"]])
    worths = np.array([_read(labels, one[:-1], one[-1]) for one in (odds, *around)])
    return float(worths[0]), worths[1:]


def _read(labels: Floats, curve: Floats, reached: float) -> float:
    """Labels beyond the base's at which a curve is as high; where noise lets it fall, it is drawn level."""
    rising = (np.maximum.accumulate(curve) + np.minimum.accumulate(curve[::-1])[::-1]) / 2
    if reached > rising[-1]:
        return math.inf
    if reached < rising[0]:  # the chosen labels took away: down to what no label teaches
        return float(-labels[0] * min(1.0, (rising[0] - reached) / max(rising[0], 1e-9)))
    return float(np.exp(np.interp(reached, rising, np.log(labels))) - labels[0])
