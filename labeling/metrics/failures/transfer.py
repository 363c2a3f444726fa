"""Transfer: how well the selector tells right steps from wrong ones outside of its training data."""

from collections.abc import Mapping, Sequence

import numpy as np

from labeling.metrics.failures.figure import RESAMPLES, Figure, Seen, figure, not_measurable, numbered, shown
from labeling.metrics.steps import Auc, Bools
from labeling.statistics.intervals import Estimate, Floats, of_weights, unknown

KINDS = ("subject", "generator", "protocol")
UNKNOWN = "it is unknown what this model learned from"


def transfer(rows: Sequence[Seen], learned: Mapping[str, frozenset[str]] | None) -> list[Figure]:
    """Return the step AUC on what it did and did not learn from, by subject, generator and protocol; never on problems
    that it learned from. `learned`: the values of each; None if unknown.
    """
    if learned is None:
        needs = "A PRM that was trained here, or whose meta.json names what it learned from."
        return [not_measurable("auc_apart", "difference", of=kind, why=UNKNOWN, needs=needs) for kind in KINDS]
    fresh = [row for row in rows if row.steps is not None and not row.learned]
    return [one for kind in KINDS for one in _of_kind(fresh, kind, learned[kind])]


def _of_kind(rows: Sequence[Seen], kind: str, learned: frozenset[str]) -> list[Figure]:
    known = [row for row in rows if getattr(row, kind)]
    inside = [row for row in known if getattr(row, kind) in learned]
    outside = [row for row in known if getattr(row, kind) not in learned]
    lacking = f"people have labeled no trace with right and wrong steps of a {kind} that it did not learn"
    needs = f"Labels on traces of another {kind}, scored by it."
    again = f"people have labeled no other problem of a {kind} that it learned, with right and wrong steps"
    return [
        figure("auc_learned", "auc", auc(inside), of=kind, nothing=again, needs="Labels on the evaluation split."),
        figure("auc_other", "auc", auc(outside), of=kind, nothing=lacking, needs=needs, traces=shown(outside)),
        figure("auc_apart", "difference", auc_apart(outside, inside), of=kind, nothing=lacking, needs=needs),
    ]


def auc(rows: Sequence[Seen]) -> Estimate:
    """Return the step AUC with its interval over problems; undefined without both right and wrong steps."""
    targets, scores, problems = _steps(rows)
    if len(targets) == 0:
        return unknown(0)
    return of_weights(Auc(targets, scores), problems, clusters=_clusters(targets, problems), resamples=RESAMPLES)


def auc_apart(one: Sequence[Seen], other: Sequence[Seen]) -> Estimate:
    """Return how much higher the AUC is on one group of traces than on another, both resampled together."""
    targets, scores, problems = _steps([*one, *other])
    if len(targets) == 0:
        return unknown(0)
    of_one = np.arange(len(targets)) < len(_steps(one)[0])
    parts = [Auc(targets[mask], scores[mask]) for mask in (of_one, ~of_one)]

    def gap(weights: Floats) -> float | None:
        first, second = parts[0](weights[of_one]), parts[1](weights[~of_one])
        return None if first is None or second is None else first - second

    clusters = min(_clusters(targets[mask], problems[mask]) for mask in (of_one, ~of_one))
    return of_weights(gap, problems, clusters=clusters, resamples=RESAMPLES)


def _steps(rows: Sequence[Seen]) -> "tuple[Bools, Floats, np.ndarray[tuple[int], np.dtype[np.int_]]]":
    """Return targets, scores and problems of the steps that people's first errors cover."""
    found = [
        (target, score, row.problem)
        for row in rows
        for target, score in zip(row.targets, row.steps or (), strict=False)
        if target is not None
    ]
    targets = np.array([target for target, _, _ in found], dtype=np.bool_)
    return targets, np.array([score for _, score, _ in found], dtype=np.float64), numbered([row[2] for row in found])


def _clusters(targets: Bools, problems: "np.ndarray[tuple[int], np.dtype[np.int_]]") -> int:
    """Return how many problems have the rarer kind of step."""
    return min(len(np.unique(problems[targets == right])) for right in (True, False))
