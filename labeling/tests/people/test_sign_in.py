"""Signing in with OpenID Connect, with a provider that speaks it over HTTP."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core.exceptions import ImproperlyConfigured
from joserfc.jwk import RSAKey

from annotation_app.sign_in_providers import read_sign_in_providers
from labeling.actions import labels
from labeling.actions.invitations import create_invitation
from labeling.models import AuditEvent, Identity, Label, Membership, SecondFactor, User
from labeling.tests.accounts import PASSWORD, Browser, Program
from labeling.tests.factories import join, make_member, make_project, make_round, make_user
from labeling.tests.people.provider import SECRET, Provider, running_provider

pytestmark = pytest.mark.django_db
ROLES = {"labelers": {"algebra": "annotator"}, "leads": {"algebra": "admin"}}


@pytest.fixture
def provider() -> Iterator[Provider]:
    with running_provider() as found:
        yield found


@pytest.fixture
def other() -> Iterator[Provider]:
    """Another organisation's provider, which claims what it likes about its people."""
    with running_provider(1) as found:
        yield found


@pytest.fixture
def set_up(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("OIDC_SECRET", SECRET)

    def do(**issuers: tuple[Provider, dict[str, Any]]) -> None:
        about = {
            name: {"issuer": one.issuer, "client_id": "stepmark", "secret_env": "OIDC_SECRET", **options}
            for name, (one, options) in issuers.items()
        }
        settings.OIDC_PROVIDERS = read_sign_in_providers(json.dumps(about))

    return do


def come_back(browser: Browser, provider: Provider, name: str = "sso", next_page: str = "/projects") -> str:
    """Send the browser to the provider and back; return where it is sent then."""
    url = browser.call("POST", f"/api/session/providers/{name}/begin", {"next": next_page})["url"]
    query = {key: values[0] for key, values in parse_qs(urlsplit(url).query).items()}
    back = urlsplit(provider.authorize(query))
    return browser.get(f"{back.path}?{back.query}").headers["Location"]


def who(browser: Browser) -> Any:
    return browser.call("GET", "/api/session")["user"]


def test_without_a_provider_there_is_nothing_and_nothing_is_loaded() -> None:
    ways = Browser().call("GET", "/api/session")["sign_in"]
    assert ways == {"providers": [], "passwords_for_few": False, "passkeys": False, "mail": False}
    code = "import annotation_app.urls, sys; sys.exit(bool({'authlib', 'joserfc', 'httpx'} & set(sys.modules)))"
    start = "import django; django.setup(); "
    assert subprocess.run([sys.executable, "-c", start + code], check=False).returncode == 0


def test_a_person_comes_back_signed_in_with_an_account_of_their_own(provider: Provider, set_up: Any) -> None:
    set_up(sso=(provider, {"title": "Example Lab"}))
    provider.person |= {"preferred_username": "Ada L!", "name": "Ada Lovelace"}
    browser = Browser()
    assert browser.call("GET", "/api/session")["sign_in"]["providers"] == [{"name": "sso", "title": "Example Lab"}]
    assert come_back(browser, provider, next_page="/projects/algebra?x=1") == "/projects/algebra?x=1"
    assert (who(browser)["username"], who(browser)["display_name"]) == ("AdaL", "Ada Lovelace")
    assert who(browser)["email"] == "ada@example.org"
    person = User.objects.get()
    assert not person.has_usable_password()
    again = Browser()
    come_back(again, provider)
    assert who(again)["id"] == person.pk, "the same issuer and subject are the same person"
    actions = list(AuditEvent.objects.order_by("pk").values_list("action", flat=True))
    assert actions == ["person.create", "identity.create", "session.log_in", "session.log_in"]
    assert provider.redeemed[0]["code_challenge_method"] == "S256"


def test_an_account_keeps_its_subject_when_name_and_address_change(provider: Provider, set_up: Any) -> None:
    set_up(sso=(provider, {}))
    come_back(Browser(), provider)
    provider.person |= {"email": "new@example.org", "preferred_username": "someone"}
    come_back(Browser(), provider)
    assert User.objects.count() == 1
    provider.person |= {"sub": "bob", "preferred_username": "ada@example.org"}
    browser = Browser()
    come_back(browser, provider)
    assert who(browser)["username"] == "ada@example.org-2", "a name that is taken gets a number"


def test_a_local_account_is_joined_by_a_verified_address_where_the_operator_allows_it(
    provider: Provider, set_up: Any
) -> None:
    ada = make_user("ada", email="Ada@example.org")
    set_up(sso=(provider, {}))
    come_back(Browser(), provider)
    assert Identity.objects.get().user != ada, "nobody allowed it"
    set_up(sso=(provider, {"joins_by_email": True, "makes_accounts": False}))
    provider.person |= {"sub": "second", "email_verified": False}
    assert come_back(Browser(), provider) == "/login?refused=no_account"
    provider.person["email_verified"] = "true"
    assert come_back(Browser(), provider) == "/login?refused=no_account", "a word is not a yes"
    User.objects.exclude(pk=ada.pk).update(email="")
    provider.person["email_verified"] = True
    browser = Browser()
    come_back(browser, provider)
    assert who(browser)["id"] == ada.pk


def test_who_made_the_account_beforehand_does_not_get_in_with_the_one_who_joins_it(
    provider: Provider, set_up: Any
) -> None:
    """An admin of one project invites a stranger's address and accepts it themself, to be there when they come."""
    ada = make_user("ada", email="ada@example.org")
    waiting, program = Browser(ada), Program(ada)
    program.call("GET", "/api/tokens")
    assert who(waiting)["id"] == ada.pk
    SecondFactor.objects.create(user=ada, kind="passkey", name="theirs", credential_id=b"1", credential=b"1")
    set_up(sso=(provider, {"joins_by_email": True}))
    browser = Browser()
    come_back(browser, provider)
    assert who(browser)["id"] == ada.pk
    assert who(waiting) is None, "sessions that the password began have ended"
    program.call("GET", "/api/tokens", status=401)
    assert not SecondFactor.objects.exists(), "a passkey needs no password at all"
    Browser().call("POST", "/api/session/login", {"username": "ada", "password": PASSWORD}, status=401)
    come_back(browser, provider)
    assert who(browser)["id"] == ada.pk, "and the provider's own way in stays"


def test_a_second_provider_cannot_take_an_account_over_by_its_address(
    provider: Provider, other: Provider, set_up: Any
) -> None:
    ada = make_user("ada", email="ada@example.org")
    allowed = {"joins_by_email": True}
    set_up(sso=(provider, allowed), other=(other, allowed))
    come_back(Browser(), provider)
    assert Identity.objects.get().user == ada
    thief = Browser()
    come_back(thief, other, "other")
    assert who(thief)["id"] != ada.pk, "the same address and even the same subject, of another issuer"
    assert Identity.objects.filter(user=ada).count() == 1


@pytest.mark.parametrize("right", ["is_superuser", "is_staff"])
def test_a_superuser_is_never_joined_by_an_address(provider: Provider, set_up: Any, right: str) -> None:
    root = make_user("root", email="ada@example.org", **{right: True})
    set_up(sso=(provider, {"joins_by_email": True}))
    browser = Browser()
    come_back(browser, provider)
    assert who(browser)["id"] != root.pk


def test_groups_give_and_take_roles_at_every_sign_in(provider: Provider, set_up: Any) -> None:
    algebra, geometry = make_project("algebra"), make_project("geometry")
    set_up(sso=(provider, {"roles": ROLES}))
    browser = Browser()

    def roles(groups: Any) -> dict[str, str]:
        provider.person["groups"] = groups
        come_back(browser, provider)
        return {one["project"]["slug"]: one["role"] for one in who(browser)["memberships"]}

    assert roles(["labelers", "of another house"]) == {"algebra": "annotator"}
    assert roles(["labelers", "leads"]) == {"algebra": "admin"}
    person = User.objects.get(identities__subject="ada")
    join(geometry, person, "researcher")
    assert roles("labelers") == {"algebra": "annotator", "geometry": "researcher"}
    make_round(algebra)
    held = labels.claim_next_label(person, algebra).label
    assert roles([]) == {"geometry": "researcher"}, "what no group speaks of stays"
    assert Label.objects.get(pk=held.pk).status == Label.Status.RELEASED, "what was held goes back to the queue"
    assert roles(["leads"]) == {"algebra": "admin", "geometry": "researcher"}
    assert AuditEvent.objects.filter(action="member.groups", project=algebra).count() == 5


def test_groups_may_stand_in_userinfo_and_left_out_ones_are_not_taken_for_none(provider: Provider, set_up: Any) -> None:
    make_project("algebra")
    set_up(sso=(provider, {"roles": ROLES}))
    provider.userinfo = {"groups": ["labelers"]}
    come_back(Browser(), provider)
    assert Membership.objects.get().is_active
    provider.userinfo, provider.person["_claim_names"] = {}, {"groups": "src1"}
    assert come_back(Browser(), provider) == "/login?refused=groups_left_out"
    assert Membership.objects.get().is_active
    del provider.person["_claim_names"]
    provider.userinfo = {"sub": "somebody else", "groups": ["leads"]}
    assert come_back(Browser(), provider) == "/login?refused=failed"


@pytest.mark.parametrize(
    "wrong",
    [
        {"iss": "https://elsewhere.example.org"},
        {"aud": "another client"},
        {"nonce": "of another sign-in"},
        {"exp": 1},
        {"nonce": None},
        {"sub": None},
        {"azp": "another client"},
    ],
)
def test_a_token_of_somebody_else_lets_nobody_in(provider: Provider, set_up: Any, wrong: dict[str, Any]) -> None:
    set_up(sso=(provider, {}))
    provider.token_changes = wrong
    browser = Browser()
    assert come_back(browser, provider) == "/login?refused=failed"
    assert who(browser) is None
    assert not User.objects.exists()


def test_a_token_with_another_signature_lets_nobody_in_and_changed_keys_are_fetched(
    provider: Provider, set_up: Any
) -> None:
    set_up(sso=(provider, {}))
    come_back(Browser(), provider)
    real = provider.key
    provider.key = RSAKey.generate_key(2048, {"kid": "first", "use": "sig", "alg": "RS256"})
    assert come_back(Browser(), provider) == "/login?refused=failed", "signed by a key that nobody published"
    provider.key = RSAKey.generate_key(2048, {"kid": "second", "use": "sig", "alg": "RS256"})
    provider.published = [real, provider.key]
    assert come_back(Browser(), provider) == "/projects"


def test_a_provider_that_says_it_is_another_is_refused(provider: Provider, set_up: Any) -> None:
    set_up(sso=(provider, {}))
    provider.announced = {"issuer": "https://elsewhere.example.org"}
    answer = Browser().call("POST", "/api/session/providers/sso/begin", {"next": "/"}, status=502)
    assert answer["code"] == "provider_failed"


def test_a_sign_in_ends_where_it_began_and_once(provider: Provider, set_up: Any) -> None:
    set_up(sso=(provider, {}))
    browser = Browser()
    url = browser.call("POST", "/api/session/providers/sso/begin", {"next": "/"})["url"]
    query = {key: values[0] for key, values in parse_qs(urlsplit(url).query).items()}
    back = urlsplit(provider.authorize(query))
    stranger = Browser()
    assert stranger.get(f"{back.path}?{back.query}").headers["Location"] == "/login?refused=expired"
    assert browser.get(f"{back.path}?{back.query}").headers["Location"] == "/"
    assert browser.get(f"{back.path}?{back.query}").headers["Location"] == "/login?refused=expired"
    refused = browser.get("/api/session/providers/sso/callback?error=access_denied")
    assert refused.headers["Location"] == "/login?refused=expired"


@pytest.mark.parametrize("next_page", ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:x"])
def test_nobody_is_sent_to_another_site_afterwards(provider: Provider, set_up: Any, next_page: str) -> None:
    set_up(sso=(provider, {}))
    refusal = Browser().call("POST", "/api/session/providers/sso/begin", {"next": next_page}, status=400)
    assert list(refusal["fields"]) == ["next"]


def test_another_site_cannot_begin_a_sign_in(provider: Provider, set_up: Any) -> None:
    set_up(sso=(provider, {}))
    Browser(csrf=False).call("POST", "/api/session/providers/sso/begin", {"next": "/"}, status=403)


def test_a_provider_that_says_when_somebody_proved_who_they_are_answers_the_question_again(
    provider: Provider, set_up: Any, settings: Any
) -> None:
    set_up(sso=(provider, {}))
    settings.RECHECK_MINUTES = 30
    browser = Browser()
    come_back(browser, provider)
    refusal = browser.call("POST", "/api/tokens", {"name": "a"}, status=403)
    assert refusal["code"] == "check_again", "the provider may have let in whoever sat there"
    again = {"next": "/account", "again": True}

    def prove() -> str:
        url = browser.call("POST", "/api/session/providers/sso/begin", again)["url"]
        query = {key: values[0] for key, values in parse_qs(urlsplit(url).query).items()}
        assert (query["prompt"], query["max_age"]) == ("login", "0")
        back = urlsplit(provider.authorize(query))
        return str(browser.get(f"{back.path}?{back.query}").headers["Location"])

    provider.person["auth_time"] = int(time.time()) - 4000
    assert prove() == "/login?refused=not_proved"
    provider.person["auth_time"] = int(time.time())
    assert prove() == "/account"
    browser.call("POST", "/api/tokens", {"name": "a"}, status=201)
    provider.person["auth_time"] = int(time.time()) + 10**9
    assert prove() == "/account"
    assert browser.session["checked_at"] <= time.time(), "it is good from now on, and not from then"
    browser.call("POST", "/api/tokens", {"name": "b"}, status=201)
    assert [one["how"] for one in browser.call("GET", "/api/session/browsers")["results"]] == ["provider"]


def test_a_switched_off_account_stays_out(provider: Provider, set_up: Any) -> None:
    set_up(sso=(provider, {}))
    come_back(Browser(), provider)
    User.objects.update(is_active=False)
    assert come_back(Browser(), provider) == "/login?refused=switched_off"


def test_logging_out_leads_to_the_provider_who_signs_in_with_one(provider: Provider, set_up: Any) -> None:
    set_up(sso=(provider, {}))
    browser = Browser()
    come_back(browser, provider)
    leave = urlsplit(browser.call("POST", "/api/session/logout")["leave_to"])
    assert f"{leave.scheme}://{leave.netloc}{leave.path}" == f"{provider.issuer}/leave"
    assert set(parse_qs(leave.query)) == {"id_token_hint", "post_logout_redirect_uri", "client_id"}
    assert who(browser) is None
    assert Browser(make_user()).call("POST", "/api/session/logout")["leave_to"] is None


def test_passwords_are_for_those_whom_the_operator_named(provider: Provider, set_up: Any, settings: Any) -> None:
    set_up(sso=(provider, {}))
    settings.PASSWORD_LOGIN_FOR = frozenset({"root"})
    make_user("root", password=PASSWORD, is_superuser=True, is_staff=True)
    make_user("ada", password=PASSWORD, is_superuser=True, is_staff=True)

    def log_in(browser: Browser, name: str, status: int) -> Any:
        return browser.call("POST", "/api/session/login", {"username": name, "password": PASSWORD}, status=status)

    browser = Browser()
    assert browser.call("GET", "/api/session")["sign_in"]["passwords_for_few"]
    log_in(browser, "ada", 401)
    assert AccessAttempt.objects.get().failures_since_start == 1, "a refusal counts as every failed login does"
    form = {"username": "ada", "password": PASSWORD, "next": "/admin/"}
    assert browser.post("/admin/login/", form, headers=browser.csrf_header()).status_code == 200, "asked again"
    assert who(browser) is None
    log_in(Browser(), "root", 200)


class Counted(MD5PasswordHasher):
    """Django's own hasher, which counts its calls."""

    worked = 0

    def encode(self, password: str, salt: str) -> str:
        Counted.worked += 1
        return str(super().encode(password, salt))


def test_the_clock_does_not_say_who_may_use_a_password(provider: Provider, set_up: Any, settings: Any) -> None:
    set_up(sso=(provider, {}))
    settings.PASSWORD_LOGIN_FOR = frozenset({"root"})
    settings.PASSWORD_HASHERS = [f"{__name__}.{Counted.__name__}"]
    for name in ("root", "ada"):
        make_user(name, password=PASSWORD)

    def hashes(name: str) -> int:
        before = Counted.worked
        Browser().call("POST", "/api/session/login", {"username": name, "password": "wrong"}, status=401)
        return Counted.worked - before

    assert [hashes(name) for name in ("root", "ada", "nobody")] == [1, 1, 1]


def test_an_invitation_makes_no_password_where_people_sign_in_with_a_provider(
    provider: Provider, set_up: Any, settings: Any
) -> None:
    set_up(sso=(provider, {}))
    settings.PASSWORD_LOGIN_FOR = frozenset({"root"})
    project = make_project()
    _, token = create_invitation(make_member(project, "admin"), project, role="annotator", email="", days=7)
    account = {"username": "new", "password": PASSWORD}
    refusal = Browser().call("POST", f"/api/invitations/{token}/accept", account, status=403)
    assert refusal["code"] == "no_new_password"
    browser = Browser()
    come_back(browser, provider)
    browser.call("POST", f"/api/invitations/{token}/accept", {})


@pytest.mark.parametrize(
    "record",
    [
        {"client_id": "a"},
        {"issuer": "https://id.example.org"},
        {"issuer": "https://id.example.org", "client_id": "a", "secret": "written here"},
        {"issuer": "https://id.example.org", "client_id": "a", "roles": {"g": {"p": "owner"}}},
        {"issuer": "https://id.example.org", "client_id": "a", "scopes": ["email"]},
        {"issuer": "https://id.example.org", "client_id": "a", "joins_by_email": "yes"},
        "text",
    ],
)
def test_a_mistake_in_the_setting_is_named(record: Any) -> None:
    with pytest.raises(ImproperlyConfigured, match="^OIDC_PROVIDERS"):
        read_sign_in_providers(json.dumps({"sso": record}))
