"""What a labeler sends with a finished label, and the findings about it. Pure.

Ratings have one entry per step of the trace: -1, 0, 1, or None = not rated.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args
from uuid import UUID

FinishReason = Literal["found_error", "solution", "bad_problem", "give_up"]
FINISH_REASONS: tuple[str, ...] = get_args(FinishReason)
Ratings = Sequence[int | None]


@dataclass(frozen=True)
class Finding:
    """One thing to tell the labeler; `step` is 0-based, or None if no step is concerned."""

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
    suggestions: list[dict[str, Any]] = field(default_factory=list)
    carried: list[dict[str, Any]] = field(default_factory=list)
    comments: list[dict[str, Any]] = field(default_factory=list)
    reports: list[dict[str, Any]] = field(default_factory=list)
    confirmations: list[dict[str, str]] = field(default_factory=list)
    calculations: list[dict[str, str]] = field(default_factory=list)
    spans: list[dict[str, Any]] = field(default_factory=list)
    total_ms: int | None = None
    client_build: str = ""
    run_marks: dict[str, Any] | None = None  # for an agent's run (labeling.protocol.run_marks)
    path: dict[str, Any] | None = None  # if the labeler makes the path: which one, and the answers on its open step

    def as_sent(self) -> dict[str, Any]:
        """Return the submission as JSON, from which a revision starts."""
        return {**self.__dict__, "idempotency_key": str(self.idempotency_key)}


def first_negative(ratings: Ratings) -> int | None:
    """Return the index of the first -1, or None."""
    return next((step for step, rating in enumerate(ratings) if rating == -1), None)


def reasons_missing(finish_reason: str, kind: str, text: str) -> list[Finding]:
    """Return what a bad problem or giving up still needs; nothing for the other finish reasons."""
    found = []
    if finish_reason == "bad_problem" and not kind:
        found.append(Finding("kind_needed"))
    if finish_reason in ("bad_problem", "give_up") and not text.strip():
        found.append(Finding("reason_needed"))
    return found
