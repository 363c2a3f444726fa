"""What a PRM is worth when it picks one of n sampled traces, as a curve over n.

Each problem has M graded traces. The expectation over all subsets of n of them is exact for everything that picks by a
score: the trace of rank r (from 1) is picked with probability C(M-r, n-1) / C(M, n) (*Let's Verify Step by Step*, arXiv
2305.20050, evaluation code). It is exact too for the oracle (is any of the n right?) and for a random pick. Votes
have no such formula; they are counted over all subsets if there are few, else over a seeded sample of subsets.

Bands are those of a share over problems. Never shown without a step-level figure.
"""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from labeling.metrics.steps import Bools, Ints
from labeling.statistics.intervals import Estimate, Floats, share_of_clusters

SUBSETS = 200  # per size and problem, for votes
# A server may round a probability down to 0 or almost 0; logarithms are not taken below the smallest normal float32.
LOG_OF_ZERO = math.log(2.0**-126)


def _logs(scores: Sequence[float]) -> list[float]:
    return [max(math.log(score), LOG_OF_ZERO) if score > 0 else LOG_OF_ZERO for score in scores]


# A trace's score from its steps' P(right). A product is computed as a sum of logarithms: as products, 500 steps of 0.2
# and 500 of 0.3 are both 0, and must not tie.
AGGREGATIONS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "product": lambda scores: math.fsum(_logs(scores)),
    "min": min,
    "mean": lambda scores: math.fsum(scores) / len(scores),
    "last": lambda scores: scores[-1],
}


