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
    """Rated steps of many traces, one entry per step. `problems` numbers the problems 0, 1, ...; intervals resample
    them.

    Scores are finite. Raises ValueError if lengths differ or a score is not a number.
    """

    targets: Bools
    scores: Floats
    positions: Ints
    problems: Ints

    def __post_init__(self) -> None:
        if len({len(self.targets), len(self.scores), len(self.positions), len(self.problems)}) != 1:
            raise ValueError("Give one target, score, position and problem per step.")
        if not np.isfinite(self.scores).all():
            raise ValueError("A score is not a number: leave out unscored traces and report how many.")


class Auc:
    """The area under the ROC curve as a function of weights: the chance that a right step scores above a wrong one,
    ties counting half (Hanley and McNeil, 1982). With `strata`, only steps of the same stratum are compared, so an AUC
    within positions shows only what position does not explain.

    Wrong steps are sorted once; each set of weights then takes linear time.
    """

    def __init__(self, targets: Bools, scores: Floats, strata: Ints | None = None) -> None:
        strata = np.zeros(len(scores), dtype=int) if strata is None else strata
        _, place = np.unique(scores, return_inverse=True)
        _, stratum = np.unique(strata, return_inverse=True)
        width = int(place.max(initial=-1)) + 1
        keys = stratum * width + place  # sorted by stratum, then by score
        self.right, self.wrong = np.flatnonzero(targets), np.flatnonzero(~targets)
        self.wrong = self.wrong[np.argsort(keys[self.wrong], kind="stable")]
        sorted_keys, own, floor = keys[self.wrong], keys[self.right], stratum[self.right] * width
        # For each right step, how many wrong ones come before its stratum, its score, the next score, the next stratum.
        self.before = [np.searchsorted(sorted_keys, one) for one in (floor, own, own + 1, floor + width)]

    def __call__(self, weights: Floats) -> float | None:
        """Return the AUC with one weight per step; None if no right step is compared with a wrong one."""
        right = weights[self.right]
        wrong = np.append(0.0, np.cumsum(weights[self.wrong]))
        stratum, lower, tied, end = (wrong[places] for places in self.before)
        pairs = float((right * (end - stratum)).sum())
        if pairs == 0:
            return None
        # Not `@`: in a thousand calls, the threads it starts for a long vector cost ten times the product.
        return float((right * ((lower + tied) / 2 - stratum)).sum()) / pairs


class AveragePrecision:
    """Average precision of the wrong steps as a function of weights: the share of wrong ones among the steps with at
    most a wrong step's score, averaged over the wrong steps. Steps with equal scores count together; nothing is
    interpolated. A PRM that gives every step the same score gets the share of wrong steps.

    Steps are sorted once; each set of weights then takes linear time.
    """

    def __init__(self, targets: Bools, scores: Floats) -> None:
        self.order = np.argsort(scores, kind="stable")
        ordered, self.wrong = scores[self.order], ~targets[self.order]
        # The last step of each score that a wrong step has: the others add no wrong step.
        last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)[: len(ordered)])
        wrong = np.cumsum(self.wrong)[last]
        self.ends = last[np.diff(wrong, prepend=0) > 0]

    def __call__(self, weights: Floats) -> float | None:
        """Return the average precision with one weight per step; None unless there are both wrong and right steps."""
        weights = weights[self.order]
        wrong = weights * self.wrong
        all_wrong = float(wrong.sum())
        if all_wrong == 0 or all_wrong == float(weights.sum()):
            return None
        called, found = np.cumsum(weights)[self.ends], np.cumsum(wrong)[self.ends]
        gained = np.diff(found, prepend=0.0)
        return float((gained * found / np.where(called > 0, called, 1.0)).sum()) / all_wrong


