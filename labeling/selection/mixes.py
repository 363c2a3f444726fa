"""Ways of choosing beside convincing wrong answers, each with a share of a round. Pure.

A way puts the pool in an order of its own and gets its share of the quota, before the convincing ones get the rest:

- *unsure*: the highest mean entropy of the steps' verdicts, from what the PRM says of each step;
- *wavering*: the steps on which heads of problems drawn anew are furthest apart, where a PRM has such heads;
- *disagreement*: traces that two step scorers rank most differently within the pool;
- *typical*: the traces nearest to the middle of each cluster of texts, the largest clusters first; it needs no PRM;
- *like*: the traces whose texts are most like some that a person named.

The last two look at texts, and so at a random share of a large pool alone (`labeling.selection.texts`).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Way = Literal["disagreement", "wavering", "unsure", "like", "typical"]
WAYS: tuple[Way, ...] = ("disagreement", "wavering", "unsure", "like", "typical")  # the order of choice
BY_TEXT: tuple[Way, ...] = ("like", "typical")  # they need no PRM
ALL = 1 + 1e-9  # shares are typed as percent


@dataclass(frozen=True)
class Mix:
    """Shares of a round's quota by way of choosing; what they leave is for convincing traces.

    `other`: the step scorer that the round's own one is held against. `like_traces`: ids of what *like* looks for.
    """

    disagreement: float = 0.0
    wavering: float = 0.0
    unsure: float = 0.0
    like: float = 0.0
    typical: float = 0.0
    other: int | None = None
    like_traces: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        shares = [self.share(one) for one in WAYS]
        if min(shares) < 0 or sum(shares) > ALL:
            raise ValueError("shares are at least 0, and together at most 1.")

    def share(self, way: Way) -> float:
        """Of the quota."""
        found: float = getattr(self, way)
        return found

    @property
    def asked(self) -> tuple[Way, ...]:
        """The ways that have a share, in the order of choice."""
        return tuple(one for one in WAYS if self.share(one) > 0)

    def quotas(self, quota: int) -> dict[Way, int]:
        """How much of a quota each way gets, halves rounded up; together never more than all of it."""
        found: dict[Way, int] = {}
        for one in self.asked:
            found[one] = min(math.floor(self.share(one) * quota + 0.5), quota - sum(found.values()))
        return found


CONVINCING_ONLY = Mix()


def apart(scores: Mapping[int, tuple[float, float]]) -> dict[int, float]:
    """How far two step scorers are apart on each trace: the difference between its places in their orders, 0 to 1.

    By places, so that two scales compare. Equal scores share the lowest place of theirs (`percent_rank` of SQL).
    """
    ranks = [_ranks({trace: both[place] for trace, both in scores.items()}) for place in (0, 1)]
    return {trace: abs(ranks[0][trace] - ranks[1][trace]) for trace in scores}


def _ranks(scores: Mapping[int, float]) -> dict[int, float]:
    lowest: dict[float, int] = {}
    for place, score in enumerate(sorted(scores.values())):
        lowest.setdefault(score, place)
    others = max(1, len(scores) - 1)
    return {trace: lowest[score] / others for trace, score in scores.items()}


def entropy(steps: Sequence[float]) -> float:
    """Mean entropy, in bits, of so many P(step correct): 1 where every step is a toss of a coin."""
    return sum(map(_bits, steps)) / len(steps) if steps else 0.0


def _bits(share: float) -> float:
    if not 0 < share < 1:
        return 0.0
    return -(share * math.log2(share) + (1 - share) * math.log2(1 - share))
