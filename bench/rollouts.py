"""What searches save over rollouts from every prefix, at equal first-error accuracy: `python -m bench.rollouts`.

Traces are simulated: their length, where the error is, and how often a completer succeeds before and after it. Each
strategy is tried with several n. The comparison uses the cheapest that finds as many first errors as `everywhere`
with 8.

A tree continues from the given trace to other wrong rollouts of the completer, each with its own error at a random
step. So it places more errors than the one that was asked for, and each costs less. It is tried with its default
budget, and with the budget that the given trace alone needs.
"""

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import NamedTuple

from bench.markdown import put_between, table
from labeling.configs import RolloutsConfig
from labeling.sources.marks import Hits
from labeling.sources.search import SEARCHES, Search
from labeling.sources.tree import Prefix, Rollout, Tree, grow, marked
from labeling.statistics.intervals import share

TRACES, SEED, PLAIN = 2_000, 15, 8
TRIED = (2, 4, 6, 8, 12, 16, 24, 32)
BUDGET = RolloutsConfig.budget
TOKENS = 30  # per step
PAGE = Path(__file__).parents[1] / "docs/machine-labels.md"
BEGIN, END = "<!-- bench.rollouts -->\n", "<!-- /bench.rollouts -->\n"


class Simulated(NamedTuple):
    """A wrong trace: its steps, the error, and the chance to succeed before it and (by luck) after it."""

    steps: int
    error: int
    before: float
    behind: float


@dataclass
class Measured:
    """Totals over all traces: first errors found, rollouts used, errors placed in any rollout, and those placed
    rightly.
    """

    right: int = 0
    used: int = 0
    placed: int = 0
    placed_right: int = 0


@dataclass
class Completer:
    """Continues from prefixes of a problem; knows which of all the steps that it wrote are wrong."""

    trace: Simulated
    chance: random.Random
    wrong: set[str] = field(default_factory=set)
    names: Iterator[int] = field(default_factory=count)

    def given(self) -> list[str]:
        """Return the trace at which the search begins."""
        steps = [f"given {place}" for place in range(self.trace.steps)]
        self.wrong.add(steps[self.trace.error])
        return steps

    def rollouts(self, prefix: Prefix, n: int) -> list[Rollout]:
        """Return n rollouts, each as long as the rest of the trace."""
        lost = any(step in self.wrong for step in prefix)
        rate = self.trace.behind if lost else self.trace.before
        return [self._rollout(max(1, self.trace.steps - len(prefix)), rate, lost=lost) for _ in range(n)]

    def _rollout(self, steps: int, rate: float, *, lost: bool) -> Rollout:
        texts = tuple(f"step {next(self.names)}" for _ in range(steps))
        right = self.chance.random() < rate
        if not right and not lost:
            self.wrong.add(texts[self.chance.randrange(steps)])
        return Rollout(texts, right, TOKENS * steps)


def simulated(chance: random.Random, lucky: float) -> Iterator[Simulated]:
    """Yield traces of 3 to 20 steps, with problems from hard to easy."""
    for _ in range(TRACES):
        steps = chance.randint(3, 20)
        yield Simulated(steps, chance.randrange(steps), chance.uniform(0.3, 0.95), lucky)


def cost_of(search: Search, trace: Simulated, chance: random.Random) -> tuple[int | None, int]:
    """Return the first error that a search names, and the rollouts that it used."""
    used, found = 0, None
    while True:
        try:
            asked = search.send(found)  # type: ignore[arg-type]  # None begins a generator
        except StopIteration as end:
            return end.value.first_error, used
        rate = trace.before if asked.steps <= trace.error else trace.behind
        used += asked.n
        found = Hits(sum(chance.random() < rate for _ in range(asked.n)), asked.n)


def measure(strategy: str, n: int, lucky: float) -> Measured:
    """Measure a search that looks at the given trace alone."""
    chance, found = random.Random(SEED), Measured()
    for trace in simulated(random.Random(SEED), lucky):
        first, used = cost_of(SEARCHES[strategy](trace.steps, n, 0.5, False), trace, chance)
        found.right += first == trace.error
        found.used += used
        found.placed += first is not None and first >= 0
    found.placed_right = found.right
    return found


