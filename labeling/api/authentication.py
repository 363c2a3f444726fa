"""Who is asking: a program with an API token, or a browser with a session (which must carry a CSRF token)."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from django.conf import settings
from rest_framework.authentication import BaseAuthentication, SessionAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, ParseError, PermissionDenied
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from labeling.actions.api_tokens import use_token
from labeling.errors import CsrfFailed, OtherPerson, TokenReadOnly
from labeling.queries.sessions import person_of_session, remember_session

BAD_TOKEN = "This API token is unknown, expired or revoked, or its owner is switched off. Make a new one under Account."


# Queries that are too long for a URL: POSTs that write nothing, by the names of their routes.
QUESTIONS = frozenset(
    {
        "count_pool",
        "preview_export",
        "preview_import",
        "preview_label_audit",
        "preview_round",
        "preview_splitter",
        "preview_training",
    }
)


def only_reads(request: Request) -> bool:
    """Whether the request changes nothing: a GET, or one of QUESTIONS."""
    if request.method in SAFE_METHODS:
        return True
    asked = request.resolver_match
    return asked is not None and asked.url_name in QUESTIONS


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer smk_…`. Must be listed first, so that a missing login gives a 401 and not a 403."""

    def authenticate(self, request: Request) -> tuple[Any, Any] | None:
        """(person, token), or None if the request has no bearer token.

        Raises AuthenticationFailed, TokenReadOnly.
        """
        words = get_authorization_header(request).split()
        if not words or words[0].lower() != b"bearer":
            return None
        secret = words[1].decode("latin-1") if len(words) == 2 else ""
        token = use_token(secret)
        if token is None:
            raise AuthenticationFailed(BAD_TOKEN, code="bad_token")
        if token.read_only and not only_reads(request):
            raise TokenReadOnly
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        """The authentication scheme that a 401 names."""
        return "Bearer"


class HeadersOnly:
    """A request for the CSRF check, without the form: reading the form would write its files to disk."""

    POST: Mapping[str, str] = MappingProxyType({})

    def __init__(self, request: Request) -> None:
        self.request = request

    def __getattr__(self, name: str) -> Any:
        return getattr(self.request, name)


PAGES_PERSON = "HTTP_X_STEPMARK_PERSON"
PAGES_PROJECT = "HTTP_X_STEPMARK_PROJECT"  # its slug: objects with their own id are looked up only in this project
NO_PERSON = "The header X-Stepmark-Person must be the id of the person whose page sends the request. It is optional."


def require_persons_page(about: Mapping[str, Any], person: int) -> None:
    """Check the header in which an open page names its person. All tabs share one cookie: if another person has since
    logged in, the page's requests would otherwise count as theirs.

    Raises OtherPerson, or ParseError if the header is not an id.
    """
    named = about.get(PAGES_PERSON)
    if named is None:
        return
    if not re.fullmatch(r"[0-9]{1,18}", named):
        raise ParseError(NO_PERSON)
    if int(named) != person:
        raise OtherPerson


class BrowserSession(SessionAuthentication):
    """Django's session. Every write needs the `X-CSRFToken` header, and pages of another person are refused."""

    def authenticate(self, request: Request) -> tuple[Any, Any] | None:
        """(person, None), or None if nobody is logged in. Raises CsrfFailed, OtherPerson, ParseError."""
        key = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
        person = person_of_session(key)
        if person is None:
            found = super().authenticate(request)
            if found is None:
                return None
            person = found[0]
            remember_session(key, person)
        else:
            self.enforce_csrf(request)
        require_persons_page(request.META, person.pk)
        person.project_of_page = request.META.get(PAGES_PROJECT)  # type: ignore[union-attr]  # for this request alone
        return person, None

    def enforce_csrf(self, request: Request) -> None:
        """Raises CsrfFailed. Also called by the public writes (log in, accept an invitation)."""
        try:
            super().enforce_csrf(HeadersOnly(request))  # type: ignore[arg-type]
        except PermissionDenied as fault:
            raise CsrfFailed from fault
