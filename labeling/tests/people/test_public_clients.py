"""Providers that give the site no secret, and those that do not support signing out from here."""

from typing import Any

from labeling.tests.accounts import Browser
from labeling.tests.people.provider import Provider
from labeling.tests.people.test_sign_in import come_back, provider, pytestmark, set_up, who

__all__ = ["provider", "pytestmark", "set_up"]


def test_a_client_without_a_secret_names_itself_and_is_let_in_by_its_verifier_alone(
    provider: Provider, set_up: Any
) -> None:
    provider.public = True
    set_up(sso=(provider, {"secret_env": ""}))
    browser = Browser()
    assert come_back(browser, provider) == "/projects"
    assert who(browser)["email"] == "ada@example.org"
    set_up(sso=(provider, {}))
    assert come_back(Browser(), provider) == "/login?refused=failed", "a secret is sent where there is one"


def test_who_signs_out_where_the_provider_knows_no_signing_out_is_signed_out_here(
    provider: Provider, set_up: Any
) -> None:
    provider.announced = {"end_session_endpoint": None}
    set_up(sso=(provider, {}))
    browser = Browser()
    come_back(browser, provider)
    assert who(browser) is not None
    assert browser.call("POST", "/api/session/logout")["leave_to"] is None
    assert who(browser) is None
