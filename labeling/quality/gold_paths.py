"""What a chosen path says about gold, which is a trace whose first error is known. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from labeling.protocol.interface import NO_ERROR
from labeling.protocol.verdicts import recorded_verdict


@dataclass(frozen=True)
class Told:
    """Where a labeler said that the gold first goes wrong, and whether that passes. `verdict` is None if the path left
    the gold after every place that passes, and so cannot have found the error.
    """

    verdict: int | None
    passed: bool


def told_of_gold(said: Sequence[int], *, given: int, steps: int, acceptable: Collection[int]) -> Told | None:
    """Return what a path says about gold with `steps` steps, of which `given` were already there. `said`: the ratings
    of the steps after those, as far as the path followed them, including the step at which it left them.

    None if it left them before anything could be decided.
    """
    left = recorded_verdict(None, said)
    if left is not None and left != NO_ERROR:
        return Told(given + left, given + left in acceptable)
    seen = given + len(said)
    if seen == steps:
        return Told(NO_ERROR, NO_ERROR in acceptable)
    if NO_ERROR in acceptable or max(acceptable) >= seen:
        return None
    return Told(None, False)
