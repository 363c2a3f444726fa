"""Search for the step at which the right answer becomes unreachable, with fewer rollouts than from every prefix.

A search is a generator: it yields the rollouts it wants (`Asked`) and is sent the results (`Hits`, as many), until it
returns. It does not know the completer, so it can be tested on a simulated one, and a worker can have hundreds waiting.

- `everywhere`: the same number from each prefix (Math-Shepherd, arXiv 2312.08935).
- `bisect`: halves between a prefix with a hit and one without (OmegaPRM, arXiv 2406.06592, §3.2).
- `adaptive`: halves too, stops asking at the first hit, and asks only as often as is informative for the problem's
  difficulty (after EpicPRM, arXiv 2503.02382, §3).
"""

import math
from collections.abc import Generator
from typing import NamedTuple

from labeling.protocol.interface import NO_ERROR
from labeling.sources.marks import UNKNOWN, Hits, Marked, first_without_hit, is_monotone, mark_of, progress

SURE = 0.05  # the highest chance of taking a prefix that still leads to the answer for one that does not


class Asked(NamedTuple):
    """`n` rollouts from the first `steps` steps."""

    steps: int
    n: int


Search = Generator[Asked, Hits, Marked]


def everywhere(steps: int, n: int, threshold: float, solved: bool | None) -> Search:
    """Ask for `n` rollouts from each prefix."""
    probes = Probes(steps, n, solved)
    for place in range(steps + 1):
        yield from probes.ask(place, n)
    first, why = first_without_hit(probes.after, n)
    return probes.marked(first, why, threshold)


def bisect(steps: int, n: int, threshold: float, solved: bool | None) -> Search:
    """Halve until the last prefix with a hit is next to the first without. Prefixes that were not tried have
    no mark.
    """
    probes = Probes(steps, n, solved)
    for place in (0, steps):
        yield from probes.ask(place, n)
    low, high = 0, steps
    if why := probes.nothing_to_search():
        return probes.marked(*why, threshold)
    while high - low > 1:
        middle = (low + high) // 2
        found = yield from probes.ask(middle, n)
        if probes.unknown(middle):
            return probes.marked(None, UNKNOWN, threshold)
        low, high = (middle, high) if found.hits else (low, middle)
    return probes.marked(high - 1, "", threshold)


def adaptive(steps: int, n: int, threshold: float, solved: bool | None, most: int = 0) -> Search:
    """Bisect, but end a probe at a hit, and a probe without one when the misses are enough for a problem that is solved
    as often as this one. Begin where an error is likely: later, the easier the problem.
    """
    most = most or 4 * n
    probes = Probes(steps, n, solved)
    for place in (0, steps):
        yield from probes.ask(place, n)
    if why := probes.nothing_to_search():
        return probes.marked(*why, threshold)
    start = probes.after[0]
    assert start is not None
    wanted = misses_to_believe(start.hits / start.n, most)
    low, high = 0, steps
    middle = min(steps - 1, max(1, round(steps * (1 + start.hits / start.n) / 3)))
    while high - low > 1:
        while not probes.hit(middle) and probes.tried(middle) < wanted:
            before = probes.asked(middle)
            yield from probes.ask(middle, min(2, wanted - probes.tried(middle)))
            if probes.asked(middle) >= before + wanted or probes.asked(middle) > 2 * most:
                break
        if probes.tried(middle) == 0:
            return probes.marked(None, UNKNOWN, threshold)
        low, high = (middle, high) if probes.hit(middle) else (low, middle)
        middle = (low + high) // 2
    return probes.marked(high - 1, "", threshold)


SEARCHES = {"everywhere": everywhere, "bisect": bisect, "adaptive": adaptive}


def misses_to_believe(chance: float, most: int) -> int:
    """Return how many misses in a row are too many for a prefix with half the success rate of the beginning."""
    half = chance / 2
    if half <= 0:
        return most
    return max(1, min(most, math.ceil(math.log(SURE) / math.log(1 - half)))) if half < 1 else 1


