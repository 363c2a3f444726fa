"""Who may log in with a password at all: everybody, or the few that PASSWORD_LOGIN_FOR names."""

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest


class NamedPeopleAlone:
    """Stands before the check of passwords, for the API and /admin/login alike; a refusal counts as a failed login."""

    def authenticate(self, request: HttpRequest | None, username: str | None = None, **_: object) -> None:
        """Nobody yet. Raises PermissionDenied, which ends Django's search, where the name may not use a password."""
        allowed = settings.PASSWORD_LOGIN_FOR
        if allowed and username not in allowed:
            raise PermissionDenied
