"""What searches save against rollouts from every prefix, at equal first-error accuracy: `python -m bench.rollouts`.

Traces are simulated: their length, where the error is, and how often a completer succeeds before and after it. Each
strategy is tried with several n; the cheapest that finds as many first errors as `everywhere` with 8 is compared.
"""

import random
from collections.abc import Iterator
from typing import NamedTuple

from labeling.sources.marks import Hits
from labeling.sources.search import SEARCHES, Search
from labeling.statistics.intervals import share

TRACES, SEED, PLAIN = 2_000, 15, 8
TRIED = (2, 4, 6, 8, 12, 16, 24, 32)


class Simulated(NamedTuple):
    """A wrong trace: so many steps, the error, and the chance to succeed before it and (luckily) behind it."""

    steps: int
    error: int
    before: float
    behind: float


def simulated(chance: random.Random, lucky: float) -> Iterator[Simulated]:
    """Traces of 3 to 20 steps of problems from hard to easy."""
    for _ in range(TRACES):
        steps = chance.randint(3, 20)
        yield Simulated(steps, chance.randrange(steps), chance.uniform(0.3, 0.95), lucky)


def cost_of(search: Search, trace: Simulated, chance: random.Random) -> tuple[int | None, int]:
    """The first error that a search names, and the rollouts that it took."""
    used, found = 0, None
    while True:
        try:
            asked = search.send(found)  # type: ignore[arg-type]  # None begins a generator
        except StopIteration as end:
            return end.value.first_error, used
        rate = trace.before if asked.steps <= trace.error else trace.behind
        used += asked.n
        found = Hits(sum(chance.random() < rate for _ in range(asked.n)), asked.n)


def measure(strategy: str, n: int, lucky: float) -> tuple[int, float]:
    """How many first errors are found, and rollouts a trace."""
    chance = random.Random(SEED)
    right = used = 0
    for trace in simulated(random.Random(SEED), lucky):
        first, rollouts = cost_of(SEARCHES[strategy](trace.steps, n, 0.5, False), trace, chance)
        right, used = right + (first == trace.error), used + rollouts
    return right, used / TRACES


def main() -> None:
    """Print the table."""
    print("| lucky recoveries | strategy | n | first errors found (95 %) | rollouts a trace | saved |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    for lucky in (0.0, 0.02):
        bar, plain = measure("everywhere", PLAIN, lucky)
        for strategy in SEARCHES:
            tried = [(n, *measure(strategy, n, lucky)) for n in ((PLAIN,) if strategy == "everywhere" else TRIED)]
            enough = [one for one in tried if one[1] >= bar]
            n, right, used = min(enough or tried, key=lambda one: one[2] if enough else -one[1])
            found = share(right, TRACES)
            words = f"{found.value:.1%} ({found.low:.1%} to {found.high:.1%})"
            print(f"| {lucky:.0%} | {strategy} | {n} | {words} | {used:.1f} | {1 - used / plain:.0%} |", flush=True)


if __name__ == "__main__":
    main()
