"""OpenID Connect by its standard: to the provider with PKCE, state and nonce, and back with a verified ID token.

Authlib and joserfc implement the rules. They are loaded at the first sign-in, so a site without providers pays nothing.
"""

import logging
import re
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from annotation_app.provider_requests import ask, fetch
from annotation_app.sign_in_providers import SignInProvider
from labeling.errors import ProviderFailed, SignInRefused
from labeling.formats.names import BREAKS
from labeling.formats.scim import ADDRESS

logger = logging.getLogger(__name__)
# The provider signs with its private key: a token "signed" with the client's own secret proves nothing.
ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"]
# Errors that a malformed answer of a provider may cause; the last one by endlessly nested lists.
SENSELESS = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
NOT_AS_ASKED = (ProviderFailed, *SENSELESS)
LEEWAY = 120  # seconds that the two clocks may differ by
LONGEST_SUBJECT = 255  # as in the standard
LONGEST_ADDRESS = 254
LONGEST_TEXT = 1000
# Control characters, line ends, and halves of characters: the database rejects some of them.
NO_TEXT = re.compile(f"[{BREAKS}\ud800-\udfff]")


@dataclass(frozen=True)
class ToProvider:
    """Where the browser goes, and what must be known when it comes back."""

    url: str
    state: str
    nonce: str
    verifier: str


@dataclass(frozen=True)
class Vouched:
    """What the provider says about the person. `email`: only if the provider vouches for it. `groups`: names or ids.
    `said`: user name and address as they arrived.

    `proved_at`: when they last proved to the provider who they are, in seconds since 1970, or None if it does not say.
    """

    subject: str
    username: str
    display_name: str
    email: str
    groups: frozenset[str]
    id_token: str
    proved_at: int | None = None
    sid: str = ""  # the provider's name for the session
    said: frozenset[str] = frozenset()


def to_provider(provider: SignInProvider, back_to: str, *, again: bool = False) -> ToProvider:
    """Begin a sign-in. With `again`, people who are signed in there must prove it again. Raises ProviderFailed."""
    from authlib.oauth2.rfc6749.parameters import prepare_grant_uri  # noqa: PLC0415
    from authlib.oauth2.rfc7636 import create_s256_code_challenge  # noqa: PLC0415

    state, nonce, verifier = secrets.token_urlsafe(24), secrets.token_urlsafe(24), secrets.token_urlsafe(64)
    url = prepare_grant_uri(
        discover(provider)["authorization_endpoint"],
        provider.client_id,
        "code",
        redirect_uri=back_to,
        scope=" ".join(provider.scopes),
        state=state,
        nonce=nonce,
        code_challenge=create_s256_code_challenge(verifier),
        code_challenge_method="S256",
        **({"prompt": "login", "max_age": "0"} if again else {}),
    )
    return ToProvider(url, state, nonce, verifier)


def from_provider(provider: SignInProvider, back_to: str, *, code: str, verifier: str, nonce: str) -> Vouched:
    """Return who came back with the code. Raises ProviderFailed, SignInRefused."""
    from joserfc.errors import JoseError  # noqa: PLC0415

    known = discover(provider)
    try:
        token = _redeem(provider, known, {"redirect_uri": back_to, "code": code, "code_verifier": verifier})
        claims = _verified(provider, known, token, nonce)
        return _vouched(provider, claims, _more(known, provider, claims, token), token["id_token"])
    except (JoseError, *SENSELESS) as fault:
        logger.warning("Sign-in with %s failed: %s: %s", provider.name, type(fault).__name__, fault)
        raise ProviderFailed from fault


def leave_url(provider: SignInProvider, id_token: str, back_to: str) -> str | None:
    """Return the address for signing out at the provider too, or None if there is none or the provider fails now."""
    try:
        endpoint = discover(provider).get("end_session_endpoint")
    except ProviderFailed:
        return None
    if not isinstance(endpoint, str):
        return None
    asked = {"id_token_hint": id_token, "post_logout_redirect_uri": back_to, "client_id": provider.client_id}
    return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(asked)}"


def discover(provider: SignInProvider) -> dict[str, Any]:
    """Return the provider's own description. Raises ProviderFailed, also if another issuer answers."""
    known = fetch(provider.discovery)
    endpoints = ("authorization_endpoint", "token_endpoint", "jwks_uri")
    if known.get("issuer") != provider.issuer or not all(isinstance(known.get(name), str) for name in endpoints):
        raise ProviderFailed
    return known


