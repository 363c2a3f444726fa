"""Deletion of a person's data, keeping their labels as far as the protocol needs them, and of abandoned drafts."""

from collections import Counter
from collections.abc import Collection
from typing import Any

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import models, transaction
from django.db.models import CharField, Q, QuerySet, Value
from django.db.models.functions import Cast, Concat
from django.utils import timezone

from labeling.actions import audit_log
from labeling.actions.gold_screening import REJECTED_TITLE, rejected_events
from labeling.actions.invitations import invited_event, invited_text
from labeling.actions.labeler_quality import PAUSED_TITLE, paused_events
from labeling.actions.labels import release_held_labels
from labeling.actions.logged_in import end_every_session
from labeling.actions.notices import HASTY_TITLE, hasty_events
from labeling.actions.webhook_deliveries import TRIED
from labeling.errors import InvalidFields, LastAdmin
from labeling.models import (
    AuditEvent,
    Delivery,
    Invitation,
    Label,
    Notice,
    Project,
    Provisioned,
    ReviewDecision,
    SourceText,
    User,
)
from labeling.queries.people import needing_as_admin
from labeling.queries.project_rows import tables_of
from labeling.queries.retention import old_drafts, old_heads, old_rollouts, taken_out_projects
from labeling.queries.sign_in import FORGOTTEN, forgotten_names
from labeling.queries.spelling import spelled

FORMER = "former-{pk}"  # nothing records any more who it was
NO_TRACE: dict[str, Any] = {
    "display_name": "",
    "first_name": "",
    "last_name": "",
    "email": "",
    "external_id": "",
    "preferences": {},
    "notice_choices": {},
    "last_login": None,
    "is_active": False,
    "is_staff": False,
    "is_superuser": False,
}
LAST = "{name} is the last admin of {projects}. Make someone else an admin there first."
LAST_OF_SITE = "{name} is the last administrator of the site. Create another first (manage.py create_admin)."
Counts = dict[str, int]


@transaction.atomic
def forget_person(person: User, by: User | None = None) -> Counts:
    """Delete a person's identity: name, mail, password, tokens, sessions, notices, drafts. What they held is released.

    Labels, remarks, reviews and rounds stay under a name that reveals nothing, because other people's figures and
    exports depend on them. In exports, the labeler's id was never a name. Raises LastAdmin. Returns the counts of what
    was deleted.
    """
    # Locked before the person, as wherever an admin is lost.
    list(Project.objects.select_for_update(no_key=True).filter(memberships__user=person).order_by("pk"))
    person = _lock_with_superusers(person)
    _refuse_to_lose_the_last(person)
    counts = {"memberships": 0, "released": 0}
    for member in person.memberships.select_for_update(of=("self",)).select_related("project").filter(is_active=True):
        counts["released"] += release_held_labels(person, member.project)
        counts["memberships"] += 1
    person.memberships.update(is_active=False)
    counts["drafts"] = _delete_drafts(person)
    counts["login_attempts"] = _delete_login_attempts(person)
    end_every_session(person)
    _close_invitations(person)
    former = FORMER.format(pk=person.pk)
    _rename_in_what_others_were_told(person, former)
    kept_out = _names_kept_out(person)
    counts |= _delete_what_is_theirs_alone(person)
    if kept_out:
        Provisioned.objects.create(user=person, external_id=kept_out, deleted_at=timezone.now())
    person.username = former
    person.set_unusable_password()
    for field, value in NO_TRACE.items():
        setattr(person, field, value)
    person.save()
    audit_log.record("person.forget", actor=by, target=f"person {person.pk}", gone=counts)
    return counts


def forget_in_what_came_back(project: Project) -> Counts:
    """Forget people in a project's rows restored from a file, as was done in all others. Returns the counts.

    Call it in the transaction that restores the rows, after their foreign keys were checked. The check waits for a
    person who is being forgotten at the moment, and makes the next one wait until the rows are visible.
    """
    tables = [table.name for table in tables_of(project)]
    counts: Counter[str] = Counter()
    name = Concat(Value(FORMER.format(pk="")), Cast("pk", CharField()))
    for person in User.objects.filter(is_active=False, username=name).order_by("pk"):
        counts["released"] += release_held_labels(person, project)
        counts["drafts"] += _delete_drafts(person)
        counts.update(_delete_what_is_theirs_alone(person, tables))
    return {what: count for what, count in counts.items() if count}


def _delete_drafts(person: User) -> int:
    return person.labels.exclude(status=Label.Status.SUBMITTED).exclude(draft=None).update(draft=None)


def _lock_with_superusers(person: User) -> User:
    """Return the person, locked. If they are a superuser, all others are locked, too, in the order of their ids: of two
    forgotten at once, the second one sees that the first is gone.
    """
    together = Q(pk=person.pk)
    if User.objects.filter(pk=person.pk, is_superuser=True).exists():
        together |= Q(is_superuser=True)
    locked = User.objects.select_for_update().filter(together).order_by("pk")
    return {one.pk: one for one in locked}[person.pk]


def _refuse_to_lose_the_last(person: User) -> None:
    others = User.objects.filter(is_superuser=True, is_active=True).exclude(pk=person.pk)
    if person.is_superuser and not others.exists():
        raise LastAdmin(LAST_OF_SITE.format(name=person.username))
    left = list(needing_as_admin(person).values_list("slug", flat=True))
    if left:
        raise LastAdmin(LAST.format(name=person.username, projects=", ".join(left)))


def _names_kept_out(person: User) -> str:
    """Return what tells a later sign-in that SCIM switched this person off, or "" if it did not."""
    kept = Provisioned.objects.filter(user=person).first()
    if kept is None or person.is_active:
        return ""
    if kept.external_id.startswith(FORGOTTEN):
        return kept.external_id
    return FORGOTTEN + ",".join(forgotten_names([kept.external_id, person.email, person.username]))


