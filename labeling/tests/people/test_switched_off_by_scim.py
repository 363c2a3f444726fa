"""People deactivated by SCIM stay out: before the first sign-in, by API token, and when another person gets the
name.
"""

from typing import Any

import pytest

from labeling.actions.forgetting import forget_person
from labeling.actions.invitations import tell_invited
from labeling.actions.labels import claim_next_label
from labeling.formats.scim import USER
from labeling.models import (
    ApiToken,
    AuditEvent,
    Delivery,
    Identity,
    Label,
    Membership,
    Notice,
    Provisioned,
    RecoveryCode,
    SecondFactor,
    User,
)
from labeling.tests.accounts import PASSWORD, Browser, Program
from labeling.tests.factories import join, make_member, make_project, make_round, make_user
from labeling.tests.people.provider import Provider
from labeling.tests.people.test_scim import TOKEN, patch, scim
from labeling.tests.people.test_sign_in import come_back, other, provider, set_up, who  # noqa: F401  (fixtures)

pytestmark = pytest.mark.django_db
OFF, ON = ({"op": "replace", "path": "active", "value": value} for value in (False, True))
ADA = {"schemas": [USER], "userName": "ada", "externalId": "x-1", "emails": [{"value": "ada@example.org"}]}
REFUSED = "/login?refused=switched_off"


@pytest.fixture(autouse=True)
def _token(settings: Any) -> None:
    settings.SCIM_TOKEN = TOKEN


@pytest.fixture
def sso(provider: Provider, set_up: Any) -> Provider:  # noqa: F811
    make_project("algebra")
    set_up(sso=(provider, {"roles": {"leads": {"algebra": "admin"}}, "joins_by_email": True}))
    provider.person |= {"groups": ["leads"]}
    return provider


def make(**changes: Any) -> User:
    return User.objects.get(pk=scim("POST", "Users", {**ADA, **changes}, status=201)["id"])


@pytest.mark.parametrize("joins", [True, False])
@pytest.mark.parametrize(
    "said",
    [
        {"email": "ADA@example.org"},
        {"email": "ada@example.org", "email_verified": False},
        {"email": "other@example.org", "preferred_username": "Ada"},
        {"email": None, "preferred_username": "ada@example.org"},
        {"email": None, "sub": "x-1"},
    ],
)
def test_who_is_switched_off_before_the_first_sign_in_gets_no_other_account(
    sso: Provider,
    set_up: Any,  # noqa: F811
    joins: bool,
    said: dict[str, Any],
) -> None:
    set_up(sso=(sso, {"joins_by_email": joins}))
    ada = make()
    patch(str(ada.pk), OFF)
    sso.person |= said
    browser = Browser()
    assert come_back(browser, sso) == REFUSED
    assert who(browser) is None
    assert (User.objects.count(), Identity.objects.count()) == (1, 0)


@pytest.mark.parametrize(
    "said",
    [
        {"email": "bob@example.org", "email_verified": False, "preferred_username": "ada"},
        {"email": "ada@example.org", "preferred_username": "bob"},
        {"email": "ada@example.org", "preferred_username": "x-9"},
        {"sub": "x-1", "email": "bob@example.org", "email_verified": False},
    ],
)
def test_a_claim_that_nobody_proved_borrows_no_account_that_is_on(sso: Provider, said: dict[str, Any]) -> None:
    patch(str(make().pk), OFF)
    make(userName="bob", externalId="x-9", emails=[{"value": "bob@example.org"}])
    sso.person |= said
    browser = Browser()
    assert come_back(browser, sso) == REFUSED
    assert who(browser) is None


