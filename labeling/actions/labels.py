"""Everything that happens to a label: claim, draft, submit, reopen, resume, revise, release, expire.

Locks are always taken in the same order, so that no two of these deadlock: the labeler's
own row, then labels (open before prefetched), then tasks by id.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Exists
from django.utils import timezone

from labeling import queries
from labeling.actions import allowances, audit_log
from labeling.actions.gold_screening import claim_barred, finish_attempt
from labeling.actions.label_consensus import resolve_consensus
from labeling.actions.label_fast_path import claim_fast, save_draft_fast, submit_fast
from labeling.actions.label_leases import (
    claim_from,
    hold_again,
    lease_ahead,
    lease_end,
    lease_task,
    lock_labeler,
    open_label,
)
from labeling.actions.label_slots import lock_tasks, lost_label_with_slot, next_slot, regains_slot, return_slot
from labeling.actions.label_submissions import one_label_a_key, record_submission, require_complete, require_revisable
from labeling.actions.path_consensus import lock_paths_beside
from labeling.actions.path_labels import with_path
from labeling.actions.paths import look_ahead
from labeling.errors import DraftConflict, LabelNotOpen, ReferenceNotAvailable, ReopenTooLate
from labeling.models import Label, Project, Round, Task, User
from labeling.protocol.submission import Submission
from labeling.queries.held_labels import HELD
from labeling.queries.people import keep_active
from labeling.queries.tasks import Claim

LOST = (Label.Status.EXPIRED, Label.Status.RELEASED)
FREE_DRAFT_BYTES = 8192  # of each label's draft: the allowance for claims limits these too


def claim_next_label(
    labeler: User, project: Project, *, prefetch: bool = False, ahead: int = 0, begin_screening: bool = True
) -> Claim:
    """Lease the next task to `labeler`, or return the label they already hold.

    With `prefetch`, a second task is leased ahead; with `ahead`, up to that many, as long as the other active labelers
    are left as many. A labeler never gets a task twice. But a task whose lease they lost comes back to them first,
    with its draft, while its slot is free.

    A paused labeler gets only what they hold. A labeler who needs screening gets screening tasks, the first of them
    only with `begin_screening`. If nothing is found, overdue leases are taken back and the claim waits for tasks that
    others have locked, before it says why it is empty.
    """
    claim = _claim_any(labeler, project, prefetch=prefetch, ahead=ahead, begin=begin_screening)
    look_ahead([claim.label, claim.next])
    return claim


def _claim_any(labeler: User, project: Project, *, prefetch: bool, ahead: int, begin: bool) -> Claim:
    if project.status == Project.Status.ARCHIVED:
        return Claim(None, empty=queries.tasks.why_empty(labeler, project))
    ahead = queries.tasks.share_ahead(labeler, project, ahead) if ahead > 1 else max(ahead, int(prefetch))
    claimed = claim_fast(labeler, project, ahead=ahead)
    if claimed is None and queries.labeler_quality.is_barred(labeler, project):
        return claim_barred(labeler, project, ahead=ahead, begin=begin)
    claim = claimed or _claim(labeler, project, ahead=ahead)
    if claim.label is None and expire_overdue_labels(project=project):
        claim = _claim(labeler, project, ahead=ahead)
    if claim.label is None:
        claim = _claim(labeler, project, ahead=ahead, wait=True)
    if claim.label is not None:
        return claim
    if queries.labeler_quality.is_barred(labeler, project):
        return claim_barred(labeler, project, ahead=ahead, begin=begin)
    return Claim(None, empty=queries.tasks.why_empty(labeler, project))


def show_reference(label: Label) -> str:
    """Return the problem's reference solution, and record that it was viewed.

    Raises ReferenceNotAvailable.
    """
    solution = label.task.trace.problem.reference_solution
    if not label.project.reference_solution or solution is None:
        raise ReferenceNotAvailable
    target = f"label {label.pk}"
    audit_log.record("label.show_reference", actor=label.labeler, project=label.project, target=target)
    return solution


@transaction.atomic
def renew_lease(label: Label) -> Label:
    """Renew the leases on the labeler's open and prefetched labels (the heartbeat). Raises LabelNotOpen."""
    now = timezone.now()
    leased_until = lease_end(label.project, now)
    held = Label.objects.filter(project=label.project, labeler=label.labeler, status__in=HELD)
    if not held.filter(pk=label.pk).update(leased_until=leased_until, last_seen_at=now):
        raise LabelNotOpen(
            "The lease on this label has ended. You can still submit it, and it is kept.",
            status=label.status,
        )
    held.exclude(pk=label.pk).update(leased_until=leased_until)
    label.leased_until = leased_until
    return label


