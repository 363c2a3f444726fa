"""Asking again who sits there, before what does harm in other hands: tokens, roles, releases, taking out data."""

import time

from django.conf import settings
from django.contrib.auth import authenticate
from django.http import HttpRequest

from labeling.errors import CheckAgain, WrongCredentials
from labeling.models import User

CHECKED = "checked_at"  # in the session: when the person last proved who they are


def note_check(request: HttpRequest, at: float | None = None) -> None:
    """The person has just proved it, or did at that time."""
    request.session[CHECKED] = int(time.time() if at is None else at)


def require_recent_check(request: HttpRequest) -> None:
    """Raises CheckAgain where the last proof is older than RECHECK_MINUTES; 0: never."""
    minutes = settings.RECHECK_MINUTES
    if minutes and time.time() - request.session.get(CHECKED, 0) > minutes * 60:
        raise CheckAgain


def check_again(request: HttpRequest, person: User, *, password: str, code: str = "") -> None:
    """Prove it by the password (and, where there is one, the second factor). A failure counts as one of logging in.

    Raises WrongCredentials, SecondFactorNeeded.
    """
    found = authenticate(request, username=person.username, password=password, code=code)
    if found is None or found.pk != person.pk:
        raise WrongCredentials("This is not your password, or not your code.")
    note_check(request)
