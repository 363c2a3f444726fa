"""Metrics of single steps. A target says whether a person rated the step right; a score is a PRM's P(step right)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from labeling.statistics.intervals import RESAMPLES, Estimate, Floats, of_weights

Ints = npt.NDArray[np.int_]
Bools = npt.NDArray[np.bool_]
Weighted = Callable[[Floats], float | None]


@dataclass(frozen=True)
class Steps:
    """Rated steps of many traces, one entry a step. `problems` numbers the problems 0, 1, ...; intervals resample them.

    Scores are finite. Raises ValueError where the lengths differ or a score is not a number.
    """

    targets: Bools
    scores: Floats
    positions: Ints
    problems: Ints

    def __post_init__(self) -> None:
        if len({len(self.targets), len(self.scores), len(self.positions), len(self.problems)}) != 1:
            raise ValueError("One target, score, position and problem a step.")
        if not np.isfinite(self.scores).all():
            raise ValueError("A score is not a number: leave unscored traces out and say how many.")


class Auc:
    """The area under the ROC curve as a function of weights: the chance that a right step scores above a wrong one,
    ties counting half (Hanley and McNeil, 1982). With `strata` only steps of one stratum are compared, so that an AUC
    within positions is left with what position does not explain.

    Wrong steps are sorted once; each set of weights then takes linear time.
    """

    def __init__(self, targets: Bools, scores: Floats, strata: Ints | None = None) -> None:
        strata = np.zeros(len(scores), dtype=int) if strata is None else strata
        _, place = np.unique(scores, return_inverse=True)
        _, stratum = np.unique(strata, return_inverse=True)
        width = int(place.max(initial=-1)) + 1
        keys = stratum * width + place  # sorted, strata are behind each other, and in each the scores
        self.right, self.wrong = np.flatnonzero(targets), np.flatnonzero(~targets)
        self.wrong = self.wrong[np.argsort(keys[self.wrong], kind="stable")]
        sorted_keys, own, floor = keys[self.wrong], keys[self.right], stratum[self.right] * width
        # Of each right step, how many wrong ones come before its stratum, its score, the next score, the next stratum.
        self.before = [np.searchsorted(sorted_keys, one) for one in (floor, own, own + 1, floor + width)]

    def __call__(self, weights: Floats) -> float | None:
        """The AUC with one weight a step; None where no right step meets a wrong one."""
        right = weights[self.right]
        wrong = np.append(0.0, np.cumsum(weights[self.wrong]))
        stratum, lower, tied, end = (wrong[places] for places in self.before)
        pairs = float((right * (end - stratum)).sum())
        if pairs == 0:
            return None
        # Not `@`: called a thousand times, the threads it starts for a long vector cost ten times the product.
        return float((right * ((lower + tied) / 2 - stratum)).sum()) / pairs


class AveragePrecision:
    """Average precision of the wrong steps as a function of weights: the share of wrong ones among the steps that score
    no more than a wrong step does, the mean over the wrong steps. Steps of one score come together; nothing is
    interpolated. A PRM that says the same of every step gets the share of wrong steps.

    Steps are sorted once; each set of weights then takes linear time.
    """

    def __init__(self, targets: Bools, scores: Floats) -> None:
        self.order = np.argsort(scores, kind="stable")
        ordered, self.wrong = scores[self.order], ~targets[self.order]
        # The last step of each score that a wrong step has: others add no wrong step.
        last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)[: len(ordered)])
        wrong = np.cumsum(self.wrong)[last]
        self.ends = last[np.diff(wrong, prepend=0) > 0]

    def __call__(self, weights: Floats) -> float | None:
        """The average precision with one weight a step; None unless there are wrong steps and right ones."""
        weights = weights[self.order]
        wrong = weights * self.wrong
        all_wrong = float(wrong.sum())
        if all_wrong == 0 or all_wrong == float(weights.sum()):
            return None
        called, found = np.cumsum(weights)[self.ends], np.cumsum(wrong)[self.ends]
        gained = np.diff(found, prepend=0.0)
        return float((gained * found / np.where(called > 0, called, 1.0)).sum()) / all_wrong


def auc(steps: Steps, *, resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """Step AUC, with its interval over problems."""
    return of_weights(Auc(steps.targets, steps.scores), **_drawn(steps), resamples=resamples, seed=seed)


def auc_given_position(steps: Steps, *, resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """Step AUC among steps at the same position: a PRM that only knows that later steps are worse gets 0.5."""
    metric = Auc(steps.targets, steps.scores, steps.positions)
    return of_weights(metric, **_drawn(steps), resamples=resamples, seed=seed)


def auc_gain(
    steps: Steps, other_scores: Floats, strata: Ints | None = None, *, resamples: int = RESAMPLES, seed: int = 0
) -> Estimate:
    """How much higher the AUC is (among steps of one stratum, if asked) than that of `other_scores` for the same steps,
    both drawn together. A PRM beats a baseline if `low` is above 0."""
    own, other = Auc(steps.targets, steps.scores, strata), Auc(steps.targets, other_scores, strata)
    return of_weights(_apart(own, other), **_drawn(steps), resamples=resamples, seed=seed)


def average_precision(steps: Steps, *, resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """Average precision of the wrong steps, with its interval over problems."""
    metric = AveragePrecision(steps.targets, steps.scores)
    return of_weights(metric, **_drawn(steps), resamples=resamples, seed=seed)


def average_precision_gain(
    steps: Steps, other_scores: Floats, *, resamples: int = RESAMPLES, seed: int = 0
) -> Estimate:
    """How much higher it is than that of `other_scores` for the same steps, both drawn together."""
    own, other = (AveragePrecision(steps.targets, scores) for scores in (steps.scores, other_scores))
    return of_weights(_apart(own, other), **_drawn(steps), resamples=resamples, seed=seed)


def _apart(own: Weighted, other: Weighted) -> Weighted:
    """How far apart two metrics of the same weights are; None where either is undefined."""

    def gain(weights: Floats) -> float | None:
        one, two = own(weights), other(weights)
        return None if one is None or two is None else one - two

    return gain


def mean_of_steps(values: Floats, steps: Steps, *, resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """The mean of one value a step, with its interval over problems."""

    def mean(weights: Floats) -> float | None:
        return float(np.average(values, weights=weights)) if weights.sum() else None

    return of_weights(mean, steps.problems, resamples=resamples, seed=seed)


def _drawn(steps: Steps) -> dict[str, Any]:
    """What a metric of right steps against wrong ones is resampled over. It rests on the problems with a wrong step,
    however many have right ones."""
    rights, wrongs = (len(np.unique(steps.problems[steps.targets == right])) for right in (True, False))
    return {"of": steps.problems, "clusters": min(rights, wrongs)}


# A step is judged wrong below the threshold. Cells of (truth, judgment), the negative class first as that is what is
# sought.
WRONG_WRONG, WRONG_RIGHT, RIGHT_WRONG, RIGHT_RIGHT = range(4)


def confusion(targets: Sequence[bool] | Bools, scores: Sequence[float] | Floats, threshold: float) -> Floats:
    """How many steps are in each of the four cells, shape (4,)."""
    judged_right = np.asarray(scores, dtype=np.float64) >= threshold
    cells = 2 * np.asarray(targets, dtype=int) + judged_right
    return np.bincount(cells, minlength=4).astype(np.float64)


def accuracy(cells: Floats) -> Floats:
    """The share of steps judged as humans did; cells of shape (..., 4), NaN where there are none."""
    return ratio(cells[..., WRONG_WRONG] + cells[..., RIGHT_RIGHT], cells.sum(axis=-1))


def f1_negative(cells: Floats) -> Floats:
    """F1 of the wrong steps; NaN where there are none and none was judged so."""
    return _f1(cells[..., WRONG_WRONG], cells[..., RIGHT_WRONG] + cells[..., WRONG_RIGHT])


def macro_f1(cells: Floats) -> Floats:
    """The mean of the F1 of wrong and of right steps; NaN where one of them is undefined."""
    positive = _f1(cells[..., RIGHT_RIGHT], cells[..., RIGHT_WRONG] + cells[..., WRONG_RIGHT])
    return (f1_negative(cells) + positive) / 2


def _f1(hits: Floats, misses: Floats) -> Floats:
    return ratio(2 * hits, 2 * hits + misses)


def ratio(top: Floats, bottom: Floats) -> Floats:
    """The quotient, NaN where the divisor is 0."""
    return np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1.0), np.nan)
