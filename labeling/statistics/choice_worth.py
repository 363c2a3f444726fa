"""How many random labels a round's chosen labels were worth, with an interval. Pure; seeded.

`worker.prm.choice_worth` measures the step AUC of heads trained on growing shares of random labels, and of one trained
on the smallest share, the base, plus the chosen labels. The point at which the curve of random labels reaches that AUC
says how many random labels would have taught as much. It is interpolated between the curve's points, on log odds over
the logarithm of the labels, and never read beyond its end, where each possible extension gives a different answer. The
interval comes from curves and rounds drawn with the joint covariance of points and round.

If the chosen labels taught more than all existing random ones, there is only a low end.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from labeling.statistics.intervals import LEVEL, Estimate, Floats, bounded
from labeling.statistics.learning_curves import EDGE

DRAWS = 4000
NEWEST = 10  # rounds measured per training: MOST_ROUNDS of worker.prm.choice_worth
WIDEST = 2.5  # width of the interval, relative to the chosen labels
Json = dict[str, Any]
WorthSilence = Literal["few_problems", "few_random", "wide"]


@dataclass(frozen=True)
class Worth:
    """The random labels that `labels` chosen ones of a round were worth. `because`: why this cannot be said; then
    `at_least` is the low end, if it is at least 1.
    """

    round: int
    labels: int
    worth: Estimate | None
    because: WorthSilence | None = None
    at_least: int | None = None


def told(found: Mapping[str, Any]) -> Json:
    """Return the result as a report stores it: what each round was worth, and what it was measured on."""
    return {
        "random_labels": found["labels"],
        "problems": found["problems"],
        "rounds": [{**asdict(one), "worth": one.worth and asdict(one.worth)} for one in worths(found)],
    }


def worths(found: Mapping[str, Any]) -> list[Worth]:
    """Return the worth of each measured round, in order."""
    return [worth(found, place) for place in range(len(found["rounds"]))]


def worth(found: Mapping[str, Any], place: int) -> Worth:
    """Return the worth of the round at this place."""
    about = found["rounds"][place]
    number, labels = about["round"], about["labels"]
    scale = labels / about["fitted"]  # a fold leaves out some of them, and an equal share of the random ones
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
    """Return the measured worth, and [DRAWS] possible others; infinite beyond the existing random labels."""
    count = len(found["points"])
    kept = [*range(count), count + place]
    measured = [*[one["auc"] for one in found["points"]], found["rounds"][place]["auc"]]
    aucs = np.clip(np.array(measured, dtype=np.float64), EDGE, 1 - EDGE)
    slopes = 1 / (aucs * (1 - aucs))  # derivative of log odds by the AUC
    noise = np.array(found["covariance"], dtype=np.float64)[np.ix_(kept, kept)] * np.outer(slopes, slopes)
    odds = np.log(aucs / (1 - aucs))
    around = np.random.default_rng(0).multivariate_normal(odds, noise, size=DRAWS, method="eigh")
    labels = np.array([one["labels"] for one in found["points"]])
    worths = np.array([_read(labels, one[:-1], one[-1]) for one in (odds, *around)])
    return float(worths[0]), worths[1:]


def _read(labels: Floats, curve: Floats, reached: float) -> float:
    """Return the labels beyond the base's at which a curve reaches this height; falls due to noise are flattened."""
    rising = (np.maximum.accumulate(curve) + np.minimum.accumulate(curve[::-1])[::-1]) / 2
    if reached > rising[-1]:
        return math.inf
    if reached < rising[0]:  # the chosen labels did harm: down to minus the base's labels
        return float(-labels[0] * min(1.0, (rising[0] - reached) / max(rising[0], 1e-9)))
    return float(np.exp(np.interp(reached, rising, np.log(labels))) - labels[0])
