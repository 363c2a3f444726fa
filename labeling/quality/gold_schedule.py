"""When a labeler meets a round's gold: equally likely at each of the tasks they can expect to do. Pure.

PRM800K served 10-20 quality-control tasks per generation "at random times" (arXiv 2305.20050, App. A). Positions are
drawn separately for each labeler, so that none can learn from a colleague when the next one comes. They are spread
again as the round goes on: if a labeler does more or fewer tasks than expected, all gold would otherwise be in the
first half, or piled up at the end, which a labeler could notice.
"""

import hashlib
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

# How many tasks each labeler is assumed to have done at the start: with each task they do, their own pace counts more.
BEGUN = 1
# Gold is spread again if the tasks to come differ by more than this share from those it is spread over.
DRIFT = 0.1


@dataclass(frozen=True)
class Spread:
    """A labeler's gold in a round: due at `positions`, of which `next` are done, after `served` tasks; the rest is
    among the tasks up to number `until`. When they began, all others had been served `since` tasks.
    """

    positions: Sequence[int]
    next: int
    served: int
    until: int
    since: int = 0

    @property
    def gold_left(self) -> int:
        """How much of it is still to come."""
        return len(self.positions) - self.next

    def again(self, until: int) -> list[int]:
        """Return the positions, with those still to come spread in proportion over the tasks up to number `until`."""
        ratio = max(until - self.served, self.gold_left) / (self.until - self.served)
        coming = self.positions[self.next :]
        ahead = [self.served + math.floor((place - self.served + 0.5) * ratio) for place in coming]
        return [*self.positions[: self.next], *ahead]


def fair_share(left: int, most: int, labelers: int, *, own: int = 0, others: int = 0) -> int:
    """Return how many of `left` labels a labeler may expect to do, who did `own` while all others did `others`. At most
    `most`, as nobody does a task twice.
    """
    part, whole = own + BEGUN, own + others + BEGUN * max(1, labelers)
    return min(most, left * part // whole)


def positions_of(gold: int, share: int, draw: random.Random) -> list[int]:
    """Draw for each of `gold` tasks how many other tasks, gold or not, are served before it: ascending, all different.

    Every choice of positions among the `gold + share` tasks is equally likely.
    """
    return sorted(draw.sample(range(gold + share), gold))


def spread_again(plans: Sequence[Spread], *, work: int, most: int) -> list[tuple[int, int]]:
    """Return which plans of a round with `work` labels on `most` tasks to spread again, and over how many tasks."""
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
    """Return a draw that is always the same for `about`, and that nobody without the secret can repeat."""
    text = ":".join(map(str, about))
    return random.Random(hashlib.sha256(f"{secret}:{text}".encode()).digest())
