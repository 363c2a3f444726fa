"""Unsuitable claims of a provider about a person: they are ignored, or the sign-in is refused; it never fails."""

from typing import Any

import pytest

from labeling.models import Identity, LoggedIn, User
from labeling.tests.accounts import Browser
from labeling.tests.people.provider import Provider
from labeling.tests.people.test_sign_in import come_back, provider, set_up, who  # noqa: F401  (fixtures)

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("subject", ["s" * 256, "a\0b", "a\nb", "", 7, True, ["ada"], {"a": 1}])
def test_who_has_no_name_at_the_provider_is_nobody(provider: Provider, set_up: Any, subject: Any) -> None:  # noqa: F811
    set_up(sso=(provider, {}))
    provider.person["sub"] = subject
    browser = Browser()
    assert come_back(browser, provider) == "/login?refused=failed"
    assert who(browser) is None
    assert not User.objects.exists()


@pytest.mark.parametrize(
    "address",
    [
        "a" * 250 + "@example.org",
        "not an address\n<x>",
        "ada@example.org\n",
        "ada@example.org\0",
        "ada@@example.org",
        "ada",
        ["ada@example.org"],
        7,
    ],
)
def test_what_is_no_address_is_not_kept(provider: Provider, set_up: Any, address: Any) -> None:  # noqa: F811
    local = make_local()
    set_up(sso=(provider, {"joins_by_email": True}))
    provider.person["email"] = address
    browser = Browser()
    assert come_back(browser, provider) == "/projects"
    assert (who(browser)["email"], who(browser)["username"]) == ("", "person")
    assert not local.identities.exists()


def make_local() -> User:
    return User.objects.create(username="local", email="ada@example.org")


def test_an_address_that_nobody_vouches_for_names_nobody(provider: Provider, set_up: Any) -> None:  # noqa: F811
    set_up(sso=(provider, {}))
    provider.person["email_verified"] = False
    browser = Browser()
    come_back(browser, provider)
    assert (who(browser)["email"], who(browser)["username"]) == ("", "person")


def test_texts_lose_what_is_no_text(provider: Provider, set_up: Any) -> None:  # noqa: F811
    set_up(sso=(provider, {}))
    provider.person = {"sub": "a" * 255, "sid": "s\0"}
    provider.userinfo = {"name": "A\0da \ud800Lovelace\n" + "x" * 500, "preferred_username": ["ada"]}
    browser = Browser()
    assert come_back(browser, provider) == "/projects"
    assert who(browser)["username"] == "person"
    assert who(browser)["display_name"] == f"Ada Lovelace{'x' * 108}"
    provider.userinfo = {"preferred_username": "b\0o\nb" + "z" * 100_000, "name": {"a": 1}}
    provider.person["sub"] = "bob"
    other = Browser()
    come_back(other, provider)
    assert who(other)["username"].startswith("bobzzz")
    assert User.objects.get(identities__subject="bob").display_name == ""


@pytest.mark.parametrize("elsewhere", [None, "groups", ["groups"], 7])
def test_claims_that_are_said_to_stand_elsewhere_in_no_words_stand_nowhere(
    provider: Provider,  # noqa: F811
    set_up: Any,  # noqa: F811
    elsewhere: Any,
) -> None:
    set_up(sso=(provider, {}))
    provider.person["_claim_names"] = elsewhere
    come_back(Browser(), provider)
    assert Identity.objects.get().subject == "ada"
    assert LoggedIn.objects.count() == 1