def measure_tree(n: int, lucky: float, budget: int | None) -> Measured:
    """Measure a tree; without a budget, it may use as many rollouts as the given trace needs at most."""
    chance, found = random.Random(SEED), Measured()
    for trace in simulated(random.Random(SEED), lucky):
        completer = Completer(trace, chance)
        given = completer.given()
        tree, used = grown(completer, given, n, budget or n * (1 + math.ceil(math.log2(trace.steps))))
        found.used += used
        found.right += marked(tree, given, n, 0.5, solved=False).first_error == trace.error
        for step in placed_errors(tree):
            found.placed += 1
            found.placed_right += step in completer.wrong
    return found


def grown(completer: Completer, given: Sequence[str], n: int, budget: int) -> tuple[Tree, int]:
    """Return the tree from a trace, and the rollouts that it used."""
    search = grow(given, n, budget, solved=False, tokens=TOKENS * len(given))
    used, came = 0, None
    while True:
        try:
            wanted = search.send(came)  # type: ignore[arg-type]  # None begins a generator
        except StopIteration as end:
            return end.value, used
        used += wanted.n
        came = completer.rollouts(wanted.prefix, wanted.n)


def placed_errors(tree: Tree) -> Iterator[str]:
    """Yield steps of taken rollouts after which no rollout reached the answer, and before which some did."""
    for node in tree.values():
        for place in node.taken:
            rest = node.rollouts[place].steps
            for length, step in enumerate(rest):
                before, after = tree.get((*node.prefix, *rest[:length])), tree.get((*node.prefix, *rest[: length + 1]))
                is_lost = length + 1 == len(rest) if after is None else after.hits.hits == 0
                if before is not None and before.hits.hits > 0 and is_lost:
                    yield step
                    break


def rows(lucky: float) -> Iterator[tuple[str, ...]]:
    """Yield for each strategy the cheapest n that is as good as rollouts from everywhere, or else the most accurate."""
    plain = measure("everywhere", PLAIN, lucky)
    tried: dict[str, list[tuple[int, Measured]]] = {"everywhere": [(PLAIN, plain)]}
    tried |= {name: [(n, measure(name, n, lucky)) for n in TRIED] for name in SEARCHES if name != "everywhere"}
    tried["tree, this trace only"] = [(n, measure_tree(n, lucky, None)) for n in TRIED]
    tried[f"tree, {BUDGET} rollouts"] = [(n, measure_tree(n, lucky, BUDGET)) for n in TRIED if n <= BUDGET / 6]
    for name, all_tried in tried.items():
        enough = [one for one in all_tried if one[1].right >= plain.right]
        n, best = min(enough, key=lambda one: one[1].used) if enough else max(all_tried, key=lambda one: one[1].right)
        found, right = share(best.right, TRACES), share(best.placed_right, best.placed)
        yield (
            "none" if lucky == 0 else f"{lucky:.0%} of rollouts",
            name,
            str(n),
            f"{found.value:.1%} ({found.low:.1%} to {found.high:.1%}){'' if enough else ': fewer'}",
            f"{best.used / TRACES:.1f}",
            f"{1 - best.used / plain.used:.0%}" if best is not plain else "",
            f"{best.placed / TRACES:.1f}, {right.value:.0%} right",
            f"{best.used / best.placed_right:.1f}",
        )


def main() -> None:
    """Write the table of docs/machine-labels.md."""
    head = ("lucky recoveries", "strategy", "n", "first errors found (95 %)", "rollouts a trace", "saved",
            "errors placed a trace", "rollouts an error placed rightly")  # fmt: skip
    found = [row for lucky in (0.0, 0.02) for row in rows(lucky)]
    put_between(PAGE, BEGIN, END, [*table(head, found), ""])


if __name__ == "__main__":
    main()
