"""How far labelers agree. Pure: labels in, figures with intervals out.

Each label is read once (`labeling.statistics.label_pairs`); the figures for any traces and for any two labelers are
functions of sums over what each trace adds.

Stopping at the first error censors disagreement: nobody rates the steps after it. So the agreement of ratings is never
shown without the agreement about the first error.

- *Krippendorff's alpha*, ordinal, of the ratings; the unit is a step of a trace that at least two labelers rated
  (K. Krippendorff, *Content Analysis*, 2004, ch. 11). It is computed from coincidence matrices, which are sums over
  traces, so the thousand values of its interval are cheap; a test compares it with the `krippendorff` package.
- *First error*: of the pairs of labels that both have a verdict, those with the same one, those within one step of each
  other, and the distance if both found an error; "no error" is a verdict like any other. Every pair counts once, on
  whichever trace, as everywhere else where pairs are counted.
- *Cohen's kappa* of two labelers (J. Cohen, 1960), for the ratings and for whether a trace has an error.

A figure is n/a if it is undefined: nothing was rated twice, or all labelers always gave the same rating, so there is no
chance agreement to compare with. Intervals are over problems (`labeling.statistics.intervals`).
"""

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np

from labeling.statistics.intervals import RESAMPLES, Estimate, Floats, holding, of_totals, share_of_clusters
from labeling.statistics.label_pairs import (
    BOTH_FOUND,
    DISTANCE,
    EXACT,
    PAIRS,
    RATINGS,
    SAME_CLASS,
    WITHIN_ONE,
    Ints,
    Labeled,
    PairwiseLabels,
    coincidences_of,
    sums_of_alike,
)

# A step that two labelers rated, by the cell of their confusion matrix: how many gave it each rating.
OF_TWO = (np.eye(len(RATINGS))[:, None] + np.eye(len(RATINGS))[None, :]).reshape(-1, len(RATINGS))


@dataclass(frozen=True)
class Agreement:
    """The agreement of any number of labelers.

    `alpha.n` is the number of steps rated by two or more. `exact`, `within_one` and `has_error` are shares of the pairs
    of labels that both have a verdict; `distance` is the mean distance in steps if both of a pair found an error; their
    `n` is pairs of labels. `finish_reasons` counts pairs of labels by their two reasons, in alphabetical order.
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
    """The agreement of two labelers. The keys of `finish_reasons` are the reason of `one`, then that of `other`."""

    one: Hashable
    other: Hashable
    agreement: Agreement
    kappa_ratings: Estimate
    kappa_has_error: Estimate
    finish_reasons: dict[tuple[str, str], int]


def agreement(labels: Iterable[Labeled], *, resamples: int = RESAMPLES, seed: int = 0) -> Agreement:
    """Return the agreement over all traces that two or more labeled.

    Raises ValueError if one labeler has two labels on a trace.
    """
    together = PairwiseLabels(labels)
    return agreement_on(together, np.arange(len(together.traces)), resamples=resamples, seed=seed)


def agreement_on(together: PairwiseLabels, traces: Ints, *, resamples: int = RESAMPLES, seed: int = 0) -> Agreement:
    """Return the agreement over some traces, such as those of a subject or level, by position in `together.traces`."""
    wanted = np.zeros(len(together.traces), dtype=bool)
    wanted[traces] = True
    counts, trace = together.steps
    reasons = together.reasons_of(together.pairs[wanted[together.trace[together.pairs[:, 0]]]])
    draw = {"resamples": resamples, "seed": seed}
    problem, verdicts, coincidences = together.problem[wanted], together.verdicts[wanted], together.coincidences[wanted]
    return _agreement(problem, verdicts, coincidences, counts[wanted[trace]], reasons, **draw)


def pair_agreements(labels: Iterable[Labeled], *, resamples: int = RESAMPLES, seed: int = 0) -> list[PairAgreement]:
    """Return the agreement of every two labelers who share a trace, in the order of their names as text."""
    together = PairwiseLabels(labels)
    return [agreement_of_two(together, pairs, resamples=resamples, seed=seed) for pairs in together.by_two]


def agreement_of_two(
    together: PairwiseLabels, pairs: Ints, *, resamples: int = RESAMPLES, seed: int = 0
) -> PairAgreement:
    """Return the agreement of two labelers, given the pairs of their labels, one of `together.by_two`."""
    draw = {"resamples": resamples, "seed": seed}
    one, other = together.labeler[pairs[0]]
    ratings, classes = together.ratings_of(pairs), together.classes_of(pairs)
    steps = np.repeat(OF_TWO, ratings.sum(axis=0).astype(int), axis=0)
    reasons = together.reasons_of(pairs)
    problem = together.problem[together.trace[pairs[:, 0]]]
    by_problem = [sums_of_alike(problem, one) for one in (ratings, classes)]
    verdicts, coincidences = together.verdicts_of(pairs), ratings @ coincidences_of(OF_TWO)
    return PairAgreement(
        one=together.labelers[one],
        other=together.labelers[other],
        agreement=_agreement(problem, verdicts, coincidences, steps, reasons, **draw),
        kappa_ratings=of_totals(by_problem[0], cohens_kappa, n=int(ratings.sum()), **draw),
        kappa_has_error=of_totals(by_problem[1], cohens_kappa, n=int(classes.sum()), **draw),
        finish_reasons=reasons,
    )


def alpha_of_coincidences(sums: Floats) -> Floats:
    """Return ordinal alpha of flattened coincidence matrices, shape (..., 9); NaN if undefined.

    The distance of two ratings is the number of ratings between them, counting half of each of the two. So it is the
    distance between the middles of their blocks when all ratings are put in a row.
    """
    matrix = sums.reshape(*sums.shape[:-1], 3, 3)
    totals = matrix.sum(axis=-1)
    middles = totals.cumsum(axis=-1) - totals / 2
    distance = (middles[..., :, None] - middles[..., None, :]) ** 2
    observed = (matrix * distance).sum(axis=(-2, -1))
    expected = (totals[..., :, None] * totals[..., None, :] * distance).sum(axis=(-2, -1))
    return 1 - _ratio(observed * (totals.sum(axis=-1) - 1), expected)


def cohens_kappa(sums: Floats) -> Floats:
    """Return Cohen's kappa of flattened square confusion matrices, shape (..., k * k); NaN if undefined."""
    size = round(sums.shape[-1] ** 0.5)
    matrix = sums.reshape(*sums.shape[:-1], size, size)
    n = matrix.sum(axis=(-2, -1))
    same = np.trace(matrix, axis1=-2, axis2=-1)
    by_chance = (matrix.sum(axis=-1) * matrix.sum(axis=-2)).sum(axis=-1)
    return _ratio(same * n - by_chance, n * n - by_chance)


