"""People: logging in and out, passwords, preferences, and changes to members by an admin."""

from django.contrib.auth import authenticate, login, logout, update_session_auth_hash
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.utils import timezone

from labeling import queries
from labeling.actions import api_tokens, audit_log
from labeling.actions.labels import release_held_labels
from labeling.actions.logged_in import end_browsers, note_login, note_new_key
from labeling.actions.rechecks import is_password, note_check, refusal_of
from labeling.errors import InvalidFields, LastAdmin, NotFound, WrongCredentials
from labeling.models import ApiToken, Invitation, LoggedIn, Membership, Project, User
from labeling.queries.user_names import TAKEN, fault_of_new_name

MODEL_BACKEND = "django.contrib.auth.backends.ModelBackend"


def log_in(request: HttpRequest, *, username: str, password: str, code: str = "") -> User:
    """Start a session under a new session key. `code`: from the person's second factor, if they have one.

    Not one transaction: a failure must be counted although the request is refused.
    Raises WrongCredentials, LockedOut, SecondFactorNeeded.
    """
    person = authenticate(request, username=username, password=password, code=code)
    if person is None:
        raise refusal_of(request, username, WrongCredentials())
    start_session(request, person)
    return person


def start_session(
    request: HttpRequest, person: User, *, how: str = LoggedIn.How.PASSWORD, proved_at: float | None = None
) -> None:
    """Log this person in to `request`'s browser, with a new session key and a new CSRF token.

    `proved_at`: when they last proved who they are, in seconds since 1970. None: by this login.
    """
    login(request, person, backend=MODEL_BACKEND)
    note_check(request, proved_at)
    note_login(request, person, how)
    audit_log.record("session.log_in", actor=person)


def log_out(request: HttpRequest) -> None:
    """End this session. Does nothing if nobody is logged in."""
    if request.user.is_authenticated:
        audit_log.record("session.log_out", actor=request.user)
        LoggedIn.objects.filter(session_key=request.session.session_key).delete()
    logout(request)


def change_password(request: HttpRequest, person: User, *, old: str, new: str, revoke_tokens: bool = False) -> None:
    """Set a new password. This session continues; the person's other sessions end and, if requested, all API tokens.

    A wrong old password counts as a failed login. Raises InvalidFields (a wrong old password, a weak new one),
    LockedOut.
    """
    if not is_password(request, person, old):
        wrong = InvalidFields(fields={"old_password": ["This is not your current password."]})
        raise refusal_of(request, person.username, wrong)
    check_password_strength(new, person, field="new_password")
    with transaction.atomic():
        person.set_password(new)
        person.save(update_fields=["password"])
        audit_log.record("person.change_password", actor=person)
        if revoke_tokens:
            api_tokens.revoke_tokens(ApiToken.objects.filter(user=person), by=person, why="the password was changed")
        before = request.session.session_key
        end_browsers(person, but=before)
    update_session_auth_hash(request, person)
    note_new_key(before, request)


def check_password_strength(password: str, person: User, *, field: str = "password") -> None:
    """Raise InvalidFields, with a sentence per fault, if the password is weak for this person."""
    try:
        validate_password(password, person)
    except ValidationError as weak:
        raise InvalidFields(fields={field: list(weak.messages)}) from weak


def save_preferences(person: User, preferences: dict[str, object]) -> None:
    """Replace the person's preferences (key bindings, theme). Not audited: they are the person's own."""
    person.preferences = preferences
    person.save(update_fields=["preferences"])


def create_person(
    *,
    username: str,
    password: str,
    display_name: str = "",
    email: str = "",
    is_superuser: bool = False,
) -> User:
    """Create an account. The name is normalised (NFKC).

    Raises InvalidFields if the name is taken, looks like another person's or mixes scripts, or if the password is weak.
    """
    username = User.normalize_username(username)
    person = User(
        username=username,
        display_name=display_name,
        email=email,
        is_superuser=is_superuser,
        is_staff=is_superuser,
    )
    check_password_strength(password, person)
    person.set_password(password)
    if fault := fault_of_new_name(username):
        raise InvalidFields(fields={"username": [fault.sentence]})
    try:
        with transaction.atomic():
            person.save(force_insert=True)
            audit_log.record("person.create", actor=person, target=f"person {person.pk}", superuser=is_superuser)
    except IntegrityError as race:
        raise InvalidFields(fields={"username": [TAKEN]}) from race
    return person


