"""Second factors in a real browser: an authenticator app, a passkey of Chromium's virtual device, and the repeated
check.
"""

from collections.abc import Callable
from typing import Any

import pyotp
import pytest
from playwright.sync_api import Page, expect

from labeling.actions.outgoing_mail import reset_path
from labeling.models import SecondFactor
from labeling.tests.accounts import PASSWORD, Browser
from labeling.tests.factories import make_user

pytestmark = pytest.mark.django_db(transaction=True)


def with_authenticator(page: Page) -> Any:
    """A separate device that has passkeys and recognises its owner."""
    cdp = page.context.new_cdp_session(page)
    cdp.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    cdp.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    return cdp


def log_in_at(page: Page, address: str) -> None:
    page.goto(f"{address}/login?next=/account")
    page.get_by_label("User name").fill("ada")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()


def test_a_person_sets_up_a_code_app_and_a_passkey_and_gets_in_with_each(
    new_page: Callable[..., Page], live_server: Any, settings: Any
) -> None:
    page = new_page()
    settings.PASSKEYS, settings.RECHECK_MINUTES = True, 30
    address = live_server.url.replace("127.0.0.1", "localhost")
    make_user("ada", password=PASSWORD)
    cdp = with_authenticator(page)
    log_in_at(page, address)
    expect(page.get_by_role("heading", name="Where you are logged in")).to_be_visible()
    expect(page.get_by_text("this one")).to_be_visible()

    page.get_by_role("button", name="Set up a code app").click()
    expect(page.get_by_alt_text("The secret as a QR code")).to_be_visible()
    app = pyotp.TOTP(page.locator("form[aria-label='Set up a code app'] code").inner_text())
    page.get_by_label("What the app shows now").fill(app.now())
    page.get_by_role("button", name="Ask for it from now on").click()
    shown = page.get_by_role("status").filter(has_text="Keep these recovery codes").locator("code")
    expect(shown).to_have_count(10)
    codes = shown.all_inner_texts()

    page.get_by_label("A name for the new passkey").fill("laptop")
    page.get_by_role("button", name="Make a passkey").click()
    expect(page.get_by_role("cell", name="laptop")).to_be_visible()
    assert set(SecondFactor.objects.values_list("kind", flat=True)) == {"totp", "passkey"}

    page.get_by_role("button", name="Log out", exact=True).first.click()
    expect(page.get_by_label("User name")).to_be_visible()
    log_in_at(page, address)
    code = page.get_by_label("Code")
    expect(code).to_be_focused()
    code.fill(codes[0])
    page.get_by_role("button", name="Log in", exact=True).click()
    expect(page.get_by_text("Recovery codes left: 9")).to_be_visible()

    page.get_by_role("button", name="Log out", exact=True).first.click()
    expect(page.get_by_label("User name")).to_be_visible()  # leaving the page sooner would cancel the request
    page.goto(f"{address}/login?next=/account")
    page.get_by_role("button", name="Log in with a passkey").click()
    expect(page.get_by_role("heading", name="Account", exact=True)).to_be_visible()
    assert SecondFactor.objects.get(kind="passkey").last_used_at

    asked_again_before_a_token(page, settings)
    cdp.detach()


def asked_again_before_a_token(page: Page, settings: Any) -> None:
    """A dialog asks who is there; the original request then continues automatically."""
    settings.RECHECK_MINUTES = -1  # any proof is too old now
    page.get_by_text("API tokens, for programs").click()
    page.get_by_label("What is it for?").fill("nightly export")
    page.get_by_role("button", name="Make a token").click()
    dialog = page.get_by_role("dialog", name="Is it still you?")
    expect(dialog.get_by_label("Your password")).to_be_visible()
    settings.RECHECK_MINUTES = 30
    dialog.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_text("Copy the token now")).to_be_visible()
    expect(dialog).to_have_count(0)


def test_the_link_of_a_mail_works_in_a_browser_that_was_never_here(
    new_page: Callable[..., Page], live_server: Any
) -> None:
    """The browser has no cookie, and the link's page asks for nothing before the password is sent."""
    new = "another long sentence 8"
    page = new_page()
    page.goto(f"{live_server.url}{reset_path(make_user('ada', password=PASSWORD))}")
    assert page.context.cookies() == []
    page.get_by_label("New password", exact=True).fill(new)
    page.get_by_label("New password", exact=True).press("Enter")
    expect(page.get_by_text("Your password is set")).to_be_visible()
    assert Browser().send("POST", "/api/session/login", {"username": "ada", "password": new}).status_code == 200


def test_who_comes_by_a_provider_alone_is_offered_no_password_to_change(
    log_in: Callable[..., Page], live_server: Any
) -> None:
    person = make_user("ada", password=PASSWORD)
    page = log_in(person)
    page.goto(f"{live_server.url}/account")
    expect(page.get_by_role("heading", name="Password", exact=True)).to_be_visible()
    person.set_unusable_password()
    person.save(update_fields=["password"])
    page = log_in(person)
    page.goto(f"{live_server.url}/account")
    expect(page.get_by_text("You log in with a sign-in provider")).to_be_visible()
    expect(page.get_by_role("heading", name="Password", exact=True)).to_have_count(0)
