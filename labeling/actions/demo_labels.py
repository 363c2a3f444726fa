"""Finished labels for the demo project: what two labelers might have done in the previous days.

A label is claimed and submitted by the same actions as a person's, then moved into the past. Ratings follow what the
traces' author recorded, with a few slips of the kind people make. Their client build is `demo`.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from django.utils import timezone

from labeling.actions.labels import claim_next_label, submit_label
from labeling.models import Guideline, Label, Round, StepComment, Trace, User
from labeling.protocol.interface import LabelingProtocol
from labeling.protocol.registry import protocol_named
from labeling.protocol.submission import Submission

CLIENT_BUILD = "demo"
# Labeler (by position), days ago, hour of the day (UTC), labels in that session; in the order they were made.
SESSIONS = ((0, 5, 9, 7), (1, 4, 13, 8), (0, 3, 9, 8), (1, 2, 10, 8), (1, 1, 9, 6), (0, 1, 14, 8))
GIVEN_UP = 11  # the number of the label given up
# Of the errors that have a step after them, in the order they are met, every fifth is marked a step too late, every
# fourth is noticed late, and every third gets a remark.
TOO_LATE, NOTICED_LATE, REMARKED = (5, 2), (4, 0), (3, 1)
REMARKS = (
    "This is where it goes wrong.",
    "I had to read this one twice: it looks right at first.",
    "The idea is fine, the execution is not.",
)


@dataclass(frozen=True)
class Session:
    """One sitting: who labels, which labels of the whole sequence, and when it begins."""

    labeler: User
    numbers: range
    begins: datetime


@dataclass(frozen=True)
class Finding:
    """What a label says about its trace: the first error (None for none), and what the labeler adds to it."""

    error: int | None
    noticed_at: int | None = None
    remark: str = ""


def label_past_days(round_: Round, labelers: Sequence[User]) -> list[Label]:
    """Submit the labels of all sessions, oldest first. With fewer labelers than planned, only theirs."""
    sessions = [session for session in _sessions(timezone.now()) if session[0] < len(labelers)]
    if not sessions:
        return []
    errors_met = count()
    first = sessions[0][2]
    Round.objects.filter(pk=round_.pk).update(created_at=first, opened_at=first)
    Guideline.objects.filter(project=round_.project, created_at__gt=first).update(created_at=first)
    return [
        label
        for labeler, numbers, begins in sessions
        for label in _work(round_, Session(labelers[labeler], numbers, begins), errors_met)
    ]


def _sessions(now: datetime) -> Iterator[tuple[int, range, datetime]]:
    done = 0
    for labeler, days_ago, hour, labels in SESSIONS:
        day = now - timedelta(days=days_ago)
        yield labeler, range(done, done + labels), day.replace(hour=hour, minute=4, second=0, microsecond=0)
        done += labels


def _work(round_: Round, session: Session, errors_met: Iterator[int]) -> Iterator[Label]:
    begins = session.begins
    for number in session.numbers:
        label = claim_next_label(session.labeler, round_.project).label
        if label is None:
            return
        # Active time is bounded by the label's own time, so the claim must be moved to the past before the submission.
        label.claimed_at = label.opened_at = begins
        label.save(update_fields=["claimed_at", "opened_at"])
        trace = label.task.trace
        protocol = protocol_named(round_.protocol)
        submission = _submission(protocol, trace, _finding(trace, errors_met), number, begins)
        ends = begins + timedelta(milliseconds=submission.total_ms or 0)
        submit_label(label, submission)
        Label.objects.filter(pk=label.pk).update(submitted_at=ends, last_seen_at=ends)
        StepComment.objects.filter(label=label).update(created_at=ends)
        yield label
        begins = ends + timedelta(seconds=40 + 15 * (number % 5))


def _submission(
    protocol: LabelingProtocol, trace: Trace, finding: Finding, number: int, begins: datetime
) -> Submission:
    error = finding.error
    end = len(trace.steps)
    if number == GIVEN_UP:  # after a step or two, before any error was seen
        end, error = min(2, end if error is None else max(1, error)), None
    ratings = protocol.counted([*_ratings(trace, error)[:end], *[None] * (len(trace.steps) - end)])
    end = 1 + max(step for step, rating in enumerate(ratings) if rating is not None)
    spans = _spans(trace, end, number, begins)
    return Submission(
        idempotency_key=uuid5(NAMESPACE_URL, f"stepmark-demo/{trace.project_id}/{number}"),
        ratings=ratings,
        spans=spans,
        total_ms=spans[-1]["end"] - spans[0]["start"] + 3_000,
        client_build=CLIENT_BUILD,
        **(_given_up() if number == GIVEN_UP else _finish(trace, finding)),
    )


def _finding(trace: Trace, errors_met: Iterator[int]) -> Finding:
    """Return the recorded first error, or the step after it, with what the labeler adds."""
    error, last = trace.recorded_first_error, len(trace.steps) - 1
    if error is None or error < 0:
        return Finding(None)
    if error == last:
        return Finding(error)
    met = next(errors_met)
    if _is_due(met, TOO_LATE):
        return Finding(error + 1)
    noticed_at = min(error + 2, last) if _is_due(met, NOTICED_LATE) else None
    return Finding(error, noticed_at, REMARKS[met % len(REMARKS)] if _is_due(met, REMARKED) else "")


def _is_due(met: int, turn: tuple[int, int]) -> bool:
    every, offset = turn
    return met % every == offset


def _ratings(trace: Trace, error: int | None) -> list[int | None]:
    """Return the recorded ratings, or else good ones, with the marked error."""
    recorded = trace.recorded_ratings or []
    path = [rating if rating in (0, 1) else 1 for rating in recorded] or [1] * len(trace.steps)
    return [*path[:error], -1, *path[error + 1 :]] if error is not None else list(path)


def _given_up() -> dict[str, Any]:
    return {"finish_reason": "give_up", "finish_detail": {"text": "I tried twice and cannot follow the method."}}


def _finish(trace: Trace, finding: Finding) -> dict[str, Any]:
    """Return how the label ends: the arguments of a submission that depend on the finding."""
    if finding.error is None:
        return {"finish_reason": "solution"}
    late = finding.error >= 2 / 3 * (len(trace.steps) - 1)
    progress = "none" if finding.error == 0 else "most" if late else "some"
    return {
        "finish_reason": "found_error",
        "mistake": {"progress": progress, "explanation": ""},
        "noticed_at_step": finding.noticed_at,
        "comments": [{"step": finding.error, "text": finding.remark}] if finding.remark else [],
    }


def _spans(trace: Trace, end: int, number: int, begins: datetime) -> list[dict[str, Any]]:
    """Return spans on the problem, then on each rated step: a while to read it, and a while to think."""
    chance = random.Random(number)
    start = int(begins.timestamp() * 1000)
    spans = []
    texts = [(None, trace.problem.text), *enumerate(trace.steps[:end])]
    for step, text in texts:
        took = int(1000 * (chance.uniform(9, 40) + len(text) / 14))
        spans.append({"step": step, "start": start, "end": start + took})
        start += took + chance.randint(300, 2_500)
    return spans
