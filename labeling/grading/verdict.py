"""The result of comparing two answers."""

from typing import NamedTuple


class Verdict(NamedTuple):
    """`equal` is True, False or None (undecided), with the reason in one word.

    False requires a proof that the two differ: docs/grading.md, "Wrong needs a proof".
    """

    equal: bool | None
    reason: str
