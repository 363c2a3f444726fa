"""How fast a labeler becomes quicker or slower, from the time their labels took day by day. Pure.

A straight line over days is fitted to the logarithm of the time (least squares, one point per label); the result is the
change per week, as a share. Labels of one day resemble each other, so the interval resamples days.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from labeling.statistics.intervals import Estimate, Floats, of_totals

WEEK = 7  # days
SAME_DAY = 1e-9  # the spread over days of labels that were all made on one day


def drift_a_week(days: Sequence[tuple[int, int, float]]) -> Estimate:
    """Return the change of the time per label within a week: 0.1 is a tenth slower.

    `days`: for each day with labels, its number, how many labels, and the sum of the logarithms of their times. n/a if
    all were made on one day. `n`: labels.
    """
    rows = [(n, n * day, n * day * day, logs, day * logs) for day, n, logs in days if n > 0]
    parts = np.array(rows, dtype=np.float64).reshape(-1, 5)
    found = of_totals(parts, _slope, n=int(parts[:, 0].sum()))
    return replace(found, value=_share(found.value), low=_share(found.low), high=_share(found.high))


def _slope(sums: Floats) -> Floats:
    n, days, squares, logs, together = (sums[..., column] for column in range(5))
    spread = n * squares - days**2
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Floats = np.where(spread > SAME_DAY, (n * together - days * logs) / spread, np.nan)
    return result


def _share(slope: float | None) -> float | None:
    return None if slope is None else math.expm1(WEEK * slope)
