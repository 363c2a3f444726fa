"""Rate a whole trace step by step, and stop at the first -1 (PRM800K phase 2). Pure; the browser has the same rules.

Both sides are tested on `labeling/tests/protocol_cases/first_error.json`.
"""

from labeling.protocol.interface import NO_ERROR, LabelingProtocol
from labeling.protocol.submission import Finding, Ratings, first_negative, reasons_missing


def ratable_steps(ratings: Ratings) -> range:
    """The path up to the first -1, that step itself included."""
    error = first_negative(ratings)
    return range(len(ratings) if error is None else error + 1)


def missing(ratings: Ratings, finish_reason: str, kind: str = "", text: str = "") -> list[Finding]:
    """As LabelingProtocol has it."""
    late = _rated_after_error(ratings)
    if finish_reason in ("bad_problem", "give_up"):
        return reasons_missing(finish_reason, kind, text) + late
    unrated = next((step for step in ratable_steps(ratings) if ratings[step] is None), None)
    if unrated is not None:
        return [Finding("unrated_step", unrated), *late]
    if finish_reason == "found_error" and first_negative(ratings) is None:
        return [Finding("no_error_marked")]
    return late


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
    """The first -1 of a found error; NO_ERROR of a solution, even one with a -1 that was confirmed; else None."""
    if finish_reason == "solution":
        return NO_ERROR
    return first_negative(ratings) if finish_reason == "found_error" else None


def _rated_after_error(ratings: Ratings) -> list[Finding]:
    rest = range(len(ratable_steps(ratings)), len(ratings))
    return [Finding("rated_after_error", step) for step in rest if ratings[step] is not None][:1]


FIRST_ERROR = LabelingProtocol("first_error", missing, contradictions, verdict, ratable_steps)
