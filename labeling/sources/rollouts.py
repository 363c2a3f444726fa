"""A trace's search as a worker drives it: it asks for prefixes, is sent rollouts, and returns what they say of each
step.
"""

from collections.abc import Generator, Sequence
from typing import TypeVar

from labeling.sources.marks import Hits, Marked
from labeling.sources.search import SEARCHES, Search, everywhere
from labeling.sources.tree import Rollout, Wanted, grow, marked

Found = TypeVar("Found")
# The prefixes wanted at one time, and the rollouts of each.
TraceSearch = Generator[Sequence[Wanted], Sequence[Sequence[Rollout]], Marked]


def search_of(
    strategy: str, steps: Sequence[str], n: int, threshold: float, *, solved: bool | None, budget: int
) -> TraceSearch:
    """Return the search of that name over a trace; `solved`: whether its own answer is right, None if unknown."""
    if strategy == "tree":
        tree = yield from one_by_one(grow(steps, n, budget, solved=solved, tokens=tokens_of("".join(steps))))
        return marked(tree, steps, n, threshold, solved)
    if strategy == "everywhere":
        return (yield from everywhere_at_once(steps, n, threshold, solved))
    search = SEARCHES[strategy](len(steps), n, threshold, solved)
    return (yield from one_by_one(prefixes_of(steps, search)))


def everywhere_at_once(steps: Sequence[str], n: int, threshold: float, solved: bool | None) -> TraceSearch:
    """Ask for all prefixes at once, because this search does not depend on the results."""
    search = everywhere(len(steps), n, threshold, solved)
    next(search)
    places = range(len(steps) + (solved is None))
    came = yield [Wanted(tuple(steps[:place]), n) for place in places]
    try:
        for rollouts in came:
            search.send(hits_of(rollouts))
    except StopIteration as end:
        return end.value
    raise AssertionError("the search wanted another prefix")


def prefixes_of(steps: Sequence[str], search: Search) -> Generator[Wanted, Sequence[Rollout], Marked]:
    """Turn a search over numbers of steps into one over their texts."""
    found = None
    while True:
        try:
            asked = search.send(found)  # type: ignore[arg-type]  # None begins a generator
        except StopIteration as end:
            return end.value
        found = hits_of((yield Wanted(tuple(steps[: asked.steps]), asked.n)))


def one_by_one(
    search: Generator[Wanted, Sequence[Rollout], Found],
) -> Generator[Sequence[Wanted], Sequence[Sequence[Rollout]], Found]:
    """Ask for one prefix at a time, because the next one depends on the results."""
    came = None
    while True:
        try:
            wanted = search.send(came)  # type: ignore[arg-type]  # None begins a generator
        except StopIteration as end:
            return end.value
        [came] = yield [wanted]


def hits_of(rollouts: Sequence[Rollout]) -> Hits:
    """Count the right ones among the graded ones."""
    graded = [one.right for one in rollouts if one.right is not None]
    return Hits(sum(graded), len(graded))


def tokens_of(text: str) -> int:
    """Estimate how many tokens a text has, if nothing counts them."""
    return max(1, round(len(text) / 4))
