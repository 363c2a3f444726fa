"""Rules for a whole trace or run rated step by step, shared by the protocols that do and do not stop at a -1. Pure."""

from labeling.protocol.interface import NO_ERROR
from labeling.protocol.submission import Finding, Ratings, first_negative


def contradictions(ratings: Ratings, finish_reason: str, outcome: str) -> list[Finding]:
    """Check as LabelingProtocol describes."""
    if finish_reason != "solution":
        return []
    error = first_negative(ratings)
    if error is not None:
        return [Finding("solution_with_error", error)]
    if outcome == "wrong" and ratings and ratings[-1] == 1:
        return [Finding("solution_but_answer_wrong", len(ratings) - 1)]
    return []


def verdict(ratings: Ratings, finish_reason: str) -> int | None:
    """Return the first -1 of a found error, whatever follows it; NO_ERROR for a solution, even one whose -1 was
    confirmed; else None.
    """
    if finish_reason == "solution":
        return NO_ERROR
    return first_negative(ratings) if finish_reason == "found_error" else None
