"""What position and length alone say of a step. A PRM that does not beat this has learned nothing from the text.

Logistic regression on three features of a step: its position, the log of its position, the log of its length. The
number of steps of the trace is *not* among them: a labeled trace often ends at its first error, so it would give the
answer away.
"""

from dataclasses import dataclass

import numpy as np

from labeling.metrics.steps import Bools, Ints
from labeling.statistics.intervals import Floats

RIDGE = 1.0  # scikit-learn's default, C = 1: negligible with thousands of steps, and it keeps separable data finite
ITERATIONS = 50


@dataclass(frozen=True)
class Baseline:
    """A fitted baseline: `weights` for the standardised features, after the intercept."""

    means: Floats
    deviations: Floats
    weights: Floats

    def scores(self, positions: Ints, characters: Ints) -> Floats:
        """Return P(step right) of steps by position (from 0) and length in characters."""
        standard = (features(positions, characters) - self.means) / self.deviations
        return _sigmoid(self.weights[0] + standard @ self.weights[1:])


def features(positions: Ints, characters: Ints) -> Floats:
    """Return the features, shape (steps, 3)."""
    return np.stack([positions, np.log1p(positions), np.log1p(characters)], axis=1).astype(np.float64)


def fit_baseline(positions: Ints, characters: Ints, targets: Bools) -> Baseline | None:
    """Fit on training steps, by Newton's method; None unless there are both right and wrong steps."""
    if len(np.unique(targets)) < 2:
        return None
    raw = features(positions, characters)
    means, deviations = raw.mean(axis=0), raw.std(axis=0)
    deviations = np.where(deviations > 0, deviations, 1.0)
    design = np.concatenate([np.ones((len(raw), 1)), (raw - means) / deviations], axis=1)
    penalty = RIDGE * np.diag([0.0, 1.0, 1.0, 1.0])  # not on the intercept
    weights = np.zeros(4)
    for _ in range(ITERATIONS):
        said = _sigmoid(design @ weights)
        gradient = design.T @ (said - targets) + penalty @ weights
        curvature = (design * (said * (1 - said))[:, None]).T @ design + penalty
        step = np.linalg.solve(curvature, gradient)
        weights -= step
        if np.abs(step).max() < 1e-10:
            break
    return Baseline(means, deviations, weights)


def _sigmoid(values: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(values, -500, 500))), dtype=np.float64)


FOLDS = 5


def out_of_fold(
    positions: Ints, characters: Ints, targets: Bools, rated: Bools, problems: Ints, folds: int = FOLDS
) -> Floats:
    """Return P(step right) of every step by a baseline fitted on the rated steps of other problems.

    All arrays have one entry per step; `targets` counts only where `rated`. A problem is in fold `problem % folds`. If
    the other folds have only one kind of step, the result is their share of right steps.
    """
    said = np.full(len(positions), 0.5)
    for fold in range(folds):
        here, others = problems % folds == fold, (problems % folds != fold) & rated
        if not here.any() or not others.any():
            continue
        found = fit_baseline(positions[others], characters[others], targets[others])
        share = float(targets[others].mean())
        said[here] = share if found is None else found.scores(positions[here], characters[here])
    return said
