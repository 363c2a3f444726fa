"""Metrics of whole traces: where a PRM sees the first error, and which kinds of traces it lets pass."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from labeling.metrics.steps import ratio
from labeling.protocol.verdicts import NO_ERROR
from labeling.statistics.intervals import Floats

CORRECT = "correct"


@dataclass(frozen=True)
class EvaluatedTrace:
    """A trace with human labels and a PRM's scores.

    `scores`: P(step right), one per step, in [0, 1]. `targets`: whether a human found the step right, None if nobody
    rated it (`targets_of`). `first_error`: a step, NO_ERROR, or None if nobody looked. `outcome`: of its final answer.
    """

    problem: Hashable
    scores: Sequence[float]
    targets: Sequence[bool | None]
    first_error: int | None
    outcome: str

    def __post_init__(self) -> None:
        if len(self.scores) != len(self.targets) or not self.scores:
            raise ValueError("A trace must have at least one step, and one score and one target per step.")
        if not all(0 <= score <= 1 for score in self.scores):  # false for NaN
            raise ValueError("A score must be a probability: leave out unscored traces and report how many.")


def targets_of(first_error: int | None, steps: int) -> list[bool | None]:
    """Return what a first error says of each step: right before it, wrong at it, nothing after it."""
    if first_error is None:
        return [None] * steps
    end = steps if first_error == NO_ERROR else first_error
    return [True if step < end else False if step == end else None for step in range(steps)]


def predicted_first_error(scores: Sequence[float], threshold: float = 0.5) -> int:
    """Return the first step judged wrong, or NO_ERROR if none is (ProcessBench, arXiv 2412.06559, §4)."""
    return next((step for step, score in enumerate(scores) if score < threshold), NO_ERROR)


def lowest_at_the_end(scores: Sequence[float]) -> bool:
    """Whether only the last step has the lowest score. If that holds for most traces, the PRM has collapsed into a
    judge of final answers (arXiv 2501.07301, §3).
    """
    return all(scores[-1] < score for score in scores[:-1])


# What a trace adds to the sums below.
(ERRONEOUS, ERRONEOUS_FOUND, ERROR_FREE, ERROR_FREE_FOUND, LONG, LOWEST_LAST, LUCKY, LUCKY_CAUGHT) = range(8)


def parts_of(trace: EvaluatedTrace, threshold: float) -> Floats:
    """Return a trace's summands, shape (8,). Lucky: the right answer by a wrong process."""
    parts = np.zeros(8)
    found = predicted_first_error(trace.scores, threshold)
    if trace.first_error == NO_ERROR:
        parts[[ERROR_FREE, ERROR_FREE_FOUND]] = 1, found == NO_ERROR
    elif trace.first_error is not None:
        parts[[ERRONEOUS, ERRONEOUS_FOUND]] = 1, found == trace.first_error
        if trace.outcome == CORRECT:
            parts[[LUCKY, LUCKY_CAUGHT]] = 1, found != NO_ERROR
    if len(trace.scores) > 1:
        parts[[LONG, LOWEST_LAST]] = 1, lowest_at_the_end(trace.scores)
    return parts


def accuracy_on_erroneous(sums: Floats) -> Floats:
    """Return the share of traces with an error whose first error was found exactly; sums of shape (..., 8),
    as below.
    """
    return ratio(sums[..., ERRONEOUS_FOUND], sums[..., ERRONEOUS])


def accuracy_on_error_free(sums: Floats) -> Floats:
    """Return the share of traces without an error in which none was seen."""
    return ratio(sums[..., ERROR_FREE_FOUND], sums[..., ERROR_FREE])


def first_error_accuracy(sums: Floats) -> Floats:
    """Return the share of all traces with the humans' verdict."""
    found = sums[..., ERRONEOUS_FOUND] + sums[..., ERROR_FREE_FOUND]
    return ratio(found, sums[..., ERRONEOUS] + sums[..., ERROR_FREE])


def processbench_f1(sums: Floats) -> Floats:
    """Return the harmonic mean of both accuracies; 0 if both are 0, NaN if there are no traces of one kind."""
    one, other = accuracy_on_erroneous(sums), accuracy_on_error_free(sums)
    both = one + other
    return np.where(both == 0, 0.0, ratio(2 * one * other, both))


def lowest_last_share(sums: Floats) -> Floats:
    """Return the share of traces (of two or more steps) whose lowest score is at the last step."""
    return ratio(sums[..., LOWEST_LAST], sums[..., LONG])


def lucky_caught_share(sums: Floats) -> Floats:
    """Return the share of right answers with a wrong process in which the PRM saw an error (at any step: it did not let
    the trace pass).
    """
    return ratio(sums[..., LUCKY_CAUGHT], sums[..., LUCKY])


def best_threshold(traces: Sequence[EvaluatedTrace]) -> float:
    """Return the threshold with the highest ProcessBench F1 among the midpoints between occurring scores; 0.5 if F1 is
    undefined. For validation traces: on the traces it was chosen by, a figure flatters.

    Of several best ones, the one nearest to 0.5. At most 200 candidates, evenly spaced among the scores, are tried.
    """
    scores = np.unique(np.concatenate([np.asarray(trace.scores) for trace in traces])) if traces else np.zeros(0)
    middles = np.unique(np.append((scores[1:] + scores[:-1]) / 2, 0.5))
    tried = np.append(middles[np.linspace(0, len(middles) - 1, min(200, len(middles))).astype(int)], 0.5)
    found = [float(processbench_f1(sum_of(traces, one))) for one in tried]
    if np.isnan(found).all():
        return 0.5
    best = max(found)
    return float(min((one for one, f1 in zip(tried, found, strict=True) if f1 == best), key=lambda one: abs(one - 0.5)))


def sum_of(traces: Sequence[EvaluatedTrace], threshold: float) -> Floats:
    """Return the sums over traces, shape (8,)."""
    return sum((parts_of(trace, threshold) for trace in traces), np.zeros(8))