@pytest.mark.parametrize(
    "said",
    [
        {"email": "ADA@example.org", "preferred_username": "else"},
        {"email": "other@example.org", "preferred_username": "Ada"},
        {"email": None, "sub": "x-1"},
    ],
)
def test_who_is_forgotten_while_switched_off_stays_out_without_being_named(sso: Provider, said: dict[str, Any]) -> None:
    ada = make()
    patch(str(ada.pk), OFF)
    forget_person(ada)
    forget_person(ada)
    kept = Provisioned.objects.get().external_id
    assert not any(word in kept for word in ("ada@", "x-1", "example"))
    mine = dict(sso.person)
    sso.person |= said
    assert come_back(Browser(), sso) == REFUSED
    assert scim("GET", "Users")["totalResults"] == 0
    scim("POST", "Users", {**ADA, "userName": f"former-{ada.pk}", "externalId": "x-5", "emails": []}, status=409)
    sso.person |= {"sub": "bob", "email": "bob@example.org", "preferred_username": "bob"}
    browser = Browser()
    come_back(browser, sso)
    assert who(browser)["username"] == "bob", "others get in"
    assert make() != ada
    sso.person |= mine | said
    assert come_back(Browser(), sso) == "/projects", "the provider made them an account again"


def test_an_account_that_was_made_here_is_no_way_round_it(sso: Provider) -> None:
    patch(str(make().pk), OFF)
    local = make_user("local", email="ada@example.org", password=PASSWORD)
    assert come_back(Browser(), sso) == REFUSED
    Identity.objects.create(user=local, issuer=sso.issuer, subject="ada")
    assert come_back(Browser(), sso) == REFUSED, "nor is one that was joined before"


def test_another_provider_keeps_nobody_out_by_a_name_alone(sso: Provider, other: Provider, set_up: Any) -> None:  # noqa: F811
    set_up(sso=(sso, {}), other=(other, {}))
    patch(str(make().pk), OFF)
    other.person |= {"preferred_username": "ada", "email": "ada@elsewhere.example"}
    assert come_back(Browser(), other, "other") == "/projects", "its ada is another one"
    other.person |= {"sub": "second", "email": "ada@example.org"}
    assert come_back(Browser(), other, "other") == REFUSED, "the address is vouched for: it is the same person"


def test_who_is_switched_on_or_has_the_address_next_gets_in(sso: Provider) -> None:
    gone = make()
    scim("DELETE", f"Users/{gone.pk}", status=204)
    next_one = make(userName="ada2", externalId="x-2")
    browser = Browser()
    come_back(browser, sso)
    assert who(browser)["id"] == next_one.pk
    patch(str(next_one.pk), OFF)
    assert come_back(Browser(), sso) == REFUSED
    patch(str(next_one.pk), ON)
    come_back(browser, sso)
    assert who(browser)["id"] == next_one.pk


def test_api_tokens_of_who_was_switched_off_do_not_live_again(sso: Provider) -> None:
    browser = Browser()
    come_back(browser, sso)
    ada = User.objects.get()
    program = Program(ada)
    patch(str(ada.pk), OFF)
    patch(str(ada.pk), ON)
    program.call("GET", "/api/projects", status=401)
    assert who(browser) is None
    assert Membership.objects.get().is_active, "roles stay"
    kept = Program(ada)  # of an account that was deactivated while its tokens stayed
    User.objects.update(is_active=False)
    patch(str(ada.pk), ON)
    kept.call("GET", "/api/projects", status=401)
    assert not ApiToken.objects.filter(revoked_at=None).exists()


@pytest.mark.parametrize(
    "changes", [{"emails": [{"value": "else@example.org"}]}, {"externalId": "x-2"}, {"emails": []}]
)
def test_who_gets_a_name_that_is_free_again_gets_nothing_of_who_had_it(sso: Provider, changes: dict[str, Any]) -> None:
    ada = make()
    come_back(Browser(), sso)
    assert Identity.objects.get().user == ada
    geometry = make_project("geometry")
    join(geometry, ada, "annotator")
    make_round(geometry)
    held = claim_next_label(ada, geometry).label
    program = Program(ada)
    SecondFactor.objects.create(user=ada, kind="passkey", name="theirs", credential_id=b"1", credential=b"1")
    RecoveryCode.objects.create(user=ada, code_hash="0" * 64)
    scim("DELETE", f"Users/{ada.pk}", status=204)
    assert make(**changes) == ada, "the account with its labels"
    program.call("GET", "/api/projects", status=401)
    left = [rows.objects.filter(user=ada).exists() for rows in (Identity, SecondFactor, RecoveryCode)]
    assert left == [False, False, False]
    assert not Membership.objects.filter(is_active=True).exists()
    assert Label.objects.get(pk=held.pk).status == Label.Status.RELEASED


