"""What a chosen path says of gold: of a trace of which it is known where it goes wrong. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from labeling.protocol.interface import NO_ERROR
from labeling.protocol.verdicts import recorded_verdict


@dataclass(frozen=True)
class Told:
    """Where a labeler said that the gold first goes wrong, and whether that passes. `verdict` is None where the path
    left the gold beyond every place that passes, and so cannot have found it."""

    verdict: int | None
    passed: bool


def told_of_gold(said: Sequence[int], *, given: int, steps: int, acceptable: Collection[int]) -> Told | None:
    """Of gold of so many steps, of which `given` were there already: `said` are the ratings of the ones after, as far
    as the path went along them, the step at which it left them included.

    None where it left them before anything could be told.
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
