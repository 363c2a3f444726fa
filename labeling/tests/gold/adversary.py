"""An adversary: finds what all that labelers are sent reveals about gold. Pure.

A rule gives every label a number. The farther the area under its ROC curve is from a half, the better it tells gold.
The area is a share of the pairs of a labeler's gold label and their work: those whose gold one has the greater number.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from statistics import NormalDist, median
from typing import Any

FAMILY_ERROR = 0.005  # the chance that any of the rules seems to tell gold although none does
NOW = "server_time"  # moments become seconds since the moment of their answer


@dataclass
class Met:
    """A label as one labeler met it: the labeler, whether it was gold, and each value sent with it."""

    labeler: int
    gold: bool
    leaves: dict[str, Any] = field(default_factory=dict)

    def add(self, answer: str, body: Any) -> None:
        """Add everything in one answer that concerns the label."""
        self.leaves.update(leaves_of(body, answer))


@dataclass(frozen=True)
class Told:
    """How well a rule tells gold, and how much of that can be chance."""

    rule: str
    auc: float
    error: float  # standard error of the area if the rule knows nothing

    def __str__(self) -> str:
        """Return the area with its 95 % interval."""
        return f"{self.rule}: {self.auc:.3f} ± {1.96 * self.error:.3f}"

    def beats_chance(self, rules: int) -> bool:
        """Return whether its interval excludes a half, in either direction, after this many rules were tried."""
        low, high = self.interval(rules)
        return low > 0.5 or high < 0.5

    def interval(self, rules: int) -> tuple[float, float]:
        """Return the interval around the area, corrected for this many rules."""
        reach = NormalDist().inv_cdf(1 - FAMILY_ERROR / (2 * rules)) * self.error
        return self.auc - reach, self.auc + reach


def leaves_of(body: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield every scalar by its path, and for a list its length and its first entry."""
    if isinstance(body, dict):
        for name, value in body.items():
            yield from leaves_of(value, f"{path}.{name}")
    elif isinstance(body, list):
        yield f"{path}.#", len(body)
        yield from leaves_of(body[0], f"{path}[]") if body else ()
    else:
        yield path, body


def tell(labels: list[Met]) -> list[Told]:
    """Return every rule over every path, best first. `labels` are in the order in which they were met."""
    rules = dict(_of_order(labels))
    for path in sorted({path for label in labels for path in label.leaves}):
        rules |= {f"{path}: {name}": scores for name, scores in _of_path(labels, path)}
    found = (_told(rule, scores, labels) for rule, scores in rules.items() if len(set(scores)) > 1)
    told = [one for one in found if one is not None]
    return sorted(told, key=lambda one: -abs(one.auc - 0.5) / one.error)


def _of_order(labels: list[Met]) -> Iterator[tuple[str, list[float]]]:
    served: dict[int, int] = defaultdict(int)
    place = []
    for label in labels:
        served[label.labeler] += 1
        place.append(float(served[label.labeler]))
    yield "order: place in the row of all", [float(number) for number in range(len(labels))]
    yield "order: place in one's own row", place
    share = [number / served[label.labeler] for number, label in zip(place, labels, strict=True)]
    yield "order: place in one's own row, of all of it", share
    ends = [min(number, served[label.labeler] + 1 - number) for number, label in zip(place, labels, strict=True)]
    yield "order: distance from the ends of one's own row", ends
    yield "order: every other", [number % 2 for number in place]
    yield (
        "order: after somebody else's",
        [float(number > 0 and labels[number - 1].labeler != label.labeler) for number, label in enumerate(labels)],
    )


def _of_path(labels: list[Met], path: str) -> Iterator[tuple[str, list[float]]]:
    """Yield the rules over the values at one path."""
    values = [label.leaves.get(path) for label in labels]
    yield "is there", [float(path in label.leaves) for label in labels]
    yield "is not null", [float(value is not None) for value in values]
    holders: dict[Any, set[int]] = defaultdict(set)
    for label, value in zip(labels, values, strict=True):
        holders[value].add(label.labeler)
    holders[None] = set()
    yield "how many labelers were sent it", [float(len(holders[value])) for value in values]
    numbers = [_number(label, path) for label in labels]
    yield "value", numbers
    yield "is odd", [math.floor(number) % 2 for number in numbers]
    yield "last digit", [math.floor(number) % 10 for number in numbers]
    yield from _of_rows(labels, numbers)


def _of_rows(labels: list[Met], numbers: list[float]) -> Iterator[tuple[str, list[float]]]:
    """Yield the rules that compare a value with those before and after it in its labeler's row."""
    rows: dict[int, list[int]] = defaultdict(list)
    for place, label in enumerate(labels):
        rows[label.labeler].append(place)
    rules: dict[str, Callable[[list[float], int], float]] = {
        "rise from the one before": lambda row, at: row[at] - row[at - 1] if at else 0.0,
        "distance from the one before": lambda row, at: abs(row[at] - row[at - 1]) if at else 0.0,
        "rise to the next": lambda row, at: row[at + 1] - row[at] if at + 1 < len(row) else 0.0,
        "distance from those around": lambda row, at: abs(row[at] - median(row[max(0, at - 4) : at + 5])),
        "out of the rising run": lambda row, at: max(row[: at + 1]) - row[at],
        "same as the one before": lambda row, at: float(at > 0 and row[at] == row[at - 1]),
    }
    for name, rule in rules.items():
        scores = [0.0] * len(labels)
        for places in rows.values():
            row = [numbers[place] for place in places]
            for at, place in enumerate(places):
                scores[place] = rule(row, at)
        yield name, scores


def _number(label: Met, path: str) -> float:
    value = label.leaves.get(path)
    if value is None:
        return -1.0
    if isinstance(value, bool | int | float):
        return float(value)
    moment = _moment(value)
    if moment is None:
        return float(len(str(value)))
    now = _moment(label.leaves.get(f"{path.split('.')[0]}.{NOW}"))
    return moment if now is None or path.endswith(NOW) else moment - now


def _moment(value: Any) -> float | None:
    try:
        return datetime.fromisoformat(value).timestamp() if len(value) > 18 else None
    except (TypeError, ValueError):
        return None


def _told(rule: str, scores: list[float], labels: list[Met]) -> Told | None:
    """Compare pairs of one labeler's own labels. Ties count half, and the error under chance has the same ties.

    (Mann-Whitney, summed over labelers.) Return None if the rule distinguishes no labeler's labels.
    """
    rows: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for score, label in zip(scores, labels, strict=True):
        rows[label.labeler].append((score, label.gold))
    sums = [_pairs(row) for row in rows.values() if len({score for score, _ in row}) > 1]
    pairs = sum(own for own, _, _ in sums)
    if not pairs:
        return None
    won, variance = sum(own for _, own, _ in sums), sum(own for _, _, own in sums)
    return Told(rule, won / pairs, math.sqrt(variance) / pairs)


def _pairs(row: list[tuple[float, bool]]) -> tuple[float, float, float]:
    """Return the number of pairs of gold and work, those won by gold, and the variance of these under chance."""
    by_score: dict[float, list[int]] = defaultdict(lambda: [0, 0])
    for score, gold in row:
        by_score[score][gold] += 1
    n, golden = len(row), sum(gold for _, gold in row)
    work = n - golden
    below, won, ties = 0, 0.0, 0
    for score in sorted(by_score):
        of_work, of_gold = by_score[score]
        won += of_gold * (below + of_work / 2)
        below += of_work
        ties += (of_work + of_gold) ** 3 - (of_work + of_gold)
    return golden * work, won, golden * work * (n + 1 - ties / (n * (n - 1))) / 12
