"""What ends for good when an account is switched off, by anyone: none of it comes back later."""

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from labeling.actions import audit_log
from labeling.actions.api_tokens import revoke_tokens
from labeling.actions.labels import release_held_labels
from labeling.actions.logged_in import end_browsers
from labeling.models import ApiToken, Invitation, User
from labeling.queries.spelling import spelled


@transaction.atomic
def end_access(person: User, *, by: User | None, why: str) -> int:
    """Return held tasks to the queue, and end sessions, API tokens and open invitations. Labels and roles stay.

    Also called when the account is switched on again, for what dates from before this rule. Returns the number of
    tasks.
    """
    members = person.memberships.select_related("project").filter(is_active=True)
    released = sum(release_held_labels(person, member.project) for member in members)
    end_browsers(person, by=by)
    revoke_tokens(ApiToken.objects.filter(user=person), by=by, why=why)
    _end_invitations(person, by=by, why=why)
    return released


def _end_invitations(person: User, *, by: User | None, why: str) -> None:
    """End those they made and, while the account is off, those to its address: a link creates a new account."""
    theirs = Q(created_by=person)
    if person.email and not person.is_active:
        theirs |= Q(spelled("email", person.email))
    still = Invitation.objects.filter(theirs, accepted_at=None, revoked_at=None, expires_at__gt=timezone.now())
    for invitation in still.select_related("project"):
        invitation.revoked_at = timezone.now()
        invitation.save(update_fields=["revoked_at"])
        target = f"invitation {invitation.pk}"
        audit_log.record("invitation.revoke", actor=by, project=invitation.project, target=target, why=why)