class Probes:
    """What was found after 0, 1, … steps, and in which order it was requested.

    A trace whose own answer is known to be right or wrong needs no rollout after its last step.
    """

    def __init__(self, steps: int, n: int, solved: bool | None) -> None:
        self.steps, self.n, self.solved = steps, n, solved
        self.after: list[Hits | None] = [None] * (steps + 1)
        self._asked = [0] * (steps + 1)
        self.order: list[tuple[int, int, int]] = []

    def ask(self, place: int, n: int) -> Generator[Asked, Hits, Hits]:
        """Ask for rollouts from a prefix and add the result."""
        if place == self.steps and self.solved is not None:
            return self.note_own_answer()
        found = yield Asked(place, n)
        self.order.append((place, *found))
        self.note(place, n, found)
        return found

    def note(self, place: int, n: int, found: Hits) -> None:
        """Add the result of `n` rollouts from a prefix."""
        before = self.after[place] or Hits(0, 0)
        self.after[place] = Hits(before.hits + found.hits, before.n + found.n)
        self._asked[place] += n

    def note_own_answer(self) -> Hits:
        """Add what the trace's own answer says of its last step, if known."""
        found = Hits(0, 0) if self.solved is None else Hits(self.n if self.solved else 0, self.n)
        if self.solved is not None:
            self.after[self.steps], self._asked[self.steps] = found, self.n
        return found

    def hit(self, place: int) -> bool:
        """Whether any rollout from there was right."""
        found = self.after[place]
        return found is not None and found.hits > 0

    def tried(self, place: int) -> int:
        """Return how many graded rollouts there are from there."""
        found = self.after[place]
        return found.n if found else 0

    def asked(self, place: int) -> int:
        """Return how many were requested, graded or not."""
        return self._asked[place]

    def unknown(self, place: int) -> bool:
        """Whether too few of them could be graded."""
        found = self.after[place]
        return found is None or mark_of(found, self._asked[place]).soft is None

    def nothing_to_search(self) -> tuple[int | None, str] | None:
        """Return the verdict if the beginning and the end alone decide it."""
        if self.unknown(0):
            return None, UNKNOWN
        if not self.hit(0):
            return None, "unsolvable"  # whatever follows, the steps are not to blame
        if self.unknown(self.steps):
            return None, UNKNOWN
        return (NO_ERROR, "") if self.hit(self.steps) else None

    def marked(self, first: int | None, why: str, threshold: float) -> Marked:
        """Return the outcome as it is stored. Steps after which no rollouts were requested have no mark."""
        asked = [max(1, count) for count in self._asked]
        marks = [
            None if hits is None else mark_of(hits, count, threshold)
            for hits, count in zip(self.after, asked, strict=True)
        ]
        own = self.solved is not None  # the last "rollouts" are the trace's own answer, which is certain
        hard = [None if mark is None else mark.hard for mark in marks[1:]]
        if own:
            hard[-1] = self.solved
        evidence = {
            "hits": [None if hits is None else hits.hits for hits in self.after],
            "n": [None if hits is None else hits.n for hits in self.after],
            "own_answer": own,
            "low": [None if mark is None or mark.soft is None else round(mark.low, 4) for mark in marks[1:]],
            "high": [None if mark is None or mark.soft is None else round(mark.high, 4) for mark in marks[1:]],
            "hard": hard,
            "probes": [list(one) for one in self.order],
            "monotone": is_monotone(self.after),
            "progress": progress(self.after),
        }
        return Marked([None if mark is None else mark.soft for mark in marks[1:]], first, why, evidence)


def rollouts_at_most(strategy: str, steps: int, n: int, *, solved: bool | None, budget: int = 0) -> int:
    """Return how many rollouts a search requests at most for a trace with this many steps, to estimate its cost."""
    ends = 1 if solved is not None else 2
    halves = math.ceil(math.log2(steps)) if steps > 1 else 0
    if strategy == "everywhere":
        return n * (steps - 1 + ends)
    if strategy == "tree":
        return budget
    return n * (ends + halves * (4 if strategy == "adaptive" else 1))
