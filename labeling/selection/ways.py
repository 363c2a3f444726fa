"""The pool in the order of each way of choosing (`labeling.selection.mixes`). Pure."""

import math
from collections.abc import Callable, Sequence

from labeling.selection import texts
from labeling.selection.candidates import Candidate, Shuffled
from labeling.selection.mixes import BY_TEXT, Way, apart


def in_order(way: Way, pool: Sequence[Candidate], seed: int) -> list[Candidate]:
    """Return the pool, highest value first, ties by the seed, without traces for which the way has no value."""
    values = _values(way, pool)
    known = [one for one in pool if one.id in values]
    return sorted(known, key=lambda one: (-values[one.id], Shuffled(seed, one.id)))


def by_text(
    way: Way,
    seen: Sequence[Candidate],
    said: Sequence[str],
    *,
    named: Sequence[str] = (),
    clusters: int = 1,
    seed: int = 0,
    stop: Callable[[], None] = lambda: None,
) -> list[Candidate]:
    """Return the candidates `seen` in the order of a way that uses only their texts, `said`; `named`: the texts that
    *like* looks for.
    """
    if way not in BY_TEXT:
        raise ValueError(f"{way} does not use texts.")
    if way == "typical":
        rows = texts.readings_of(said, stop=stop)
        return [seen[place] for place in texts.typical_first(rows, clusters, seed, stop=stop)]
    rows = texts.readings_of([*said, *named], stop=stop)
    return [seen[place] for place in texts.alike_first(rows[: len(seen)], rows[len(seen) :])]


def _values(way: Way, pool: Sequence[Candidate]) -> dict[int, float]:
    if way == "disagreement":
        both = {
            one.id: (one.score, one.other)
            for one in pool
            if one.score is not None and one.other is not None and not math.isnan(one.other)
        }
        return apart(both)
    numbers = {one.id: one.entropy if way == "unsure" else one.spread for one in pool}
    return {id: value for id, value in numbers.items() if value is not None}
