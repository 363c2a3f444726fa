"""Confidence intervals; nothing else makes them: Wilson's for a share, the bootstrap for most others. Pure; seeded.

Figures about labels are drawn from traces, and traces from problems. Steps of one trace resemble each other, so the
unit is always the whole *cluster* (a trace, a problem), never its steps.

- A *share* has Wilson's interval. If clusters hold several trials each, it is made for the number of independent trials
  that tell as much (the design effect: L. Kish, *Survey Sampling*, 1965, §8.2; with Wilson's interval: N. Dean and
  M. Pagano, J. Survey Statistics and Methodology 3, 2015), and never for more than there are.
- A *median* of independent values lies between two of them with a known chance, whatever their distribution: its ends
  are order statistics, their ranks binomial (W. J. Conover, *Practical Nonparametric Statistics*, 1999, §3.2;
  H. A. David and H. N. Nagaraja, *Order Statistics*, 2003, §7.1).
- Any other figure has the percentile interval of the cluster bootstrap (Davison and Hinkley, *Bootstrap Methods and
  their Application*, 1997, §3.8). If its clusters are all alike, the interval has width zero and is not shown.

Below FEWEST_CLUSTERS clusters there is no interval at all: two problems say nothing about the next ten thousand.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
# Too few clusters; all alike; undefined in too many resamples; or no known method for this figure.
NoInterval = Literal["few_clusters", "all_alike", "often_undefined", "no_method"]
NO_INTERVAL: tuple[NoInterval, ...] = get_args(NoInterval)

LEVEL = 0.95
RESAMPLES = 1000
FEWEST_CLUSTERS = 5
Z = NormalDist().inv_cdf(0.5 + LEVEL / 2)
NARROWEST = 1e-9  # a narrower interval is only rounding
# A figure that is undefined in more resamples than this has a value, but no interval worth showing.
MOST_UNDEFINED = 0.05
# Resamples are drawn in blocks of about this many counts (16 MB), so that memory does not grow with the data.
BLOCK = 2_000_000
# If on average this many units are alike, the count of each kind is drawn instead of each unit, which is faster.
ALIKE = 8


@dataclass(frozen=True)
class Estimate:
    """A figure, the ends of its 95 % interval and how many units (traces, steps, pairs) it is based on.

    `value` is None if the figure is undefined ("n/a" to a reader, never 0 or 1). `low` and `high` are None if there is
    no interval, for the reason in `no_interval`. `clusters` is how many independent units the interval is based on,
    None if each of `n` is one.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int | None = None
    no_interval: NoInterval | None = None


def unknown(n: int) -> Estimate:
    """Return an undefined figure."""
    return Estimate(None, None, None, n)


