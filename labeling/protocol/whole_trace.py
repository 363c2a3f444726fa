"""What holds of a whole trace or run that was rated step by step, whatever a -1 ends. Pure."""

from labeling.protocol.interface import NO_ERROR
from labeling.protocol.submission import Finding, Ratings, first_negative


def contradictions(ratings: Ratings, finish_reason: str, outcome: str) -> list[Finding]:
    """As LabelingProtocol has it."""
    if finish_reason != "solution":
        return []
    error = first_negative(ratings)
    if error is not None:
        return [Finding("solution_with_error", error)]
    if outcome == "wrong" and ratings and ratings[-1] == 1:
        return [Finding("solution_but_answer_wrong", len(ratings) - 1)]
    return []


def verdict(ratings: Ratings, finish_reason: str) -> int | None:
    """The first -1 of a found error, whatever comes after it; NO_ERROR of a solution, even one with a -1 that was
    confirmed; else None.
    """
    if finish_reason == "solution":
        return NO_ERROR
    return first_negative(ratings) if finish_reason == "found_error" else None
