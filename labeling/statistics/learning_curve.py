"""What more labels would buy, by models that learned from different numbers of them, measured on one set. Pure.

A figure such as the step AUC is fitted by a straight line over the logarithm of the labels, each model weighed by its
own interval. More labels buy what the line rises by; the interval is Student's for the slope, widened where the models
scatter more about the line than their intervals say. All were measured on the same traces, so that they err together:
that makes the interval too wide rather than too narrow. Beyond MOST_TIMES the labels there are, a straight line is no
more than a guess, and nothing is said.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from labeling.statistics.intervals import FEWEST_CLUSTERS, Estimate, Z, bounded, unknown

MOST_TIMES = 4.0


class Learned(NamedTuple):
    """How many labels a model learned from, what it was measured at, and the ends of that interval."""

    labels: int
    value: float
    low: float
    high: float


def gain_of_more(models: Sequence[Learned], more: int) -> Estimate:
    """How much higher the figure would be with so many more labels than the model with most of them had.

    n/a without two different numbers of labels, or beyond what the line can say; without an interval below
    FEWEST_CLUSTERS models. `n`: models.
    """
    n = len(models)
    most = max((one.labels for one in models), default=0)
    if len({one.labels for one in models}) < 2 or most + more > MOST_TIMES * most:
        return unknown(n)
    places = np.log([one.labels for one in models])
    values = np.array([one.value for one in models])
    spread = np.array([max(one.high - one.low, 1e-6) / (2 * Z) for one in models])
    weights = spread**-2
    middle = float((weights * places).sum() / weights.sum())
    across = float((weights * (places - middle) ** 2).sum())
    mean = float((weights * values).sum() / weights.sum())
    slope = float((weights * (places - middle) * (values - mean)).sum()) / across
    step = math.log((most + more) / most)
    if n < FEWEST_CLUSTERS:
        return bounded(slope * step, (None, None), n, n)
    left = values - mean - slope * (places - middle)
    scatter = max(1.0, float((weights * left**2).sum()) / (n - 2))
    half = student(n - 2) * math.sqrt(scatter / across) * step
    return bounded(slope * step, (slope * step - half, slope * step + half), n, n)


def student(freedom: int) -> float:
    """The 97.5 % point of Student's distribution, by its expansion (Abramowitz and Stegun, 26.7.5)."""
    z = Z
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3
