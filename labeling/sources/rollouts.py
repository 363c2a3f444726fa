"""A trace's search as a worker drives it: prefixes wanted, rollouts sent, and in the end what they say of each step."""

from collections.abc import Generator, Sequence

from labeling.sources.marks import Hits, Marked
from labeling.sources.search import SEARCHES
from labeling.sources.tree import Rollout, Wanted, grow, marked

TraceSearch = Generator[Wanted, Sequence[Rollout], Marked]


def search_of(
    strategy: str, steps: Sequence[str], n: int, threshold: float, *, solved: bool | None, budget: int
) -> TraceSearch:
    """The search of that name over a trace; `solved`: whether its own answer is right, None where nobody knows."""
    if strategy == "tree":
        tree = yield from grow(steps, n, budget, solved=solved, tokens=tokens_of("".join(steps)))
        return marked(tree, steps, n, threshold, solved)
    search, found = SEARCHES[strategy](len(steps), n, threshold, solved), None
    while True:
        try:
            asked = search.send(found)  # type: ignore[arg-type]  # None begins a generator
        except StopIteration as end:
            return end.value
        came = yield Wanted(tuple(steps[: asked.steps]), asked.n)
        found = hits_of(came)


def hits_of(rollouts: Sequence[Rollout]) -> Hits:
    """Right ones among the graded ones."""
    graded = [one.right for one in rollouts if one.right is not None]
    return Hits(sum(graded), len(graded))


def tokens_of(text: str) -> int:
    """About how many tokens a text is, where nobody counts them."""
    return max(1, round(len(text) / 4))
