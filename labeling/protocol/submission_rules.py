"""When a labeler's work is complete, and when it contradicts itself. Pure; the browser has the same rules.

Both sides are tested on `labeling/tests/submission_cases.json`.
Ratings are one entry per step of the trace: -1, 0, 1, or None = not rated.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import UUID

FinishReason = Literal["found_error", "solution", "bad_problem", "give_up"]


@dataclass(frozen=True)
class Finding:
    """One thing to tell the labeler; `step` is 0-based, or None when it is about no step."""

    code: str
    step: int | None = None


@dataclass(frozen=True)
class Submission:
    """A finished label as the labeler sends it. `ratings` has one entry per step of the trace."""

    idempotency_key: UUID
    finish_reason: FinishReason
    ratings: list[int | None]
    finish_detail: dict[str, str] = field(default_factory=dict)
    noticed_at_step: int | None = None
    mistake: dict[str, Any] | None = None
    alternatives: list[dict[str, Any]] = field(default_factory=list)
    carried: list[dict[str, Any]] = field(default_factory=list)
    comments: list[dict[str, Any]] = field(default_factory=list)
    reports: list[dict[str, Any]] = field(default_factory=list)
    confirmations: list[dict[str, str]] = field(default_factory=list)
    spans: list[dict[str, Any]] = field(default_factory=list)
    total_ms: int | None = None
    client_build: str = ""

    def as_sent(self) -> dict[str, Any]:
        """The submission as JSON, from which a revision starts."""
        return {**self.__dict__, "idempotency_key": str(self.idempotency_key)}


def first_error(ratings: Sequence[int | None]) -> int | None:
    """The index of the first -1, or None."""
    return next((step for step, rating in enumerate(ratings) if rating == -1), None)


def missing(
    ratings: Sequence[int | None], finish_reason: FinishReason, kind: str = "", text: str = ""
) -> list[Finding]:
    """What the submission still lacks, in the order a labeler would mend it; empty when complete.

    `kind` and `text` are the details of a bad problem or of giving up.
    """
    error = first_error(ratings)
    if finish_reason in ("bad_problem", "give_up"):
        found = []
        if finish_reason == "bad_problem" and not kind:
            found.append(Finding("kind_needed"))
        if not text.strip():
            found.append(Finding("reason_needed"))
        return found + _after_error(ratings, error)
    end = len(ratings) if error is None else error
    unrated = next((step for step in range(end) if ratings[step] is None), None)
    if unrated is not None:
        return [Finding("unrated_step", unrated), *_after_error(ratings, error)]
    if finish_reason == "found_error" and error is None:
        return [Finding("no_error_marked")]
    return _after_error(ratings, error)


def contradictions(ratings: Sequence[int | None], finish_reason: FinishReason, outcome: str) -> list[Finding]:
    """What the labeler has to confirm with a reason before the submission is taken.

    `outcome` is the trace's: correct, wrong or ungraded.
    """
    if finish_reason != "solution":
        return []
    error = first_error(ratings)
    if error is not None:
        return [Finding("solution_with_error", error)]
    if outcome == "wrong" and ratings and ratings[-1] == 1:
        return [Finding("solution_but_answer_wrong", len(ratings) - 1)]
    return []


def _after_error(ratings: Sequence[int | None], error: int | None) -> list[Finding]:
    """Labeling of the path stops at the first -1 (PRM800K phase 2): a later rating is a fault."""
    if error is None:
        return []
    later = range(error + 1, len(ratings))
    return [Finding("rated_after_error", step) for step in later if ratings[step] is not None][:1]
