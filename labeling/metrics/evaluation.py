"""All metrics of one PRM on a set of traces, with 95 % intervals over problems."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from labeling.metrics import steps as step_metrics
from labeling.metrics import traces as trace_metrics
from labeling.metrics.calibration import Bin, expected_calibration_error, reliability
from labeling.metrics.steps import Steps
from labeling.metrics.traces import EvaluatedTrace
from labeling.protocol.verdicts import NO_ERROR
from labeling.statistics.intervals import (
    RESAMPLES,
    Estimate,
    Floats,
    holding,
    of_totals,
    share_of_clusters,
)

# What a problem adds to the metrics below: the four cells of its steps, then the sums of its traces.
CELLS, PARTS = slice(0, 4), slice(4, 12)
WRONG_WRONG, WRONG_RIGHT, RIGHT_WRONG, RIGHT_RIGHT = range(4)
ERRONEOUS, FOUND, ERROR_FREE, LEFT_ALONE, LONG, LOWEST_LAST, LUCKY, CAUGHT = range(4, 12)


@dataclass(frozen=True)
class Share:
    """A metric that is a share: the columns of its successes and of its trials."""

    successes: tuple[int, ...]
    trials: tuple[int, ...]


@dataclass(frozen=True)
class Quotient:
    """A metric of sums that is not a share.

    `rests_on`: groups of columns. The group that the fewest problems have any of limits the number of clusters.
    """

    of: Callable[[Floats], Floats]
    columns: slice
    rests_on: tuple[tuple[int, ...], ...]


ERRORS = (WRONG_WRONG, WRONG_RIGHT, RIGHT_WRONG)
TRUTHS = ((WRONG_WRONG, WRONG_RIGHT), (RIGHT_WRONG, RIGHT_RIGHT))
SUMMED: Mapping[str, Share | Quotient] = {
    "accuracy": Share((WRONG_WRONG, RIGHT_RIGHT), (WRONG_WRONG, WRONG_RIGHT, RIGHT_WRONG, RIGHT_RIGHT)),
    "f1_negative": Quotient(step_metrics.f1_negative, CELLS, (ERRORS,)),
    "macro_f1": Quotient(step_metrics.macro_f1, CELLS, TRUTHS),
    "first_error_accuracy": Share((FOUND, LEFT_ALONE), (ERRONEOUS, ERROR_FREE)),
    "accuracy_on_erroneous": Share((FOUND,), (ERRONEOUS,)),
    "accuracy_on_error_free": Share((LEFT_ALONE,), (ERROR_FREE,)),
    "processbench_f1": Quotient(trace_metrics.processbench_f1, PARTS, ((ERRONEOUS,), (ERROR_FREE,))),
    "lowest_last_share": Share((LOWEST_LAST,), (LONG,)),
    "lucky_caught_share": Share((CAUGHT,), (LUCKY,)),
}
# Steps are counted by the four cells, traces by the columns of their kinds.
COUNTED: Mapping[str, tuple[int, ...]] = {
    "processbench_f1": (ERRONEOUS, ERROR_FREE),
    **dict.fromkeys(("f1_negative", "macro_f1"), (WRONG_WRONG, WRONG_RIGHT, RIGHT_WRONG, RIGHT_RIGHT)),
    **{name: metric.trials for name, metric in SUMMED.items() if isinstance(metric, Share)},
}


@dataclass(frozen=True)
class Evaluation:
    """`metrics` by name; `n` of each is the steps or traces it counts. `reliability`: the diagram over rated steps.
    `said_wrong`: in how many traces any step is judged wrong; if 0, metrics of judgements mean nothing.
    """

    problems: int
    traces: int
    metrics: dict[str, Estimate]
    reliability: list[Bin]
    said_wrong: int


def evaluate(
    traces: Sequence[EvaluatedTrace], *, threshold: float = 0.5, resamples: int = RESAMPLES, seed: int = 0
) -> Evaluation:
    """Return every metric of these traces. `threshold`: a step with a lower score is judged wrong; chosen on other
    traces (`traces.best_threshold`), never on these. Metrics that are undefined here have no value.
    """
    steps = rated_steps(traces)
    draw = {"resamples": resamples, "seed": seed}
    metrics = {
        "auc": step_metrics.auc(steps, **draw),
        "auc_given_position": step_metrics.auc_given_position(steps, **draw),
        "average_precision": step_metrics.average_precision(steps, **draw),
        **_by_problem(traces, threshold, **draw),
        "ece": _calibration_error(steps),
        "brier": _brier(steps, **draw),
    }
    problems = len({trace.problem for trace in traces})
    said_wrong = sum(trace_metrics.predicted_first_error(trace.scores, threshold) != NO_ERROR for trace in traces)
    diagram = reliability(steps.targets, steps.scores, steps.problems)
    return Evaluation(problems, len(traces), metrics, diagram, said_wrong)


def evaluate_by(
    traces: Sequence[EvaluatedTrace], groups: Sequence[Hashable], *, threshold: float = 0.5, resamples: int = RESAMPLES
) -> dict[Hashable, Evaluation]:
    """Return the metrics of each group (subject, level, generator); `groups` has one entry per trace."""
    grouped: defaultdict[Hashable, list[EvaluatedTrace]] = defaultdict(list)
    for trace, group in zip(traces, groups, strict=True):
        grouped[group].append(trace)
    return {group: evaluate(some, threshold=threshold, resamples=resamples) for group, some in grouped.items()}


def rated_steps(traces: Sequence[EvaluatedTrace]) -> Steps:
    """Return the steps with a target, in order."""
    numbers = _problem_numbers(traces)
    rated = [
        (target, score, position, numbers[trace.problem])
        for trace in traces
        for position, (score, target) in enumerate(zip(trace.scores, trace.targets, strict=True))
        if target is not None
    ]
    targets, scores, positions, problems = zip(*rated, strict=True) if rated else ((), (), (), ())
    return Steps(
        np.array(targets, dtype=bool),
        np.array(scores, dtype=np.float64),
        np.array(positions, dtype=int),
        np.array(problems, dtype=int),
    )


def _problem_numbers(traces: Sequence[EvaluatedTrace]) -> dict[Hashable, int]:
    return {problem: number for number, problem in enumerate(dict.fromkeys(trace.problem for trace in traces))}


def summands_of(trace: EvaluatedTrace, threshold: float) -> Floats:
    """Return what a trace adds to the metrics that are functions of sums, by the columns above."""
    rated = [(target, score) for target, score in zip(trace.targets, trace.scores, strict=True) if target is not None]
    cells = step_metrics.confusion([target for target, _ in rated], [score for _, score in rated], threshold)
    return np.append(cells, trace_metrics.parts_of(trace, threshold))


def by_problem(traces: Sequence[EvaluatedTrace], rows: Floats) -> Floats:
    """Return the sums of rows, one per trace, by the trace's problem."""
    numbers = _problem_numbers(traces)
    sums = np.zeros((len(numbers), rows.shape[1]))
    np.add.at(sums, np.array([numbers[trace.problem] for trace in traces], dtype=int), rows)
    return sums


