"""What a reviewer does: settle a task with a label of their own, dismiss reasons for review, and answer labelers.

The labels themselves are never touched. A ruling is an additional label with the status `ruling`.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from labeling import queries
from labeling.actions import audit_log
from labeling.actions.label_consensus import resolve_consensus
from labeling.actions.label_submissions import verdict_said
from labeling.count_words import count_of
from labeling.errors import AnswerKnown, RoundNotInStatus, RulingChanged, SubmissionIncomplete, SubmissionMismatch
from labeling.models import (
    Label,
    LabelAuditItem,
    ReviewDecision,
    ReviewKind,
    Round,
    StepLabel,
    StepReply,
    Task,
    Trace,
    User,
)
from labeling.protocol.interface import NO_ERROR
from labeling.protocol.registry import protocol_named
from labeling.protocol.run_marks import marks_missing
from labeling.protocol.submission import FinishReason

Outcome = ReviewDecision.Outcome
HOLDS_A_SLOT = (Label.Status.OPEN, Label.Status.PREFETCHED, Label.Status.SUBMITTED)
UNSAID = -1  # `seen_ruling` is unknown: clients of earlier versions do not send it


@transaction.atomic
def settle_task(
    task: Task,
    *,
    by: User,
    ratings: Sequence[int | None],
    finish_reason: FinishReason,
    finish_detail: dict[str, str] | None = None,
    mistake: dict[str, Any] | None = None,
    run_marks: dict[str, Any] | None = None,
    note: str = "",
    seen_ruling: int | None = UNSAID,
) -> Label:
    """Record a reviewer's ruling: the task is settled, no more labels are asked, and all it waited for is decided.

    An earlier ruling is kept as superseded. `seen_ruling` is the ruling in force when the reviewer looked, or None. If
    another one is in force now, nothing is written. Raises SubmissionMismatch, SubmissionIncomplete, RoundNotInStatus
    (closed), AnswerKnown, RulingChanged.
    """
    require_complete(task, ratings, finish_reason, finish_detail or {}, run_marks)
    task = _lock_open(task)
    if task.kind != Task.Kind.WORK:
        raise AnswerKnown
    if seen_ruling != UNSAID:
        _require_seen(task, seen_ruling)
    return make_ruling(
        task,
        by=by,
        ratings=ratings,
        finish_reason=finish_reason,
        finish_detail=finish_detail or {},
        mistake=mistake,
        run_marks=run_marks,
        note=note,
    )


def make_ruling(
    task: Task,
    *,
    by: User,
    ratings: Sequence[int | None],
    finish_reason: str,
    finish_detail: dict[str, str],
    mistake: dict[str, Any] | None,
    note: str,
    run_marks: dict[str, Any] | None = None,
    kinds: Collection[str] = ReviewKind.values,
    **about: Any,
) -> Label:
    """Make a complete label the ruling on a task that the caller has locked, and decide these `kinds` of review
    reasons.

    `about` goes into the audit log.
    """
    earlier = ruling_in_force(task)
    if earlier is not None:
        _take_back(task, earlier)  # the new ruling must record the state before any ruling
    before = _state_before(task)
    now = timezone.now()
    ruling = Label.objects.create(
        project=task.round.project,
        task=task,
        labeler=by,
        status=Label.Status.RULING,
        claimed_at=now,
        submitted_at=now,
        finish_reason=finish_reason,
        finish_detail=finish_detail,
        verdict=verdict_said(task.round.protocol, ratings, finish_reason),
        mistake=mistake,
        run_marks=run_marks,
        guideline=queries.labels.current_guideline(task.round.project),
        supersedes=earlier,
        before_ruling=before,
        extra={"note": note} if note else {},
    )
    rated = [(step, rating) for step, rating in enumerate(ratings) if rating is not None]
    StepLabel.objects.bulk_create(StepLabel(label=ruling, step_index=step, rating=rating) for step, rating in rated)
    task.settlement, task.settled_at, task.labels_wanted = Task.Settlement.RULED, now, 0
    task.verdict = ruling.verdict
    task.save(update_fields=["settlement", "settled_at", "labels_wanted", "verdict"])
    decide(task, kinds, Outcome.SETTLED, by=by, reason=note)
    about |= {"verdict": task.verdict, "finish_reason": finish_reason}
    audit_log.record("review.settle", actor=by, project=task.round.project, target=f"task {task.pk}", **about)
    return ruling


@transaction.atomic
def withdraw_ruling(task: Task, *, ruling: int, by: User) -> None:
    """Withdraw the ruling with this id, which is in force on the task. The task is again as it was before any ruling.

    Raises RoundNotInStatus (closed), and RulingChanged if the ruling is no longer in force.
    """
    task = _lock_open(task)
    _require_seen(task, ruling)
    stands = ruling_in_force(task)
    assert stands is not None
    withdraw(stands, by=by)


def withdraw(ruling: Label, *, by: User, **about: Any) -> bool:
    """Withdraw a ruling: its task is again as it was before, and waits for what the ruling had decided.

    What happened since then stays: labels are weighed again, and later decisions hold. If another ruling has replaced
    this one, nothing changes and this returns False. `about` goes into the audit log.
    """
    task = lock_task(ruling.task)
    if not Label.objects.filter(pk=ruling.pk, status=Label.Status.RULING).exists():
        return False
    _take_back(task, ruling)
    resolve_consensus(task)
    audit_log.record("review.withdraw", actor=by, project=task.round.project, target=f"task {task.pk}", **about)
    return True


def ruling_in_force(task: Task) -> Label | None:
    """Return the ruling that settles a task now."""
    return Label.objects.filter(task=task, status=Label.Status.RULING).select_related("labeler").first()


def _lock_open(task: Task) -> Task:
    """Return the task under its lock. Raises RoundNotInStatus if its round is closed."""
    task = lock_task(task)
    if task.round.status == Round.Status.CLOSED:
        number = task.round.number
        raise RoundNotInStatus(f"Round {number} is closed, and its labels are frozen.", status=task.round.status)
    return task


def _require_seen(task: Task, seen: int | None) -> None:
    """Raise RulingChanged unless the ruling with this id is in force on the locked task, or none if it is None."""
    stands = ruling_in_force(task)
    if stands is None and seen is not None:
        raise RulingChanged("The ruling was withdrawn in the meantime, and the task waits again.", ruling=None)
    if stands is not None and stands.pk != seen:
        raise RulingChanged(
            f"In the meantime, {_ruling_in_words(stands)} Look at it before you change it.", ruling=stands.pk
        )


def _ruling_in_words(ruling: Label) -> str:
    """Return who ruled what, and when: a sentence without its beginning."""
    assert ruling.submitted_at is not None
    verdict = ruling.verdict
    said = "a bad problem" if verdict is None else "no error" if verdict == NO_ERROR else f"step {verdict + 1}"
    first = "first error in " if verdict is not None and verdict >= 0 else ""
    at = f"{ruling.submitted_at.astimezone(UTC):%d %B %Y, %H:%M} UTC"
    return f"{ruling.labeler.display_name} settled this task ({at}): {first}{said}."


def _state_before(task: Task) -> dict[str, Any]:
    """Return what a ruling on a locked task changes, as JSON: its total slots (free and in use), its settlement, and
    the decisions made about it.
    """
    decided = ReviewDecision.objects.filter(task=task).values("kind", "outcome", "reason", "by_id", "at")
    return {
        "slots": task.labels_wanted + _slots_in_use(task),
        "settlement": task.settlement,
        "settled_at": task.settled_at and task.settled_at.isoformat(),
        "verdict": task.verdict,
        "decided": [{**one, "at": one["at"].isoformat()} for one in decided],
    }


def _take_back(task: Task, ruling: Label) -> None:
    """Supersede the ruling in force on a locked task, and restore the task to its state before it."""
    before = _before(ruling, task)
    Label.objects.filter(pk=ruling.pk).update(status=Label.Status.SUPERSEDED)
    settled_at = before.get("settled_at")
    task.settlement, task.verdict = before.get("settlement", ""), before.get("verdict")
    task.settled_at = datetime.fromisoformat(settled_at) if settled_at else None
    free = max(0, before.get("slots", 0) - _slots_in_use(task)) if task.kind == Task.Kind.WORK else 0
    task.labels_wanted, task.withdrawn = (free, None) if task.withdrawn is None else (0, free)
    task.save(update_fields=["settlement", "settled_at", "verdict", "labels_wanted", "withdrawn"])
    _take_back_decisions(ruling, before.get("decided", []))


def _before(ruling: Label, task: Task) -> Mapping[str, Any]:
    """Return the state before the ruling. Versions up to 0.2.0 stored it only for label audits, in their items. For
    their other rulings, the round says how many labels a task gets.
    """
    if ruling.before_ruling is not None:
        return ruling.before_ruling
    audited = LabelAuditItem.objects.filter(ruling=ruling).values_list("before", flat=True).first()
    return audited or {"slots": task.round.overlap}


def _slots_in_use(task: Task) -> int:
    """Return how many of the task's slots are held or used by labels."""
    return Label.objects.filter(task=task, status__in=HOLDS_A_SLOT, surplus=False).count()


