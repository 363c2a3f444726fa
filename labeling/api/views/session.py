"""Sessions: who is logged in, logging in and out, and the person's own password, preferences and API tokens."""

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpResponseRedirect
from django.middleware.csrf import get_token
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import api_view, permission_classes, throttle_classes
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from labeling.actions import api_tokens, people, sign_in
from labeling.api.answers import With, answer
from labeling.api.authentication import BrowserSession
from labeling.api.checks import OWN_ACCOUNT, SENSITIVE
from labeling.api.pages import PAGE_PARAMETERS, page_of, paged
from labeling.api.requests import read_body, signed_in
from labeling.api.serializers.people import NewTokenOut, TokenIn, TokenOut
from labeling.api.serializers.session import (
    BeginSignInIn,
    BeginSignInOut,
    ChangePasswordIn,
    LoggedOutOut,
    LogInIn,
    PreferencesIn,
    SessionOut,
)
from labeling.api.throttles import LoginThrottle
from labeling.errors import LoginInBrowserNeeded, ProviderFailed, SignInRefused
from labeling.queries.people import active_memberships, own_tokens
from labeling.queries.sign_in import site_mails


def session_of(person: Any) -> dict[str, Any]:
    """The value for SessionOut: who is logged in. `person` may be anonymous."""
    user = With(person, memberships_now=active_memberships(person)) if person.is_authenticated else None
    few = bool(settings.PASSWORD_LOGIN_FOR)
    ways = {
        "providers": list(settings.OIDC_PROVIDERS.values()),
        "passwords_for_few": few,
        "passkeys": settings.PASSKEYS,
        "mail": site_mails(),
    }
    return {"user": user, "build": settings.BUILD, "sign_in": ways}


@extend_schema(responses=SessionOut)
@api_view(["GET"])
@permission_classes([AllowAny])
def get_session(request: Request) -> Response:
    """Who is logged in. Public; sets the CSRF cookie that every later write needs."""
    get_token(request._request)
    return answer(SessionOut, session_of(request.user))


@extend_schema(request=LogInIn, responses=SessionOut)
@api_view(["POST"])
@permission_classes([AllowAny])
@throttle_classes([LoginThrottle])
def log_in(request: Request) -> Response:
    """Start a session. Answers 401 `second_factor_needed` if `code` is missing, and 423 `locked_out` with `retry_at`
    after repeated failures.
    """
    BrowserSession().enforce_csrf(request)
    body = read_body(request, LogInIn)
    return answer(SessionOut, session_of(people.log_in(request._request, **body)))


@extend_schema(request=None, responses=LoggedOutOut)
@api_view(["POST"])
@permission_classes([AllowAny])
def log_out(request: Request) -> Response:
    """End this session. If `leave_to` is not null, the browser goes there to end the session at the provider."""
    leave_to = sign_in.where_to_leave(request._request)
    people.log_out(request._request)
    return answer(LoggedOutOut, {**session_of(request._request.user), "leave_to": leave_to})


@extend_schema(request=BeginSignInIn, responses=BeginSignInOut)
@api_view(["POST"])
@permission_classes([AllowAny])
@throttle_classes([LoginThrottle])
def begin_sign_in(request: Request, provider: str) -> Response:
    """Start to sign in with a provider. The browser goes to `url` and comes back through `finish_sign_in`."""
    BrowserSession().enforce_csrf(request)
    asked = read_body(request, BeginSignInIn)
    return answer(
        BeginSignInOut,
        {"url": sign_in.begin(request._request, provider, next_page=asked["next"], again=asked["again"])},
    )


@extend_schema(
    parameters=[OpenApiParameter("state", str), OpenApiParameter("code", str)],
    responses={(302, "text/html"): OpenApiTypes.BINARY},
)
@api_view(["GET"])
@permission_classes([AllowAny])
@throttle_classes([LoginThrottle])
def finish_sign_in(request: Request, provider: str) -> HttpResponseRedirect:
    """The address that the provider sends the browser back to. Redirects to the wanted page, or /login?refused=…"""
    came = {name: request.query_params.get(name, "")[:4000] for name in ("state", "code")}
    try:
        return HttpResponseRedirect(sign_in.finish(request._request, provider, **came))
    except SignInRefused as refusal:
        refused = refusal.extra["why"]
    except ProviderFailed:
        refused = "failed"
    return HttpResponseRedirect(f"/login?{urlencode({'refused': refused})}")


@extend_schema(request=ChangePasswordIn, responses=SessionOut)
@api_view(["POST"])
@permission_classes(OWN_ACCOUNT)
@throttle_classes([LoginThrottle])
def change_password(request: Request) -> Response:
    """Set a new password. Your other sessions end and, on request, your API tokens. This session continues."""
    asked = read_body(request, ChangePasswordIn)
    old, new = asked.pop("old_password"), asked.pop("new_password")
    people.change_password(request._request, signed_in(request), old=old, new=new, **asked)
    return answer(SessionOut, session_of(signed_in(request)))


@extend_schema(request=PreferencesIn, responses=SessionOut)
@api_view(["PUT"])
def save_preferences(request: Request) -> Response:
    """Replace your preferences."""
    body = read_body(request, PreferencesIn)
    people.save_preferences(signed_in(request), body["preferences"])
    return answer(SessionOut, session_of(signed_in(request)))


@extend_schema(parameters=PAGE_PARAMETERS, responses=paged(TokenOut))
@api_view(["GET"])
def list_tokens(request: Request) -> Response:
    """Your API tokens, newest first."""
    return page_of(request, own_tokens(signed_in(request)), TokenOut)


@extend_schema(request=TokenIn, responses={201: NewTokenOut})
@api_view(["POST"])
@permission_classes(SENSITIVE)
def create_token(request: Request) -> Response:
    """Create an API token. `token` is only in this answer. Needs a browser session."""
    if request.auth is not None:
        raise LoginInBrowserNeeded
    body = read_body(request, TokenIn)
    token, secret = api_tokens.create_token(signed_in(request), **body)
    return answer(NewTokenOut, With(token, token=secret), 201)


@extend_schema(request=None, responses=TokenOut)
@api_view(["POST"])
def revoke_token(request: Request, token_id: int) -> Response:
    """Revoke one of your own tokens, permanently."""
    return answer(TokenOut, api_tokens.revoke_token(signed_in(request), token_id))