def save_draft(label: Label, *, draft: dict[str, Any], base_revision: int) -> Label:
    """Save the unfinished work, even if the lease has ended. The lease of a held label is renewed.

    Raises DraftConflict, with the stored draft, if another tab or device saved in between; AllowanceUsed.
    """
    grown = beyond_free(draft) - beyond_free(label.draft)
    if grown > 0:  # overwriting takes no more space
        allowances.spend(label.labeler, "draft_bytes", grown)
    if not save_draft_fast(label, draft, base_revision, now=timezone.now()):
        label.refresh_from_db()
        raise DraftConflict(
            "Newer work on this label was saved from another tab or device.",
            draft=label.draft,
            draft_revision=label.draft_revision,
        )
    return label


def beyond_free(draft: dict[str, Any] | None) -> int:
    """Return by how many bytes a draft exceeds the size that does not count towards the allowance."""
    return max(0, len(json.dumps(draft, ensure_ascii=False, separators=(",", ":")).encode()) - FREE_DRAFT_BYTES)


def submit_label(label: Label, submission: Submission) -> Label:
    """Accept a labeler's finished work, exactly once per idempotency key.

    An ended lease loses no work: the label counts if the task's slot is still free. Otherwise, or if the round
    has been closed in the meantime, it is kept as surplus. The first label leased ahead becomes the open one.
    Raises SubmissionIncomplete, ConfirmationNeeded, LabelNotOpen.
    """
    with one_label_a_key():
        submitted = _submit_open(label, submission) or _submit(label, submission)
    if submitted.task.kind == Task.Kind.SCREENING:
        finish_attempt(submitted)
    return submitted


@transaction.atomic
def reopen_label(label: Label) -> Label:
    """Undo a submission: open a label again, with its draft, if it was submitted in the last 60 s.

    The label that was open in the meantime is leased ahead again. If the labeler walks away, the expiry of the
    lease restores the submission. Raises ReopenTooLate, LabelNotOpen.
    """
    keep_active(label.labeler)
    label = queries.labels.lock_label(label)
    if label.status != Label.Status.SUBMITTED or label.submitted_at is None:
        raise LabelNotOpen("Only a submitted label can be taken back.")
    if label.task.kind == Task.Kind.SCREENING:
        raise ReopenTooLate("A screening answer is final: the accepted one may have been shown.")
    if label.task.round.status == Round.Status.CLOSED:  # resubmitted, it would be surplus and missing from the report
        raise ReopenTooLate("The round has been closed in the meantime. Your label counts as submitted.")
    now = timezone.now()
    if now - label.submitted_at > queries.label_comparison.UNDO:
        seconds = queries.label_comparison.UNDO.seconds
        raise ReopenTooLate(f"More than {seconds} seconds have passed. Revise the label under My work.")
    if queries.frozen_labels.is_exported(label):  # its rows must stay as they are in the export
        raise ReopenTooLate("An export made in the meantime may contain this label. Revise it under My work.")
    if label.task.settlement == Task.Settlement.RULED and not label.task.round.keeps_quiet:
        raise ReopenTooLate("A reviewer has settled this trace. Compare the labels under My work.")
    _make_way(label.labeler, label.project, slots_wanted=[label.task_id])
    label.status = Label.Status.OPEN
    label.idempotency_key = None
    label.leased_until = lease_end(label.project, now)
    label.save(update_fields=["status", "idempotency_key", "leased_until"])
    resolve_consensus(label.task)
    return label


@transaction.atomic
def resume_label(label: Label) -> Label:
    """Continue a label whose lease was lost: in its slot if that is still free, else as surplus. In a closed round,
    only a label with a draft can be resumed. A path may also continue in the slot of another path of its problem.
    """
    keep_active(label.labeler)
    label = queries.labels.lock_label(label)
    if label.status == Label.Status.OPEN:
        return label
    if label.status not in LOST:
        raise LabelNotOpen("Only a label whose lease has ended can be resumed.")
    closed = label.task.round.status == Round.Status.CLOSED
    if closed and label.draft is None:
        raise LabelNotOpen("Its round was closed. Anything you submit now is kept as an extra label.")
    slots = queries.paths.slots_for(label)
    _make_way(label.labeler, label.project, slots_wanted=slots)
    label.surplus = closed or not regains_slot(label, of_any_path=slots)
    return open_label(label)