@transaction.atomic
def change_role(actor: User, project: Project, member_id: int, role: str) -> Membership:
    """Give a member another role. Raises NotFound, LastAdmin."""
    member = _lock_member(project, member_id)
    if member.role == role:
        return member
    if role != Membership.Role.ADMIN:
        _refuse_to_lose_last_admin(member)
    before, member.role = member.role, role
    member.save(update_fields=["role"])
    revoke_invitations(actor, member)
    audit_log.record(
        "member.change_role",
        actor=actor,
        project=project,
        target=audit_log.of_member(member),
        before=before,
        after=role,
    )
    return member


@transaction.atomic
def deactivate_member(actor: User, project: Project, member_id: int) -> Membership:
    """Remove a member from the project. Their labels stay; held tasks go back to the queue.

    Raises NotFound, LastAdmin.
    """
    member = _lock_member(project, member_id)
    if not member.is_active:
        return member
    _refuse_to_lose_last_admin(member)
    member.is_active = False
    member.save(update_fields=["is_active"])
    released = release_held_labels(member.user, project)
    revoke_invitations(actor, member)
    audit_log.record(
        "member.deactivate", actor=actor, project=project, target=audit_log.of_member(member), released=released
    )
    return member


@transaction.atomic
def leave_all_projects(person: User) -> None:
    """Deactivate the memberships of an account that may be somebody else's from now on. Its labels stay. A project may
    lose its last admin: an account that nobody vouches for must not keep it, and superusers keep access.
    """
    locked = Project.objects.select_for_update(no_key=True).filter(memberships__user=person).order_by("pk")
    for project in list(locked):
        member = Membership.objects.select_related("user", "project").get(project=project, user=person)
        if not member.is_active:
            continue
        member.is_active = False
        member.save(update_fields=["is_active"])
        released = release_held_labels(person, project)
        revoke_invitations(None, member)
        audit_log.record(
            "member.deactivate", actor=None, project=project, target=audit_log.of_member(member), released=released
        )


@transaction.atomic
def reactivate_member(actor: User, project: Project, member_id: int) -> Membership:
    """Return a deactivated member to the project, in their old role. Raises NotFound."""
    member = _lock_member(project, member_id)
    if member.is_active:
        return member
    member.is_active = True
    member.save(update_fields=["is_active"])
    audit_log.record("member.reactivate", actor=actor, project=project, target=audit_log.of_member(member))
    return member


def revoke_invitations(actor: User | None, member: Membership) -> None:
    """Withdraw the open invitations of someone who may not invite any more. A new admin role does not restore them."""
    if member.user.is_superuser:
        return
    made = Invitation.objects.filter(project=member.project_id, created_by=member.user_id, accepted_at=None)
    for invitation in made.filter(revoked_at=None):
        invitation.revoked_at = timezone.now()
        invitation.save(update_fields=["revoked_at"])
        audit_log.record(
            "invitation.revoke",
            actor=actor,
            project=member.project,
            target=f"invitation {invitation.pk}",
            why="its maker lost the right",
        )


def _lock_member(project: Project, member_id: int) -> Membership:
    """Return the member under the project's row lock: two admins cannot demote each other at once.

    "No key": a claim, which refers to the project while it holds the labeler's row, need not wait.
    """
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    member = Membership.objects.select_related("user").filter(project=project, pk=member_id).first()
    if member is None:
        raise NotFound
    return member


def _refuse_to_lose_last_admin(member: Membership) -> None:
    if queries.people.needing_as_admin(member.user).filter(pk=member.project_id).exists():
        raise LastAdmin
