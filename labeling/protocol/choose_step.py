"""Choose a path step by step (PRM800K phase 1): the labeler rates every completion shown, the server draws one of the
great ones, and if none is great the labeler writes the step. Pure; `path` has the moves, this file the end of a path.
"""

from labeling.protocol.interface import NO_ERROR, LabelingProtocol
from labeling.protocol.submission import Finding, Ratings, reasons_missing


def ratable_steps(ratings: Ratings) -> range:
    """Return all steps of the path: each was chosen or written."""
    return range(len(ratings))


def missing(ratings: Ratings, finish_reason: str, kind: str = "", text: str = "") -> list[Finding]:
    """Check as LabelingProtocol describes. Steps that were given or written have no rating, so none is ever missing."""
    if finish_reason == "found_error":  # a path avoids errors
        return [Finding("not_a_finish")]
    return reasons_missing(finish_reason, kind, text)


def contradictions(ratings: Ratings, finish_reason: str, outcome: str) -> list[Finding]:
    """Return nothing: the labeler's own path is not compared with an outcome (see LabelingProtocol)."""
    return []


def verdict(ratings: Ratings, finish_reason: str) -> int | None:
    """Return NO_ERROR for a path that reached an answer, since it has only great steps."""
    return NO_ERROR if finish_reason == "solution" else None


CHOOSE_STEP = LabelingProtocol("choose_step", missing, contradictions, verdict, ratable_steps, makes_path=True)
