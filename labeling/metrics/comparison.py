"""Two PRMs on the same traces: the difference of each metric, with both resampled together, and which one is ahead."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from labeling.metrics import steps as step_metrics
from labeling.metrics.calibration import expected_calibration_error
from labeling.metrics.evaluation import (
    COUNTED,
    SUMMED,
    Quotient,
    Share,
    by_problem,
    rated_steps,
    summands_of,
    total,
)
from labeling.metrics.steps import Steps
from labeling.metrics.traces import EvaluatedTrace
from labeling.statistics.intervals import (
    FEWEST_CLUSTERS,
    RESAMPLES,
    Estimate,
    Floats,
    change_of_clusters,
    holding,
    of_totals,
)

LOWER_IS_BETTER = frozenset({"ece", "brier", "lowest_last_share"})
Ahead = Literal["left", "right", "undecided"]


@dataclass(frozen=True)
class Scored:
    """A PRM's scores of the traces, and the score below which it judges a step wrong."""

    traces: Sequence[EvaluatedTrace]
    threshold: float


def compare(left: Scored, right: Scored, *, resamples: int = RESAMPLES, seed: int = 0) -> dict[str, Estimate]:
    """Return by how much each metric of the left one exceeds the right one's, by name, with its paired interval.

    The traces of both are the same, in the same order. The unit is a problem with everything both made of it.
    """
    draw = {"resamples": resamples, "seed": seed}
    return {**_of_scores(rated_steps(left.traces), rated_steps(right.traces), **draw), **_of_sums(left, right, **draw)}


def ahead(name: str, difference: Estimate) -> Ahead | None:
    """Return the better one; undecided if the interval contains 0, None if there is no interval to decide by.

    If all problems are alike there is no interval, but also no doubt: enough problems that all say the same are no
    coincidence (with five, the chance is 2 in 32; with six, 2 in 64).
    """
    if difference.value is None:
        return None
    if difference.no_interval == "all_alike" and (difference.clusters or 0) > FEWEST_CLUSTERS:
        if difference.value == 0:
            return "undecided"
    elif difference.low is None or difference.high is None:
        return None
    elif difference.low <= 0 <= difference.high:
        return "undecided"
    return "left" if (difference.value > 0) != (name in LOWER_IS_BETTER) else "right"


def _of_scores(one: Steps, other: Steps, *, resamples: int, seed: int) -> dict[str, Estimate]:
    """Return the metrics of the scores themselves."""
    squares = (one.scores - one.targets) ** 2 - (other.scores - other.targets) ** 2
    return {
        "auc": step_metrics.auc_gain(one, other.scores, resamples=resamples, seed=seed),
        "auc_given_position": step_metrics.auc_gain(one, other.scores, one.positions, resamples=resamples, seed=seed),
        "average_precision": step_metrics.average_precision_gain(one, other.scores, resamples=resamples, seed=seed),
        "ece": _calibration(one, other),
        "brier": step_metrics.mean_of_steps(squares, one, resamples=resamples, seed=seed),
    }


def _calibration(one: Steps, other: Steps) -> Estimate:
    errors = [expected_calibration_error(each.targets, each.scores) for each in (one, other)]
    if errors[0] is None or errors[1] is None:
        return Estimate(None, None, None, 0)
    return Estimate(errors[0] - errors[1], None, None, len(one.scores), None, "no_method")


def _of_sums(left: Scored, right: Scored, *, resamples: int, seed: int) -> dict[str, Estimate]:
    """Return the metrics of the judgements, right or wrong."""
    rows = [
        np.array([summands_of(trace, each.threshold) for trace in each.traces]).reshape(-1, 12)
        for each in (left, right)
    ]
    one, other = (by_problem(left.traces, of_each) for of_each in rows)
    changes = _changes(left, right, rows)
    found = {}
    for name, metric in SUMMED.items():
        n = int(total(one, COUNTED[name]).sum())
        if isinstance(metric, Share):
            gained, lost = (by_problem(left.traces, column[:, None])[:, 0] for column in changes[name])
            found[name] = change_of_clusters(gained, lost, total(one, metric.trials), n=n)
        else:
            found[name] = _apart(metric, one, other, n=n, resamples=resamples, seed=seed)
    return found


def _changes(left: Scored, right: Scored, rows: Sequence[Floats]) -> Mapping[str, tuple[Floats, Floats]]:
    """Return for each share how many trials of each trace only the left one has, and only the right one."""
    one, other = rows
    found = {}
    for name, metric in SUMMED.items():
        if isinstance(metric, Share):
            apart = total(one, metric.successes) - total(other, metric.successes)
            found[name] = np.maximum(apart, 0), np.maximum(-apart, 0)
    # A trace is one trial of every share except accuracy, whose trials are its steps.
    by_step = [
        _steps_apart(*pair, left.threshold, right.threshold) for pair in zip(left.traces, right.traces, strict=True)
    ]
    gained, lost = np.array(by_step, dtype=np.float64).reshape(-1, 2).T
    return {**found, "accuracy": (gained, lost)}


def _steps_apart(one: EvaluatedTrace, other: EvaluatedTrace, low: float, other_low: float) -> tuple[int, int]:
    judged = [
        ((score >= low) == target, (its >= other_low) == target)
        for target, score, its in zip(one.targets, one.scores, other.scores, strict=True)
        if target is not None
    ]
    return sum(mine and not its for mine, its in judged), sum(its and not mine for mine, its in judged)


def _apart(metric: Quotient, one: Floats, other: Floats, *, n: int, resamples: int, seed: int) -> Estimate:
    """Return the difference of a metric of sums, with both resampled together."""
    columns = metric.columns.stop - metric.columns.start
    clusters = holding(*(total(one, group) + total(other, group) for group in metric.rests_on))
    parts = np.concatenate([one[:, metric.columns], other[:, metric.columns]], axis=1)
    return of_totals(
        parts,
        lambda sums: metric.of(sums[..., :columns]) - metric.of(sums[..., columns:]),
        n=n,
        clusters=clusters,
        resamples=resamples,
        seed=seed,
    )
