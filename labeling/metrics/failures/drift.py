"""Drift: whether labelers, the grader and the selector still behave as in the first rounds."""

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

from labeling.metrics.failures.figure import (
    Figure,
    Seen,
    Unit,
    apart,
    figure,
    not_measurable,
    rounds_of,
    said,
    share_where,
    shown,
    summed,
)
from labeling.metrics.failures.transfer import auc, auc_apart
from labeling.statistics.intervals import Estimate, share_of_clusters

ONE = "these are from a single round"


class GoldTry(NamedTuple):
    """One label on gold in a round; `gold` is the item."""

    round: int
    gold: Hashable
    passed: bool


class Series(NamedTuple):
    """A figure by round: its rows, how it is made of some of them, how two rounds are compared, and what it lacks."""

    name: str
    unit: Unit
    rows: Sequence[Seen]
    of: Callable[[Sequence[Seen]], Estimate]
    change: Callable[[Sequence[Seen], Sequence[Seen]], Estimate]
    telling: Callable[[Seen], bool]
    nothing: str
    needs: str


def drift(rows: Sequence[Seen], gold: Sequence[GoldTry]) -> list[Figure]:
    """Return each figure by round, and its change from the first to the last."""
    drawn = [row for row in rows if row.arm == "control"]
    wrong = [row for row in drawn if row.outcome == "wrong"]
    scored = [row for row in rows if row.steps is not None and not row.learned]
    return [
        *_gold(gold),
        *_by_round(_share("labeler_errors_found", drawn, _has_error, "no trace was drawn at random and labeled", DRAW)),
        *_by_round(
            _share("grader_false_alarms", wrong, _no_error, "no wrong answer was drawn at random and labeled", DRAW)
        ),
        *_by_round(Series("selector_auc", "auc", scored, auc, auc_apart, _has_error, SCORELESS, SCORE)),
    ]


DRAW = "Two labeled rounds with a control arm or of a random sample."
SCORELESS = "people have labeled no trace with right and wrong steps that it scored and did not learn from"
SCORE = "Two labeled rounds whose traces it has scored."


def _has_error(row: Seen) -> bool:
    return row.has_error


def _no_error(row: Seen) -> bool:
    return not row.has_error


def _share(name: str, rows: Sequence[Seen], holds: Callable[[Seen], bool], nothing: str, needs: str) -> Series:
    def of(some: Sequence[Seen]) -> Estimate:
        return share_where(some, holds)

    def change(last: Sequence[Seen], first: Sequence[Seen]) -> Estimate:
        return apart(said(last, holds), said(first, holds))

    return Series(name, "share", rows, of, change, holds, nothing, needs)


def _by_round(series: Series) -> list[Figure]:
    numbers = rounds_of(series.rows)
    lacking = {"nothing": series.nothing, "needs": series.needs}
    by_round = {number: [row for row in series.rows if row.round == number] for number in numbers}
    found = [
        figure(
            series.name,
            series.unit,
            series.of(some),
            of=f"round {number}",
            traces=shown(row for row in some if series.telling(row)),
            **lacking,
        )
        for number, some in by_round.items()
    ]
    return [*found, _change(series, by_round)]


def _change(series: Series, by_round: dict[int, list[Seen]]) -> Figure:
    name, numbers = f"{series.name}_change", list(by_round)
    if len(numbers) < 2:
        why = ONE if numbers else series.nothing
        return not_measurable(name, "difference", n=len(series.rows), why=why, needs=series.needs)
    of = f"round {numbers[0]} to {numbers[-1]}"
    found = series.change(by_round[numbers[-1]], by_round[numbers[0]])
    return figure(name, "difference", found, of=of, nothing=series.nothing, needs=series.needs)


def _gold(tries: Sequence[GoldTry]) -> list[Figure]:
    """Return the share of gold that is passed. Gold items are resampled: a hard one is hard for every labeler."""
    numbers = sorted({one.round for one in tries})
    needs = "Two rounds with gold among their tasks."
    by_round = {number: [one for one in tries if one.round == number] for number in numbers}
    found = [
        figure("gold_passed", "share", _passed(some), of=f"round {number}", nothing="", needs=needs)
        for number, some in by_round.items()
    ]
    if len(numbers) < 2:
        why = ONE if numbers else "no label on gold has been submitted"
        return [*found, not_measurable("gold_passed_change", "difference", n=len(tries), why=why, needs=needs)]
    of = f"round {numbers[0]} to {numbers[-1]}"
    change = apart(_tried(by_round[numbers[-1]]), _tried(by_round[numbers[0]]))
    return [*found, figure("gold_passed_change", "difference", change, of=of, nothing="", needs=needs)]


def _tried(some: Sequence[GoldTry]) -> tuple[list[Hashable], list[float]]:
    return [one.gold for one in some], [float(one.passed) for one in some]


def _passed(some: Sequence[GoldTry]) -> Estimate:
    sums = summed([one.gold for one in some], [(one.passed, 1) for one in some], 2)
    return share_of_clusters(sums[:, 0], sums[:, 1], n=len(some))
