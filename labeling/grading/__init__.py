"""Answer grading: does a trace's final answer match the problem's? Pure; described in docs/grading.md.

This module holds only questions and grades, so that the web process never loads sympy. The grading itself is
`labeling.grading.grader`, which runs in the killable processes of `labeling.grading.process_pool`.
"""

from typing import NamedTuple

# Changes whenever a grade may come out differently: our rules, and the library that decides most of them.
GRADER_VERSION = "2+math-verify-0.9.0"

CORRECT, WRONG, UNGRADED = "correct", "wrong", "ungraded"
MATHS, EXACT, CHOICE, NUMERIC, NONE = KINDS = ("maths", "exact", "choice", "numeric", "none")


class Question(NamedTuple):
    """What is to be graded.

    `final_answer` is the answer recorded with the trace, if any; otherwise it is searched for in `steps`. The answers
    in `accepted` are right as well as `truth`: an answer is wrong only if it is proven to be none of them. `tolerance`
    (kind numeric) is a share of the true value: 0.01 is one percent; for a true value of 0, the difference.
    """

    steps: tuple[str, ...]
    final_answer: str | None
    truth: str | None
    kind: str = MATHS
    tolerance: float = 0.0
    accepted: tuple[str, ...] = ()


class Grade(NamedTuple):
    """`outcome` correct | wrong | ungraded, the `reason` as one word, the `rule` that found the `answer` (or "")."""

    outcome: str
    reason: str
    rule: str = ""
    answer: str = ""
