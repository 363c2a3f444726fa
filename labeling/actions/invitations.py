"""Invitations: links that let one person join a project, once, until they expire.

An invitation for a user name appears in the notices of the person with that name here. The inviter cannot find out
whether that person exists: the answer and the list are the same until the person joins (docs/decisions/0047).
"""

import secrets
import uuid
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.cache import caches
from django.db import IntegrityError, transaction
from django.utils import timezone

from labeling.actions import audit_log
from labeling.actions.allowances import spend
from labeling.actions.api_tokens import hash_of
from labeling.actions.jobs import DELIVER, wake_worker
from labeling.actions.notices import notify
from labeling.actions.outgoing_mail import INVITATION, invitation_secret
from labeling.actions.people import create_person
from labeling.errors import (
    AlreadyMember,
    InvalidFields,
    InvitationNotOpen,
    MembershipDeactivated,
    NoMail,
    NoNewPassword,
    NotFound,
)
from labeling.formats.names import one_line
from labeling.models import Delivery, Invitation, Membership, NoticeKind, Project, User
from labeling.queries.people import active_person_named, invitation_state, invitations, invitations_to_tell
from labeling.queries.projects import ADMIN, get_project_by_id_as
from labeling.queries.sign_in import site_mails
from labeling.queries.spelling import spelled
from labeling.queries.user_names import LOOKS_TAKEN, TAKEN

WHY_NOT_OPEN = {
    "expired": "This invitation has expired. Ask the person who sent it for a new one.",
    "used": "This invitation has already been used. If it was not you, ask for a new one.",
    "revoked": "This invitation was withdrawn. Ask the person who sent it for a new one.",
}
MOST_TAKEN = 5  # taken user names tried with one link
COUNTED = 91 * 24 * 60 * 60  # seconds: longer than a link lives
TELL = "worker.tell_invited"
IN_IT = "A person with this name is or was in the project: see the members above."
MAIL = (
    "{who} invites you to {project} as {role}. Join with this link, with a new account or with the one you have. "
    "It expires on {until:%d %B %Y at %H:%M} UTC:"
)


@transaction.atomic
def create_invitation(
    actor: User, project: Project, *, role: str, email: str, days: int, mail: bool = False, username: str = ""
) -> tuple[Invitation, str]:
    """Create an invitation. Returns it with the secret of its link, which cannot be read again; `mail` also mails it to
    `email`.

    `username`: the person with this name here finds it in their notices. A worker writes these, so that this call takes
    no longer if they exist. Raises NoMail, InvalidFields, AllowanceUsed.
    """
    if mail:
        _require_mail(actor, email)
    invitee = _invitee(actor, project, username) if username else None
    number = uuid.uuid4()
    secret = invitation_secret(number) if mail else secrets.token_urlsafe(32)
    invitation = Invitation.objects.create(
        project=project,
        role=role,
        email=email,
        username=username,
        invitee=invitee,
        token_hash=hash_of(secret),
        created_by=actor,
        expires_at=timezone.now() + timedelta(days=days),
    )
    target = f"invitation {invitation.pk}"
    how = {"mailed": mail, "by_name": bool(username)}  # not the name: the log cannot forget it
    audit_log.record("invitation.create", actor=actor, project=project, target=target, role=role, **how)
    if mail:
        _send(invitation, number)
    if username:
        wake_worker(TELL, invitation.pk)
    return invitations().get(pk=invitation.pk), secret


def _invitee(actor: User, project: Project, username: str) -> User | None:
    """Return the person with this name, if any. Refuses those in the project: its admins know its members."""
    spend(actor, "mails")
    if Membership.objects.filter(spelled("user__username", username), project=project).exists():
        raise InvalidFields(fields={"username": [IN_IT]})
    return active_person_named(username)


@transaction.atomic
def tell_invited(invitation_id: int | None = None) -> int:
    """Notify people of this invitation, or of all, if they have not been told yet. Returns the number of notices.

    A person with several invitations to one project is told of one.
    """
    of_one = {} if invitation_id is None else {"pk": invitation_id}
    found = invitations_to_tell().select_for_update(of=("self",), skip_locked=True).filter(**of_one).order_by("pk")
    newest = {(invitation.invitee_id, invitation.project_id): invitation for invitation in found}
    for invitation in newest.values():
        assert invitation.invitee is not None  # `invitations_to_tell`
        notify(
            None,  # no project: its webhooks would reveal whether the name exists
            NoticeKind.INVITED,
            event=invited_event(invitation),
            title=f"You are invited to {invitation.project.name}"[:200],
            text=invited_text(invitation, invitation.created_by.shown_name),
            path="/projects",
            people=[invitation.invitee],
        )
        invitation.told_at = timezone.now()
        invitation.save(update_fields=["told_at"])
    return len(newest)


def invited_event(invitation: Invitation) -> str:
    """Return the event of an invitation's notice."""
    return f"invited:{invitation.pk}"


def invited_text(invitation: Invitation, maker: str) -> str:
    """Return the text of an invitation's notice. `maker` is the inviter's name."""
    return (
        f"{one_line(maker)} invites you to {one_line(invitation.project.name)} as {invitation.role}. It expires on "
        f"{invitation.expires_at:%d %B %Y at %H:%M} UTC. Join the project from your list of projects."
    )


def _require_mail(actor: User, email: str) -> None:
    if not site_mails():
        raise NoMail
    if not email:
        raise InvalidFields(fields={"email": ["Give the address to send the link to."]})
    spend(actor, "mails")


