"""Choose a path step by step (PRM800K phase 1): every completion shown is rated, the server draws among the great ones,
and where none is great the labeler writes the step. Pure; `path` says how it goes on, this file what its end must be.
"""

from labeling.protocol.interface import NO_ERROR, LabelingProtocol
from labeling.protocol.submission import Finding, Ratings, reasons_missing


def ratable_steps(ratings: Ratings) -> range:
    """All steps of the path: whatever stands in it was chosen, or written."""
    return range(len(ratings))


def missing(ratings: Ratings, finish_reason: str, kind: str = "", text: str = "") -> list[Finding]:
    """As LabelingProtocol has it. Steps that were given or written have no rating, so none is ever missing."""
    if finish_reason == "found_error":  # a path goes round an error
        return [Finding("not_a_finish")]
    return reasons_missing(finish_reason, kind, text)


def contradictions(ratings: Ratings, finish_reason: str, outcome: str) -> list[Finding]:
    """As LabelingProtocol has it: the labeler's own path is not held against an outcome."""
    return []


def verdict(ratings: Ratings, finish_reason: str) -> int | None:
    """NO_ERROR of a path that came to its answer; it goes through great steps alone."""
    return NO_ERROR if finish_reason == "solution" else None


CHOOSE_STEP = LabelingProtocol("choose_step", missing, contradictions, verdict, ratable_steps, makes_path=True)
