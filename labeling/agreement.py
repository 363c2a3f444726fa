"""How far labelers agree. Pure: labels in, figures with intervals out.

Stopping at the first error cuts disagreement off: nobody rates the steps after it. So the agreement of ratings is never
shown without the agreement about the first error.

- *Krippendorff's alpha*, ordinal, of the ratings; the unit is a step of a trace that at least two labelers rated
  (K. Krippendorff, *Content Analysis*, 2004, ch. 11). The value comes from the `krippendorff` package. Its interval
  needs a thousand values, and comes from coincidence matrices, which are sums over traces; a test holds both equal.
- *First error*: the same verdict, one within a step of the other, and the distance where both found an error; that
  there is no error is a verdict like any other.
- *Cohen's kappa* of two labelers (J. Cohen, 1960), for the ratings and for whether a trace has an error.

A figure is n/a where it is undefined: nothing rated twice, or everybody gave the same rating throughout, so that there
is no chance agreement to compare with. Intervals resample traces (`labeling.intervals`).
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import krippendorff
import numpy as np

from labeling.first_errors import NO_ERROR, verdict_of
from labeling.intervals import RESAMPLES, Estimate, Floats, of_totals

RATINGS = (-1, 0, 1)
PLACE = {rating: place for place, rating in enumerate(RATINGS)}


@dataclass(frozen=True)
class Labeled:
    """What one labeler said of one trace: a rating per step (-1, 0, 1, None = not rated) and the finish reason."""

    trace: Hashable
    labeler: Hashable
    ratings: Sequence[int | None]
    finish_reason: str

    @property
    def verdict(self) -> int | None:
        """The first error, NO_ERROR, or None where the label does not say."""
        return verdict_of(self.ratings, self.finish_reason)


@dataclass(frozen=True)
class Agreement:
    """The agreement of any number of labelers. A trace counts once, however many labeled it: pairs share its weight.

    `alpha.n` is steps rated by two or more. `exact`, `within_one` and `has_error` are shares of the traces with two or
    more verdicts; `distance` is the mean distance in steps where both of a pair found an error; their `n` is pairs of
    labels. `finish_reasons` counts pairs of labels by their two reasons, in alphabetical order.
    """

    traces: int
    alpha: Estimate
    exact: Estimate
    within_one: Estimate
    has_error: Estimate
    distance: Estimate
    finish_reasons: dict[tuple[str, str], int]


@dataclass(frozen=True)
class PairAgreement:
    """Two labelers. The keys of `finish_reasons` are the reason of `one`, then that of `other`."""

    one: Hashable
    other: Hashable
    agreement: Agreement
    kappa_ratings: Estimate
    kappa_has_error: Estimate
    finish_reasons: dict[tuple[str, str], int]


# Columns of what a trace adds to the figures about the first error. The first six share a trace's weight of 1.
VERDICTS, EXACT, WITHIN_ONE, SAME_CLASS, BOTH_FOUND, DISTANCE, PAIRS, PAIRS_BOTH_FOUND = range(8)


def agreement(labels: Iterable[Labeled], *, resamples: int = RESAMPLES, seed: int = 0) -> Agreement:
    """The agreement over all traces that two or more labeled; for a round, a subject or a level pass its labels.

    Raises ValueError where one labeler has two labels on a trace.
    """
    traces = [group for group in _by_trace(labels).values() if len(group) > 1]
    parts = np.array([_verdict_parts(group) for group in traces]).reshape(-1, 8)
    pairs, both = (int(parts[:, column].sum()) for column in (PAIRS, PAIRS_BOTH_FOUND))

    def mean_of(top: int, bottom: int, n: int) -> Estimate:
        return of_totals(parts[:, [top, bottom]], lambda sums: _ratio(sums[..., 0], sums[..., 1]), n=n, **draw)

    draw = {"resamples": resamples, "seed": seed}
    return Agreement(
        traces=len(traces),
        alpha=_alpha([_rating_counts(group) for group in traces], **draw),
        exact=mean_of(EXACT, VERDICTS, pairs),
        within_one=mean_of(WITHIN_ONE, VERDICTS, pairs),
        has_error=mean_of(SAME_CLASS, VERDICTS, pairs),
        distance=mean_of(DISTANCE, BOTH_FOUND, both),
        finish_reasons=dict(Counter(_reasons(one, other) for group in traces for one, other in combinations(group, 2))),
    )


def pair_agreements(labels: Iterable[Labeled], *, resamples: int = RESAMPLES, seed: int = 0) -> list[PairAgreement]:
    """The agreement of every two labelers who share a trace, in the order of their names as text."""
    shared: defaultdict[tuple[Hashable, Hashable], list[Labeled]] = defaultdict(list)
    for group in _by_trace(labels).values():
        for one, other in combinations(sorted(group, key=lambda label: str(label.labeler)), 2):
            shared[one.labeler, other.labeler] += [one, other]
    ordered = sorted(shared, key=lambda pair: (str(pair[0]), str(pair[1])))
    return [_of_pair(shared[pair], resamples=resamples, seed=seed) for pair in ordered]


def _of_pair(labels: Sequence[Labeled], *, resamples: int, seed: int) -> PairAgreement:
    """Two labelers, whose labels come in turns."""
    draw = {"resamples": resamples, "seed": seed}
    sides = list(zip(labels[::2], labels[1::2], strict=True))
    ratings = np.array([_confusion_of_ratings(*both).ravel() for both in sides])
    classes = np.array([_confusion_of_classes(*both).ravel() for both in sides])
    return PairAgreement(
        one=labels[0].labeler,
        other=labels[1].labeler,
        agreement=agreement(labels, **draw),
        kappa_ratings=of_totals(ratings, cohens_kappa, n=int(ratings.sum()), **draw),
        kappa_has_error=of_totals(classes, cohens_kappa, n=int(classes.sum()), **draw),
        finish_reasons=dict(Counter((one.finish_reason, other.finish_reason) for one, other in sides)),
    )


def ordinal_alpha(counts: Floats) -> float | None:
    """Krippendorff's alpha, ordinal, of units by how many labelers gave each of the three ratings (shape (units, 3));
    None where it is undefined."""
    pairable = counts[counts.sum(axis=1) >= 2]
    if len(pairable) == 0 or np.count_nonzero(pairable.sum(axis=0)) < 2:
        return None
    return float(krippendorff.alpha(value_counts=pairable, level_of_measurement="ordinal"))


def coincidence_matrix(counts: Floats) -> Floats:
    """How often two labelers' ratings coincide in a unit, summed over units: a unit that m labelers rated adds each of
    its ordered pairs with weight 1 / (m - 1). Takes (units, 3), returns (3, 3)."""
    pairable = counts[counts.sum(axis=1) >= 2]
    others = np.maximum(pairable.sum(axis=1, keepdims=True) - 1, 1)
    return (pairable / others).T @ pairable - np.diag((pairable / others).sum(axis=0))


def alpha_of_coincidences(sums: Floats) -> Floats:
    """Ordinal alpha of flattened coincidence matrices, shape (..., 9); NaN where undefined.

    The distance of two ratings is how many ratings lie between them, counting half of their own, so it is the distance
    of the middles of their blocks in the row of all ratings.
    """
    matrix = sums.reshape(*sums.shape[:-1], 3, 3)
    totals = matrix.sum(axis=-1)
    middles = totals.cumsum(axis=-1) - totals / 2
    distance = (middles[..., :, None] - middles[..., None, :]) ** 2
    observed = (matrix * distance).sum(axis=(-2, -1))
    expected = (totals[..., :, None] * totals[..., None, :] * distance).sum(axis=(-2, -1))
    return 1 - _ratio(observed * (totals.sum(axis=-1) - 1), expected)


def cohens_kappa(sums: Floats) -> Floats:
    """Cohen's kappa of flattened square confusion matrices, shape (..., k * k); NaN where undefined."""
    size = round(sums.shape[-1] ** 0.5)
    matrix = sums.reshape(*sums.shape[:-1], size, size)
    n = matrix.sum(axis=(-2, -1))
    same = np.trace(matrix, axis1=-2, axis2=-1)
    by_chance = (matrix.sum(axis=-1) * matrix.sum(axis=-2)).sum(axis=-1)
    return _ratio(same * n - by_chance, n * n - by_chance)


