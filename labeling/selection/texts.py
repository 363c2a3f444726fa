"""Traces by their texts alone: the most typical of each cluster, and those most like given ones. Pure.

A text becomes counts of words and word pairs, hashed into a few hundred numbers. All numerals count as one word, so
two solutions that differ only in their numbers are alike. Clusters are k-means on the sphere (Dhillon and Modha,
Machine Learning 42, 2001), starting from texts far apart (Arthur and Vassilvitskii, SODA 2007). This is cheap and
needs no model; it tells kinds of solutions apart, not right ones from wrong ones.
"""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Stop = Callable[[], None]

MOST = 20_000  # texts compared; of a larger pool, this many are drawn at random
MOST_CLUSTERS = 1_000
NUMBERS = 256  # per text
CHARACTERS = 8_000  # read per text
ROUNDS = 8  # of k-means; after that, the order within clusters hardly changes
BLOCK = 2_000  # texts at a time
WORD = re.compile(r"[^\W\d_]+|\d+|[^\w\s]")


def readings_of(texts: Sequence[str], *, stop: Stop = lambda: None) -> Floats:
    """Return rows [n, NUMBERS] of length 1 (0 for a text without words), with more weight on rare words, less on
    repetition.
    """
    counts = np.zeros((len(texts), NUMBERS), np.float32)
    for place, text in enumerate(texts):
        if place % BLOCK == 0:
            stop()
        found = np.fromiter(map(_number, _grams(text)), np.int64)
        counts[place] = np.bincount(found, minlength=NUMBERS)
    held = (counts > 0).sum(0)
    rows = np.log1p(counts) * np.log((1 + len(texts)) / (1 + held)).astype(np.float32)
    return _of_length_one(rows)


def typical_first(rows: Floats, clusters: int, seed: int, *, stop: Stop = lambda: None) -> list[int]:
    """Return all rows: the nearest to the centre of each cluster, largest clusters first; then the next nearest of
    each.
    """
    if not len(rows):
        return []
    middles = _spread_out(rows, min(clusters, MOST_CLUSTERS, len(rows)), seed, stop)
    for _ in range(ROUNDS):
        nearest, _near = _assigned(rows, middles, stop)
        sums = np.zeros_like(middles)
        np.add.at(sums, nearest, rows)
        alone = ~np.isin(np.arange(len(middles)), nearest)
        middles = np.where(alone[:, None], middles, _of_length_one(sums))
    nearest, near = _assigned(rows, middles, stop)
    sizes = np.bincount(nearest, minlength=len(middles))
    order = np.lexsort((-near, nearest))  # by cluster, nearest first; a stable sort, so ties keep their places
    starts = np.searchsorted(nearest[order], nearest[order])
    turn = np.arange(len(order)) - starts  # 0: the most typical of its cluster
    final = np.lexsort((nearest[order], -sizes[nearest[order]], turn))
    return [int(one) for one in order[final]]


def alike_first(rows: Floats, named: Floats) -> list[int]:
    """Return all rows, the most similar to any of the named ones first."""
    if not len(named) or not len(rows):
        return list(range(len(rows)))
    return [int(one) for one in np.argsort(-(rows @ named.T).max(1), kind="stable")]


def _grams(text: str) -> list[str]:
    words = ["0" if word.isdecimal() else word for word in WORD.findall(text[:CHARACTERS].casefold())]
    return words + [f"{one} {other}" for one, other in pairwise(words)]


def _number(gram: str) -> int:
    return crc32(gram.encode("utf-8", "surrogatepass")) % NUMBERS


def _of_length_one(rows: Floats) -> Floats:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    found: Floats = (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return found


def _spread_out(rows: Floats, clusters: int, seed: int, stop: Stop) -> Floats:
    """Return rows to start from, each drawn with a chance proportional to its squared distance from those before it."""
    generator = np.random.default_rng(seed)
    chosen = [int(generator.integers(len(rows)))]
    far = 1 - rows @ rows[chosen[0]]
    while len(chosen) < clusters:
        if len(chosen) % 100 == 0:
            stop()
        chances = np.maximum(far, 0).astype(np.float64)
        total = float(chances.sum())
        if total <= 1e-6:  # the rest are copies of chosen ones
            break
        chosen.append(int(generator.choice(len(rows), p=chances / total)))
        far = np.minimum(far, 1 - rows @ rows[chosen[-1]])
    return rows[chosen].copy()


def _assigned(rows: Floats, middles: Floats, stop: Stop) -> tuple[NDArray[np.int64], Floats]:
    nearest = np.zeros(len(rows), np.int64)
    near = np.zeros(len(rows), np.float32)
    for start in range(0, len(rows), BLOCK):
        stop()
        alike = rows[start : start + BLOCK] @ middles.T
        nearest[start : start + BLOCK] = alike.argmax(1)
        near[start : start + BLOCK] = alike.max(1)
    return nearest, near
