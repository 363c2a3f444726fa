"""When a number of labels will be made, and the time they take, from past times per label and labels per day. Pure.

Intervals are predictions, not intervals of a mean: the mean is uncertain (the cluster bootstrap of `intervals`), and
the future labels vary around it.

- **Time**: labels times the mean of one. The uncertainty of the mean and the spread of a sum of that many labels are
  independent, so their half-widths add as squares.
- **Days**: the observed days, quiet ones included, are resampled, and future days are drawn from those until there are
  enough labels (a predictive bootstrap: B. Efron and R. J. Tibshirani, *An Introduction to the Bootstrap*, 1993, §25).
  A day is a calendar day: weekends are quiet days like others, and no trend is assumed.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from labeling.statistics.intervals import Estimate, Floats, Z, bounded, of_totals, percentiles, unknown

LONGEST = 2_000  # days; beyond that there is no forecast
SCENARIOS = 1_000


def time_of_labels(parts: Floats, labels: int) -> Estimate:
    """Return how long `labels` labels take. `parts`: for each problem the total time of its labels, their number, and
    the sum of their squared times. `n`: the labels it is based on.
    """
    if labels == 0:
        return Estimate(0.0, None, None, 0, 0, "all_alike")
    seen = float(parts[:, 1].sum()) if len(parts) else 0.0
    if seen == 0:
        return unknown(0)
    mean = of_totals(parts[:, :2], _mean, n=int(seen))
    if mean.value is None or mean.low is None or mean.high is None:
        return scaled(mean, labels)
    total, _, squares = (float(one) for one in parts.sum(axis=0))
    spread = Z * math.sqrt(max(0.0, squares / seen - (total / seen) ** 2) * labels)
    middle = mean.value * labels
    below, above = (math.hypot(abs(end - mean.value) * labels, spread) for end in (mean.low, mean.high))
    return replace(mean, value=middle, low=max(0.0, middle - below), high=middle + above)


def days_of_labels(by_day: Sequence[int], labels: int, *, seed: int = 0) -> Estimate:
    """Return after how many days `labels` labels will be made. `by_day`: how many were made on each day, quiet ones as
    0.

    n/a if none were made. An interval needs at least FEWEST_CLUSTERS days with work, and an end within LONGEST days.
    `n`: the number of days.
    """
    if labels == 0:
        return Estimate(0.0, None, None, len(by_day), 0, "all_alike")
    made = sum(by_day)
    if made == 0:
        return unknown(len(by_day))
    value = labels * len(by_day) / made
    worked = sum(one > 0 for one in by_day)
    if value > LONGEST:
        return Estimate(value, None, None, len(by_day), worked, "often_undefined")
    low, high = percentiles(_scenarios(np.array(by_day, dtype=np.float64), labels, seed))
    ends = (None, None) if low is None or high is None else (min(low, value), max(high, value))
    return bounded(value, ends, len(by_day), worked)


def scaled(estimate: Estimate, factor: float) -> Estimate:
    """Return the same estimate in another unit: hours for minutes, money for hours."""

    def of(end: float | None) -> float | None:
        return None if end is None else end * factor

    return replace(estimate, value=of(estimate.value), low=of(estimate.low), high=of(estimate.high))


def _mean(sums: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Floats = np.where(sums[..., 1] > 0, sums[..., 0] / sums[..., 1], np.nan)
    return result


def _scenarios(by_day: Floats, labels: int, seed: int) -> Floats:
    """Return the day on which each scenario has enough labels; NaN if it has not within LONGEST days.

    One row per future day, drawn in order: the draws for the first days do not depend on the number of labels, so more
    labels never take fewer days.
    """
    generator = np.random.default_rng(seed)
    seen = by_day[generator.integers(0, len(by_day), size=(len(by_day), SCENARIOS))]
    done = np.full(SCENARIOS, np.nan)
    made = np.zeros(SCENARIOS)
    for day in range(1, LONGEST + 1):
        drawn = generator.integers(0, len(by_day), size=SCENARIOS)
        made += seen[drawn, np.arange(SCENARIOS)]
        done[np.isnan(done) & (made >= labels)] = day
        if not np.isnan(done).any():
            break
    return done
