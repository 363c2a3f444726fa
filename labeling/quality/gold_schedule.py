"""Where a labeler meets the gold of a round: at random positions among the tasks they can expect to do. Pure.

PRM800K served 10-20 quality-control tasks a generation "at random times" (arXiv 2305.20050, App. A). Positions are
drawn for each labeler on their own, so that nobody can learn from a colleague when the next one comes.
"""

import hashlib
import math
import random

# The part of a labeler's fair share over which gold is spread. People differ in speed: over all of it, the slower half
# would meet what is left of their gold in one heap at the round's end.
SPREAD = 0.8


def fair_share(tasks: int, overlap: int, labelers: int) -> int:
    """How many of a round's tasks a labeler may expect to do; nobody does a task twice."""
    return min(tasks, math.ceil(tasks * overlap / max(1, labelers)))


def positions_of(gold: int, share: int, draw: random.Random) -> list[int]:
    """For each of `gold` tasks how many other tasks, gold or not, are served before it: ascending, all different.

    Every choice of positions among the first `gold + SPREAD * share` tasks is equally likely.
    """
    return sorted(draw.sample(range(gold + int(SPREAD * share)), gold))


def draw_for(secret: str, *about: object) -> random.Random:
    """A draw that is the same each time for what it is about, and that nobody without the secret can repeat."""
    text = ":".join(map(str, about))
    return random.Random(hashlib.sha256(f"{secret}:{text}".encode()).digest())
