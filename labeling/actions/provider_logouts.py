"""Single logout: a provider reports that somebody signed out there, so their sessions here end too.

OpenID Connect Back-Channel Logout 1.0. The report is trusted by its signature alone, so anybody may deliver it.
"""

import hashlib
import json
import logging
from base64 import urlsafe_b64decode
from typing import Any

from django.core.cache import cache
from django.db import transaction
from django.db.models import Q

from annotation_app.sign_in_providers import SignInProvider
from labeling.actions import audit_log
from labeling.actions.logged_in import end_session
from labeling.errors import LogoutRefused
from labeling.models import LoggedIn

logger = logging.getLogger(__name__)
EVENT = "http://schemas.openid.net/event/backchannel-logout"
OLDEST = 300  # seconds since it was signed
REMEMBERED = 900  # seconds for which a used token is remembered: longer than one is accepted
LONGEST = 16_384  # characters in a token
KEYS_ANEW = 60  # seconds between two requests for new keys that a stranger's token can cause


def provider_session(provider: SignInProvider, sid: str) -> str:
    """Return what is stored of the provider's name for a session: enough to find it again."""
    return hashlib.sha256(f"{provider.issuer}\n{sid}".encode()).hexdigest() if sid else ""


def end_provider_sessions(provider: SignInProvider, token: str) -> int:
    """End the sessions that a logout token names. Returns their number, which may be 0. Raises LogoutRefused."""
    claims = _verified(provider, token)
    if not cache.add(f"logout-token:{provider_session(provider, str(claims['jti']))}", 1, REMEMBERED):
        raise LogoutRefused("This token was already used.")
    return _end(provider, str(claims.get("sub") or ""), str(claims.get("sid") or ""))


@transaction.atomic
def _end(provider: SignInProvider, subject: str, sid: str) -> int:
    found = LoggedIn.objects.filter(how=LoggedIn.How.PROVIDER)
    if subject:
        found = found.filter(user__identities__issuer=provider.issuer, user__identities__subject=subject)
    if sid:  # sessions that signed in without a sid may be meant: end them if the person is named
        named = Q(provider_session=provider_session(provider, sid))
        found = found.filter(named | Q(provider_session="") if subject else named)
    ended = list(found.distinct().select_related("user"))
    for browser in ended:
        end_session(browser)
        target = f"person {browser.user_id}"
        audit_log.record("session.end", actor=None, target=target, browsers=1, provider=provider.name)
    return len(ended)


def _verified(provider: SignInProvider, token: str) -> dict[str, Any]:
    """Return the token's claims after all checks that the standard requires (2.6). Raises LogoutRefused."""
    from joserfc.errors import JoseError  # noqa: PLC0415  (neither is loaded on a site without providers)
    from joserfc.jwt import JWTClaimsRegistry  # noqa: PLC0415

    from labeling.actions import openid  # noqa: PLC0415

    if not 0 < len(token) <= LONGEST:
        raise LogoutRefused("logout_token is missing or too long.")
    if _algorithm(token) not in openid.ALGORITHMS:  # before anything is requested from the provider
        raise LogoutRefused("This is not a signed token.")
    try:
        read = openid.decoded(openid.discover(provider), token, anew=lambda: _may_look_for_keys(provider))
        must = JWTClaimsRegistry(
            leeway=openid.LEEWAY,
            iss={"essential": True, "value": provider.issuer},
            aud={"essential": True, "value": provider.client_id},
            iat={"essential": True},
            jti={"essential": True},
            events={"essential": True},
        )
        must.validate(read.claims)
    except (JoseError, *openid.NOT_AS_ASKED) as fault:
        logger.warning("A logout token for %s was refused: %s: %s", provider.name, type(fault).__name__, fault)
        raise LogoutRefused("This token is not from the provider.") from fault
    _require_logout(read.header, read.claims, openid.now() - OLDEST - openid.LEEWAY)
    return dict(read.claims)


def _algorithm(token: str) -> Any:
    """Return the signing algorithm that the token names, or None if it is not a signed JWT."""
    head, *others = token.split(".")
    try:
        said = json.loads(urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except (ValueError, RecursionError):  # the latter from endlessly nested lists
        return None
    return said.get("alg") if isinstance(said, dict) and len(others) == 2 else None


def _may_look_for_keys(provider: SignInProvider) -> bool:
    """Allow this only once in a while, because anybody may deliver a token with an unknown key."""
    return cache.add(f"logout-keys:{provider.name}", 1, KEYS_ANEW)


def _require_logout(header: dict[str, Any], claims: dict[str, Any], oldest: float) -> None:
    """Check that it is a logout token, and not an ID token that somebody intercepted. Raises LogoutRefused."""
    events = claims["events"]
    if str(header.get("typ", "JWT")).lower() not in ("jwt", "logout+jwt", "application/logout+jwt"):
        raise LogoutRefused("The token has another type.")
    if not isinstance(events, dict) or not isinstance(events.get(EVENT), dict):
        raise LogoutRefused("events does not contain a logout.")
    if "nonce" in claims:
        raise LogoutRefused("A logout token has no nonce.")
    if not any(isinstance(claims.get(name), str) and claims[name] for name in ("sub", "sid")):
        raise LogoutRefused("The token has neither sub nor sid.")
    if claims["iat"] < oldest:
        raise LogoutRefused("The token is too old.")
