"""Confirming who is at the browser before anything that would do harm in other hands: tokens, roles, releases, data."""

import time

from django.conf import settings
from django.contrib.auth import authenticate
from django.http import HttpRequest

from labeling.errors import CheckAgain, LabelingError, LockedOut, SecondFactorNeeded, WrongCredentials
from labeling.models import User
from labeling.queries.people import locked_until

CHECKED = "checked_at"  # in the session: when the person last proved who they are


def note_check(request: HttpRequest, at: float | None = None) -> None:
    """Note that the person proved who they are, now or at that time (at most now: a provider may say a later one)."""
    now = time.time()
    request.session[CHECKED] = int(now if at is None else min(at, now))


def require_recent_check(request: HttpRequest) -> None:
    """Raise CheckAgain if the last proof is older than RECHECK_MINUTES (0: never)."""
    minutes = settings.RECHECK_MINUTES
    age = time.time() - request.session.get(CHECKED, 0)
    if minutes and not -settings.CLOCKS_APART <= age <= minutes * 60:
        raise CheckAgain


def check_again(request: HttpRequest, person: User, *, password: str, code: str = "") -> None:
    """Check the password and, if there is one, the second factor. A failure counts as a failed login.

    Raises WrongCredentials, LockedOut, SecondFactorNeeded.
    """
    found = authenticate(request, username=person.username, password=password, code=code)
    if found is None or found.pk != person.pk:
        wrong = WrongCredentials("This is not your password, or not your code.")
        raise refusal_of(request, person.username, wrong)
    note_check(request)


def is_password(request: HttpRequest, person: User, password: str) -> bool:
    """Return whether the password is theirs. Tried like a login, so that a stolen session cannot try endlessly.

    The second factor is not asked for, because their session has already proved it.
    """
    try:
        found = authenticate(request, username=person.username, password=password, code="")
    except SecondFactorNeeded:
        return True  # raised only after a right password
    return found is not None and found.pk == person.pk


def refusal_of(request: HttpRequest, username: str, wrong: LabelingError) -> LabelingError:
    """Return the error for a failed try with this name: `wrong`, or LockedOut after too many."""
    until = locked_until(request, username)
    if until is None:
        return wrong
    return LockedOut(
        f"Too many failed logins. Try again after {until:%H:%M:%S} UTC, or ask an admin for help.",
        retry_at=until.isoformat().replace("+00:00", "Z"),
    )