def _take_back_decisions(ruling: Label, earlier: Sequence[Mapping[str, Any]]) -> None:
    """Remove what a ruling decided, and restore the decisions it had replaced."""
    made = ReviewDecision.objects.filter(
        task=ruling.task_id, by=ruling.labeler_id, outcome=Outcome.SETTLED, at__gte=ruling.submitted_at
    )
    kinds = set(made.values_list("kind", flat=True))
    made.delete()
    ReviewDecision.objects.bulk_create(
        ReviewDecision(task_id=ruling.task_id, **{**one, "at": datetime.fromisoformat(one["at"])})
        for one in earlier
        if one["kind"] in kinds
    )


@transaction.atomic
def dismiss(task: Task, *, by: User, kinds: Collection[str], reason: str) -> None:
    """Record that these reasons for review need nothing more, and why. New reasons make the task wait again."""
    decide(task, kinds, Outcome.DISMISSED, by=by, reason=reason)
    about = {"kinds": sorted(kinds), "reason": reason}
    audit_log.record("review.dismiss", actor=by, project=task.round.project, target=f"task {task.pk}", **about)


def decide(task: Task, kinds: Collection[str], outcome: ReviewDecision.Outcome, *, by: User, reason: str) -> None:
    """Record a decision about these kinds, in the caller's transaction. A later one replaces an earlier one."""
    now = timezone.now()
    decisions = [
        ReviewDecision(task=task, kind=kind, outcome=outcome, by=by, reason=reason, at=now)
        for kind in sorted(set(kinds))
    ]
    ReviewDecision.objects.bulk_create(
        decisions,
        update_conflicts=True,
        unique_fields=["task", "kind"],
        update_fields=["outcome", "by", "reason", "at"],
    )


