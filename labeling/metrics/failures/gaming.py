"""Gaming: whether what the selector scores high is still what people find wrong, and what else its score follows.

A selector used for a long time meets traces that please it (Goodhart's law). Its sign is a yield that falls while
scores rise.
"""

from collections.abc import Sequence

import numpy as np

from labeling.metrics.failures.figure import (
    RESAMPLES,
    Figure,
    Scored,
    Seen,
    Unit,
    apart,
    figure,
    not_measurable,
    numbered,
    rounds_of,
    said,
    share_where,
    shown,
)
from labeling.metrics.length import WeightedRanks
from labeling.statistics.intervals import Estimate, Floats, of_weights, unknown

NO_ROUND = "people have labeled no trace of a round that this selector chose for"
CHOOSE = "A labeled round chosen by it."
TWICE = "A second labeled round chosen by it."
NO_POOL = "it has scored no trace with a right answer"
SCORE = "Scores of traces whose answers are graded right."


def gaming(rows: Sequence[Seen], pool: Sequence[Scored]) -> list[Figure]:
    """Return the yields of its rounds and their change, and what its scores follow among right answers."""
    chosen = [row for row in rows if row.by_it and row.arm == "selected" and row.outcome == "wrong"]
    control = [row for row in rows if row.by_it and row.arm == "control" and row.outcome == "wrong"]
    return [*_yields(chosen), _over_control(chosen, control), *_changes(chosen), *_follows(pool)]


def _yields(chosen: Sequence[Seen]) -> list[Figure]:
    if not chosen:
        return [not_measurable("yield", "share", why=NO_ROUND, needs=CHOOSE)]
    return [_yield([row for row in chosen if row.round == number], number) for number in rounds_of(chosen)]


def _yield(rows: Sequence[Seen], number: int) -> Figure:
    found = share_where(rows, lambda row: row.has_error)
    fooled = [row for row in rows if not row.has_error]
    return figure("yield", "share", found, of=f"round {number}", nothing=NO_ROUND, needs=CHOOSE, traces=shown(fooled))


def _over_control(chosen: Sequence[Seen], control: Sequence[Seen]) -> Figure:
    found = apart(said(chosen, lambda row: row.has_error), said(control, lambda row: row.has_error))
    nothing = "none of its rounds has both selected wrong answers and a control arm that people have labeled"
    needs = "A labeled round chosen by it with a control arm."
    return figure("yield_over_control", "difference", found, nothing=nothing, needs=needs)


def _changes(chosen: Sequence[Seen]) -> list[Figure]:
    """Return the change from its first round to its last: scores compare only within one selector, so other rounds do
    not count.
    """
    numbers = rounds_of(chosen)
    if len(numbers) < 2:
        why = NO_ROUND if not numbers else "this selector has chosen for only one labeled round"
        return [not_measurable(name, unit, why=why, needs=TWICE) for name, unit in CHANGES]
    first = [row for row in chosen if row.round == numbers[0]]
    last = [row for row in chosen if row.round == numbers[-1]]
    of = f"round {numbers[0]} to {numbers[-1]}"
    scored = [[row for row in rows if row.score is not None] for rows in (last, first)]
    changed = (
        apart(said(last, lambda row: row.has_error), said(first, lambda row: row.has_error)),
        apart(said(scored[0], _score), said(scored[1], _score)),
    )
    return [
        figure(name, unit, found, of=of, nothing="it has not scored these traces", needs=TWICE)
        for (name, unit), found in zip(CHANGES, changed, strict=True)
    ]


CHANGES: tuple[tuple[str, Unit], ...] = (("yield_change", "difference"), ("score_change", "log"))


def _score(row: Seen) -> float:
    return row.score or 0.0


def _follows(pool: Sequence[Scored]) -> list[Figure]:
    """Look only at traces with right answers: elsewhere, a score that falls with length may be justified."""
    right = [row for row in pool if row.outcome == "correct"]
    scores = np.array([row.score for row in right], dtype=np.float64)
    lengths = np.array([len(row.steps) for row in right], dtype=np.float64)
    formula = np.array([row.formula for row in right], dtype=np.float64)
    problems = [row.problem for row in right]
    return [
        _follow("score_by_length", correlation(scores, lengths, numbered(problems))),
        _follow("score_by_place", _by_place(right)),
        _follow("score_by_style", correlation(scores, formula, numbered(problems))),
    ]


def _follow(name: str, found: Estimate) -> Figure:
    return figure(name, "correlation", found, nothing=NO_POOL if found.n == 0 else "all are alike", needs=SCORE)


def _by_place(right: Sequence[Scored]) -> Estimate:
    """Pair steps' scores with their relative position in the trace, from 0 for the first to 1 for the last."""
    long = [row for row in right if len(row.steps) > 1]
    places = [place / (len(row.steps) - 1) for row in long for place in range(len(row.steps))]
    scores = [score for row in long for score in row.steps]
    problems = numbered([row.problem for row in long for _ in row.steps])
    return correlation(np.array(scores), np.array(places), problems)


def correlation(one: Floats, other: Floats, problems: "np.ndarray[tuple[int], np.dtype[np.int_]]") -> Estimate:
    """Return Spearman's rho, ranked again in each resample of problems."""
    if len(one) == 0:
        return unknown(0)
    return of_weights(WeightedRanks(one, other), problems, resamples=RESAMPLES)
