"""What a label says about where a trace first goes wrong. Pure.

A verdict is the index of the first wrong step, NO_ERROR where the labeler found every step right, and None where the
label does not say (bad problem, gave up). ProcessBench (arXiv 2412.06559) writes its labels the same way.
"""

from collections.abc import Collection, Sequence

from labeling.protocol.interface import NO_ERROR


def recorded_verdict(first_error: int | None, ratings: Sequence[int | None] | None) -> int | None:
    """What a file says of a trace: its own word for the first error, else the first -1 of its ratings.

    NO_ERROR by ratings only where every step has one; None where the file does not say.
    """
    if first_error is not None or not ratings:
        return first_error
    if -1 in ratings:
        return list(ratings).index(-1)
    return NO_ERROR if None not in ratings else None


def passes(verdict: int | None, acceptable: Collection[int]) -> bool:
    """Whether a verdict is among those a gold task accepts. No verdict never passes: giving up is a fail."""
    return verdict is not None and verdict in acceptable
