"""The results of each threshold: how many steps are judged wrong below it, how many of those correctly, and how many of
the wrong steps that finds.

A wrong step is one that people found wrong, among the steps they rated. If only a first error is known, that step is
wrong, those before it are right, and nothing after it counts (`traces.targets_of`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from labeling.metrics import traces as trace_metrics
from labeling.metrics.evaluation import rated_steps
from labeling.metrics.steps import RIGHT_WRONG, WRONG_RIGHT, WRONG_WRONG, Steps, f1_negative, ratio
from labeling.metrics.traces import EvaluatedTrace, processbench_f1
from labeling.protocol.verdicts import NO_ERROR
from labeling.statistics.intervals import Floats

MOST = 96  # thresholds of a curve, whatever the size of the set; requested ones are added
FEWEST = 5  # steps of either kind; with fewer, the curve has a few stairs that the next set would not have


@dataclass(frozen=True)
class Operating:
    """The results of one threshold. `judged_wrong`: steps with a score below it; `found`: those of them that are wrong.

    `precision`: `found` of `judged_wrong`, None if no step is; `recall`: `found` of all wrong steps. `f1_negative` is
    for the wrong steps, `processbench_f1` for whole traces, None unless there are traces both with and without an
    error.
    """

    threshold: float
    judged_wrong: int
    found: int
    precision: float | None
    recall: float
    f1_negative: float
    processbench_f1: float | None


@dataclass(frozen=True)
class ThresholdCurve:
    """`steps` that people rated, of which `wrong` are wrong; `base_rate`: their share, the precision of a coin.
    `points` by rising threshold; empty if there are fewer than FEWEST steps of either kind.
    """

    steps: int
    wrong: int
    base_rate: float | None
    points: list[Operating]


def threshold_curve(
    traces: Sequence[EvaluatedTrace], *, asked: Iterable[float] = (), most: int = MOST, fewest: int = FEWEST
) -> ThresholdCurve:
    """Return the curve over at most `most` thresholds, plus those that are `asked` for."""
    steps = rated_steps(traces)
    count, wrong = len(steps.targets), int((~steps.targets).sum())
    base_rate = wrong / count if count else None
    if min(wrong, count - wrong) < fewest:
        return ThresholdCurve(count, wrong, base_rate, [])
    thresholds = np.unique(np.append(telling_thresholds(steps, most), list(asked)))
    return ThresholdCurve(count, wrong, base_rate, operating_points(traces, thresholds))


def telling_thresholds(steps: Steps, most: int = MOST) -> Floats:
    """Return at most `most` rising thresholds in (0, 1], each halfway between one occurring score and the next.

    If there are more scores, those evenly spaced among all steps and among the wrong ones are taken, so that both the
    steps judged wrong and the recall grow evenly. No threshold judges a score of 1 wrong.
    """
    levels = np.unique(steps.scores)
    taken = levels
    if len(levels) > most:
        kinds = (steps.scores, steps.scores[~steps.targets])
        taken = np.unique(np.concatenate([_evenly(np.sort(scores), most // 2) for scores in kinds]))
    following = np.append(levels, 1.0)[np.searchsorted(levels, taken, side="right")]
    halfway = (taken + following) / 2
    thresholds = np.where(halfway > taken, halfway, following)  # there may be no number between two scores
    return np.asarray(thresholds[thresholds > taken], dtype=np.float64)


def _evenly(ordered: Floats, count: int) -> Floats:
    return ordered[np.linspace(0, len(ordered) - 1, count).astype(int)] if len(ordered) else ordered


def operating_points(traces: Sequence[EvaluatedTrace], thresholds: Floats) -> list[Operating]:
    """Return the results of each threshold on these traces, which must have a wrong step."""
    steps = rated_steps(traces)
    judged = np.searchsorted(np.sort(steps.scores), thresholds)
    found = np.searchsorted(np.sort(steps.scores[~steps.targets]), thresholds)
    wrong = int((~steps.targets).sum())
    cells = np.zeros((len(thresholds), 4))
    cells[:, WRONG_WRONG], cells[:, WRONG_RIGHT], cells[:, RIGHT_WRONG] = found, wrong - found, judged - found
    precision = ratio(found.astype(np.float64), judged.astype(np.float64))
    return [
        Operating(float(at), int(below), int(hit), _known(share), int(hit) / wrong, float(f1), _known(of_traces))
        for at, below, hit, share, f1, of_traces in zip(
            thresholds, judged, found, precision, f1_negative(cells), processbench_at(traces, thresholds), strict=True
        )
    ]


def processbench_at(traces: Sequence[EvaluatedTrace], thresholds: Floats) -> Floats:
    """Return the ProcessBench F1 at each threshold, NaN if undefined.

    A first error is found exactly by thresholds above its step's score, up to the lowest score before it; a trace
    without one is left alone up to its lowest score. So each trace is read once, however many thresholds there are.
    """
    lowest = [min(trace.scores) for trace in traces if trace.first_error == NO_ERROR]
    erroneous = [trace for trace in traces if trace.first_error not in (None, NO_ERROR)]
    spans = np.array([_finding(trace) for trace in erroneous], dtype=np.float64).reshape(-1, 2)
    spans = spans[spans[:, 0] < spans[:, 1]]
    above, beyond = (np.searchsorted(np.sort(ends), thresholds) for ends in spans.T)
    sums = np.zeros((len(thresholds), 8))
    sums[:, trace_metrics.ERRONEOUS], sums[:, trace_metrics.ERRONEOUS_FOUND] = len(erroneous), above - beyond
    sums[:, trace_metrics.ERROR_FREE] = len(lowest)
    sums[:, trace_metrics.ERROR_FREE_FOUND] = len(lowest) - np.searchsorted(np.sort(lowest), thresholds)
    return processbench_f1(sums)


def _finding(trace: EvaluatedTrace) -> tuple[float, float]:
    """Return the thresholds above which, and up to which, its first error is found exactly."""
    error = trace.first_error or 0
    at = trace.scores[error] if error < len(trace.scores) else np.inf
    return at, min(trace.scores[:error], default=np.inf)


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
