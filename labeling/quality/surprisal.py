"""How unlikely a label is to a machine: the order in which a label audit has labels reviewed. Pure.

The surprisal of one rating is its self-information, -ln P(rating) in nats (Shannon 1948), where P is the model's own
P(step correct) if the rating calls the step right, and 1 - P if it calls it wrong. The surprisal of a label is that of
its least likely rating: one wrong rating makes a label wrong, however many others are right. This is the worst-token
score of self-confidence of Wang and Mueller, *Detecting Label Errors in Token Classification Data* (arXiv 2210.03920),
after confident learning (Northcutt et al., arXiv 1911.00068).

A source that counts (rollouts) gives a share of trials; one that says right or wrong (a consensus, checks, a prover)
gives a single trial. `chance_of` them is never 0 or 1, and eight misses of eight say more than one of one.

Steps after the first error have no rating, so a model that finds more errors there is no surprise. Whether a neutral
step counts as right or wrong is set in the PRM's record (docs/prm.md); a 0 in place of a 1 surprises no model that
cannot tell them apart. `labeling.queries.label_audits` computes the same in SQL, to choose among any number of labels
without reading them.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

SURPRISING = -math.log(0.05)  # a rating to which the model gives one chance in twenty
FLOOR = 1e-6  # 32-bit scores are no more certain than this, and no surprisal is infinite


class Surprisal(NamedTuple):
    """The least likely rating of a label: its surprisal in nats, at least 0, and its step."""

    nats: float
    step: int


def surprisal_of(
    ratings: Sequence[int | None], probabilities: Sequence[float | None], *, neutral: str = "positive"
) -> Surprisal | None:
    """Return a label's surprisal. `ratings`: -1, 0, 1 or None (not rated) by step; `probabilities`: P(step correct) by
    step.

    `neutral`: "positive" or "negative", what the model treats a neutral step as. Of equally unlikely ratings the first
    counts. None if no rated step has a probability.
    """
    found = [
        Surprisal(-math.log(max(FLOOR, p if says_right(rating, neutral) else 1 - p)), step)
        for step, (rating, p) in enumerate(zip(ratings, probabilities, strict=False))
        if rating is not None and p is not None
    ]
    return max(found, key=lambda one: (one.nats, -one.step), default=None)


def chance_of(share: float, trials: int = 1) -> float:
    """Return P(step correct) estimated from trials, adding half a trial on each side, as for judges' votes
    (labeling.sources.judging).
    """
    return (share * trials + 0.5) / (trials + 1)


def says_right(rating: int, neutral: str = "positive") -> bool:
    """Whether a rating calls its step right, as the model sees it."""
    return rating > 0 or (rating == 0 and neutral != "negative")
