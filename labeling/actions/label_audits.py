"""Label audit: labels that a machine finds unlikely and a random control are reviewed blind, then settled as rulings.

A review never touches the label. When the label audit is finished, each review that differs about the first error
becomes the ruling on its task, as when a reviewer settles a dispute. Nothing changes before then, so reviews can be
changed until then.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from labeling import queries
from labeling.actions import audit_log, reviews
from labeling.actions.label_submissions import verdict_said
from labeling.configs import LabelAuditConfig
from labeling.errors import (
    InvalidFields,
    LabelAuditNotInStatus,
    NothingSelected,
    PrmGivesNoProbabilities,
    PrmNotReady,
    ProjectArchived,
)
from labeling.models import LabelAudit, LabelAuditItem, Project, ReviewKind, Round, StepScorer, Task, TrainingRun, User
from labeling.protocol.submission import FinishReason
from labeling.queries.label_audit_report import Review, report_of, reviewed_items, reviews_of

HOLD = timedelta(minutes=30)  # while one person has a label on screen, nobody else gets it for this long
SETTLES = (ReviewKind.NO_CONSENSUS.value, ReviewKind.DISAGREEMENT.value)  # not comments: a blind reviewer has read none


@transaction.atomic
def create_label_audit(
    project: Project,
    *,
    by: User,
    scorer: StepScorer,
    config: LabelAuditConfig,
    seed: int,
) -> LabelAudit:
    """Choose labels, a share of them at random, and shuffle them.

    Chooses fewer if not enough are available. Raises ProjectArchived, PrmNotReady, PrmGivesNoProbabilities,
    InvalidFields (round), NothingSelected.
    """
    if project.status == Project.Status.ARCHIVED:
        raise ProjectArchived
    require_usable(scorer)
    if config.round is not None and not Round.objects.filter(project=project, pk=config.round).exists():
        raise InvalidFields(fields={"round": ["There is no such round. Choose one from this project's list."]})
    counts = queries.label_audits.count_labels(project, scorer, config.round)
    total = min(config.labels, counts["candidates"])
    if total < 2:
        raise NothingSelected(_why_nothing(scorer, counts), dropped=counts)
    control = min(total - 1, max(1, round(total * config.control_share)))
    arms = {"model": total - control, "control": control}
    chosen = queries.label_audits.choose_labels(project, scorer, round_id=config.round, seed=seed, **arms)
    about = {"asked": config.as_json(), "counts": counts}
    label_audit = LabelAudit.objects.create(project=project, scorer=scorer, seed=seed, created_by=by, **about)
    LabelAuditItem.objects.bulk_create(
        LabelAuditItem(
            label_audit=label_audit,
            label_id=one.label_id,
            arm=one.arm,
            position=position,
            surprisal=one.surprisal,
            least_likely_step=one.step,
        )
        for position, one in enumerate(chosen)
    )
    detail = {"prm": scorer.name, "labels": len(chosen), "seed": seed}
    audit_log.record("label_audit.create", actor=by, project=project, target=f"label_audit {label_audit.pk}", **detail)
    return label_audit


def require_usable(scorer: StepScorer) -> None:
    """Raise PrmNotReady, PrmGivesNoProbabilities unless it says how likely a rating is, or where a first error is."""
    if scorer.status != StepScorer.Status.READY:
        kind = "PRM" if scorer.kind == StepScorer.Kind.PRM else "source"
        raise PrmNotReady(f"The {kind} {scorer.name} is {scorer.get_status_display().lower()}.", status=scorer.status)
    if scorer.scale != "probability":
        raise PrmGivesNoProbabilities(
            f"{scorer.name} gives log ratios. They do not say how likely a step is to be right, nor where the first "
            "error of a trace is. Choose a PRM or a source that does."
        )
    if TrainingRun.objects.filter(prm=scorer, target=TrainingRun.Target.OUTCOME).exists():
        raise PrmGivesNoProbabilities(f"{scorer.name} judges outcomes, not steps. Choose a PRM that judges steps.")


@transaction.atomic
def hold_next_item(label_audit: LabelAudit, *, by: User, after: int | None = None) -> LabelAuditItem | None:
    """Return the next label for this person to review, held for them, or None if none is left.

    `after`: skip the one at this position and return the next. Raises LabelAuditNotInStatus.
    """
    label_audit = _open(label_audit)
    mine = LabelAuditItem.objects.filter(label_audit=label_audit, held_by=by)
    waiting = queries.label_audits.waiting_items(label_audit, by).order_by("position")
    if after is None:
        found = waiting.filter(held_by=by).first() or waiting.first()
    else:
        found = waiting.filter(position__gt=after).first() or waiting.first()
    mine.update(held_by=None, held_until=None)
    if found is None:
        return None
    found.held_by, found.held_until = by, timezone.now() + HOLD
    found.save(update_fields=["held_by", "held_until"])
    return queries.label_audits.get_reviewable_item(by, found.pk)


@transaction.atomic
def review_item(
    item: LabelAuditItem,
    *,
    by: User,
    ratings: Sequence[int | None],
    finish_reason: FinishReason,
    finish_detail: dict[str, str] | None = None,
    mistake: dict[str, Any] | None = None,
    note: str = "",
) -> LabelAuditItem:
    """Store this person's review of the label's trace. If they send another one, it replaces the first.

    Raises SubmissionMismatch, SubmissionIncomplete, LabelAuditNotInStatus.
    """
    reviews.require_complete(item.label.task, ratings, finish_reason, finish_detail or {})
    label_audit = _open(item.label_audit)
    now = LabelAuditItem.objects.get(pk=item.pk)
    if now.reviewer_id not in (None, by.pk):
        raise LabelAuditNotInStatus("Someone else has reviewed this trace in the meantime. Continue with the next one.")
    said = {
        "ratings": list(ratings),
        "finish_reason": finish_reason,
        "finish_detail": finish_detail or {},
        "verdict": verdict_said(item.label.task.round.protocol, ratings, finish_reason),
        "mistake": mistake,
        "note": note,
        "reviewer": by,
        "reviewed_at": timezone.now(),
        "held_by": None,
        "held_until": None,
    }
    LabelAuditItem.objects.filter(pk=item.pk).update(**said)
    about = {"item": item.pk, "again": now.reviewer_id is not None}
    audit_log.record(
        "label_audit.review", actor=by, project=label_audit.project, target=f"label_audit {label_audit.pk}", **about
    )
    return queries.label_audits.get_reviewable_item(by, item.pk)


@transaction.atomic
def finish_label_audit(label_audit: LabelAudit, *, by: User) -> LabelAudit:
    """End a label audit: corrections become rulings, the report is frozen, and the arms become visible.

    Labels that nobody has reviewed are left as they are. Raises LabelAuditNotInStatus, also if nothing was reviewed.
    """
    label_audit = _open(label_audit)
    if not LabelAuditItem.objects.filter(label_audit=label_audit, reviewed_at__isnull=False).exists():
        raise LabelAuditNotInStatus("Nothing is reviewed yet. Review some labels first, or cancel the label audit.")
    found = reviews_of(reviewed_items(label_audit))
    report = report_of(label_audit, found)
    corrected = sorted((one for one in found if one.corrected), key=lambda one: one.item.label.task_id)
    report["rulings"] = sum(_settle(label_audit, one) for one in corrected)  # by task, the order of all locks
    return _end(label_audit, LabelAudit.Status.FINISHED, report, by=by)


@transaction.atomic
def cancel_label_audit(label_audit: LabelAudit, *, by: User) -> LabelAudit:
    """End a label audit and change nothing. Its reviews can still be read. Raises LabelAuditNotInStatus."""
    label_audit = _open(label_audit)
    report = report_of(label_audit, reviews_of(reviewed_items(label_audit)))
    return _end(label_audit, LabelAudit.Status.CANCELLED, report, by=by)


@transaction.atomic
def undo_label_audit(label_audit: LabelAudit, *, by: User) -> LabelAudit:
    """Withdraw the rulings of a finished label audit, as if it had been cancelled. Its reviews and report stay.

    Rulings that a reviewer has since replaced or withdrawn are left as they are. Exports, training runs and evaluation
    sets keep what they took from the rulings. Raises LabelAuditNotInStatus.
    """
    label_audit = _lock(label_audit)
    if label_audit.status != LabelAudit.Status.FINISHED:
        raise LabelAuditNotInStatus(f"Only a finished label audit can be undone, and this one is {label_audit.status}.")
    ruled = LabelAuditItem.objects.filter(label_audit=label_audit, ruling__isnull=False).select_related("ruling__task")
    in_order = ruled.order_by("ruling__task")  # of locks, as when the audit was finished
    withdrawn = sum(reviews.withdraw(one.ruling, by=by, label_audit=label_audit.pk) for one in in_order if one.ruling)
    label_audit.report["withdrawn"] = withdrawn
    label_audit.status, label_audit.undone_by, label_audit.undone_at = LabelAudit.Status.UNDONE, by, timezone.now()
    label_audit.save(update_fields=["status", "report", "undone_by", "undone_at"])
    counts = {"rulings": label_audit.report["rulings"], "withdrawn": withdrawn}
    audit_log.record(
        "label_audit.undone", actor=by, project=label_audit.project, target=f"label_audit {label_audit.pk}", **counts
    )
    return label_audit


def require_over(label_audit: LabelAudit) -> None:
    """Raise LabelAuditNotInStatus while the arms are hidden."""
    if label_audit.status == LabelAudit.Status.OPEN:
        raise LabelAuditNotInStatus(
            "The label audit is open, and its arms are hidden until it is finished or cancelled."
        )


def _open(label_audit: LabelAudit) -> LabelAudit:
    """Return the label audit under its lock. Raises LabelAuditNotInStatus unless it is open."""
    now = _lock(label_audit)
    if now.status != LabelAudit.Status.OPEN:
        raise LabelAuditNotInStatus(f"This label audit is {now.status}. Its report shows the result.")
    return now


def _lock(label_audit: LabelAudit) -> LabelAudit:
    """Return the label audit as it is now, locked against changes by others until the transaction ends."""
    held = LabelAudit.objects.select_for_update(no_key=True, of=("self",)).select_related("project", "scorer")
    return held.get(pk=label_audit.pk)


def _end(label_audit: LabelAudit, status: str, report: dict[str, Any], *, by: User) -> LabelAudit:
    label_audit.status, label_audit.report, label_audit.ended_by, label_audit.ended_at = (
        status,
        report,
        by,
        timezone.now(),
    )
    label_audit.save(update_fields=["status", "report", "ended_by", "ended_at"])
    LabelAuditItem.objects.filter(label_audit=label_audit).update(held_by=None, held_until=None)
    about = {"reviewed": len(report["counted"]), "rulings": report["rulings"]}
    audit_log.record(
        f"label_audit.{status}", actor=by, project=label_audit.project, target=f"label_audit {label_audit.pk}", **about
    )
    return label_audit


def _settle(label_audit: LabelAudit, review: Review) -> bool:
    """Make a correction the ruling on its task, even if the round is closed: the labels stay frozen.

    Skips a task that is off the queue, that a reviewer who saw everything has ruled on, or that already has the same
    agreed verdict.
    """
    item = review.item
    task = reviews.lock_task(item.label.task)
    agreed = task.settlement == Task.Settlement.AGREED and task.verdict == review.after
    if agreed or task.settlement == Task.Settlement.RULED or task.withdrawn is not None:
        return False
    assert item.reviewer is not None
    assert item.ratings is not None
    item.ruling = reviews.make_ruling(
        task,
        by=item.reviewer,
        ratings=item.ratings,
        finish_reason=item.finish_reason,
        finish_detail=item.finish_detail,
        mistake=item.mistake,
        note=item.note,
        kinds=SETTLES,
        label_audit=label_audit.pk,
    )
    item.save(update_fields=["ruling"])
    return True


def _why_nothing(scorer: StepScorer, counts: dict[str, int]) -> str:
    if counts["labels"] == 0:
        return "There are no labels here to review again. Label some traces first."
    is_prm = scorer.kind == StepScorer.Kind.PRM
    if counts["unscored"] == counts["labels"]:
        if is_prm:
            return (
                f"{scorer.name} has not scored any trace that was labeled here. Start a round that chooses by it, "
                "which scores them, or have an operator do it (`manage.py score_traces`)."
            )
        return (
            f"{scorer.name} judges none of the steps that were labeled here. Have it mark labeled traces under Machine "
            "labels. If it already has, its marks do not say where the first errors are."
        )
    unscored = f"{counts['unscored']:,} " + ("have no score" if is_prm else "are on steps without a judgement")
    return (
        f"Fewer than two labels are left. Of {counts['labels']:,} labels, {unscored} by {scorer.name}, it learned from "
        f"{counts['learned']:,}, {counts['reviewed']:,} were already audited, and {counts['same_trace']:,} share a "
        "trace with another label, and only one label of each trace is chosen."
    )
