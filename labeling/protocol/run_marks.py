"""What a label says of an agent's run besides its ratings: the decisive error, the recovery, how it ended. Pure.

The browser's twin is `frontend/src/protocol/runMarks.ts`; both are tested on `labeling/tests/run_marks_cases.json`.
The first error is the label's verdict. The decisive error is the mistake that made the run fail; it may be another one.
"""

from collections.abc import Mapping
from typing import Any

from labeling.protocol.submission import Finding, Ratings, first_negative

OUTCOMES = ("success", "partial", "failure")
SAFETY = ("none", "side_effect", "policy", "both")
ACTS = ("against", "in_line")  # whether a unit goes against a clause
SEVERITY = ("low", "medium", "high", "critical")
MOST_ACTS = 200


def marks_missing(ratings: Ratings, marks: Mapping[str, Any] | None) -> list[Finding]:
    """Return the marks that do not fit the ratings: the decisive error must be an error, a recovery must follow one and
    not be one itself, and an act needs a clause, and a severity if it is against the clause.
    """
    if not marks:
        return []
    found = []
    decisive, recovered = marks.get("decisive_error"), marks.get("recovered_at")
    if decisive is not None and _rating(ratings, decisive) != -1:
        found.append(Finding("decisive_is_no_error", decisive))
    if recovered is not None:
        error = first_negative(ratings)
        if error is None or recovered <= error or _rating(ratings, recovered) == -1:
            found.append(Finding("recovery_without_error", recovered))
    for act in marks.get("acts") or ():
        if not act.get("clause"):
            found.append(Finding("act_needs_clause", act["step"]))
        if act.get("verdict") == "against" and not act.get("severity"):
            found.append(Finding("act_needs_severity", act["step"]))
    return found


def _rating(ratings: Ratings, step: int) -> int | None:
    return ratings[step] if 0 <= step < len(ratings) else None
