"""Rate a whole trace step by step, and stop at the first -1 (PRM800K phase 2). Pure; the browser has the same rules.

Both sides are tested on `labeling/tests/protocol_cases/first_error.json`.
"""

from labeling.protocol.interface import LabelingProtocol
from labeling.protocol.submission import Finding, Ratings, first_negative, reasons_missing
from labeling.protocol.whole_trace import contradictions, verdict


def ratable_steps(ratings: Ratings) -> range:
    """Return the steps up to and including the first -1."""
    error = first_negative(ratings)
    return range(len(ratings) if error is None else error + 1)


def missing(ratings: Ratings, finish_reason: str, kind: str = "", text: str = "") -> list[Finding]:
    """Check as LabelingProtocol describes."""
    late = _rated_after_error(ratings)
    if finish_reason in ("bad_problem", "give_up"):
        return reasons_missing(finish_reason, kind, text) + late
    unrated = next((step for step in ratable_steps(ratings) if ratings[step] is None), None)
    if unrated is not None:
        return [Finding("unrated_step", unrated), *late]
    if finish_reason == "found_error" and first_negative(ratings) is None:
        return [Finding("no_error_marked")]
    return late


def _rated_after_error(ratings: Ratings) -> list[Finding]:
    rest = range(len(ratable_steps(ratings)), len(ratings))
    return [Finding("rated_after_error", step) for step in rest if ratings[step] is not None][:1]


FIRST_ERROR = LabelingProtocol("first_error", missing, contradictions, verdict, ratable_steps)