def _alpha(counts: Sequence[Floats], *, resamples: int, seed: int) -> Estimate:
    units = np.concatenate([np.zeros((0, 3)), *counts])
    coincidences = np.array([coincidence_matrix(of_trace).ravel() for of_trace in counts]).reshape(-1, 9)
    n = int((units.sum(axis=1) >= 2).sum())
    found = of_totals(coincidences, alpha_of_coincidences, n=n, resamples=resamples, seed=seed)
    return Estimate(ordinal_alpha(units), found.low, found.high, n)


def _by_trace(labels: Iterable[Labeled]) -> dict[Hashable, list[Labeled]]:
    groups: defaultdict[Hashable, list[Labeled]] = defaultdict(list)
    for label in labels:
        groups[label.trace].append(label)
    for trace, group in groups.items():
        if len({label.labeler for label in group}) < len(group):
            raise ValueError(f"A labeler has two labels on trace {trace}.")
    return groups


def _rating_counts(group: Sequence[Labeled]) -> Floats:
    """How many of a trace's labelers gave each step each rating, shape (steps, 3)."""
    counts = np.zeros((max(len(label.ratings) for label in group), len(RATINGS)))
    for label in group:
        for step, rating in enumerate(label.ratings):
            if rating is not None:
                counts[step, PLACE[rating]] += 1
    return counts