@one_label_a_key()
@transaction.atomic
def revise_label(label: Label, submission: Submission) -> Label:
    """Replace a submitted label by a new version in its slot. The old one is kept as superseded.

    Raises ReviseTooLate, LabelNotOpen.
    """
    lock_labeler(label.labeler)
    label = queries.labels.lock_label(label)
    known = Label.objects.filter(supersedes=label).first()
    if known is not None and _is_repeat(known, submission.idempotency_key):
        return known
    if label.status != Label.Status.SUBMITTED:
        raise LabelNotOpen("Only a submitted label can be revised.")
    now = timezone.now()
    require_revisable(label, now)
    require_complete(label, submission)
    Label.objects.filter(pk=label.pk).update(status=Label.Status.SUPERSEDED)
    revision = Label(
        project=label.project,
        task=label.task,
        labeler=label.labeler,
        status=Label.Status.SUPERSEDED,
        surplus=label.surplus,
        claimed_at=label.claimed_at,
        opened_at=label.opened_at,
        problem=label.task.trace.problem,
        supersedes=label,
        earlier_ms=label.earlier_ms + label.active_ms,
        scores_revealed_at=label.scores_revealed_at,
        before_reveal=label.before_reveal,
        guideline=queries.labels.current_guideline(label.project),
    )
    revision.save()
    record_submission(revision, submission, now=now)
    resolve_consensus(label.task)
    return revision


@transaction.atomic
def release_label(label: Label, *, by: User, reason: str = "") -> Label:
    """Return a held label's slot to the queue. The draft is kept."""
    label = queries.labels.lock_label(label)
    if label.status not in HELD:
        raise LabelNotOpen("This label is not currently held.")
    _give_back([label], lost=Label.Status.RELEASED)
    audit_log.record(
        "label.release",
        actor=by,
        project=label.project,
        target=f"label {label.pk}",
        reason=reason,
        labeler=label.labeler_id,
    )
    label.refresh_from_db(fields=["status"])
    return label


@transaction.atomic
def release_held_labels(labeler: User, project: Project) -> int:
    """Give back everything that a labeler holds in a project. Returns the number of labels."""
    lock_labeler(labeler)
    held = queries.labels.held_labels(labeler, project)
    _give_back(held, lost=Label.Status.RELEASED)
    return len(held)


def give_back_prefetched(labeler: User, project: Project) -> int:
    """Give back the labels leased ahead to a labeler, but not the open one. Runs in the caller's transaction."""
    lock_labeler(labeler)
    ahead = [one for one in queries.labels.held_labels(labeler, project) if one.status == Label.Status.PREFETCHED]
    _give_back(ahead, lost=Label.Status.EXPIRED)
    return len(ahead)


def expire_overdue_labels(*, project: Project | None = None, at_most: int = 500) -> int:
    """Give back the slots of labels whose lease has ended. Returns the number of labels.

    A slot is given back per label, under the label's lock, so running this twice does no harm.
    """
    overdue = Label.objects.filter(status__in=HELD, leased_until__lt=timezone.now())
    if project is not None:
        overdue = overdue.filter(project=project)
    with transaction.atomic():
        labels = list(overdue.order_by("leased_until").select_for_update(skip_locked=True)[:at_most])
        _give_back(labels, lost=Label.Status.EXPIRED)
    return len(labels)


def _submit_open(label: Label, submission: Submission) -> Label | None:
    """Submit in the common case. Returns None in any other case, which must be examined under the label's lock."""
    seen_before = label.submitted_at or label.scores_revealed_at  # the slow path records that scores were shown
    if label.status != Label.Status.OPEN or seen_before or queries.paths.makes_path(label):
        return None
    require_complete(label, submission)
    if not label.task.round.adapts:
        return label if submit_fast(label, submission, now=timezone.now()) else None
    with transaction.atomic():
        if not submit_fast(label, submission, now=timezone.now()):
            return None
        resolve_consensus(label.task)
    return label


