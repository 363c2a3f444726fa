"""Where a trace first goes wrong according to a label. Pure.

A verdict is the index of the first wrong step, NO_ERROR if the labeler found every step correct, and None if the label
does not say (bad problem, gave up). ProcessBench (arXiv 2412.06559) writes its labels the same way.
"""

from collections.abc import Collection, Sequence

from labeling.protocol.interface import NO_ERROR


def recorded_verdict(first_error: int | None, ratings: Sequence[int | None] | None) -> int | None:
    """Return the verdict recorded in a file: its own first error if given, else the first -1 of its ratings.

    Ratings give NO_ERROR only if every step has one; None if the file does not say.
    """
    if first_error is not None or not ratings:
        return first_error
    if -1 in ratings:
        return list(ratings).index(-1)
    return NO_ERROR if None not in ratings else None


def passes(verdict: int | None, acceptable: Collection[int]) -> bool:
    """Whether a gold task accepts this verdict. No verdict never passes: giving up is a fail."""
    return verdict is not None and verdict in acceptable
