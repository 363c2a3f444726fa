"""A labeler's quality by their gold results, and pauses: by the rule, by a person, and ended."""

from dataclasses import asdict
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from labeling import queries
from labeling.actions import audit_log
from labeling.actions.labels import give_back_prefetched
from labeling.actions.notices import notify
from labeling.errors import NotFound, NotPaused
from labeling.models import Membership, Notice, NoticeKind, Project, User
from labeling.quality.sequential_test import evaluate_labeler
from labeling.queries.labeler_quality import RULES
from labeling.queries.projects import ADMIN

PAUSED_TITLE = "{name} is paused"
PAUSED_EVENT = "paused:{member}:{at}"
TO_ADMINS = ":admins"  # ends the events of notices to them


def evaluate_labelers() -> list[Membership]:
    """Evaluate everybody with a gold result not weighed yet. Returns the members paused for it.

    The result itself records that this must be done: the submission writes it in its own statement, so a gold
    task takes no longer than another, and nothing is lost if a process is killed anywhere. The clock (beat)
    calls this every few seconds; two calls at once do no harm.
    """
    waiting = queries.labeler_quality.labelers_to_evaluate()
    return [member for labeler, project in waiting if (member := _evaluate_labeler(labeler, project)) is not None]


@transaction.atomic
def _evaluate_labeler(labeler: User, project: Project) -> Membership | None:
    """Pause a labeler if their gold results in this run call for it (docs/quality.md). Returns the member if so."""
    member = _lock(Membership.objects.filter(project=project, user=labeler, is_active=True))
    # Before reading the results: one that arrives in the meantime is not marked here, and is weighed next time.
    queries.labeler_quality.results_to_weigh(labeler, project).update(weighed_at=timezone.now())
    if member is None or member.paused_at is not None:
        return None
    results = queries.labeler_quality.results_in_run(member)
    found = evaluate_labeler(results, RULES)
    if found.action != "pause":
        return None
    figures = asdict(found.agreement)
    why = {"by_rule": True, "passed": round(figures["value"] * figures["n"]), **figures}
    why["bar"], why["poor"] = RULES.bar, RULES.poor
    return _pause(member, why, by=None)


@transaction.atomic
def pause_member(actor: User, project: Project, member_id: int, *, reason: str) -> Membership:
    """Stop giving a member new tasks. They may finish open work. Raises NotFound, NotPaused."""
    member = _member(project, member_id)
    if member.paused_at is not None:
        raise NotPaused("This member is already paused.", paused=True)
    return _pause(member, {"by_rule": False, "reason": reason}, by=actor)


@transaction.atomic
def unpause_member(actor: User, project: Project, member_id: int) -> Membership:
    """Give a paused member tasks again, and notify them. Their earlier gold results stay in the figures; a new run
    begins.

    Raises NotFound, NotPaused.
    """
    member = _member(project, member_id)
    if member.paused_at is None:
        raise NotPaused("This member is not paused.", paused=False)
    member.paused_at, member.pause, member.run_since = None, {}, timezone.now()
    member.save(update_fields=["paused_at", "pause", "run_since"])
    audit_log.record("member.unpause", actor=actor, project=project, target=audit_log.of_member(member))
    _tell_to_go_on(member)
    return member


def _pause(member: Membership, why: dict[str, Any], *, by: User | None) -> Membership:
    """Pause a locked member: labels leased ahead go back to the queue, the open one stays theirs."""
    member.paused_at, member.pause = timezone.now(), why
    member.save(update_fields=["paused_at", "pause"])
    give_back_prefetched(member.user, member.project)
    audit_log.record("member.pause", actor=by, project=member.project, target=audit_log.of_member(member), **why)
    _tell(member)
    return member


def _tell(member: Membership) -> None:
    """Notify the labeler that they are paused and where to read why, and the admins that they may have to decide."""
    slug = member.project.slug
    event = PAUSED_EVENT.format(member=member.pk, at=f"{member.paused_at:%Y-%m-%dT%H:%M:%S}")
    notify(
        member.project,
        NoticeKind.PAUSED,
        event=event,
        title=f"You are paused in {member.project.name}",
        text="You get no new tasks for now. You can finish and submit open work. The labeling page says why.",
        path=f"/projects/{slug}/label",
        people=[member.user],
    )
    notify(
        member.project,
        NoticeKind.PAUSED,
        event=event + TO_ADMINS,
        title=PAUSED_TITLE.format(name=member.user.shown_name)[:200],
        text="They get no new tasks until an admin ends the pause.",
        path=f"/projects/{slug}/labeler-quality",
        roles=[ADMIN],
        facts={"member": member.pk, "by_rule": member.pause["by_rule"]},
    )


def _tell_to_go_on(member: Membership) -> None:
    """Notify the labeler that they get tasks again. Mark the notice of the pause as read: it is out of date."""
    old = Notice.objects.filter(person=member.user, event__startswith=PAUSED_EVENT.format(member=member.pk, at=""))
    old.exclude(event__endswith=TO_ADMINS).filter(read_at=None).update(read_at=timezone.now())
    notify(
        member.project,
        NoticeKind.PAUSED,
        event=f"unpaused:{member.pk}:{member.run_since:%Y-%m-%dT%H:%M:%S}",
        title=f"You can continue in {member.project.name}",
        text="An admin has ended your pause. You get new tasks again.",
        path=f"/projects/{member.project.slug}/label",
        people=[member.user],
        facts={"member": member.pk},
    )


def paused_events(labeler: User) -> Q:
    """Match the notices that name this labeler to admins."""
    told = Q(pk__in=[])
    for pk in labeler.memberships.values_list("pk", flat=True):
        told |= Q(event__startswith=PAUSED_EVENT.format(member=pk, at=""), event__endswith=TO_ADMINS)
    return told


def _member(project: Project, member_id: int) -> Membership:
    member = _lock(Membership.objects.filter(project=project, pk=member_id, is_active=True))
    if member is None:
        raise NotFound
    return member


def _lock(members: Any) -> Membership | None:
    found: Membership | None = (
        members.select_related("user", "project").select_for_update(of=("self",), no_key=True).first()
    )
    return found
