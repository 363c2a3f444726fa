"""Screening: gold tasks that a new annotator does before real work, and the decision at the end."""

from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from labeling import queries
from labeling.actions import audit_log
from labeling.actions.label_leases import claim_from, hold_again, lease_task, lock_labeler
from labeling.actions.notices import notify
from labeling.errors import NoRetry, NotFound
from labeling.models import (
    Gold,
    GoldResult,
    Label,
    Membership,
    NoticeKind,
    Project,
    Round,
    ScreeningAttempt,
    Task,
    Trace,
    User,
)
from labeling.protocol.every_step import EVERY_STEP
from labeling.protocol.first_error import FIRST_ERROR
from labeling.quality.gold_schedule import draw_for
from labeling.queries.projects import ADMIN
from labeling.queries.screening import screening_of
from labeling.queries.tasks import Claim, Empty

REJECTED_TITLE = "{name} did not pass the screening"
REJECTED_EVENT = "screening_rejected:{member}:{attempt}"


def claim_barred(labeler: User, project: Project, *, ahead: int, begin: bool) -> Claim:
    """Claim for a labeler who gets no work: what they hold already, or a screening task, or else the reason for
    neither.

    Without `begin`, no screening begins: the labeler is first told about it.
    """

    def screening_task(status: Label.Status) -> Label | Empty | None:
        member = queries.labeler_quality.membership_of(labeler, project)
        if member is None or member.paused_at is not None:
            return Empty("paused", "You get no new tasks for now. A project admin can let you continue.")
        attempt = _attempt_of(member, begin=begin)
        return attempt if isinstance(attempt, Empty) else _next_of(attempt, labeler, project, status)

    return claim_from(screening_task, labeler, project, ahead=min(ahead, 1))


@transaction.atomic
def finish_attempt(label: Label) -> ScreeningAttempt | None:
    """Decide after the last screening answer of an attempt. Returns the attempt if it is over now."""
    members = Membership.objects.filter(project=label.project_id, user=label.labeler_id)
    member = members.select_related("user", "project").select_for_update(of=("self",), no_key=True).first()
    lock_labeler(label.labeler)
    attempts = queries.screening.attempts_of(label.labeler, label.project)
    attempt = next((one for one in attempts if label.task_id in one.tasks), None)
    if attempt is None or attempt.finished_at is not None or member is None:
        return None
    results = queries.screening.results_of_attempt(attempt)
    if len(results) < len(attempt.tasks):
        return None
    now = timezone.now()
    attempt.passed, attempt.finished_at = sum(results), now
    attempt.save(update_fields=["passed", "finished_at"])
    admitted = attempt.passed >= attempt.needed
    if admitted:
        Membership.objects.filter(pk=member.pk, admitted_at=None).update(admitted_at=now)
    audit_log.record(
        "screening.admit" if admitted else "screening.fail",
        actor=None,
        project=label.project,
        target=audit_log.of_member(member),
        attempt=attempt.number,
        passed=attempt.passed,
        of=len(attempt.tasks),
        needed=attempt.needed,
    )
    if queries.screening.screening_state(member, attempts) == "rejected":
        tell_rejected(member, attempt)
    return attempt


def object_to_gold(labeler: User, label_id: int, *, text: str) -> dict[str, Any]:
    """Store why a labeler thinks the accepted answer of a screening task is wrong; a blank text removes it. Returns the
    feedback that they are shown on the task. The result does not change: whoever maintains the gold reads the text
    there. Raises NotFound.
    """
    told = queries.screening.feedback_on(labeler, label_id)
    GoldResult.objects.filter(label=label_id).update(objection=text.strip())
    return told | {"objection": text.strip()}


@transaction.atomic
def retry_screening(labeler: User, project: Project) -> ScreeningAttempt:
    """Start the next attempt after a failed one. Raises NoRetry."""
    lock_labeler(labeler)
    member = queries.labeler_quality.membership_of(labeler, project)
    attempts = queries.screening.attempts_of(labeler, project)
    if member is None or queries.screening.member_state(member, attempts) != "retry":
        raise NoRetry
    attempt = _begin(member)
    if attempt is None:
        raise NoRetry(_too_little_gold(project))
    return attempt


@transaction.atomic
def admit_member(actor: User, project: Project, member_id: int) -> Membership:
    """Admit a member to work without (further) screening. Raises NotFound."""
    member = _lock_member(project, member_id)
    if member.admitted_at is None:
        member.admitted_at = timezone.now()
        member.save(update_fields=["admitted_at"])
        audit_log.record("screening.admit_by_hand", actor=actor, project=project, target=audit_log.of_member(member))
        _tell_labeler(member, "admitted", "An admin has admitted you. You can start labeling.")
    return member


@transaction.atomic
def allow_attempt(actor: User, project: Project, member_id: int) -> Membership:
    """Allow a member one more screening attempt than the project's rule. Raises NotFound."""
    member = _lock_member(project, member_id)
    member.extra_attempts += 1
    member.save(update_fields=["extra_attempts"])
    audit_log.record(
        "screening.allow_attempt",
        actor=actor,
        project=project,
        target=audit_log.of_member(member),
        extra=member.extra_attempts,
    )
    again = f"again:{member.extra_attempts}"
    _tell_labeler(member, again, "An admin has given you another attempt at the screening.")
    return member


