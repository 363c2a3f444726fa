"""All metrics of one PRM on a set of traces, with 95 % intervals over problems."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from labeling.metrics import steps as step_figures
from labeling.metrics import traces as trace_figures
from labeling.metrics.calibration import Bin, expected_calibration_error, reliability
from labeling.metrics.steps import Steps
from labeling.metrics.traces import EvaluatedTrace
from labeling.statistics.intervals import RESAMPLES, Estimate, Floats, of_totals, of_weights

STEP_FIGURES: Mapping[str, Callable[[Floats], Floats]] = {
    "accuracy": step_figures.accuracy,
    "f1_negative": step_figures.f1_negative,
    "macro_f1": step_figures.macro_f1,
}
# The sums that a figure counts its traces by, beside the figure.
TRACE_FIGURES: Mapping[str, tuple[Callable[[Floats], Floats], tuple[int, ...]]] = {
    "first_error_accuracy": (
        trace_figures.first_error_accuracy,
        (trace_figures.ERRONEOUS, trace_figures.ERROR_FREE),
    ),
    "accuracy_on_erroneous": (trace_figures.accuracy_on_erroneous, (trace_figures.ERRONEOUS,)),
    "accuracy_on_error_free": (trace_figures.accuracy_on_error_free, (trace_figures.ERROR_FREE,)),
    "processbench_f1": (trace_figures.processbench_f1, (trace_figures.ERRONEOUS, trace_figures.ERROR_FREE)),
    "lowest_last_share": (trace_figures.lowest_last_share, (trace_figures.LONG,)),
    "lucky_caught_share": (trace_figures.lucky_caught_share, (trace_figures.LUCKY,)),
}


@dataclass(frozen=True)
class Evaluation:
    """`figures` by name; `n` of each is the steps or traces it counts. `reliability`: the diagram over rated steps."""

    problems: int
    traces: int
    figures: dict[str, Estimate]
    reliability: list[Bin]


def evaluate(
    traces: Sequence[EvaluatedTrace], *, threshold: float = 0.5, resamples: int = RESAMPLES, seed: int = 0
) -> Evaluation:
    """Every figure of these traces. `threshold`: below it a step is judged wrong; chosen on other traces
    (`traces.best_threshold`), never on these. Figures that are undefined here have no value."""
    steps = rated_steps(traces)
    draw = {"resamples": resamples, "seed": seed}
    figures = {
        "auc": step_figures.auc(steps, **draw),
        "auc_given_position": step_figures.auc_given_position(steps, **draw),
        **_by_problem(traces, threshold, **draw),
        "ece": _calibration_error(steps),
        "brier": _brier(steps, **draw),
    }
    problems = len({trace.problem for trace in traces})
    return Evaluation(problems, len(traces), figures, reliability(steps.targets, steps.scores))


def evaluate_by(
    traces: Sequence[EvaluatedTrace], groups: Sequence[Hashable], *, threshold: float = 0.5, resamples: int = RESAMPLES
) -> dict[Hashable, Evaluation]:
    """The figures of each group (subject, level, generator), one entry of `groups` a trace."""
    grouped: defaultdict[Hashable, list[EvaluatedTrace]] = defaultdict(list)
    for trace, group in zip(traces, groups, strict=True):
        grouped[group].append(trace)
    return {group: evaluate(some, threshold=threshold, resamples=resamples) for group, some in grouped.items()}


def rated_steps(traces: Sequence[EvaluatedTrace]) -> Steps:
    """The steps with a target, in order."""
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


def _by_problem(
    traces: Sequence[EvaluatedTrace], threshold: float, *, resamples: int, seed: int
) -> dict[str, Estimate]:
    """The figures that are functions of sums over problems."""
    numbers = _problem_numbers(traces)
    cells, parts = np.zeros((len(numbers), 4)), np.zeros((len(numbers), 8))
    for trace in traces:
        rated = [
            (target, score) for target, score in zip(trace.targets, trace.scores, strict=True) if target is not None
        ]
        cells[numbers[trace.problem]] += step_figures.confusion(
            [target for target, _ in rated], [score for _, score in rated], threshold
        )
        parts[numbers[trace.problem]] += trace_figures.parts_of(trace, threshold)
    steps = int(cells.sum())
    found = {
        name: of_totals(cells, figure, n=steps, resamples=resamples, seed=seed) for name, figure in STEP_FIGURES.items()
    }
    for name, (figure, counted) in TRACE_FIGURES.items():
        n = int(parts[:, list(counted)].sum())
        found[name] = of_totals(parts, figure, n=n, resamples=resamples, seed=seed)
    return found


def _calibration_error(steps: Steps) -> Estimate:
    """Without an interval: resampling adds noise to every bin, so that the error of a resample is biased upwards."""
    return Estimate(expected_calibration_error(steps.targets, steps.scores), None, None, len(steps.scores))


def _brier(steps: Steps, *, resamples: int, seed: int) -> Estimate:
    squares = (steps.scores - steps.targets) ** 2

    def mean(weights: Floats) -> float | None:
        return float(np.average(squares, weights=weights)) if weights.sum() else None

    return of_weights(mean, steps.problems, resamples=resamples, seed=seed)
