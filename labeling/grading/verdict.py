"""What a comparison of two answers says."""

from typing import NamedTuple


class Verdict(NamedTuple):
    """`equal` True, False or None (not decided), and why in one word.

    False is said where there is a proof that the two differ, and nowhere else: docs/grading.md, "Wrong needs a proof".
    """

    equal: bool | None
    reason: str
