"""Noise triage: labels that a PRM finds unlikely and a random control are reviewed blind, then settled as rulings.

A review never touches the label. When the triage is finished, each review that differs about the first error becomes
the ruling on its task, as when a reviewer settles a dispute. Nothing changes before, so a review can be changed until
then.
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
    NothingSelected,
    PrmGivesNoProbabilities,
    PrmNotReady,
    ProjectArchived,
    TriageNotInStatus,
)
from labeling.models import Project, ReviewKind, Round, StepScorer, Task, TrainingRun, Triage, TriageItem, User
from labeling.protocol.submission import FinishReason
from labeling.queries.label_audit_report import Review, report_of, reviewed_items, reviews_of

HOLD = timedelta(minutes=30)  # a label on somebody's screen is shown to nobody else for so long
SETTLES = (ReviewKind.NO_CONSENSUS.value, ReviewKind.DISAGREEMENT.value)  # a blind reviewer has read no comment


@transaction.atomic
def create_triage(
    project: Project,
    *,
    by: User,
    scorer: StepScorer,
    config: LabelAuditConfig,
    seed: int,
) -> Triage:
    """Choose labels, a share of them at random, and shuffle them.

    Fewer where there are fewer. Raises ProjectArchived, PrmNotReady, PrmGivesNoProbabilities, InvalidFields (round),
    NothingSelected.
    """
    if project.status == Project.Status.ARCHIVED:
        raise ProjectArchived
    require_usable(scorer)
    if config.round is not None and not Round.objects.filter(project=project, pk=config.round).exists():
        raise InvalidFields(fields={"round": ["There is no such round. Choose one of this project's list."]})
    counts = queries.label_audits.count_labels(project, scorer, config.round)
    total = min(config.labels, counts["candidates"])
    if total < 2:
        raise NothingSelected(_why_nothing(scorer, counts), dropped=counts)
    control = min(total - 1, max(1, round(total * config.control_share)))
    arms = {"model": total - control, "control": control}
    chosen = queries.label_audits.choose_labels(project, scorer, round_id=config.round, seed=seed, **arms)
    about = {"asked": config.as_json(), "counts": counts}
    triage = Triage.objects.create(project=project, scorer=scorer, seed=seed, created_by=by, **about)
    TriageItem.objects.bulk_create(
        TriageItem(
            triage=triage,
            label_id=one.label_id,
            arm=one.arm,
            place=place,
            surprise=one.surprise,
            surprising_step=one.step,
        )
        for place, one in enumerate(chosen)
    )
    detail = {"prm": scorer.name, "labels": len(chosen), "seed": seed}
    audit_log.record("triage.create", actor=by, project=project, target=f"triage {triage.pk}", **detail)
    return triage


def require_usable(scorer: StepScorer) -> None:
    """Raises PrmNotReady, PrmGivesNoProbabilities unless the PRM's scores say how likely a rating is."""
    if scorer.status != StepScorer.Status.READY:
        raise PrmNotReady(f"The PRM {scorer.name} is {scorer.get_status_display().lower()}.", status=scorer.status)
    if scorer.scale != "probability":
        raise PrmGivesNoProbabilities
    if TrainingRun.objects.filter(prm=scorer, target=TrainingRun.Target.OUTCOME).exists():
        raise PrmGivesNoProbabilities(f"{scorer.name} judges outcomes, not steps. Choose a PRM that judges steps.")


@transaction.atomic
def hold_next_item(triage: Triage, *, by: User, after: int | None = None) -> TriageItem | None:
    """The next label for this person to review, held for them; None where none is left for them.

    `after`: they put the one at this place off and want the next. Raises TriageNotInStatus.
    """
    triage = _open(triage)
    mine = TriageItem.objects.filter(triage=triage, held_by=by)
    waiting = queries.label_audits.waiting_items(triage, by).order_by("place")
    if after is None:
        found = waiting.filter(held_by=by).first() or waiting.first()
    else:
        found = waiting.filter(place__gt=after).first() or waiting.first()
    mine.update(held_by=None, held_until=None)
    if found is None:
        return None
    found.held_by, found.held_until = by, timezone.now() + HOLD
    found.save(update_fields=["held_by", "held_until"])
    return queries.label_audits.get_reviewable_item(by, found.pk)


@transaction.atomic
def review_item(
    item: TriageItem,
    *,
    by: User,
    ratings: Sequence[int | None],
    finish_reason: FinishReason,
    finish_detail: dict[str, str] | None = None,
    mistake: dict[str, Any] | None = None,
    note: str = "",
) -> TriageItem:
    """Keep what this person says of the label's trace; sent again, it takes the place of what they said before.

    Raises SubmissionMismatch, SubmissionIncomplete, TriageNotInStatus.
    """
    reviews.require_complete(item.label.task, ratings, finish_reason, finish_detail or {})
    triage = _open(item.triage)
    now = TriageItem.objects.get(pk=item.pk)
    if now.reviewer_id not in (None, by.pk):
        raise TriageNotInStatus("Somebody else has reviewed this trace meanwhile. Go on with the next one.")
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
    TriageItem.objects.filter(pk=item.pk).update(**said)
    about = {"item": item.pk, "again": now.reviewer_id is not None}
    audit_log.record("triage.review", actor=by, project=triage.project, target=f"triage {triage.pk}", **about)
    return queries.label_audits.get_reviewable_item(by, item.pk)