def _redeem(provider: SignInProvider, known: dict[str, Any], grant: dict[str, str]) -> dict[str, Any]:
    """Return the tokens for a code. The client's secret is sent by HTTP Basic; a client without one sends its id."""
    form = {"grant_type": "authorization_code", **grant}
    secret = provider.secret
    if not secret:
        form["client_id"] = provider.client_id
    who = (quote(provider.client_id, safe=""), quote(secret, safe="")) if secret else None
    found: dict[str, Any] = ask("POST", known["token_endpoint"], data=form, auth=who)
    return found


def now() -> float:
    """Return seconds since 1970."""
    return time.time()


def decoded(known: dict[str, Any], token: str, *, anew: Callable[[], bool] = lambda: True) -> Any:
    """Return a token's header and claims after checking its signature. If the key is unknown and `anew` agrees, the
    keys are fetched again: providers change them. Raises JoseError.
    """
    from joserfc import jwt  # noqa: PLC0415
    from joserfc.errors import InvalidKeyIdError  # noqa: PLC0415
    from joserfc.jwk import KeySet  # noqa: PLC0415

    def read(*, anew_keys: bool) -> Any:
        keys = KeySet.import_key_set(fetch(known["jwks_uri"], anew=anew_keys))  # type: ignore[arg-type]
        return jwt.decode(token, keys, algorithms=ALGORITHMS)

    try:
        return read(anew_keys=False)
    except InvalidKeyIdError:
        if not anew():
            raise
        return read(anew_keys=True)


def _verified(provider: SignInProvider, known: dict[str, Any], token: dict[str, Any], nonce: str) -> dict[str, Any]:
    """Return the ID token's claims after checking its signature, issuer, audience, times and nonce."""
    from authlib.oidc.core import CodeIDToken  # noqa: PLC0415

    read_token = decoded(known, token["id_token"])
    must = {
        "iss": {"essential": True, "value": provider.issuer},
        "aud": {"essential": True, "value": provider.client_id},
        "nonce": {"essential": True, "value": nonce},
    }
    about = {"nonce": nonce, "client_id": provider.client_id, "access_token": token.get("access_token")}
    claims = CodeIDToken(read_token.claims, read_token.header, must, about)
    claims.validate(leeway=LEEWAY)
    return dict(claims)


def _more(
    known: dict[str, Any], provider: SignInProvider, claims: dict[str, Any], token: dict[str, Any]
) -> dict[str, Any]:
    """Return what the userinfo endpoint adds. It is only asked if the ID token lacks something."""
    wanted = {"email", *([provider.groups_claim] if provider.roles else [])}
    if wanted <= claims.keys() or not isinstance(known.get("userinfo_endpoint"), str):
        return {}
    bearer = {"Authorization": f"Bearer {token['access_token']}"}
    said: dict[str, Any] = ask("GET", known["userinfo_endpoint"], headers=bearer)
    if said.get("sub") != claims["sub"]:  # about somebody else: the standard requires refusing it
        raise ProviderFailed
    return said


def _vouched(provider: SignInProvider, claims: dict[str, Any], more: dict[str, Any], id_token: str) -> Vouched:
    """Combine the claims. Raises ProviderFailed if `sub` is invalid, SignInRefused if groups were left out."""
    subject = claims["sub"]
    if not isinstance(subject, str) or not 0 < len(subject) <= LONGEST_SUBJECT or NO_TEXT.search(subject):
        raise ProviderFailed
    mail = claims if "email" in claims else more  # the address and its verification from the same place
    merged = {**more, **claims}
    groups, elsewhere = merged.get(provider.groups_claim), merged.get("_claim_names")
    if groups is None and isinstance(elsewhere, dict) and provider.groups_claim in elsewhere:
        raise SignInRefused(why="groups_left_out")  # too many for a token: roles would be removed wrongly
    groups = [groups] if isinstance(groups, str) else groups if isinstance(groups, list) else []
    address, name = _text(mail.get("email")), _text(merged.get("preferred_username"))
    right = len(address) <= LONGEST_ADDRESS and address == mail.get("email") and ADDRESS.fullmatch(address)
    email = address if right and mail.get("email_verified") is True else ""
    return Vouched(
        subject=subject,
        username=name or email,
        display_name=_text(merged.get("name"))[:120],
        email=email,
        groups=frozenset(group for group in groups if isinstance(group, str)),
        id_token=id_token,
        proved_at=claims["auth_time"] if isinstance(claims.get("auth_time"), int) else None,
        sid=_text(claims.get("sid")),
        said=frozenset({name, address} - {""}),
    )


def _text(value: Any) -> str:
    """Return the text as one line, or "" if it is not a text."""
    return NO_TEXT.sub("", value[:LONGEST_TEXT]) if isinstance(value, str) else ""