def reply(task: Task, *, labeler_id: int, step: int, author: User, text: str) -> StepReply:
    """Write to the thread about a step between one labeler of the task and its reviewers.

    Raises SubmissionMismatch for a step that does not exist, or a labeler who has no label on the task.
    """
    if step >= len(task.trace.steps):
        raise SubmissionMismatch(f"The trace has {count_of(len(task.trace.steps), 'step')}. Choose one of them.")
    if not Label.objects.filter(task=task, labeler=labeler_id, submitted_at__isnull=False).exists():
        raise SubmissionMismatch("This person has no label on the trace, so you cannot start a thread with them.")
    return StepReply.objects.create(task=task, labeler_id=labeler_id, step_index=step, author=author, text=text)


def lock_task(task: Task) -> Task:
    """Return the task as it is now, locked so that nobody else can settle it until the transaction ends."""
    held = Task.objects.select_for_update(no_key=True, of=("self",)).select_related("round__project", "trace__problem")
    return held.defer("trace__typed_steps").get(pk=task.pk)


def require_complete(
    task: Task,
    ratings: Sequence[int | None],
    finish_reason: FinishReason,
    detail: dict[str, str],
    run_marks: Mapping[str, Any] | None = None,
) -> None:
    """Raise SubmissionMismatch or SubmissionIncomplete unless a reviewer's label for the task is complete."""
    steps = len(task.trace.steps)
    if len(ratings) != steps:
        has = f"The trace has {count_of(steps, 'step')}, not {len(ratings)}."
        raise SubmissionMismatch(f"{has} Reload the page and settle again.")
    if run_marks and not task.trace.is_run:
        raise SubmissionMismatch("Only an agent's run has a decisive error. Leave `run_marks` out.")
    protocol = protocol_named(task.round.protocol)
    missing = protocol.missing(ratings, finish_reason, detail.get("kind", ""), detail.get("text", ""))
    # A ruling must not contradict itself. If it contradicts the recorded outcome, it needs no confirmation.
    missing += protocol.contradictions(ratings, finish_reason, Trace.Outcome.UNGRADED)
    missing += marks_missing(ratings, run_marks)
    if missing:
        raise SubmissionIncomplete(
            "Something is still missing from this ruling.", missing=[finding.__dict__ for finding in missing]
        )
