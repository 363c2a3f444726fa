"""Passkeys over HTTP: whom they let in, and who must use their provider."""

from collections.abc import Callable
from typing import Any

import pytest
from fido2.utils import websafe_encode

from labeling.actions.passkeys import MOST
from labeling.models import AuditEvent, Identity, RecoveryCode, SecondFactor, User
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


def with_part(credential: dict[str, Any], name: str, part: bytes) -> dict[str, Any]:
    """Return a device's answer with this part replaced."""
    return {**credential, "response": {**credential["response"], name: websafe_encode(part)}}


def refused(browser: Browser, credential: Any) -> str:
    """Return the refusal that a browser gets for this as its new passkey."""
    answer = browser.call("POST", f"{MAKE}/finish", {"name": "p", "credential": credential}, status=400)
    assert answer["code"] == "passkey_refused"
    return str(answer["detail"])


def test_a_passkey_lets_its_owner_in_while_they_have_a_password() -> None:
    ada = make_user("ada", password=PASSWORD)
    device = with_passkey(Browser(ada))
    assert who(come_in(device))["id"] == ada.pk
    Identity.objects.create(user=ada, issuer="https://id.example.org", subject="1")
    assert who(come_in(device))["id"] == ada.pk, "the password lets them in past the provider, too"


def test_who_comes_by_a_provider_alone_is_let_in_by_nothing_else(provider: Provider, set_up: Any) -> None:  # noqa: F811
    """Otherwise the roles of the last sign-in would last as long as the passkey."""
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


def test_a_copy_of_a_device_that_counts_lets_nobody_in() -> None:
    """A copy of the key starts with a counter that the site has already seen."""
    ada = make_user("ada", password=PASSWORD)
    device = with_passkey(Browser(ada))
    for count, status in ((7, 200), (7, 400), (6, 400), (0, 400), (8, 200)):
        device.count = count
        assert bool(who(come_in(device, status))) == (status == 200), count
    assert SecondFactor.objects.get().counter == 8


def test_who_knows_a_passkeys_name_and_lacks_its_key_stays_outside() -> None:
    ada = make_user("ada", password=PASSWORD)
    device, thief = with_passkey(Browser(ada)), Authenticator()
    thief.credential_id = device.credential_id
    assert who(come_in(thief, status=400)) is None
    browser = Browser()
    used = device.use(browser.call("POST", "/api/session/passkey/begin")["public_key"])
    browser.call("POST", "/api/session/passkey/begin")
    browser.call("POST", "/api/session/passkey", {"credential": used}, status=400)
    assert who(browser) is None, "an answer to another question than the last"
    deep = with_part(used, "clientDataJSON", b"[" * 20_000)
    few = ({**used, "response": {}}, {**used, "response": {"signature": "x"}}, deep)
    for odd in ({}, {"rawId": 7}, {"rawId": "é１"}, *few):
        browser.call("POST", "/api/session/passkey/begin")
        browser.call("POST", "/api/session/passkey", {"credential": odd}, status=400)
    assert not AuditEvent.objects.filter(action="session.log_in").exists()


def test_what_the_site_did_not_ask_for_or_what_holds_no_key_becomes_no_passkey() -> None:
    browser, device = Browser(make_user("ada", password=PASSWORD)), Authenticator()
    odd: list[Callable[[Any], Any]] = [
        lambda asked: device.make(asked, empty=True),
        lambda asked: {**device.make(asked), "response": {}},
        lambda asked: {**device.make(asked), "response": {"clientDataJSON": 1}},
        lambda asked: device.use(asked),
        lambda asked: device.make({**asked, "challenge": "of-another-site"}),
        lambda asked: with_part(device.make(asked), "clientDataJSON", b"[" * 50_000),
        lambda asked: with_part(device.make(asked), "attestationObject", b"\x81" * 50_000),
    ]
    for answer in odd:
        refused(browser, answer(browser.call("POST", MAKE)["public_key"]))
    refused(browser, device.make(browser.call("POST", "/api/session/passkey/begin")["public_key"]))
    assert not SecondFactor.objects.exists()
    assert not RecoveryCode.objects.exists(), "they come with a first factor, and there is none"


def test_a_device_that_is_somebodys_already_becomes_nobody_elses() -> None:
    ada, ben = (Browser(make_user(name, password=PASSWORD)) for name in ("ada", "ben"))
    device = with_passkey(ada)
    refused(ben, device.make(ben.call("POST", MAKE)["public_key"]))
    kept = ben.call("GET", "/api/session/factors")
    assert (kept["factors"], kept["recovery_codes_left"]) == ([], 0)
    assert who(come_in(device))["username"] == "ada"


def test_nobody_gets_more_passkeys_than_a_person_can_have_in_use() -> None:
    ada = make_user("ada", password=PASSWORD)
    device, browser = with_passkey(Browser(ada)), Browser(ada)
    known = bytes(SecondFactor.objects.get().credential or b"")
    SecondFactor.objects.bulk_create(
        SecondFactor(user=ada, kind="passkey", name=str(n), credential_id=bytes([n]), credential=known)
        for n in range(2, MOST)
    )
    waiting = browser.call("POST", MAKE)["public_key"]
    assert len(waiting["excludeCredentials"]) == MOST - 1, "the browser is told of those there are"
    body = {"name": "last", "credential": Authenticator().make(waiting)}
    browser.call("POST", f"{MAKE}/finish", body, status=201)
    said = browser.call("POST", MAKE, status=400)
    assert (said["code"], f"You have {MOST} passkeys" in said["detail"]) == ("passkey_refused", True)
    assert who(come_in(device))["username"] == "ada"