def _agreement(
    problem: Ints,
    verdicts: Floats,
    coincidences: Floats,
    steps: Floats,
    reasons: dict[tuple[str, str], int],
    *,
    resamples: int,
    seed: int,
) -> Agreement:
    """Return the agreement, given each trace's problem and what it adds, how many gave each step each rating, and the
    pairs of labels by finish reasons.
    """

    def share_of(top: int) -> Estimate:
        return share_of_clusters(by_problem[:, top], by_problem[:, PAIRS], n=pairs)

    draw = {"resamples": resamples, "seed": seed}
    by_problem = sums_of_alike(problem, verdicts)
    pairs, both = (int(by_problem[:, column].sum()) for column in (PAIRS, BOTH_FOUND))
    rated_twice = int((steps.sum(axis=1) >= 2).sum())
    apart = by_problem[:, [DISTANCE, BOTH_FOUND]]
    drawn = of_totals(sums_of_alike(problem, coincidences), alpha_of_coincidences, n=rated_twice, **draw)
    return Agreement(
        traces=len(verdicts),
        alpha=drawn,
        exact=share_of(EXACT),
        within_one=share_of(WITHIN_ONE),
        has_error=share_of(SAME_CLASS),
        distance=of_totals(apart, _mean, n=both, clusters=holding(apart[:, 1]), **draw),
        finish_reasons=_in_alphabetical_order(reasons),
    )


def _mean(sums: Floats) -> Floats:
    return _ratio(sums[..., 0], sums[..., 1])


def _in_alphabetical_order(reasons: dict[tuple[str, str], int]) -> dict[tuple[str, str], int]:
    """Count pairs of labels by their two reasons, regardless of who gave which."""
    counts: Counter[tuple[str, str]] = Counter()
    for (one, other), n in reasons.items():
        counts[min(one, other), max(one, other)] += n
    return dict(counts)


def _ratio(top: Floats, bottom: Floats) -> Floats:
    """Return the quotient, NaN if the divisor is 0 (up to rounding, as sums of thirds and fifths are)."""
    defined = np.abs(bottom) > 1e-9
    return np.where(defined, top / np.where(defined, bottom, 1.0), np.nan)