@transaction.atomic
def _submit(label: Label, submission: Submission) -> Label:
    label = queries.labels.lock_label(label)
    if label.status == Label.Status.SUBMITTED and _is_repeat(label, submission.idempotency_key):
        return label
    if label.status not in (*HELD, *LOST):
        raise LabelNotOpen("This label was already submitted. Revise it under My work instead.")
    if queries.paths.makes_path(label):
        submission = with_path(label, submission)
    require_complete(label, submission)
    # Read only now that the label is locked: closing a round marks its labels, and this may have waited for that.
    round_closed = Round.objects.filter(pk=label.task.round_id, status=Round.Status.CLOSED).exists()
    if label.status in LOST or label.surplus:
        queries.labels.held_labels(label.labeler, label.project)  # everywhere, labels are locked before tasks
        lock_paths_beside(label)
        label.surplus = round_closed or not regains_slot(label)
    elif round_closed:
        label.surplus = True
    record_submission(label, submission, now=timezone.now())
    _open_prefetched(label.labeler, label.project)
    resolve_consensus(label.task)
    return label


def _claim(labeler: User, project: Project, *, ahead: int, wait: bool = False) -> Claim:
    """Claim from the queue. With `wait`, wait for locks to get an open label, but never to get one leased ahead."""

    def queued_task(status: Label.Status) -> Label | None:
        return _lease_next(labeler, project, status, wait=wait and status == Label.Status.OPEN)

    return claim_from(queued_task, labeler, project, ahead=ahead)


def _give_back(labels: Iterable[Label], *, lost: Label.Status) -> None:
    """Free the slots of these locked, held labels. A label that was submitted before becomes submitted again."""
    now = timezone.now()
    reopened = [label.pk for label in labels if label.submitted_at is not None]
    unfinished = [label for label in labels if label.submitted_at is None]
    Label.objects.filter(pk__in=reopened).update(status=Label.Status.SUBMITTED, leased_until=None)
    Label.objects.filter(pk__in=[label.pk for label in unfinished]).update(status=lost, leased_until=now)
    slots = sorted(label.task_id for label in unfinished if not label.surplus)
    finished = [label.task_id for label in labels if label.submitted_at is not None]
    lock_tasks(slots + finished)
    for task_id in slots:
        return_slot(task_id)
    for task in Task.objects.filter(pk__in=finished).select_related("round").order_by("pk"):
        resolve_consensus(task)


def _lease_next(labeler: User, project: Project, status: Label.Status, *, wait: bool) -> Label | None:
    """Lease a task: one whose lease the labeler lost and whose slot is free, else the next in the queue."""
    if queries.labeler_quality.is_barred(labeler, project):
        return None  # paused while this claim waited for the lock
    if not wait and (own := lost_label_with_slot(labeler, project)) is not None:
        return hold_again(own, status)
    task_id = next_slot(labeler, project, wait=wait)
    return None if task_id is None else lease_task(labeler, project, task_id, status)


def _open_prefetched(labeler: User, project: Project) -> None:
    """Open the first label leased ahead, unless another one is open already (if labels were sent out of order)."""
    own = Label.objects.filter(project=project, labeler=labeler)
    first = own.filter(status=Label.Status.PREFETCHED).order_by("ahead").values("pk")[:1]
    now = timezone.now()
    own.filter(~Exists(own.filter(status=Label.Status.OPEN)), pk__in=first).update(
        status=Label.Status.OPEN,
        opened_at=now,
        last_seen_at=now,
        leased_until=lease_end(project, now),
    )


def _make_way(labeler: User, project: Project, *, slots_wanted: Sequence[int] = ()) -> None:
    """Make room for an open label: lease the present one ahead, before the others, and give back one too many.

    `slots_wanted` are tasks in one of which the caller takes a slot next. All tasks are locked here, in order.
    """
    held = queries.labels.held_labels(labeler, project)
    waiting = [label for label in held if label.status == Label.Status.PREFETCHED]
    going = [*waiting[queries.tasks.MOST_AHEAD - 1 :], *(label for label in held if label.submitted_at is not None)]
    lock_tasks([*(label.task_id for label in going), *slots_wanted])
    _give_back(going, lost=Label.Status.EXPIRED)
    for label in held:
        if label not in going and label.status == Label.Status.OPEN:
            lease_ahead(label, first=True)


def _is_repeat(label: Label, idempotency_key: UUID) -> bool:
    return label.idempotency_key == idempotency_key
