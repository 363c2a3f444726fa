"""Answer grading: is a trace's final answer the problem's? Pure; described in docs/grading.md.

This package's front holds only what is asked and answered, so that the web process never loads sympy; the
grading itself is `labeling.grading.grader`, which runs in the killable processes of `labeling.grading.process_pool`.
"""

from typing import NamedTuple

# Changed whenever a grade may come out differently: our rules, and the library that decides most of them.
GRADER_VERSION = "2+math-verify-0.9.0"

CORRECT, WRONG, UNGRADED = "correct", "wrong", "ungraded"
MATHS, EXACT, CHOICE, NUMERIC, NONE = KINDS = ("maths", "exact", "choice", "numeric", "none")


class Question(NamedTuple):
    """What is to be graded.

    `final_answer` is the answer recorded with the trace, if there is one; else it is looked for in `steps`.
    `accepted` are right beside the truth: an answer is wrong only where it is proven to be none of them.
    `tolerance` (kind numeric) is a share of the true value: 0.01 is one percent; for a true value of 0, the difference.
    """

    steps: tuple[str, ...]
    final_answer: str | None
    truth: str | None
    kind: str = MATHS
    tolerance: float = 0.0
    accepted: tuple[str, ...] = ()


class Grade(NamedTuple):
    """`outcome` correct | wrong | ungraded, the `reason` in one word, the `rule` that found the `answer` (or "")."""

    outcome: str
    reason: str
    rule: str = ""
    answer: str = ""