def test_invitations_by_and_to_who_is_switched_off_end_for_good(sso: Provider) -> None:
    ada = make()
    geometry = make_project("geometry")
    join(geometry, ada, "admin")
    admin = Browser(make_member(geometry, "admin"))
    invitations = "/api/projects/geometry/invitations"

    def invite(browser: Browser, email: str) -> int:
        made = browser.call("POST", invitations, {"role": "annotator", "email": email}, status=201)
        return int(made["id"])

    ends = {invite(Browser(ada), "bob@example.org"), invite(admin, "ADA@example.org")}
    stays = {invite(admin, "bob@example.org")}
    patch(str(ada.pk), OFF)
    patch(str(ada.pk), ON)
    stays.add(invite(admin, "ada@example.org"))
    states = {one["id"]: one["state"] for one in admin.call("GET", invitations)["results"]}
    assert states == dict.fromkeys(ends, "revoked") | dict.fromkeys(stays, "open")
    assert AuditEvent.objects.filter(action="invitation.revoke").count() == 2


def test_invitations_and_notices_are_not_passed_on_with_a_name(sso: Provider, settings: Any) -> None:
    settings.MAIL, settings.SITE_URL = True, "https://label.example.org"
    ada = make()
    admin = Browser(make_member(make_project("geometry"), "admin"))
    invitations = "/api/projects/geometry/invitations"
    made = admin.call("POST", invitations, {"role": "admin", "username": "ada"}, status=201)
    tell_invited()
    assert (Notice.objects.filter(person=ada).count(), Delivery.objects.filter(person=ada).count()) == (1, 1)
    scim("DELETE", f"Users/{ada.pk}", status=204)
    assert make(externalId="x-2", emails=[{"value": "newada@example.org"}]) == ada
    sso.person |= {"sub": "another", "email": "newada@example.org", "preferred_username": "ada"}
    browser = Browser()
    come_back(browser, sso)
    assert who(browser)["id"] == ada.pk
    assert browser.call("GET", "/api/invitations")["results"] == []
    assert browser.call("GET", "/api/notices")["results"] == []
    browser.call("POST", f"/api/invitations/{made['id']}/join", status=404)
    assert not Delivery.objects.exists()
    [listed] = admin.call("GET", invitations)["results"]
    assert (listed["username"], listed["state"]) == ("ada", "open"), "whoever invites hears nothing of it"


def test_who_comes_back_as_they_were_signs_in_as_before(sso: Provider) -> None:
    ada = make()
    come_back(Browser(), sso)
    program = Program(ada)
    scim("DELETE", f"Users/{ada.pk}", status=204)
    assert come_back(Browser(), sso) == REFUSED
    assert make() == ada
    browser = Browser()
    come_back(browser, sso)
    assert who(browser)["id"] == ada.pk
    program.call("GET", "/api/projects", status=401)


def test_who_is_switched_off_on_the_admin_pages_loses_sessions_and_tokens_for_good() -> None:
    root = make_user("root", is_superuser=True, is_staff=True)
    ada = make_user("ada", password=PASSWORD)
    browser, program, admin = Browser(), Program(ada), Browser(root)
    browser.call("POST", "/api/session/login", {"username": "ada", "password": PASSWORD})
    form = {"username": "ada", "display_name": "", "email": ""}
    for answer in (form, {**form, "is_active": "on"}):
        said = admin.post(f"/admin/labeling/user/{ada.pk}/change/", answer, headers=admin.csrf_header())
        assert said.status_code == 302, said.content
        assert who(browser) is None
        program.call("GET", "/api/projects", status=401)
    Browser().call("POST", "/api/session/login", {"username": "ada", "password": PASSWORD})
