"""Signs that a gold item measures something other than care: that it is ambiguous, wrong, too easy or known. Pure."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from labeling.statistics.intervals import wilson

ENOUGH = 6  # answers; with fewer, nothing is reported
MOST = 0.6  # share of answers that agree on one the item does not accept
EASY = 8  # answers, all of them right
AT_ONCE_MS = 2_000  # per step; nobody reads a step faster


class Answer(NamedTuple):
    """One labeler's answer: where they saw the first error (-1 none, null gave up), and the active time per step (0:
    the label came without times).
    """

    verdict: int | None
    passed: bool
    ms_a_step: float


def signs_of(acceptable: Collection[int], answers: Sequence[Answer]) -> list[str]:
    """Return the signs against an item, most serious first.

    wrong_key: most labelers agree on an answer that it does not accept.
    split: about half pass (Wilson's 95 % interval contains 50 %) and the rest agree with each other: it is ambiguous.
    leaked: everyone passes, half of those with a time faster than anyone can read.
    too_easy: everyone passes; it does not tell labelers apart.
    """
    n, passed = len(answers), sum(answer.passed for answer in answers)
    others = Counter(answer.verdict for answer in answers if not answer.passed and answer.verdict is not None)
    most_agree = max(others.values(), default=0)
    if n >= ENOUGH and most_agree >= MOST * n:
        return ["wrong_key"]
    low, high = wilson(passed, n)
    if n >= ENOUGH and low <= 0.5 <= high and most_agree >= (n - passed) * MOST and 0 < passed < n:
        return ["split"]
    if n >= EASY and passed == n:
        times = sorted(answer.ms_a_step for answer in answers if answer.ms_a_step > 0)
        return ["leaked"] if times and times[len(times) // 2] < AT_ONCE_MS else ["too_easy"]
    return []
