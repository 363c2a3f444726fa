"""A figure of the failures page, and what all of them are made from."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar

import numpy as np

from labeling.metrics.traces import targets_of
from labeling.protocol.verdicts import NO_ERROR
from labeling.statistics.intervals import (
    FEWEST_CLUSTERS,
    Estimate,
    Floats,
    holding,
    of_totals,
    share_of_clusters,
    unknown,
)

Unit = Literal["share", "difference", "correlation", "auc", "log", "seconds"]
Arm = Literal["selected", "control", "unknown"]
MOST_TRACES = 5  # shown with a figure
RESAMPLES = 500  # a page has about thirty intervals


class Seen(NamedTuple):
    """A trace for which people said where it first goes wrong, with what the selector gave it.

    `by_it`: its round chose by this selector. `arm`: whether it was chosen by score or at random, or this is unknown.
    `steps`: P(right) of each step, None if it has none. `score`: of the trace, a logarithm. `learned`: the selector
    learned from its problem. `rated`, `neutral`: how many steps people rated, and how many of those 0. `after_error`:
    hits and trials of rollouts from after the first error.
    """

    trace: int
    problem: Hashable
    round: int
    by_it: bool
    arm: Arm
    outcome: str
    first_error: int
    length: int
    steps: Sequence[float] | None = None
    score: float | None = None
    learned: bool = False
    subject: str = ""
    generator: str = ""
    protocol: str = ""
    rated: int = 0
    neutral: int = 0
    after_error: tuple[int, int] | None = None

    @property
    def has_error(self) -> bool:
        """Whether people found an error."""
        return self.first_error != NO_ERROR

    @property
    def targets(self) -> list[bool | None]:
        """For each step, what people's first error says of it."""
        return targets_of(self.first_error, self.length)


class Scored(NamedTuple):
    """A scored trace, labeled or not. `formula`: the share of its characters that are neither letters nor spaces."""

    trace: int
    problem: Hashable
    outcome: str
    score: float
    steps: Sequence[float]
    formula: float


@dataclass(frozen=True)
class Figure:
    """`of`: the round, arm or group, if there are several figures with this name. Without a value: `why`, and what it
    `needs`. `traces`: some of those it is based on, the most telling first.
    """

    name: str
    unit: Unit
    found: Estimate
    of: str = ""
    why: str = ""
    needs: str = ""
    traces: tuple[int, ...] = ()


Row = TypeVar("Row", Seen, Scored)


def figure(
    name: str, unit: Unit, found: Estimate, *, of: str = "", nothing: str, needs: str, traces: Iterable[int] = ()
) -> Figure:
    """Return a figure if the data allow one; `nothing`: why they do not if there is nothing to count."""
    if found.value is not None and found.low is not None:
        return Figure(name, unit, found, of, traces=tuple(traces)[:MOST_TRACES])
    return not_measurable(name, unit, of=of, n=found.n, why=_why(found, nothing), needs=needs)


def not_measurable(name: str, unit: Unit, *, of: str = "", n: int = 0, why: str, needs: str) -> Figure:
    """Return why there is no figure, and what would make one possible."""
    return Figure(name, unit, unknown(n), of, why, needs)


def _why(found: Estimate, nothing: str) -> str:
    if found.value is None:
        return nothing
    if found.no_interval == "few_clusters":
        problems = "1 problem bears" if found.clusters == 1 else f"{found.clusters} problems bear"
        return f"only {problems} on this, and below {FEWEST_CLUSTERS} there is no interval"
    if found.no_interval == "all_alike":
        return "all that bear on this are alike, which does not show how far off the figure may be"
    return "too few problems have both of the things compared"


def summed(problems: Sequence[Hashable], rows: Sequence[Sequence[float]], width: int) -> Floats:
    """Return the sums of rows by problem, shape (problems, width)."""
    numbers = numbered(problems)
    sums = np.zeros((int(numbers.max(initial=-1)) + 1, width))
    np.add.at(sums, numbers, np.array(rows, dtype=np.float64).reshape(-1, width))
    return sums


def numbered(problems: Sequence[Hashable]) -> "np.ndarray[tuple[int], np.dtype[np.int_]]":
    """Return each problem's number: 0, 1, … in order of appearance."""
    numbers = {problem: number for number, problem in enumerate(dict.fromkeys(problems))}
    return np.array([numbers[problem] for problem in problems], dtype=int)


def share_where(rows: Sequence[Row], holds: Callable[[Row], bool]) -> Estimate:
    """Return the share of these traces for which something holds, with its interval over problems."""
    sums = summed([row.problem for row in rows], [(holds(row), 1) for row in rows], 2)
    return share_of_clusters(sums[:, 0], sums[:, 1], n=len(rows))


def mean_where(problems: Sequence[Hashable], values: Sequence[float]) -> Estimate:
    """Return the mean of values, with its interval over problems."""
    sums = summed(problems, [(value, 1) for value in values], 2)
    return of_totals(sums, lambda found: _ratio(found, 0, 1), n=len(values), resamples=RESAMPLES)


def apart(
    one: tuple[Sequence[Hashable], Sequence[float]], other: tuple[Sequence[Hashable], Sequence[float]]
) -> Estimate:
    """Return how much higher the mean of one group is than another's; each is (problems, values). Both may share
    problems, so both are resampled together.
    """
    rows = [(value, 1, 0, 0) for value in one[1]] + [(0, 0, value, 1) for value in other[1]]
    sums = summed([*one[0], *other[0]], rows, 4)
    clusters = holding(sums[:, 1], sums[:, 3])
    n = len(one[1]) + len(other[1])
    return of_totals(sums, _gap, n=n, clusters=clusters, resamples=RESAMPLES)


def _gap(sums: Floats) -> Floats:
    return np.asarray(_ratio(sums, 0, 1) - _ratio(sums, 2, 3))


def _ratio(sums: Floats, top: int, bottom: int) -> Floats:
    below = sums[..., bottom]
    return np.where(below > 0, sums[..., top] / np.where(below > 0, below, 1.0), np.nan)


def said(rows: Sequence[Seen], value: Callable[[Seen], float]) -> tuple[list[Hashable], list[float]]:
    """Return rows as `apart` takes them."""
    return [row.problem for row in rows], [value(row) for row in rows]


def shown(rows: Iterable[Seen | Scored]) -> list[int]:
    """Return the traces of these rows."""
    return [row.trace for row in rows]


def rounds_of(rows: Iterable[Seen]) -> list[int]:
    """Return their rounds, in order."""
    return sorted({row.round for row in rows})
