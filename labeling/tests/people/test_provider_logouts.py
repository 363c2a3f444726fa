"""Sign-outs reported by a provider: OpenID Connect Back-Channel Logout 1.0, really signed."""

import time
from base64 import urlsafe_b64encode
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from joserfc import jwt
from joserfc.jwk import RSAKey

from labeling.actions.provider_logouts import EVENT
from labeling.models import AuditEvent, User
from labeling.tests.accounts import PASSWORD, Browser
from labeling.tests.people.provider import Provider
from labeling.tests.people.test_sign_in import come_back, other, provider, set_up, who  # noqa: F401  (fixtures)

pytestmark = pytest.mark.django_db


def token(of: Provider, *, key: Any = None, header: Any = None, **changes: Any) -> str:
    """Return a logout token as in the standard's own example (2.4), about ada; None removes a claim."""
    claims = {"iss": of.issuer, "sub": "ada", "aud": "stepmark", "iat": int(time.time()), "jti": str(uuid4())}
    claims |= {"events": {EVENT: {}}, **changes}
    kept = {name: value for name, value in claims.items() if value is not None}
    key = key or of.key
    return jwt.encode({"alg": "RS256", "kid": key.kid, "typ": "logout+jwt", **(header or {})}, kept, key)


def tell(said: str, *, name: str = "sso", status: int = 200) -> Any:
    answer = Client().post(f"/oidc/{name}/backchannel_logout", {"logout_token": said})
    assert answer.status_code == status, answer.content
    assert answer.headers["Cache-Control"] == "no-store"
    return answer


def signed_in(provider: Provider, sid: str = "") -> Browser:  # noqa: F811
    provider.token_changes = {"sid": sid} if sid else {}
    browser = Browser()
    come_back(browser, provider)
    assert who(browser)
    return browser


def test_who_signs_out_at_the_provider_is_signed_out_here_everywhere(provider: Provider, set_up: Any) -> None:  # noqa: F811
    set_up(sso=(provider, {}))
    browsers = [signed_in(provider), signed_in(provider, "s-1")]
    ada = User.objects.get()
    ada.set_password(PASSWORD)
    ada.save()
    by_password = Browser()
    by_password.call("POST", "/api/session/login", {"username": ada.username, "password": PASSWORD})
    provider.person = {"sub": "bob"}
    bob = signed_in(provider)
    tell(token(provider))
    assert [who(browser) for browser in browsers] == [None, None]
    assert (who(by_password)["id"], who(bob)["username"]) == (ada.pk, "person")
    assert AuditEvent.objects.filter(action="session.end", actor=None, detail__provider="sso").count() == 2
    tell(token(provider)), tell(token(provider, sub="nobody"))  # nothing is left to end, which is not an error


def test_a_session_that_is_named_ends_alone(provider: Provider, set_up: Any) -> None:  # noqa: F811
    set_up(sso=(provider, {}))
    one, two, three = (signed_in(provider, sid) for sid in ("s-1", "s-2", "s-3"))
    tell(token(provider, sub=None, sid="s-1"))
    assert (who(one), bool(who(two)), bool(who(three))) == (None, True, True)
    tell(token(provider, sid="s-2"))
    assert (who(two), bool(who(three))) == (None, True)
    tell(token(provider, sub="bob", sid="s-3"))
    assert who(three), "another person's session of that name"


@pytest.mark.parametrize(
    "wrong",
    [
        {"iss": "https://elsewhere.example.org"},
        {"aud": "another client"},
        {"iat": None},
        {"iat": 1},
        {"iat": 10**11},
        {"exp": 1},
        {"jti": None},
        {"events": None},
        {"events": {}},
        {"events": EVENT},
        {"events": {EVENT: "yes"}},
        {"nonce": "of a sign-in"},
        {"sub": None},
        {"sub": ["ada"]},
        {"header": {"typ": "at+jwt"}},
    ],
)
def test_what_is_no_logout_token_ends_nothing(provider: Provider, set_up: Any, wrong: dict[str, Any]) -> None:  # noqa: F811
    set_up(sso=(provider, {}))
    browser = signed_in(provider)
    assert tell(token(provider, **wrong), status=400).json()["error"] == "invalid_request"
    assert who(browser)


def test_a_head_that_is_lists_in_lists_is_no_token(provider: Provider, set_up: Any) -> None:  # noqa: F811
    set_up(sso=(provider, {}))
    head = urlsafe_b64encode(b"[" * 12_000).decode().rstrip("=")
    assert tell(f"{head}.e30.c2ln", status=400).json()["error"] == "invalid_request"


def test_a_token_counts_once_and_by_the_providers_own_signature(
    provider: Provider,  # noqa: F811
    other: Provider,  # noqa: F811
    set_up: Any,  # noqa: F811
) -> None:
    set_up(sso=(provider, {}), elsewhere=(other, {}))
    first = token(provider)
    signed_in(provider)
    tell(first)
    browser = signed_in(provider)
    assert "already used" in tell(first, status=400).json()["error_description"]
    tell(token(provider, key=other.key), status=400)
    tell(token(other), status=400)
    tell(token(other, iss=provider.issuer), name="elsewhere", status=400)
    tell(token(other), name="elsewhere")  # their ada is not ours
    tell("", status=400), tell("no.token", status=400), tell("x" * 20_000, status=400)
    unsigned = token(provider).split(".")
    tell(f"eyJhbGciOiJub25lIn0.{unsigned[1]}.", status=400)
    assert who(browser)
    for kid in ("second", "third"):
        provider.key = RSAKey.generate_key(2048, {"kid": kid, "use": "sig", "alg": "RS256"})
        provider.published.append(provider.key)
        tell(token(provider), status=200 if kid == "second" else 400)  # new keys are fetched at most once a minute
    assert who(browser) is None
    assert Client().get("/oidc/sso/backchannel_logout").status_code == 405
    assert Client().post("/oidc/nobody/backchannel_logout").status_code == 404
