"""Passkeys over HTTP: whom one lets in, and whom their provider alone does."""

from typing import Any

import pytest

from labeling.models import Identity, SecondFactor, User
from labeling.tests.accounts import PASSWORD, Browser
from labeling.tests.factories import make_project, make_user
from labeling.tests.people.authenticator import Authenticator
from labeling.tests.people.provider import Provider
from labeling.tests.people.test_sign_in import ROLES, come_back, provider, set_up, who  # noqa: F401  (fixtures)

pytestmark = pytest.mark.django_db
MAKE = "/api/session/factors/passkey"


@pytest.fixture(autouse=True)
def _passkeys(settings: Any) -> None:
    settings.PASSKEYS = True


def with_passkey(browser: Browser) -> Authenticator:
    device = Authenticator()
    made = device.make(browser.call("POST", MAKE)["public_key"])
    assert len(browser.call("POST", f"{MAKE}/finish", {"name": "p", "credential": made}, status=201)["recovery_codes"])
    return device


def come_in(device: Authenticator, status: int = 200) -> Browser:
    browser = Browser()
    used = device.use(browser.call("POST", "/api/session/passkey/begin")["public_key"])
    browser.call("POST", "/api/session/passkey", {"credential": used}, status=status)
    return browser


def test_a_passkey_lets_its_owner_in_while_they_have_a_password() -> None:
    ada = make_user("ada", password=PASSWORD)
    device = with_passkey(Browser(ada))
    assert who(come_in(device))["id"] == ada.pk
    Identity.objects.create(user=ada, issuer="https://id.example.org", subject="1")
    assert who(come_in(device))["id"] == ada.pk, "the password lets them in past the provider, too"


def test_who_comes_by_a_provider_alone_is_let_in_by_nothing_else(provider: Provider, set_up: Any) -> None:  # noqa: F811
    """Else the roles of the last sign-in would last for as long as the passkey."""
    make_project("algebra")
    set_up(sso=(provider, {"roles": ROLES}))
    ada = make_user("ada", password=PASSWORD)
    device = with_passkey(Browser(ada))
    Identity.objects.create(user=ada, issuer=provider.issuer, subject="ada")
    provider.person["groups"] = ["leads"]
    browser = Browser()
    come_back(browser, provider)
    waiting = browser.call("POST", MAKE)["public_key"]
    ada.set_unusable_password()
    ada.save()
    come_back(browser, provider)
    assert who(come_in(device, status=400)) is None
    late = {"name": "p", "credential": Authenticator().make(waiting)}
    assert browser.call("POST", f"{MAKE}/finish", late, status=400)["code"] == "passkey_refused"
    refused = browser.call("POST", MAKE, status=400)
    assert (refused["code"], "provider" in refused["detail"]) == ("passkey_refused", True)
    kept = browser.call("GET", "/api/session/factors")
    assert (kept["passkeys"], kept["password"], len(kept["factors"])) == (False, False, 1)
    browser.call("POST", f"/api/session/factors/{kept['factors'][0]['id']}/remove")
    assert not SecondFactor.objects.exists(), "what was made before can be thrown away"
    assert User.objects.count() == 1