def kept(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return an estimate stored in a report; intervals of width zero, which older reports may hold, are removed."""
    found = {"clusters": None, "no_interval": None, **stored}
    if found["low"] is not None and found["high"] is not None and found["high"] - found["low"] < NARROWEST:
        found |= {"low": None, "high": None, "no_interval": "all_alike"}
    return found


def bounded(value: float, ends: tuple[float | None, float | None], n: int, clusters: int) -> Estimate:
    """Return a figure with its interval, or without it if it would claim more than the clusters can tell."""
    if clusters < FEWEST_CLUSTERS:
        return Estimate(value, None, None, n, clusters, "few_clusters")
    low, high = ends
    if low is None or high is None:
        return Estimate(value, None, None, n, clusters, "often_undefined")
    if high - low < NARROWEST:
        return Estimate(value, None, None, n, clusters, "all_alike")
    return Estimate(value, low, high, n, clusters)


def wilson(successes: float, n: float, level: float = LEVEL) -> tuple[float, float]:
    """Return Wilson's score interval for a share (E. B. Wilson, JASA 22, 1927); (0, 1) if `n` is 0.

    Raises ValueError unless 0 <= successes <= n.
    """
    if not 0 <= successes <= n:
        raise ValueError("successes must be between 0 and n.")
    if n == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf(0.5 + level / 2)
    share = successes / n
    spread = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    middle, scale = share + z * z / (2 * n), 1 + z * z / n
    # The ends are exact at 0 and n; rounding must not push them past the observed share.
    low = 0.0 if successes == 0 else (middle - spread) / scale
    high = 1.0 if successes == n else (middle + spread) / scale
    return low, high


def share(successes: int, n: int) -> Estimate:
    """Return a share of independent trials with Wilson's interval; n/a if `n` is 0."""
    if n == 0:
        return unknown(0)
    low, high = wilson(successes, n)
    return Estimate(successes / n, low, high, n)


def share_of_clusters(successes: Floats, trials: Floats, *, n: int) -> Estimate:
    """Return a share of trials in clusters, one entry per cluster, with Wilson's interval for the effective number of
    trials.

    Clusters without a trial say nothing and are not counted.
    """
    successes, trials = successes[trials > 0], trials[trials > 0]
    if len(trials) == 0:
        return unknown(n)
    value = min(1.0, float(successes.sum() / trials.sum()))
    told = told_by(successes - value * trials, trials, value * (1 - value))
    return bounded(value, wilson(value * told, told), n, len(trials))


def told_by(residuals: Floats, trials: Floats, variance: float) -> float:
    """Return how many independent trials of this variance say as much about a ratio as these clusters, by their
    residuals.

    Never more than there are trials; if clusters do not vary at all, as many as there are clusters.
    """
    clusters, total = len(trials), float(trials.sum())
    varied = clusters / max(1, clusters - 1) * float((residuals**2).sum()) / total**2
    if varied < NARROWEST**2 or variance <= 0:
        return min(float(clusters), total)
    return min(variance / varied, total)


def median_ranks(n: int) -> tuple[int, int] | None:
    """Return the ranks, from 1, of the two of `n` ordered values that enclose the population median with a chance of at
    least LEVEL: the closest two that leave out as many below as above. None if even the least and the greatest are not
    far enough apart (below six values).
    """
    if n < 1:
        return None
    low = n // 2
    chance = math.exp(math.lgamma(n + 1) - math.lgamma(low + 1) - math.lgamma(n - low + 1) - n * math.log(2))
    covered = chance if n % 2 == 0 else 2 * chance  # P(the median is between the two ranks)
    while covered < LEVEL and low > 0:
        chance *= low / (n - low + 1)
        low -= 1
        covered += 2 * chance
    return (low, n + 1 - low) if low > 0 else None


def median_of(value: float | None, ends: tuple[float | None, float | None], n: int) -> Estimate:
    """Return the median of `n` independent values with its interval, for callers that have them sorted: `ends` are the
    two at `median_ranks(n)`. n/a if there are no values; no interval if there are no ranks.
    """
    if value is None:
        return unknown(n)
    if median_ranks(n) is None:
        return Estimate(value, None, None, n, n, "few_clusters")
    return bounded(value, ends, n, n)


def median(values: Floats) -> Estimate:
    """Return the median of independent values, each a cluster, with its interval; n/a if there are none."""
    n, ordered = len(values), np.sort(values)
    ends: tuple[float | None, float | None] = (None, None)
    if ranks := median_ranks(n):
        ends = float(ordered[ranks[0] - 1]), float(ordered[ranks[1] - 1])
    return median_of(float(np.median(ordered)) if n else None, ends, n)


def change_of_clusters(gained: Floats, lost: Floats, trials: Floats, *, n: int) -> Estimate:
    """Return how much higher one share is than another of the same trials: `gained` minus `lost`, one entry per
    cluster, with the adjusted interval of D. G. Bonett and R. M. Price (Br. J. Math. Stat. Psychol. 65, 2012) for the
    effective number of pairs.
    """
    seen = trials > 0
    gained, lost, trials = gained[seen], lost[seen], trials[seen]
    if len(trials) == 0:
        return unknown(n)
    total = float(trials.sum())
    up, down = float(gained.sum()) / total, float(lost.sum()) / total
    value = up - down
    told = told_by(gained - lost - value * trials, trials, up + down - value**2)
    up, down = (up * told + 1) / (told + 2), (down * told + 1) / (told + 2)
    middle, spread = up - down, Z * math.sqrt((up + down - (up - down) ** 2) / (told + 2))
    ends = max(-1.0, min(value, middle - spread)), min(1.0, max(value, middle + spread))
    return bounded(value, ends, n, len(trials))


def difference(one: Estimate, other: Estimate, *, shares: bool = True) -> Estimate:
    """Return how much higher one figure is than another of other units: the hybrid of their two intervals (R. G.
    Newcombe, Statistics in Medicine 17, 1998, method 10, for two of Wilson's; G. Y. Zou and A. Donner, Statistics in
    Medicine 27, 2008, for any two). n/a if either is; no interval if either has none; `n` is the sum of both.
    """
    n = one.n + other.n
    if one.value is None or other.value is None:
        return unknown(n)
    value = one.value - other.value
    if one.low is None or one.high is None or other.low is None or other.high is None:
        bare = one if one.low is None else other
        return Estimate(value, None, None, n, bare.clusters, bare.no_interval)
    low = value - math.hypot(one.value - one.low, other.high - other.value)
    high = value + math.hypot(one.high - one.value, other.value - other.low)
    return Estimate(value, max(-1.0, low), min(1.0, high), n) if shares else Estimate(value, low, high, n)


def resampled_counts(units: int, resamples: int, seed: int) -> Iterator[Floats]:
    """Yield how often each unit is drawn, in blocks of shape (resamples, units); every row adds up to `units`."""
    generator = np.random.default_rng(seed)
    size = max(1, BLOCK // max(1, units))
    for start in range(0, resamples, size):
        rows = min(size, resamples - start)
        drawn = generator.integers(0, units, size=(rows, units)) + np.arange(rows)[:, None] * units
        yield np.bincount(drawn.ravel(), minlength=rows * units).reshape(rows, units).astype(np.float64)


def resampled_totals(parts: Floats, *, resamples: int = RESAMPLES, seed: int = 0) -> Floats:
    """Return sums over resampled units. `parts` has shape (units, k), one row per unit; the result (resamples, k).

    Units with equal rows are one kind. How often each kind is drawn is multinomial, whichever of its units are drawn.
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
    """Return the distinct rows, in order, and the count of each."""
    ordered = parts[np.lexsort(parts.T)]
    starts = np.flatnonzero(np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1)))
    return ordered[starts], np.diff(np.append(starts, len(parts)))


def of_totals(
    parts: Floats,
    figure: Callable[[Floats], Floats],
    *,
    n: int,
    clusters: int | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Return a figure that is a function of sums over clusters, with its bootstrap interval.

    `figure` maps sums of shape (..., k) to figures of shape (...), NaN if undefined. Clusters that add nothing (a row
    of zeros) say nothing about the figure and are not drawn. `clusters` is how many bear on the figure, if fewer than
    add anything (`holding`).
    """
    parts = parts[parts.any(axis=1)]
    value = float(figure(parts.sum(axis=0)))
    if math.isnan(value):
        return unknown(n)
    clusters = len(parts) if clusters is None else clusters
    if clusters < FEWEST_CLUSTERS:
        return bounded(value, (None, None), n, clusters)
    ends = percentiles(figure(resampled_totals(parts, resamples=resamples, seed=seed)))
    return bounded(value, ends, n, clusters)


def holding(*columns: Floats) -> int:
    """Return how many clusters have any of what a column counts, for the column with the fewest. A figure that compares
    right with wrong depends on the few clusters that have a wrong one.
    """
    return min(int((column > 0).sum()) for column in columns)


def of_weights(
    figure: Callable[[Floats], float | None],
    of: npt.NDArray[np.int_],
    *,
    clusters: int | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Return a figure of weighted items, with its bootstrap interval over clusters; `of` is each item's cluster (0, 1,
    …).

    `figure` takes one weight per item; it returns None if undefined. `n` is the number of items; `clusters` as in
    `of_totals`.
    """
    value = figure(np.ones(len(of)))
    if value is None:
        return unknown(len(of))
    units = int(of.max()) + 1
    clusters = units if clusters is None else clusters
    if clusters < FEWEST_CLUSTERS:
        return bounded(value, (None, None), len(of), clusters)
    drawn = [
        math.nan if (one := figure(counts[of])) is None else one
        for block in resampled_counts(units, resamples, seed)
        for counts in block
    ]
    return bounded(value, percentiles(np.array(drawn)), len(of), clusters)


def percentiles(drawn: Floats, level: float = LEVEL) -> tuple[float | None, float | None]:
    """Return the percentile interval of resampled figures, or (None, None) if too many of them are undefined."""
    defined = drawn[~np.isnan(drawn)]
    if len(defined) == 0 or len(defined) < (1 - MOST_UNDEFINED) * len(drawn):
        return None, None
    # As np.quantile does it, but a tenth of a millisecond faster: a page has hundreds of intervals.
    ordered = np.sort(defined)
    ends = np.array([0.5 - level / 2, 0.5 + level / 2]) * (len(ordered) - 1)
    low, high = np.interp(ends, np.arange(len(ordered)), ordered)
    return float(low), float(high)