@dataclass(frozen=True)
class Candidates:
    """The traces of one problem: whether each answer is right, the answers (normalised, so that equal answers are
    equal: `labeling.grading.answer_key`; None = no answer, which has no vote), and scores and vote weights by curve.

    Raises ValueError if lengths differ, a score is NaN, a vote weight is negative or two curves have the same name.
    """

    correct: Sequence[bool]
    answers: Sequence[Hashable]
    scores: Mapping[str, Sequence[float]]
    vote_weights: Mapping[str, Sequence[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        columns = [self.answers, *self.scores.values(), *self.vote_weights.values()]
        if any(len(column) != len(self.correct) for column in columns):
            raise ValueError("Give one answer, score and weight per trace.")
        if any(math.isnan(score) for scores in self.scores.values() for score in scores):
            raise ValueError("A score is not a number: leave out unscored traces and report how many.")
        if any(not weight >= 0 for weights in self.vote_weights.values() for weight in weights):
            raise ValueError("Votes weigh 0 or more.")
        names = ["oracle", "random", "majority", *self.scores, *self.vote_weights]
        if len(set(names)) < len(names):
            raise ValueError("Two curves have the same name.")


def curves(problems: Sequence[Candidates], sizes: Sequence[int], *, seed: int = 0) -> dict[str, list[Estimate]]:
    """Return the share of problems solved with n traces each, for each n of `sizes`: under "oracle", "random",
    "majority", each name of `scores` and each name of `vote_weights`. `Estimate.n` is the number of problems.

    Raises ValueError if a problem has fewer traces than the largest size, or names differ between problems.
    """
    if any(size < 1 or size > len(one.correct) for one in problems for size in sizes):
        raise ValueError("Every size must be between 1 and the number of traces of every problem.")
    by_problem = [_of_problem(one, sizes, seed + number) for number, one in enumerate(problems)]
    if any(found.keys() != by_problem[0].keys() for found in by_problem):
        raise ValueError("Every problem must have the same scores and votes.")
    names, alone = by_problem[0] if by_problem else (), np.ones(len(problems))
    return {
        name: [
            share_of_clusters(np.array([found[name][place] for found in by_problem]), alone, n=len(problems))
            for place in range(len(sizes))
        ]
        for name in names
    }


def sizes_up_to(fewest: int) -> list[int]:
    """Return 1, 2, 4, ... and `fewest`, the number of traces that every problem has."""
    return sorted({*(2**power for power in range(fewest.bit_length())), fewest}) if fewest > 0 else []


def rank_probabilities(traces: int, size: int) -> Floats:
    """Return P(the trace of rank r is the best of `size` drawn from `traces`), r = 1, 2, ...; adds up to 1.

    Computed by recurrence, as binomials of a thousand overflow: P(1) = n / M, P(r + 1) = P(r) (M - r - n + 1) / (M -
    r).
    """
    ranks = np.arange(1, traces)
    steps = np.maximum(traces - ranks - size + 1, 0) / (traces - ranks)
    return np.cumprod(np.append(size / traces, steps))


def best_of_n(correct: Sequence[bool], scores: Sequence[float], size: int) -> float:
    """Return the chance that the best-scored of `size` drawn traces is right; ties are picked at random."""
    _, place, count = np.unique(-np.asarray(scores, dtype=np.float64), return_inverse=True, return_counts=True)
    right = np.bincount(place, weights=np.asarray(correct, dtype=np.float64)) / count
    return float(rank_probabilities(len(scores), size) @ np.repeat(right, count))


def oracle(correct: Sequence[bool], size: int) -> float:
    """Return the chance that any of `size` drawn traces is right (pass@n): 1 - C(M-c, n) / C(M, n)."""
    wrong, traces = len(correct) - sum(correct), len(correct)
    drawn = np.arange(size)
    return float(1 - np.prod(np.maximum(wrong - drawn, 0) / (traces - drawn)))


def vote(correct: Sequence[bool], answers: Sequence[Hashable], weights: Sequence[float], draws: Ints) -> float:
    """Return the chance that the answer with the largest sum of weights among drawn traces is right, over the rows of
    `draws` (shape (draws, size), places of traces).

    Ties are picked at random. An answer that was graded both right and wrong counts by its share of right. If no drawn
    trace has an answer, or every weight is 0, nothing is picked.
    """
    codes: dict[Hashable, int] = {}
    code = np.array([codes.setdefault(answer, len(codes)) if answer is not None else -1 for answer in answers])
    if not codes:
        return 0.0
    voting = code >= 0
    right = np.bincount(code[voting], weights=np.asarray(correct, dtype=np.float64)[voting]) / np.bincount(code[voting])
    weighed = np.where(voting, np.asarray(weights, dtype=np.float64), 0.0)
    cells = np.maximum(code, 0)[draws] + np.arange(len(draws))[:, None] * len(codes)
    sums = np.bincount(cells.ravel(), weights=weighed[draws].ravel(), minlength=len(draws) * len(codes))
    sums = sums.reshape(len(draws), len(codes))
    top = sums.max(axis=1, keepdims=True)
    # Sums of the same weights in another order may differ in the last bit, but still tie.
    winners = (sums >= top * (1 - 1e-12)) & (top > 0)
    return float(np.mean((winners * right).sum(axis=1) / np.maximum(winners.sum(axis=1), 1)))


def subsets(traces: int, size: int, seed: int, most: int = SUBSETS) -> Ints:
    """Return all subsets of `size` traces if there are at most `most`, else `most` random ones; shape
    (subsets, size).
    """
    if math.comb(traces, size) <= most:
        return np.array(list(combinations(range(traces), size)))
    generator = np.random.default_rng(seed)
    return generator.random((most, traces)).argsort(axis=1)[:, :size]


def _of_problem(one: Candidates, sizes: Sequence[int], seed: int) -> dict[str, list[float]]:
    """Return every curve of one problem."""
    correct: Bools = np.asarray(one.correct, dtype=bool)
    draws = [subsets(len(correct), size, seed) for size in sizes]
    weights = {"majority": [1.0] * len(correct), **one.vote_weights}
    return {
        "oracle": [oracle(one.correct, size) for size in sizes],
        "random": [float(correct.mean())] * len(sizes),
        **{name: [best_of_n(one.correct, scores, size) for size in sizes] for name, scores in one.scores.items()},
        **{name: [vote(one.correct, one.answers, each, drawn) for drawn in draws] for name, each in weights.items()},
    }