def _send(invitation: Invitation, number: uuid.UUID) -> None:
    project = invitation.project
    who, name = one_line(invitation.created_by.shown_name), one_line(project.name)
    text = MAIL.format(who=who, project=name, role=invitation.role, until=invitation.expires_at)
    message = {"title": f"You are invited to {name}", "text": text, "path": ""}
    about = {"kind": INVITATION, "event": f"{INVITATION}:{invitation.pk}", "message": message}
    delivery = Delivery.objects.create(number=number, project=project, invitation=invitation, **about)
    wake_worker(DELIVER, delivery.pk)


@transaction.atomic
def revoke_invitation(actor: User, invitation_id: int) -> Invitation:
    """Withdraw an open invitation. A used or expired one is left as it is. Raises NotFound."""
    invitation = invitations().select_for_update(of=("self",)).filter(pk=invitation_id).first()
    if invitation is None:
        raise NotFound
    project = get_project_by_id_as(actor, invitation.project_id, ADMIN)
    if invitation_state(invitation) == "open":
        invitation.revoked_at = timezone.now()
        invitation.save(update_fields=["revoked_at"])
        audit_log.record("invitation.revoke", actor=actor, project=project, target=f"invitation {invitation.pk}")
    return invitation


def accept_invitation(secret: str, person: User | None, **account: str) -> User:
    """Join the project as `person`, or as a new account with this username, password and display_name. Returns who
    joined.

    The invitation's row is locked: if two people use a link at once, one of them joins. After MOST_TAKEN tries of taken
    names the link ends, because such tries reveal who is here.
    Raises NotFound, InvitationNotOpen, InvalidFields, NoNewPassword, AlreadyMember, MembershipDeactivated.
    """
    try:
        return _accept_link(secret, person, **account)
    except InvalidFields as refused:
        if refused.extra["fields"].get("username") in ([TAKEN], [LOOKS_TAKEN]):
            _note_taken(hash_of(secret))
        raise


@transaction.atomic
def _note_taken(token_hash: str) -> None:
    """Count a taken name; the last one ends the link. Has its own transaction, as the refusal's is undone."""
    invitation = Invitation.objects.select_for_update(of=("self",)).select_related("project").get(token_hash=token_hash)
    counts: Any = caches["default"]
    if counts.count(f"names-taken-{invitation.pk}", 1, COUNTED) < MOST_TAKEN:
        return
    Invitation.objects.filter(pk=invitation.pk, revoked_at=None).update(revoked_at=timezone.now())
    target, why = f"invitation {invitation.pk}", f"{MOST_TAKEN} user names were tried that were already taken"
    audit_log.record("invitation.revoke", actor=None, project=invitation.project, target=target, why=why)


@transaction.atomic
def _accept_link(
    secret: str, person: User | None, *, username: str = "", password: str = "", display_name: str = ""
) -> User:
    found = invitations().select_for_update(of=("self",)).select_related("project")
    invitation = found.filter(token_hash=hash_of(secret)).first()
    if invitation is None:
        raise NotFound
    _require_open(invitation)
    if person is None:
        if settings.PASSWORD_LOGIN_FOR:
            raise NoNewPassword
        person = _create_invited(invitation, username, password, display_name)
    _accept(invitation, person)
    return person


@transaction.atomic
def join_by_invitation(person: User, invitation_id: int) -> None:
    """Join the project by an invitation for this person, without its link.

    Raises NotFound, InvitationNotOpen, AlreadyMember, MembershipDeactivated.
    """
    found = invitations().select_for_update(of=("self",)).select_related("project")
    invitation = found.filter(pk=invitation_id, invitee=person).first()
    if invitation is None:
        raise NotFound
    _require_open(invitation)
    _accept(invitation, person)


def _require_open(invitation: Invitation) -> None:
    state = invitation_state(invitation)
    if state != "open":
        raise InvitationNotOpen(WHY_NOT_OPEN[state], state=state)


def _accept(invitation: Invitation, person: User) -> None:
    _join(invitation, person)
    invitation.accepted_by = person
    invitation.accepted_at = timezone.now()
    invitation.save(update_fields=["accepted_by", "accepted_at"])


def _create_invited(invitation: Invitation, username: str, password: str, display_name: str) -> User:
    needed = {"username": username, "password": password}
    missing = {name: ["Give a value to create your account."] for name, value in needed.items() if not value}
    if missing:
        raise InvalidFields(fields=missing)
    return create_person(username=username, password=password, display_name=display_name, email=invitation.email)


def _join(invitation: Invitation, person: User) -> None:
    project = invitation.project
    member = Membership.objects.filter(project=project, user=person).first()
    if member is not None:
        raise AlreadyMember if member.is_active else MembershipDeactivated
    try:
        with transaction.atomic():
            member = Membership.objects.create(project=project, user=person, role=invitation.role)
    except IntegrityError as race:  # the same person used two links at once
        raise AlreadyMember from race
    _end_others(invitation, person)
    audit_log.record(
        "invitation.accept",
        actor=person,
        project=project,
        target=f"invitation {invitation.pk}",
        role=invitation.role,
        member=member.pk,
    )


def _end_others(invitation: Invitation, person: User) -> None:
    """Withdraw other invitations for this person, perhaps to a higher role: they have joined with this one."""
    others = Invitation.objects.filter(project=invitation.project, invitee=person, accepted_at=None, revoked_at=None)
    for other in others.exclude(pk=invitation.pk):
        other.revoked_at = timezone.now()
        other.save(update_fields=["revoked_at"])
        target, why = f"invitation {other.pk}", f"they joined by invitation {invitation.pk}"
        audit_log.record("invitation.revoke", actor=person, project=invitation.project, target=target, why=why)
