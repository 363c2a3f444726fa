"""Who may log in with a password (everyone, or only the users in PASSWORD_LOGIN_FOR), and who needs more than that.

Both backends run before Django's check of passwords, for the API and /admin/login alike. What they refuse counts as a
failed login (django-axes, the one counter of failures), except a right password without its code, which is asked for.
"""

from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.hashers import make_password
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from labeling.actions.second_factors import forget_codes, note_code, use_code
from labeling.errors import SecondFactorNeeded
from labeling.models import User
from labeling.queries.sign_in import factors_of


class NamedPeopleAlone:
    """Refuses user names that may not log in with a password."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **_: object
    ) -> None:
        """Return no user. Raises PermissionDenied, which ends Django's search, if the name may not use a password.

        Refusing takes as long as a wrong password, so that response times do not reveal which names may.
        """
        allowed = settings.PASSWORD_LOGIN_FOR
        if allowed and username not in allowed:
            make_password(password)
            raise PermissionDenied


class WithSecondFactor(ModelBackend):
    """Logs in people who have a second factor; finds nobody else."""

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        code: str | None = None,
        **_: object,
    ) -> User | None:
        """Return the person, or None without a second factor. Raises PermissionDenied, which ends Django's search,
        SecondFactorNeeded if `code` is empty, and LockedOut after too many codes, from wherever: each came with the
        right password.

        Without a `code` at all, as from /admin/login, such a person is refused: they log in on the site's own page.
        """
        person = User.objects.filter(username=username or "").first()
        if person is None or not factors_of(person).exists():
            return None
        if not person.check_password(password or "") or not self.user_can_authenticate(person) or code is None:
            raise PermissionDenied
        if not code:
            raise SecondFactorNeeded
        note_code(person)
        if not use_code(person, code):
            raise PermissionDenied
        forget_codes(person)
        return person