def _verdict_parts(group: Sequence[Labeled]) -> list[float]:
    """What a trace adds to the sums, by the columns above."""
    verdicts = [label.verdict for label in group if label.verdict is not None]
    pairs = list(combinations(verdicts, 2))
    if not pairs:
        return [0.0] * 8
    both = [(one, other) for one, other in pairs if NO_ERROR not in (one, other)]
    near = [pair for pair in both if abs(pair[0] - pair[1]) <= 1]
    neither = pairs.count((NO_ERROR, NO_ERROR))
    exact = sum(one == other for one, other in pairs)
    distance = sum(abs(one - other) for one, other in both)
    weighed = (len(pairs), exact, len(near) + neither, len(both) + neither, len(both), distance)
    return [*(part / len(pairs) for part in weighed), len(pairs), len(both)]


def _confusion_of_ratings(one: Labeled, other: Labeled) -> Floats:
    """Ratings of the steps both rated, those of `one` down."""
    matrix = np.zeros((3, 3))
    for first, second in zip(one.ratings, other.ratings, strict=False):
        if first is not None and second is not None:
            matrix[PLACE[first], PLACE[second]] += 1
    return matrix


def _confusion_of_classes(one: Labeled, other: Labeled) -> Floats:
    """Whether the trace has an error; nothing where one of the two has no verdict."""
    matrix = np.zeros((2, 2))
    if one.verdict is not None and other.verdict is not None:
        matrix[int(one.verdict != NO_ERROR), int(other.verdict != NO_ERROR)] = 1
    return matrix


def _reasons(one: Labeled, other: Labeled) -> tuple[str, str]:
    first, second = sorted((one.finish_reason, other.finish_reason))
    return first, second


def _ratio(top: Floats, bottom: Floats) -> Floats:
    """The quotient, NaN where the divisor is 0 (sums of thirds and fifths: up to rounding)."""
    defined = np.abs(bottom) > 1e-9
    return np.where(defined, top / np.where(defined, bottom, 1.0), np.nan)
