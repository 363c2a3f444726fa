"""Rate every step of a run, even after a -1: an agent may recover from a mistake. Pure; the browser has the same rules.

Both sides are tested on `labeling/tests/protocol_cases/every_step.json`. `run_marks` has what a label says of the run
as a whole.
"""

from labeling.protocol.interface import LabelingProtocol
from labeling.protocol.submission import Finding, Ratings, first_negative, reasons_missing
from labeling.protocol.whole_trace import contradictions, verdict


def ratable_steps(ratings: Ratings) -> range:
    """Return all steps: a -1 ends nothing."""
    return range(len(ratings))


def missing(ratings: Ratings, finish_reason: str, kind: str = "", text: str = "") -> list[Finding]:
    """Check as LabelingProtocol describes."""
    if finish_reason in ("bad_problem", "give_up"):
        return reasons_missing(finish_reason, kind, text)
    unrated = next((step for step, rating in enumerate(ratings) if rating is None), None)
    if unrated is not None:
        return [Finding("unrated_step", unrated)]
    if finish_reason == "found_error" and first_negative(ratings) is None:
        return [Finding("no_error_marked")]
    return []


EVERY_STEP = LabelingProtocol("every_step", missing, contradictions, verdict, ratable_steps)
