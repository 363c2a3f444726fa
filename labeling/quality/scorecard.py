"""How good a project's labels are, with one word for each of four figures. Pure.

A figure is *good* if its whole interval is on the right side of the rule, *bad* if all of it is on the wrong side, and
*cannot_tell* otherwise. Without an interval it is *not_yet*, whatever the figure.
"""

from dataclasses import dataclass
from typing import Literal

from labeling.statistics.intervals import Estimate

Word = Literal["good", "bad", "cannot_tell", "not_yet"]
WORDS: tuple[Word, ...] = ("good", "bad", "cannot_tell", "not_yet")


@dataclass(frozen=True)
class Rule:
    """The limit for a figure: at least this share, or with `most` at most this share."""

    limit: float
    most: bool = False


RULES: dict[str, Rule] = {
    "gold": Rule(0.8),  # of hidden gold answered as expected
    "agreement": Rule(0.6),  # of pairs of labels of a task that agree
    "hasty": Rule(0.05, most=True),  # of labels below the floor
    "audit": Rule(0.9),  # of randomly drawn labels, reviewed blind, that were left unchanged
}


def word_for(estimate: Estimate, rule: Rule) -> Word:
    """Return the word for a figure under its rule."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return "not_yet"
    if rule.most:
        return "good" if estimate.high <= rule.limit else "bad" if estimate.low > rule.limit else "cannot_tell"
    return "good" if estimate.low >= rule.limit else "bad" if estimate.high < rule.limit else "cannot_tell"