def _delete_login_attempts(person: User) -> int:
    """Delete login attempts by what was typed: the name in upper or lower case, or the address in its place."""
    typed = models.Q(username__iexact=person.username)
    if person.email:
        typed |= models.Q(username__iexact=person.email)
    return sum(kind.objects.filter(typed).delete()[0] for kind in (AccessAttempt, AccessFailureLog, AccessLog))


def _close_invitations(person: User) -> None:
    """Close the invitations they made, whose mails name them, and those sent to their address. Remove their name from
    others.

    An invitation by name alone stays open for its link, which belongs to the inviter: ending it would reveal that the
    name existed.
    """
    ends, named = Q(created_by=person), Q(accepted_by=person) | Q(invitee=person)
    named |= Q(spelled("username", person.username))
    if person.email:
        ends |= Q(email__iexact=person.email)
        named |= Q(email__iexact=person.email)
    Delivery.objects.filter(invitation__in=Invitation.objects.filter(ends | named)).delete()
    Invitation.objects.filter(ends, accepted_at=None, revoked_at=None).update(revoked_at=timezone.now())
    Invitation.objects.filter(named).update(email="", username="")
    Invitation.objects.filter(invitee=person).update(invitee=None)


def _rename_in_what_others_were_told(person: User, former: str) -> None:
    """Rename them in notices about them, in what was sent of these, and in Django's own log of the admin pages."""
    told = [(hasty_events(person), HASTY_TITLE), (paused_events(person), PAUSED_TITLE)]
    for about, title in (*told, (rejected_events(person), REJECTED_TITLE)):
        now = title.format(name=former)
        Notice.objects.filter(about).update(title=now)
        for sent in Delivery.objects.filter(about):
            sent.message = {**sent.message, "title": now}
            sent.save(update_fields=["message"])
    for invitation in Invitation.objects.filter(created_by=person, told_at__isnull=False):
        event, text = invited_event(invitation), invited_text(invitation, former)
        Notice.objects.filter(event=event).update(text=text)
        for sent in Delivery.objects.filter(event=event):
            sent.message = {**sent.message, "text": text}
            sent.save(update_fields=["message"])
    for tried in Delivery.objects.filter(kind="try").exclude(message__text=TRIED):  # older ones, which contain a name
        tried.message = {**tried.message, "text": TRIED}
        tried.save(update_fields=["message"])
    their_page = {"content_type": ContentType.objects.get_for_model(User), "object_id": str(person.pk)}
    LogEntry.objects.filter(**their_page).update(object_repr=former)


def _delete_what_is_theirs_alone(person: User, tables: Collection[str] | None = None) -> Counts:
    """Delete the rows that would go with the account: tokens, notices, and anything else that belongs to nobody else.

    Only in these tables, or in all if None.
    """
    counts = {}
    for relation in User._meta.get_fields(include_hidden=True):
        if isinstance(relation, models.ManyToOneRel) and relation.on_delete is models.CASCADE:
            if tables is not None and relation.related_model._meta.db_table not in tables:
                continue
            theirs = relation.related_model._base_manager.filter(**{relation.field.name: person})
            counts[str(relation.related_model._meta.model_name)] = theirs.delete()[0]
    return counts


@transaction.atomic
def preview_forgetting(person: User) -> dict[str, Any]:
    """Return what would be deleted or released (counted by doing and undoing it), what stays, in which projects' files,
    and why it is not possible.
    """
    goes: Counts = {}
    why_not = ""
    try:
        with transaction.atomic():
            goes = forget_person(person)
            transaction.set_rollback(True)
    except LastAdmin as refused:
        why_not = refused.detail
    return {**_about(person), "goes": goes, "why_not": why_not}


@transaction.atomic
def forget_named(person: User, again: str, *, by: User) -> dict[str, Any]:
    """Forget a person whose name was typed twice. Raises InvalidFields (again), LastAdmin."""
    if again != person.username:
        raise InvalidFields(fields={"again": ["The name does not match. Type it exactly as shown above."]})
    if person == by:
        raise InvalidFields(fields={"username": ["This is your own account. Another administrator must do this."]})
    about = _about(person)
    return {**about, "goes": forget_person(person, by), "why_not": ""}


def _about(person: User) -> dict[str, Any]:
    stays = {
        "labels": person.labels.filter(status=Label.Status.SUBMITTED).count(),
        "reviews": ReviewDecision.objects.filter(by=person).count(),
        "audit entries": AuditEvent.objects.filter(actor=person).count(),
    }
    return {
        "username": person.username,
        "name_afterwards": FORMER.format(pk=person.pk),
        "stays": stays,
        "taken_out": taken_out_projects(person),
    }


@transaction.atomic
def prune(days: int, project: Project | None = None, *, rollouts: bool = False, by: User | None = None) -> Counts:
    """Delete old drafts, reports' first rows and, with `rollouts`, rollouts and judges' texts, of one project or all.

    Labels, hits, votes and marks stay. Returns the numbers of labels, imports and traces.
    """
    counts = {
        "drafts": old_drafts(days, project).update(draft=None),
        "heads": old_heads(days, project).update(head=[]),
        "rollouts": _delete(old_rollouts(days, project)) if rollouts else 0,
    }
    if any(counts.values()):
        target = f"project {project.slug}" if project else "site"
        audit_log.record("retention.prune", actor=by, project=project, target=target, days=days, gone=counts)
    return counts


def _delete(rows: QuerySet[SourceText]) -> int:
    return rows.delete()[0]
