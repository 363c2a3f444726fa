"""Reads about people: sessions, lockouts, members and their work, invitations, tokens."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from axes.handlers.proxy import AxesProxyHandler
from axes.helpers import get_client_ip_address, get_cool_off
from axes.models import AccessAttempt
from django.db.models import Case, Count, Exists, Max, OuterRef, Q, QuerySet, Sum, When
from django.db.models import Value as V
from django.http import HttpRequest
from django.utils import timezone

from labeling.errors import NotFound, PermissionDenied
from labeling.models import ApiToken, Delivery, Invitation, Membership, Project, User
from labeling.queries.overview import COUNTED, worked
from labeling.queries.spelling import spelled

SWITCHED_OFF = "Your account has been switched off. Ask an admin of the site."
NOT_AGAIN = timedelta(days=1)


def active_memberships(person: User) -> QuerySet[Membership]:
    """The person's current memberships, by project name."""
    return (
        Membership.objects.filter(user=person, is_active=True).select_related("project").order_by("project__name", "id")
    )


def locked_until(request: HttpRequest, username: str) -> datetime | None:
    """Return when this name may be tried again from this address; None if it may be tried now."""
    if AxesProxyHandler.is_allowed(request, {"username": username}):
        return None
    tried = AccessAttempt.objects.filter(username=username, ip_address=get_client_ip_address(request))
    last = tried.aggregate(at=Max("attempt_time"))["at"]
    return (last or timezone.now()) + get_cool_off(request)


def joinable_by_email(email: str) -> User | None:
    """Return the one active person, not imported, with this address in any case of A to Z; None if ambiguous.

    Superusers, staff and people who already have a provider's identity are left out: otherwise a second provider that
    reports the same address could take the account over.
    """
    found = User.objects.filter(spelled("email", email), kind=User.Kind.PERSON, is_active=True)
    people = list(found.select_for_update(no_key=True).order_by("pk")[:2])
    if len(people) != 1 or people[0].is_superuser or people[0].is_staff or people[0].identities.exists():
        return None
    return people[0]


def active_person_named(username: str) -> User | None:
    """Return the person with exactly this user name (ignoring the case of A to Z) who may log in."""
    return User.objects.filter(spelled("username", username), kind=User.Kind.PERSON, is_active=True).first()


def keep_active(person: User) -> None:
    """Prevent the account from being switched off or forgotten until the transaction ends; otherwise the person would
    keep what they gain in it. Raises PermissionDenied if that has happened since the request began.
    """
    if not User.objects.filter(pk=person.pk, is_active=True).select_for_update(no_key=True).values_list("pk"):
        raise PermissionDenied(SWITCHED_OFF)


def needing_as_admin(person: User) -> QuerySet[Project]:
    """Return the projects in which this person is the only admin who can log in. Ask under the projects' row locks,
    which every loss of an admin takes.
    """
    admins = Membership.objects.filter(role=Membership.Role.ADMIN, is_active=True)
    others = admins.filter(project=OuterRef("pk"), user__is_active=True).exclude(user=person)
    theirs = admins.filter(project=OuterRef("pk"), user=person)
    return Project.objects.filter(Exists(theirs), ~Exists(others)).order_by("slug")


def project_members(project: Project, kind: str = "") -> QuerySet[Membership]:
    """Everyone who is or was in the project; with `kind`, only people or only labelers that came with an import."""
    members = Membership.objects.filter(project=project).select_related("user")
    return members.filter(user__kind=kind) if kind else members


def with_work(project: Project, members: Iterable[Membership]) -> list[Membership]:
    """Return the members, each with labels_submitted, active_ms and last_label_at. One query."""
    found = list(members)
    done = {
        row["labeler"]: row
        for row in worked(project)
        .filter(labeler__in=[member.user_id for member in found])
        .values("labeler")
        .annotate(
            labels=Count("pk", filter=COUNTED),
            active=Sum("active_ms", default=0),
            last=Max("submitted_at"),
        )
    }
    for member in found:
        work = done.get(member.user_id, {"labels": 0, "active": 0, "last": None})
        member.labels_submitted = work["labels"]  # type: ignore[attr-defined]  # read by MemberOut
        member.active_ms = work["active"]  # type: ignore[attr-defined]
        member.last_label_at = work["last"]  # type: ignore[attr-defined]
    return found