@transaction.atomic
def finish_triage(triage: Triage, *, by: User) -> Triage:
    """End it: what was corrected becomes rulings, the report is frozen, and the arms may be seen.

    What nobody has reviewed is left as it is. Raises TriageNotInStatus, also where nothing was reviewed.
    """
    triage = _open(triage)
    if not TriageItem.objects.filter(triage=triage, reviewed_at__isnull=False).exists():
        raise TriageNotInStatus("Nothing was reviewed yet. Review some labels first, or cancel the triage.")
    found = reviews_of(reviewed_items(triage))
    report = report_of(triage, found)
    corrected = sorted((one for one in found if one.corrected), key=lambda one: one.item.label.task_id)
    report["rulings"] = sum(_settle(triage, one) for one in corrected)  # in one order, whoever else locks tasks
    return _end(triage, Triage.Status.FINISHED, report, by=by)


@transaction.atomic
def cancel_triage(triage: Triage, *, by: User) -> Triage:
    """End it and change nothing; what was reviewed can still be read. Raises TriageNotInStatus."""
    triage = _open(triage)
    report = report_of(triage, reviews_of(reviewed_items(triage)))
    return _end(triage, Triage.Status.CANCELLED, report, by=by)


@transaction.atomic
def undo_triage(triage: Triage, *, by: User) -> Triage:
    """Withdraw the rulings that a finished triage made, as if it had been cancelled; its reviews and report stay.

    Not those that a reviewer has replaced since. What exports, trainings and evaluation sets took from them stays in
    these. Raises TriageNotInStatus.
    """
    triage = _lock(triage)
    if triage.status != Triage.Status.FINISHED or triage.ended_at is None:
        raise TriageNotInStatus(f"Only a finished triage can be undone, and this one is {triage.status}.")
    ruled = TriageItem.objects.filter(triage=triage, ruling__isnull=False).select_related("ruling__task")
    until = triage.ended_at
    in_order = ruled.order_by("ruling__task")  # of locks, as when it was finished
    withdrawn = sum(
        reviews.withdraw_ruling(one.ruling, one.before, by=by, until=until, triage=triage.pk)
        for one in in_order
        if one.ruling
    )
    triage.report["withdrawn"] = withdrawn
    triage.status, triage.undone_by, triage.undone_at = Triage.Status.UNDONE, by, timezone.now()
    triage.save(update_fields=["status", "report", "undone_by", "undone_at"])
    counts = {"rulings": triage.report["rulings"], "withdrawn": withdrawn}
    audit_log.record("triage.undone", actor=by, project=triage.project, target=f"triage {triage.pk}", **counts)
    return triage


def require_over(triage: Triage) -> None:
    """Raises TriageNotInStatus while its arms are hidden."""
    if triage.status == Triage.Status.OPEN:
        raise TriageNotInStatus("The triage is open, and its arms are hidden until it is finished or cancelled.")


def _open(triage: Triage) -> Triage:
    """The triage under its lock. Raises TriageNotInStatus."""
    now = _lock(triage)
    if now.status != Triage.Status.OPEN:
        raise TriageNotInStatus(f"This triage is {now.status}. Its report says what came of it.")
    return now


def _lock(triage: Triage) -> Triage:
    """The triage as it is now, nobody else's to change until the transaction ends."""
    held = Triage.objects.select_for_update(no_key=True, of=("self",)).select_related("project", "scorer")
    return held.get(pk=triage.pk)


def _end(triage: Triage, status: str, report: dict[str, Any], *, by: User) -> Triage:
    triage.status, triage.report, triage.ended_by, triage.ended_at = status, report, by, timezone.now()
    triage.save(update_fields=["status", "report", "ended_by", "ended_at"])
    TriageItem.objects.filter(triage=triage).update(held_by=None, held_until=None)
    about = {"reviewed": len(report["counted"]), "rulings": report["rulings"]}
    audit_log.record(f"triage.{status}", actor=by, project=triage.project, target=f"triage {triage.pk}", **about)
    return triage


def _settle(triage: Triage, review: Review) -> bool:
    """Make a correction the ruling on its task, also where the round is closed: the labels stay frozen.

    Not where a reviewer who saw everything has settled the task meanwhile, or it is settled so already.
    """
    item = review.item
    task = reviews.lock_task(item.label.task)
    agreed = task.settlement == Task.Settlement.AGREED and task.verdict == review.after
    if agreed or task.settlement == Task.Settlement.RULED or task.withdrawn is not None:
        return False
    assert item.reviewer is not None
    assert item.ratings is not None
    item.before = reviews.state_before(task)
    item.ruling = reviews.rule(
        task,
        by=item.reviewer,
        ratings=item.ratings,
        finish_reason=item.finish_reason,
        finish_detail=item.finish_detail,
        mistake=item.mistake,
        note=item.note,
        kinds=SETTLES,
        triage=triage.pk,
    )
    item.save(update_fields=["ruling", "before"])
    return True


def _why_nothing(scorer: StepScorer, counts: dict[str, int]) -> str:
    if counts["labels"] == 0:
        return "There are no labels here that could be looked at again. Label some traces first."
    if counts["unscored"] == counts["labels"]:
        return (
            f"{scorer.name} has not scored any trace that was labeled here. Run `manage.py score_traces`, or a round "
            "with it, first."
        )
    return (
        f"Fewer than two labels are left: of {counts['labels']:,}, {counts['unscored']:,} have no score by "
        f"{scorer.name}, it learned from {counts['learned']:,}, and {counts['reviewed']:,} are in a triage already."
    )
