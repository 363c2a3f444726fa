"""Where a labeler meets the gold of a round: as likely here as there among the tasks they can expect to do. Pure.

PRM800K served 10-20 quality-control tasks a generation "at random times" (arXiv 2305.20050, App. A). Positions are
drawn for each labeler on their own, so that nobody can learn from a colleague when the next one comes. They are spread
anew as the round goes on: where somebody does more or less than was expected, gold would otherwise all be in the first
half, or a heap at the end, and whoever knows that can tell.
"""

import hashlib
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

# How many tasks each labeler is taken to have done when they begin: with each that they do their own pace counts more.
BEGUN = 1
# By what part the tasks to come must differ from those that gold is spread over, for it to be spread anew.
DRIFT = 0.1


@dataclass(frozen=True)
class Spread:
    """A labeler's gold in a round: due at `positions`, `next` of which are behind them, after so many tasks `served`;
    the rest lies among the tasks up to number `until`. When they began, everybody else had been served `since`."""

    positions: Sequence[int]
    next: int
    served: int
    until: int
    since: int = 0

    @property
    def gold_left(self) -> int:
        """How much of it is to come."""
        return len(self.positions) - self.next

    def again(self, until: int) -> list[int]:
        """The positions, with what is to come spread in proportion over the tasks up to number `until`."""
        ratio = max(until - self.served, self.gold_left) / (self.until - self.served)
        coming = self.positions[self.next :]
        ahead = [self.served + math.floor((place - self.served + 0.5) * ratio) for place in coming]
        return [*self.positions[: self.next], *ahead]


def fair_share(left: int, most: int, labelers: int, *, own: int = 0, others: int = 0) -> int:
    """How many of `left` labels a labeler may expect to do, who did `own` while all others did `others`; nobody does a
    task twice, so it is never above `most`."""
    part, whole = own + BEGUN, own + others + BEGUN * max(1, labelers)
    return min(most, left * part // whole)


def positions_of(gold: int, share: int, draw: random.Random) -> list[int]:
    """For each of `gold` tasks how many other tasks, gold or not, are served before it: ascending, all different.

    Every choice of positions among the `gold + share` tasks is equally likely.
    """
    return sorted(draw.sample(range(gold + share), gold))


def spread_again(plans: Sequence[Spread], *, work: int, most: int) -> list[tuple[int, int]]:
    """Of the plans of a round of so many labels of `work`, on `most` tasks: which to spread anew, and over how many."""
    served = sum(plan.served for plan in plans)
    left = max(0, work - served + sum(plan.next for plan in plans))
    found = []
    for number, plan in enumerate(plans):
        if not plan.gold_left or plan.until <= plan.served:
            continue
        others = max(0, served - plan.served - plan.since)
        share = fair_share(left, most, len(plans), own=plan.served, others=others)
        until = plan.served + plan.gold_left + share
        if abs(until - plan.until) > max(1, DRIFT * (plan.until - plan.served)):
            found.append((number, until))
    return found


def draw_for(secret: str, *about: object) -> random.Random:
    """A draw that is the same each time for what it is about, and that nobody without the secret can repeat."""
    text = ":".join(map(str, about))
    return random.Random(hashlib.sha256(f"{secret}:{text}".encode()).digest())
