"""What ends when an account is switched off, whoever does it: for good, so that nothing of it lives again later."""

from django.db import transaction

from labeling.actions.api_tokens import revoke_tokens
from labeling.actions.labels import release_held_labels
from labeling.actions.logged_in import end_browsers
from labeling.models import ApiToken, User


@transaction.atomic
def let_go(person: User, *, by: User | None, why: str) -> int:
    """Held tasks go back to the queue, sessions end, API tokens are revoked; labels and roles stay.

    Called when the account is switched on again, too: for what was there before this held. How many tasks went back.
    """
    members = person.memberships.select_related("project").filter(is_active=True)
    released = sum(release_held_labels(person, member.project) for member in members)
    end_browsers(person, by=by)
    revoke_tokens(ApiToken.objects.filter(user=person), by=by, why=why)
    return released
