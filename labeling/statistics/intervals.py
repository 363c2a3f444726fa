"""Confidence intervals: Wilson's for a proportion, the bootstrap for everything else. Pure; seeded.

Figures about labels are drawn from traces, and traces from problems: steps of one trace resemble each other, so what is
resampled is always the whole unit (a trace, a problem), never its steps (the cluster bootstrap: Davison and Hinkley,
*Bootstrap Methods and their Application*, 1997, §3.8).
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

LEVEL = 0.95
RESAMPLES = 1000
# A figure that is undefined in more resamples than this has a value, but no interval worth showing.
MOST_UNDEFINED = 0.05
# Resamples are drawn in blocks of about this many counts (16 MB), so that memory does not grow with the data.
BLOCK = 2_000_000
# Where this many units are alike on average, how often each kind is drawn is drawn instead of each unit: it is faster.
ALIKE = 8


@dataclass(frozen=True)
class Estimate:
    """A figure, the ends of its 95 % interval and how many units (traces, steps, pairs) it rests on.

    `value` is None where the figure is undefined ("n/a" to a reader, never 0 or 1); `low` and `high` are None where
    there is no interval.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int


def wilson(successes: int, n: int, level: float = LEVEL) -> tuple[float, float]:
    """Wilson's score interval for a share (E. B. Wilson, JASA 22, 1927); (0, 1) where nothing was seen.

    Raises ValueError unless 0 <= successes <= n.
    """
    if not 0 <= successes <= n:
        raise ValueError("successes are between 0 and n.")
    if n == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf(0.5 + level / 2)
    share = successes / n
    spread = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    middle, scale = share + z * z / (2 * n), 1 + z * z / n
    # The ends are exact at 0 and n; rounding must not push them past what was seen.
    low = 0.0 if successes == 0 else (middle - spread) / scale
    high = 1.0 if successes == n else (middle + spread) / scale
    return low, high


def share(successes: int, n: int) -> Estimate:
    """A share with Wilson's interval; n/a where nothing was seen."""
    if n == 0:
        return Estimate(None, None, None, 0)
    low, high = wilson(successes, n)
    return Estimate(successes / n, low, high, n)


def difference(one: Estimate, other: Estimate) -> Estimate:
    """How much higher one share is than another of other units: Newcombe's hybrid of the two Wilson intervals
    (R. G. Newcombe, Statistics in Medicine 17, 1998, method 10). n/a where either is; `n` is of both.
    """
    n = one.n + other.n
    if one.value is None or other.value is None:
        return Estimate(None, None, None, n)
    assert one.low is not None and one.high is not None and other.low is not None and other.high is not None  # noqa: PT018
    value = one.value - other.value
    below = math.hypot(one.value - one.low, other.high - other.value)
    above = math.hypot(one.high - one.value, other.value - other.low)
    return Estimate(value, max(-1.0, value - below), min(1.0, value + above), n)


def resampled_counts(units: int, resamples: int, seed: int) -> Iterator[Floats]:
    """How often each unit is drawn, in blocks of shape (resamples, units); every row adds up to `units`."""
    generator = np.random.default_rng(seed)
    size = max(1, BLOCK // max(1, units))
    for start in range(0, resamples, size):
        rows = min(size, resamples - start)
        drawn = generator.integers(0, units, size=(rows, units)) + np.arange(rows)[:, None] * units
        yield np.bincount(drawn.ravel(), minlength=rows * units).reshape(rows, units).astype(np.float64)


def resampled_totals(parts: Floats, *, resamples: int = RESAMPLES, seed: int = 0) -> Floats:
    """Sums over resampled units. `parts` has shape (units, k), one row of summands a unit; returns (resamples, k).

    Units with equal rows are one kind. How often kinds are drawn is multinomial, whichever unit of a kind it is.
    """
    if len(parts) == 0:
        return np.zeros((0, parts.shape[1]))
    kinds, sizes = _kinds(parts)
    if len(kinds) * ALIKE <= len(parts):
        drawn = np.random.default_rng(seed).multinomial(len(parts), sizes / len(parts), size=resamples)
        return drawn.astype(np.float64) @ kinds
    blocks = [counts @ parts for counts in resampled_counts(len(parts), resamples, seed)]
    return np.concatenate(blocks)


def _kinds(parts: Floats) -> tuple[Floats, npt.NDArray[np.int_]]:
    """The different rows, in order, and how many there are of each."""
    ordered = parts[np.lexsort(parts.T)]
    starts = np.flatnonzero(np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1)))
    return ordered[starts], np.diff(np.append(starts, len(parts)))


def of_totals(
    parts: Floats,
    figure: Callable[[Floats], Floats],
    *,
    n: int,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """A figure that is a function of sums over units, with its bootstrap interval.

    `figure` takes sums of shape (..., k) to figures of shape (...), NaN where undefined. Units that add nothing (a row
    of zeros) say nothing about the figure and are not drawn.
    """
    parts = parts[parts.any(axis=1)]
    value = float(figure(parts.sum(axis=0)))
    low, high = percentiles(figure(resampled_totals(parts, resamples=resamples, seed=seed)))
    return Estimate(None, None, None, n) if math.isnan(value) else Estimate(value, low, high, n)


def of_weights(
    figure: Callable[[Floats], float | None],
    clusters: npt.NDArray[np.int_],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """A figure of weighted items, with its bootstrap interval over the clusters (0, 1, …) that the items belong to.

    `figure` takes one weight an item; None where undefined. `n` is the number of items.
    """
    value = figure(np.ones(len(clusters)))
    if value is None:
        return Estimate(None, None, None, len(clusters))
    drawn = [
        math.nan if (one := figure(counts[clusters])) is None else one
        for block in resampled_counts(int(clusters.max()) + 1, resamples, seed)
        for counts in block
    ]
    low, high = percentiles(np.array(drawn))
    return Estimate(value, low, high, len(clusters))


def percentiles(drawn: Floats, level: float = LEVEL) -> tuple[float | None, float | None]:
    """The percentile interval of resampled figures; none where too many of them are undefined."""
    defined = drawn[~np.isnan(drawn)]
    if len(defined) == 0 or len(defined) < (1 - MOST_UNDEFINED) * len(drawn):
        return None, None
    # As np.quantile does it, without its tenth of a millisecond: a page has hundreds of intervals.
    ordered = np.sort(defined)
    ends = np.array([0.5 - level / 2, 0.5 + level / 2]) * (len(ordered) - 1)
    low, high = np.interp(ends, np.arange(len(ordered)), ordered)
    return float(low), float(high)
