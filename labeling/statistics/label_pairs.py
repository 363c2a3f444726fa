"""Pairs of labels on the same trace, as columns of numbers. Pure.

Each label is read once; the figures for any traces and for any two people (`labeling.statistics.agreement`) are
functions of sums over these columns.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count

import numpy as np
import numpy.typing as npt

from labeling.protocol.verdicts import NO_ERROR
from labeling.statistics.intervals import Floats

Ints = npt.NDArray[np.int_]

RATINGS = (-1, 0, 1)
NOT_RATED = len(RATINGS)
PLACE: dict[int | None, int] = {None: NOT_RATED, **{rating: place for place, rating in enumerate(RATINGS)}}
NO_VERDICT = -2

# The columns that two labels, or all pairs of a trace, add to the figures about the first error.
PAIRS, EXACT, WITHIN_ONE, SAME_CLASS, BOTH_FOUND, DISTANCE = range(6)


@dataclass(frozen=True)
class Labeled:
    """One labeler's label of one trace: a rating per step (-1, 0, 1, None = not rated), the finish reason, and the
    resulting verdict: the first error, NO_ERROR, or None if the label does not say. Intervals group traces of one
    `problem`; a trace without one is its own group.
    """

    trace: Hashable
    labeler: Hashable
    ratings: Sequence[int | None]
    finish_reason: str
    verdict: int | None
    problem: Hashable = None


class PairwiseLabels:
    """The labels of traces that two or more labeled; names are positions in `traces`, `labelers` (in the order of their
    names as text) and `reasons` (in alphabetical order).

    Raises ValueError if one labeler has two labels on a trace.
    """

    def __init__(self, labels: Iterable[Labeled]) -> None:
        given = list(labels)
        times = Counter(label.trace for label in given)
        self.traces = [trace for trace, n in times.items() if n > 1]
        place = {trace: row for row, trace in enumerate(self.traces)}
        given = [label for label in given if label.trace in place]
        problem_of = {label.trace: label.problem for label in given}
        alike: dict[Hashable, int] = {}
        keys = [trace if problem_of[trace] is None else ("problem", problem_of[trace]) for trace in self.traces]
        self.problem = np.array([alike.setdefault(key, len(alike)) for key in keys], dtype=int)
        self.labelers = sorted({label.labeler for label in given}, key=str)
        self.reasons = sorted({label.finish_reason for label in given})
        rank = {labeler: row for row, labeler in enumerate(self.labelers)}
        given.sort(key=lambda label: (place[label.trace], rank[label.labeler]))
        self._columns(given, place, rank)
        one, other = self.pairs.T
        twice = np.flatnonzero(self.labeler[one] == self.labeler[other])
        if len(twice):
            raise ValueError(f"A labeler has two labels on trace {self.traces[self.trace[one[twice[0]]]]}.")

    def _columns(self, given: Sequence[Labeled], place: dict[Hashable, int], rank: dict[Hashable, int]) -> None:
        """Set one value per label, sorted by trace and labeler, and the positions of all ratings, label by label."""
        reason = {name: row for row, name in enumerate(self.reasons)}
        self.trace = np.array([place[label.trace] for label in given], dtype=int)
        self.labeler = np.array([rank[label.labeler] for label in given], dtype=int)
        self.reason = np.array([reason[label.finish_reason] for label in given], dtype=int)
        verdicts = [label.verdict for label in given]
        self.verdict = np.array([NO_VERDICT if verdict is None else verdict for verdict in verdicts], dtype=int)
        self.length = np.array([len(label.ratings) for label in given], dtype=int)
        self.start = self.length.cumsum() - self.length
        self.rating = np.array([PLACE[rating] for label in given for rating in label.ratings], dtype=int)

    @cached_property
    def pairs(self) -> Ints:
        """Every two labels of one trace, the earlier name first, as rows of the columns above; shape (pairs, 2)."""
        found = [np.zeros((0, 2), dtype=int)]
        for apart in count(1):
            one = np.flatnonzero(self.trace[apart:] == self.trace[:-apart])
            if len(one) == 0:
                break
            found.append(np.stack([one, one + apart], axis=1))
        return np.concatenate(found)

    @cached_property
    def by_two(self) -> list[Ints]:
        """The pairs of every two labelers who share a trace, in the order of their names."""
        if len(self.pairs) == 0:
            return []
        who = self.labeler[self.pairs]
        order = np.lexsort((who[:, 1], who[:, 0]))
        return np.split(self.pairs[order], np.flatnonzero(np.diff(who[order], axis=0).any(axis=1)) + 1)

    @cached_property
    def steps(self) -> tuple[Floats, Ints]:
        """How many labelers gave each step each rating, shape (steps, 3), and the trace of each step."""
        longest = np.zeros(len(self.traces), dtype=int)
        np.maximum.at(longest, self.trace, self.length)
        first = longest.cumsum() - longest
        rows = np.repeat(first[self.trace] - self.start, self.length) + np.arange(len(self.rating))
        said = self.rating != NOT_RATED
        cells = rows[said] * len(RATINGS) + self.rating[said]
        counts = np.bincount(cells, minlength=int(longest.sum()) * len(RATINGS)).reshape(-1, len(RATINGS))
        return counts.astype(np.float64), np.repeat(np.arange(len(self.traces)), longest)

    @cached_property
    def coincidences(self) -> Floats:
        """What each trace adds to the coincidence matrix of ratings, flattened; shape (traces, 9)."""
        counts, trace = self.steps
        return sums_by(trace, coincidences_of(counts), len(self.traces))

    @cached_property
    def verdicts(self) -> Floats:
        """What each trace adds to the figures about the first error, by the columns above; shape (traces, 6)."""
        return sums_by(self.trace[self.pairs[:, 0]], self.verdicts_of(self.pairs), len(self.traces))

    def verdicts_of(self, pairs: Ints) -> Floats:
        """Return what pairs of labels add to the figures on the first error, by the columns above; (pairs, 6)."""
        one, other = self.verdict[pairs].T
        cast = (one != NO_VERDICT) & (other != NO_VERDICT)
        both = cast & (one != NO_ERROR) & (other != NO_ERROR)
        neither = cast & (one == NO_ERROR) & (other == NO_ERROR)
        apart = np.abs(one - other)
        columns = (cast, cast & (apart == 0), both & (apart <= 1) | neither, both | neither, both, both * apart)
        return np.stack(columns, axis=1).astype(np.float64)

    def classes_of(self, pairs: Ints) -> Floats:
        """Return whether the trace has an error, as flattened confusion matrices with the first label's class in rows;
        zeros if one of the two has no verdict. Shape (pairs, 4).
        """
        cast = (self.verdict[pairs] != NO_VERDICT).all(axis=1)
        one, other = (self.verdict[pairs] != NO_ERROR).astype(int).T
        return np.eye(4)[one * 2 + other] * cast[:, None]

    def ratings_of(self, pairs: Ints) -> Floats:
        """Return confusion matrices of the steps both rated, flattened, with the first label's rating in rows; (pairs,
        9).
        """
        length = self.length[pairs].min(axis=1)
        row = np.repeat(np.arange(len(pairs)), length)
        step = np.arange(len(row)) - np.repeat(length.cumsum() - length, length)
        one, other = (self.rating[self.start[pairs[row, side]] + step] for side in (0, 1))
        both = (one != NOT_RATED) & (other != NOT_RATED)
        cells = row[both] * 9 + one[both] * len(RATINGS) + other[both]
        return np.bincount(cells, minlength=len(pairs) * 9).reshape(-1, 9).astype(np.float64)

    def reasons_of(self, pairs: Ints) -> dict[tuple[str, str], int]:
        """Count pairs of labels by their two finish reasons, the first label's first."""
        size = len(self.reasons)
        one, other = self.reason[pairs].T
        cells = np.bincount(one * size + other, minlength=size * size).tolist()
        return {(self.reasons[i // size], self.reasons[i % size]): n for i, n in enumerate(cells) if n}


def coincidences_of(counts: Floats) -> Floats:
    """Return the coincidences of a step's ratings, given how many labelers gave it each rating (shape (steps, 3)): a
    step rated by m labelers adds each ordered pair of them with weight 1 / (m - 1). Flattened matrices, shape (steps,
    9).
    """
    labelers = counts.sum(axis=1, keepdims=True)
    shares = np.where(labelers >= 2, counts / np.maximum(labelers - 1, 1), 0.0)
    matrices = shares[:, :, None] * counts[:, None, :] - shares[:, :, None] * np.eye(len(RATINGS))
    return matrices.reshape(-1, len(RATINGS) ** 2)


def sums_of_alike(group: Ints, rows: Floats) -> Floats:
    """Return the sums of rows by group, leaving out groups without rows."""
    found, place = np.unique(group, return_inverse=True)
    return sums_by(place, rows, len(found))


def sums_by(group: Ints, rows: Floats, groups: int) -> Floats:
    """Return the sums of rows by group; shape (groups, columns)."""
    columns = [np.bincount(group, weights=column, minlength=groups) for column in rows.T]
    return np.stack(columns, axis=1).astype(np.float64)
