"""Ways of choosing besides convincing wrong answers, each with a share of a round. Pure.

Each way puts the pool in its own order and gets its share of the quota, before the convincing ones get the rest:

- *unsure*: the highest mean entropy of the steps' verdicts, from the PRM's probability for each step;
- *wavering*: the traces on whose steps heads fitted on redrawn problems are furthest apart, if the PRM has such heads;
- *disagreement*: traces that two step scorers rank most differently within the pool;
- *typical*: the traces nearest to the centre of each cluster of texts, largest clusters first; needs no PRM;
- *like*: the traces whose texts are most similar to some that a person named.

The last two compare texts, so they see only a random share of a large pool (`labeling.selection.texts`).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Way = Literal["disagreement", "wavering", "unsure", "like", "typical"]
WAYS: tuple[Way, ...] = ("disagreement", "wavering", "unsure", "like", "typical")  # the order of choice
BY_TEXT: tuple[Way, ...] = ("like", "typical")  # they need no PRM
ALL = 1 + 1e-9  # shares are entered as percentages


@dataclass(frozen=True)
class Mix:
    """Shares of a round's quota by way of choosing; the rest of the quota is for convincing traces.

    `other`: the step scorer that the round's own one is compared with. `like_traces`: the ids that *like* looks for.
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
            raise ValueError("Shares must be at least 0, and together at most 1.")

    def share(self, way: Way) -> float:
        """Return the share of the quota for `way`."""
        found: float = getattr(self, way)
        return found

    @property
    def asked(self) -> tuple[Way, ...]:
        """The ways with a share, in the order of choice."""
        return tuple(one for one in WAYS if self.share(one) > 0)

    def quotas(self, quota: int) -> dict[Way, int]:
        """Return each way's part of a quota, halves rounded up; together never more than the quota."""
        found: dict[Way, int] = {}
        for one in self.asked:
            found[one] = min(math.floor(self.share(one) * quota + 0.5), quota - sum(found.values()))
        return found


CONVINCING_ONLY = Mix()


def apart(scores: Mapping[int, tuple[float, float]]) -> dict[int, float]:
    """Return how far two step scorers are apart on each trace: the difference of its ranks in their orders, 0 to 1.

    Ranks make two scales comparable. Equal scores share their lowest rank (`percent_rank` of SQL).
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
    """Return the mean entropy, in bits, of these P(step correct): 1 if every step is a coin toss."""
    return sum(map(_bits, steps)) / len(steps) if steps else 0.0


def _bits(share: float) -> float:
    if not 0 < share < 1:
        return 0.0
    return -(share * math.log2(share) + (1 - share) * math.log2(1 - share))