def tell_rejected(member: Membership, attempt: ScreeningAttempt) -> None:
    """Notify a project's admins, who may have to decide: a labeler with no attempt left is told to ask them."""
    project = member.project
    notify(
        project,
        NoticeKind.SCREENING,
        event=REJECTED_EVENT.format(member=member.pk, attempt=attempt.number),
        title=REJECTED_TITLE.format(name=member.user.shown_name)[:200],
        text=f"{attempt.passed} of {len(attempt.tasks)} tasks were right, but {attempt.needed} are needed, and no"
        " attempt is left. The labeler gets no work until an admin admits them or gives them another attempt.",
        path=f"/projects/{project.slug}/labeler-quality",
        roles=[ADMIN],
        facts={"member": member.pk, "passed": attempt.passed, "of": len(attempt.tasks), "needed": attempt.needed},
    )


def _tell_labeler(member: Membership, event: str, text: str) -> None:
    notify(
        member.project,
        NoticeKind.SCREENING,
        event=f"screening:{member.pk}:{event}",
        title=f"You can continue in {member.project.name}",
        text=text,
        path=f"/projects/{member.project.slug}/label",
        people=[member.user],
        facts={"member": member.pk},
    )


def rejected_events(labeler: User) -> Q:
    """Match the notices that name this labeler to admins."""
    told = Q(pk__in=[])
    for pk in labeler.memberships.values_list("pk", flat=True):
        told |= Q(event__startswith=REJECTED_EVENT.format(member=pk, attempt=""))
    return told


def _attempt_of(member: Membership, *, begin: bool) -> ScreeningAttempt | Empty:
    """Return the current attempt, started if it is the first, or else the reason why there is none."""
    attempts = queries.screening.attempts_of(member.user, member.project)
    state = queries.screening.screening_state(member, attempts)
    if state == "retry":
        return Empty("screening_failed", "You did not pass the screening. You can try once more.")
    if state == "rejected":
        sentence = "You did not pass the screening, so you get no tasks here. Ask a project admin about it."
        return Empty("screening_rejected", sentence)
    if not attempts and not begin and len(_gold_for(member)) == member.project.screening_tasks:
        return Empty("screening_not_begun", "You do a screening before real work. It begins when you start it.")
    attempt = attempts[-1] if attempts else _begin(member)
    return Empty("screening_not_ready", _too_little_gold(member.project)) if attempt is None else attempt


def _too_little_gold(project: Project) -> str:
    return (
        f"The screening needs {project.screening_tasks} gold tasks, but the project has fewer. "
        "Ask a project admin to add some."
    )


def _begin(member: Membership) -> ScreeningAttempt | None:
    """Create an attempt on the gold that the labeler knows least. Returns None if there is too little gold."""
    project, labeler = member.project, member.user
    screening = screening_of(member)
    gold = _gold_for(member)
    if len(gold) < screening.tasks:
        return None
    number = len(queries.screening.attempts_of(labeler, project)) + 1
    draw = draw_for(project.export_salt, "screening", number, labeler.pk)
    draw.shuffle(gold)
    round_ = _round_of(project, number, gold)
    tasks = {
        one.trace_id: Task.objects.get_or_create(
            round=round_,
            trace_id=one.trace_id,
            defaults={"kind": Task.Kind.SCREENING, "reason": "screening", "order_key": 0, "labels_wanted": 0},
        )[0].pk
        for one in gold
    }
    return ScreeningAttempt.objects.create(
        project=project,
        labeler=labeler,
        number=number,
        tasks=[tasks[one.trace_id] for one in gold],
        needed=screening.needed,
        feedback=project.screening_feedback,
    )


def _gold_for(member: Membership) -> list[Gold]:
    """Return the gold that an attempt started now would use, which may be too little."""
    return queries.screening.gold_for_attempt(member.user, member.project)[: member.project.screening_tasks]


def _round_of(project: Project, attempt: int, gold: list[Gold]) -> Round:
    """Return the round of everybody's tasks of the first, second, … attempt. Agents' runs are rated to the end."""
    runs = not Trace.objects.filter(pk__in=[one.trace_id for one in gold], typed_steps__isnull=True).exists()
    about = {"status": Round.Status.SCREENING, "name": "Screening" if attempt == 1 else f"Screening {attempt}"}
    about["protocol"] = (EVERY_STEP if runs else FIRST_ERROR).name
    found, _ = Round.objects.get_or_create(project=project, number=-attempt, defaults=about)
    return found


def _next_of(attempt: ScreeningAttempt, labeler: User, project: Project, status: Label.Status) -> Label | Empty:
    """Lease the attempt's next task, or the labeler's label on it whose lease was lost."""
    for task_id in queries.screening.tasks_to_do(attempt)[:1]:
        lost = queries.screening.lost_label_on(labeler, task_id)
        if lost is None:
            return lease_task(labeler, project, task_id, status)
        lost.project, lost.labeler, lost.surplus = project, labeler, False
        return hold_again(lost, status)
    return Empty("screening_not_ready", "Your last screening answer is still being processed. Look again soon.")


def _lock_member(project: Project, member_id: int) -> Membership:
    members = Membership.objects.filter(project=project, pk=member_id, is_active=True).select_related("user", "project")
    member = members.select_for_update(of=("self",), no_key=True).first()
    if member is None:
        raise NotFound
    return member