def invitation_state(invitation: Invitation) -> str:
    """Return the state of an invitation from `invitations`: open, expired, used or revoked.

    It is only as valid as its maker's present rights: once they are no longer an admin of the project, it is revoked.
    """
    if invitation.accepted_at is not None:
        return "used"
    if invitation.revoked_at is not None or not invitation.maker_may_invite:  # type: ignore[attr-defined]
        return "revoked"
    return "open" if invitation.expires_at > timezone.now() else "expired"


def invitations() -> QuerySet[Invitation]:
    """All invitations, each annotated with whether its maker may still invite people to its project."""
    admins = Membership.objects.filter(role=Membership.Role.ADMIN, is_active=True)
    admin = Exists(admins.filter(project=OuterRef("project"), user=OuterRef("created_by")))
    may = Q(admin | Q(created_by__is_superuser=True), created_by__is_active=True)
    found = Invitation.objects.annotate(maker_may_invite=Case(When(may, then=V(True)), default=V(False)))
    return found.select_related("created_by")


def project_invitations(project: Project) -> QuerySet[Invitation]:
    """The project's invitations of every state."""
    return invitations().filter(project=project).select_related("accepted_by")


def undelivered(found: Sequence[Invitation]) -> dict[int, str]:
    """Return, for the project's open invitations whose mail was given up, what the mail server said. One query."""
    if not found:
        return {}
    failed = Delivery.objects.filter(
        project=found[0].project_id, invitation__in=found, status=Delivery.Status.FAILED
    ).values_list("invitation", "last_error")
    is_open = {invitation.pk for invitation in found if invitation_state(invitation) == "open"}
    return {invitation: why for invitation, why in failed if invitation in is_open}


def _open_invitations() -> QuerySet[Invitation]:
    """The open invitations, as `invitation_state` defines them. Inactive projects invite nobody."""
    open_ones = invitations().filter(accepted_at=None, revoked_at=None, expires_at__gt=timezone.now())
    of_admins = open_ones.filter(maker_may_invite=True)  # type: ignore[misc]  # as annotated by `invitations`
    return of_admins.filter(project__status=Project.Status.ACTIVE).select_related("project")


def own_invitations(person: User) -> QuerySet[Invitation]:
    """The open invitations that name this person, to projects they are not and never were in."""
    member = Membership.objects.filter(project=OuterRef("project"), user=person)
    return _open_invitations().filter(~Exists(member), invitee=person)


def invitations_to_tell() -> QuerySet[Invitation]:
    """The open invitations whose invitees have not been told about them, nor lately about another one to that project.

    Lately means within a day, or while that other one is open. They are shown above the person's projects all the same.
    """
    now = timezone.now()
    is_open = Q(accepted_at=None, revoked_at=None, expires_at__gt=now)
    heard = Invitation.objects.filter(
        is_open | Q(told_at__gt=now - NOT_AGAIN),
        project=OuterRef("project"),
        invitee=OuterRef("invitee"),
        told_at__isnull=False,
    )
    new = _open_invitations().filter(~Exists(heard), invitee__isnull=False, told_at=None)
    return new.select_related("invitee")


def get_invitation(token_hash: str) -> Invitation:
    """Return the invitation behind a link. Raises NotFound."""
    invitation = invitations().select_related("project").filter(token_hash=token_hash).first()
    if invitation is None:
        raise NotFound
    return invitation


def own_tokens(person: User) -> QuerySet[ApiToken]:
    """A person's API tokens, including revoked ones."""
    return ApiToken.objects.filter(user=person)