def _by_problem(
    traces: Sequence[EvaluatedTrace], threshold: float, *, resamples: int, seed: int
) -> dict[str, Estimate]:
    """Return the metrics that are functions of sums over problems."""
    rows = np.array([summands_of(trace, threshold) for trace in traces]).reshape(-1, 12)
    sums = by_problem(traces, rows)
    return {name: _estimate(name, sums, resamples=resamples, seed=seed) for name in SUMMED}


def _estimate(name: str, sums: Floats, *, resamples: int, seed: int) -> Estimate:
    metric, n = SUMMED[name], int(total(sums, COUNTED[name]).sum())
    if isinstance(metric, Share):
        return share_of_clusters(total(sums, metric.successes), total(sums, metric.trials), n=n)
    clusters = holding(*(total(sums, columns) for columns in metric.rests_on))
    parts = sums[:, metric.columns]
    return of_totals(parts, metric.of, n=n, clusters=clusters, resamples=resamples, seed=seed)


def total(sums: Floats, columns: Sequence[int]) -> Floats:
    """Return the sum of some columns, per problem."""
    return np.asarray(sums[:, list(columns)].sum(axis=1), dtype=np.float64)


def _calibration_error(steps: Steps) -> Estimate:
    """Return it without an interval: resampling adds noise to every bin, which biases the error of a resample
    upwards.
    """
    value = expected_calibration_error(steps.targets, steps.scores)
    return Estimate(value, None, None, len(steps.scores), None, None if value is None else "no_method")


def _brier(steps: Steps, *, resamples: int, seed: int) -> Estimate:
    return step_metrics.mean_of_steps((steps.scores - steps.targets) ** 2, steps, resamples=resamples, seed=seed)