def auc(steps: Steps, *, resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """Return the step AUC, with its interval over problems."""
    return of_weights(Auc(steps.targets, steps.scores), **_drawn(steps), resamples=resamples, seed=seed)


def auc_given_position(steps: Steps, *, resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """Return the step AUC among steps at the same position: 0.5 for a PRM that only knows that later steps
    are worse.
    """
    metric = Auc(steps.targets, steps.scores, steps.positions)
    return of_weights(metric, **_drawn(steps), resamples=resamples, seed=seed)


def auc_gain(
    steps: Steps, other_scores: Floats, strata: Ints | None = None, *, resamples: int = RESAMPLES, seed: int = 0
) -> Estimate:
    """Return how much higher the AUC is (within strata, if given) than that of `other_scores` for the same steps, both
    resampled together. A PRM beats a baseline if `low` is above 0.
    """
    own, other = Auc(steps.targets, steps.scores, strata), Auc(steps.targets, other_scores, strata)
    return of_weights(_apart(own, other), **_drawn(steps), resamples=resamples, seed=seed)


def average_precision(steps: Steps, *, resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """Return the average precision of the wrong steps, with its interval over problems."""
    metric = AveragePrecision(steps.targets, steps.scores)
    return of_weights(metric, **_drawn(steps), resamples=resamples, seed=seed)


def average_precision_gain(
    steps: Steps, other_scores: Floats, *, resamples: int = RESAMPLES, seed: int = 0
) -> Estimate:
    """Return how much higher it is than that of `other_scores` for the same steps, both resampled together."""
    own, other = (AveragePrecision(steps.targets, scores) for scores in (steps.scores, other_scores))
    return of_weights(_apart(own, other), **_drawn(steps), resamples=resamples, seed=seed)


def _apart(own: Weighted, other: Weighted) -> Weighted:
    """Return the difference of two metrics of the same weights; None if either is undefined."""

    def gain(weights: Floats) -> float | None:
        one, two = own(weights), other(weights)
        return None if one is None or two is None else one - two

    return gain


def mean_of_steps(values: Floats, steps: Steps, *, resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """Return the mean of one value per step, with its interval over problems."""

    def mean(weights: Floats) -> float | None:
        return float(np.average(values, weights=weights)) if weights.sum() else None

    return of_weights(mean, steps.problems, resamples=resamples, seed=seed)


def _drawn(steps: Steps) -> dict[str, Any]:
    """Return what a metric of right against wrong steps is resampled over. Its clusters are the problems with the
    rarer kind of step."""
    rights, wrongs = (len(np.unique(steps.problems[steps.targets == right])) for right in (True, False))
    return {"of": steps.problems, "clusters": min(rights, wrongs)}


# A step is judged wrong below the threshold. Cells of (truth, judgement), the negative class first, as that is what we
# look for.
WRONG_WRONG, WRONG_RIGHT, RIGHT_WRONG, RIGHT_RIGHT = range(4)


def confusion(targets: Sequence[bool] | Bools, scores: Sequence[float] | Floats, threshold: float) -> Floats:
    """Return how many steps are in each of the four cells, shape (4,)."""
    judged_right = np.asarray(scores, dtype=np.float64) >= threshold
    cells = 2 * np.asarray(targets, dtype=int) + judged_right
    return np.bincount(cells, minlength=4).astype(np.float64)


def accuracy(cells: Floats) -> Floats:
    """Return the share of steps judged as humans did; cells of shape (..., 4), NaN if there are none."""
    return ratio(cells[..., WRONG_WRONG] + cells[..., RIGHT_RIGHT], cells.sum(axis=-1))


def f1_negative(cells: Floats) -> Floats:
    """Return the F1 of the wrong steps; NaN if there are none and none was judged wrong."""
    return _f1(cells[..., WRONG_WRONG], cells[..., RIGHT_WRONG] + cells[..., WRONG_RIGHT])


def macro_f1(cells: Floats) -> Floats:
    """Return the mean of the F1 of wrong and of right steps; NaN if one of them is undefined."""
    positive = _f1(cells[..., RIGHT_RIGHT], cells[..., RIGHT_WRONG] + cells[..., WRONG_RIGHT])
    return (f1_negative(cells) + positive) / 2


def _f1(hits: Floats, misses: Floats) -> Floats:
    return ratio(2 * hits, 2 * hits + misses)


def ratio(top: Floats, bottom: Floats) -> Floats:
    """Return the quotient, NaN if the divisor is 0."""
    return np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1.0), np.nan)
