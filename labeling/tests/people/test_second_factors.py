"""Second factors: an app's codes, recovery codes, and the repeated check before risky actions."""

import time
from typing import Any
from urllib.parse import urlencode

import pyotp
import pytest
from axes.models import AccessAttempt
from django.core.management import call_command

from labeling.actions.api_tokens import hash_of
from labeling.actions.second_factors import MOST_CODES
from labeling.models import AuditEvent, Export, Membership, Project, RecoveryCode, SecondFactor, User, Webhook
from labeling.tests.accounts import PASSWORD, Browser, Program
from labeling.tests.factories import join, make_member, make_project, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    return make_user("ada", password=PASSWORD)


class Clock:
    """The time as codes see it."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def time(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("labeling.actions.second_factors.time", clock)
    return clock


def set_up_app(browser: Browser, clock: Clock) -> tuple[pyotp.TOTP, list[str]]:
    """Set up an app; return the app's side of it, and the recovery codes."""
    app = pyotp.parse_uri(browser.call("POST", "/api/session/factors/code_app", status=201)["uri"])
    assert isinstance(app, pyotp.TOTP)
    made = browser.call("POST", "/api/session/factors/code_app/confirm", {"code": app.at(int(clock.now))})
    clock.now += 30
    return app, made["recovery_codes"]


def log_in(code: str = "", status: int = 200, browser: Browser | None = None) -> Any:
    body = {"username": "ada", "password": PASSWORD, "code": code}
    return (browser or Browser()).call("POST", "/api/session/login", body, status=status)


def test_a_code_app_counts_once_a_code_was_typed_and_is_then_asked_for(ada: User, clock: Clock) -> None:
    browser = Browser(ada)
    begun = browser.call("POST", "/api/session/factors/code_app", status=201)
    assert begun["picture"].startswith("data:image/svg+xml")
    log_in()
    wrong = browser.call("POST", "/api/session/factors/code_app/confirm", {"code": "000000"}, status=400)
    assert wrong["code"] == "wrong_code"
    app, codes = set_up_app(browser, clock)
    assert app.issuer == "Stepmark testserver"
    assert len(codes) == 10
    assert app.secret not in str(list(SecondFactor.objects.values())), "the table does not give it away"
    assert log_in(status=401)["code"] == "second_factor_needed"
    assert not AccessAttempt.objects.exists(), "a right password without its code is no failure"
    assert log_in(app.at(int(clock.now)))["user"]["username"] == "ada"
    kept = browser.call("GET", "/api/session/factors")
    assert [factor["kind"] for factor in kept["factors"]] == ["totp"]
    assert kept["factors"][0]["last_used_at"]
    assert (kept["recovery_codes_left"], kept["password"]) == (10, True)


def test_a_new_password_asks_for_the_old_one_and_no_code(ada: User, clock: Clock) -> None:
    browser = Browser(ada)
    set_up_app(browser, clock)
    new = {"new_password": "another long sentence 9"}
    wrong = browser.call("POST", "/api/session/password", {"old_password": "wrong", **new}, status=400)
    assert list(wrong["fields"]) == ["old_password"]
    browser.call("POST", "/api/session/password", {"old_password": PASSWORD, **new})


def test_a_code_lets_in_once_and_a_wrong_one_counts_with_wrong_passwords(
    ada: User, clock: Clock, settings: Any
) -> None:
    app, _ = set_up_app(Browser(ada), clock)
    settings.AXES_FAILURE_LIMIT = 2
    code = app.at(int(clock.now))
    log_in(code)
    browser = Browser()
    assert log_in(code, 401, browser)["code"] == "wrong_credentials", "somebody looked over the shoulder"
    assert log_in("123456", 423, browser)["code"] == "locked_out", "the one counter of failures is django-axes"
    clock.now += 30
    log_in(app.at(int(clock.now)), 423, browser)
    log_in(app.at(int(clock.now)), 200), "from elsewhere"


def test_wrong_codes_have_an_end_whatever_addresses_they_come_from(ada: User, clock: Clock) -> None:
    app, _ = set_up_app(Browser(ada), clock)
    clock.now += 3600 - clock.now % 3600
    for number in range(MOST_CODES):
        log_in(f"{number:06d}", 401)
    body = {"username": "ada", "password": "wrong", "code": "000000"}
    for _ in range(2):
        assert Browser().call("POST", "/api/session/login", body, status=401)["code"] == "wrong_credentials"
    over = log_in(app.at(int(clock.now)), 423)
    assert (over["code"], over["retry_at"][-6:]) == ("locked_out", "00:00Z")
    assert "someone knows your password" in over["detail"]
    log_in("000000", 423)
    assert AuditEvent.objects.filter(action="second_factor.locked", target=f"person {ada.pk}").count() == 1
    clock.now += 3600
    log_in(app.at(int(clock.now)))


def test_codes_are_counted_anew_after_a_right_one_and_with_a_new_password(ada: User, clock: Clock) -> None:
    browser = Browser(ada)
    app, _ = set_up_app(browser, clock)
    clock.now += 3600 - clock.now % 3600
    for _ in range(2):
        for number in range(MOST_CODES - 1):
            log_in(f"{number:06d}", 401)
        log_in(app.at(int(clock.now)))
        clock.now += 30
    for number in range(MOST_CODES):
        log_in(f"{number:06d}", 401)
    log_in(app.at(int(clock.now)), 423)
    ada.set_password(PASSWORD)
    ada.save()
    log_in(app.at(int(clock.now)))


def test_there_are_no_recovery_codes_before_there_is_a_second_factor(ada: User, clock: Clock) -> None:
    """Someone at the computer for a minute could store some, and bypass a factor that is set up later."""
    browser = Browser(ada)
    refused = browser.call("POST", "/api/session/factors/recovery_codes", status=400)
    assert "first second factor" in refused["detail"]
    browser.call("POST", "/api/session/factors/code_app", status=201)
    browser.call("POST", "/api/session/factors/recovery_codes", status=400), "not while one is only begun"
    RecoveryCode.objects.create(user=ada, code_hash=hash_of("aaaaabbbbb"))  # as used to be possible
    _, codes = set_up_app(browser, clock)
    assert len(codes) == 10, "the first factor brings new ones, whatever was there"
    log_in("aaaaa-bbbbb", 401)
    log_in(codes[0])


def in_digits_from(code: str, zero: str) -> str:
    """Return the code as typed on a keyboard of another script."""
    return "".join(chr(ord(zero) + int(digit)) for digit in code)


@pytest.mark.parametrize("zero", ["０", "٠", "०", "𝟎"])
def test_digits_of_any_script_are_digits(ada: User, clock: Clock, zero: str) -> None:
    browser = Browser(ada)
    app = pyotp.parse_uri(browser.call("POST", "/api/session/factors/code_app", status=201)["uri"])
    assert isinstance(app, pyotp.TOTP)
    confirm, typed = "/api/session/factors/code_app/confirm", in_digits_from(app.at(int(clock.now)), zero)
    codes = browser.call("POST", confirm, {"code": typed})["recovery_codes"]
    clock.now += 30
    log_in(in_digits_from(app.at(int(clock.now)), zero))
    log_in("".join(chr(ord(letter) + 0xFEE0) for letter in codes[0])), "a recovery code in wide letters"


ODD_CODES = ["éééééé", "12345é", "²²²²²²", "１２345é", "①②③④⑤⑥", "\u202e123456", "ﷺﷺ", "🔑" * 6]


@pytest.mark.parametrize("code", ODD_CODES)
def test_a_code_of_other_letters_is_a_wrong_one_and_counts_as_such(ada: User, clock: Clock, code: str) -> None:
    browser = Browser(ada)
    browser.call("POST", "/api/session/factors/code_app", status=201)
    confirm = browser.call("POST", "/api/session/factors/code_app/confirm", {"code": code}, status=400)
    assert confirm["code"] == "wrong_code"
    app, _ = set_up_app(browser, clock)
    clock.now += 3600 - clock.now % 3600
    for _ in range(MOST_CODES):
        assert log_in(code, 401)["code"] == "wrong_credentials"
    log_in(app.at(int(clock.now)), 423)


def test_without_the_password_nobody_can_use_the_codes_up(ada: User, clock: Clock) -> None:
    app, _ = set_up_app(Browser(ada), clock)
    body = {"username": "ada", "password": "wrong", "code": "000000"}
    for _ in range(MOST_CODES + 2):
        Browser().call("POST", "/api/session/login", body, status=401)
    log_in(app.at(int(clock.now)))


def test_a_recovery_code_lets_in_once_and_new_ones_end_the_old(ada: User, clock: Clock) -> None:
    browser = Browser(ada)
    _, codes = set_up_app(browser, clock)
    log_in(f" {codes[0].upper().replace('-', ' ')} ")
    log_in(codes[0], 401)
    assert codes[1].replace("-", "") not in str(list(RecoveryCode.objects.values()))
    new = browser.call("POST", "/api/session/factors/recovery_codes", status=201)["recovery_codes"]
    log_in(codes[1], 401)
    log_in(new[0])
    assert browser.call("GET", "/api/session/factors")["recovery_codes_left"] == 9
    assert AuditEvent.objects.filter(action="recovery_codes.use").count() == 2


def test_a_wrong_password_does_not_tell_that_there_is_a_second_factor(ada: User, clock: Clock) -> None:
    set_up_app(Browser(ada), clock)
    body = {"username": "ada", "password": "wrong", "code": ""}
    assert Browser().call("POST", "/api/session/login", body, status=401)["code"] == "wrong_credentials"


def test_the_admin_pages_are_no_way_round_it(clock: Clock) -> None:
    root = make_user("ada", password=PASSWORD, is_superuser=True, is_staff=True)
    set_up_app(Browser(root), clock)
    browser = Browser()
    form = {"username": "ada", "password": PASSWORD, "next": "/admin/"}
    assert browser.post("/admin/login/", form, headers=browser.csrf_header()).status_code == 200, "asked again"
    assert browser.call("GET", "/api/session")["user"] is None
    assert AccessAttempt.objects.get().failures_since_start == 1


def test_a_person_removes_a_factor_and_the_operator_helps_who_lost_it(ada: User, clock: Clock, capsys: Any) -> None:
    browser = Browser(ada)
    set_up_app(browser, clock)
    factor = browser.call("GET", "/api/session/factors")["factors"][0]["id"]
    Browser(make_user()).call("POST", f"/api/session/factors/{factor}/remove", status=404)
    left = browser.call("POST", f"/api/session/factors/{factor}/remove")
    assert (left["factors"], left["recovery_codes_left"]) == ([], 0)
    log_in()
    set_up_app(browser, clock)
    log_in(status=401)
    call_command("reset_second_factors", "ada")
    assert "1 second factor" in capsys.readouterr().out
    log_in()
    assert AuditEvent.objects.filter(action="second_factor.reset").exists()


def test_an_api_token_changes_nothing_of_how_its_owner_logs_in(ada: User) -> None:
    program = Program(ada)
    for path in ("factors/code_app", "factors/recovery_codes", "browsers/end_others", "check"):
        body = {"password": PASSWORD} if path == "check" else None
        assert program.call("POST", f"/api/session/{path}", body, status=403)["code"] == "session_needed"


def last_proof(browser: Browser, seconds_ago: int) -> None:
    session = browser.session
    session["checked_at"] = int(time.time()) - seconds_ago
    session.save()


def webhook_of(project: Project) -> Webhook:
    return Webhook.objects.create(project=project, url="https://hooks.example.org/made", kinds=["paused"])


def test_a_proof_that_is_still_to_come_is_none(ada: User, settings: Any) -> None:
    settings.RECHECK_MINUTES = 30
    browser = Browser(ada)
    last_proof(browser, -3600)
    assert browser.call("POST", "/api/tokens", {"name": "later"}, status=403)["code"] == "check_again"
    last_proof(browser, -60)  # by the clock of another machine
    browser.call("POST", "/api/tokens", {"name": "now"}, status=201)


def test_the_admin_pages_ask_again_who_sits_there(settings: Any) -> None:
    settings.RECHECK_MINUTES = 30
    make_user("ada", password=PASSWORD, is_superuser=True, is_staff=True)
    bob = make_user("bob", password=PASSWORD)
    browser = Browser()
    page = f"/admin/labeling/user/{bob.pk}/password/"
    form = {"password1": "quite another sentence 9", "password2": "quite another sentence 9"}
    browser.call("POST", "/api/session/login", {"username": "ada", "password": PASSWORD})
    assert browser.get(page).status_code == 200
    last_proof(browser, 31 * 60)
    for answer in (browser.get(page), browser.post(page, form, headers=browser.csrf_header())):
        assert (answer.status_code, answer.headers["Location"]) == (302, f"/admin/login/?{urlencode({'next': page})}")
    bob.refresh_from_db()
    assert bob.check_password(PASSWORD)
    asked = browser.get(f"/admin/login/?next={page}")
    assert b"Log in again to continue" in asked.content
    assert b"not authorized" not in asked.content
    who = {"username": "ada", "password": PASSWORD, "next": page}
    assert browser.post("/admin/login/", who, headers=browser.csrf_header()).headers["Location"] == page
    assert browser.get(page).status_code == 200


def test_what_does_harm_in_other_hands_asks_again_who_sits_there(settings: Any) -> None:
    settings.RECHECK_MINUTES, settings.WEBHOOK_HOSTS = 30, ["hooks.example.org"]
    project = make_project("algebra")
    rosa = make_member(project, "admin", username="rosa", password=PASSWORD)
    member = join(project, make_user("bob"))
    browser = Browser()
    browser.call("POST", "/api/session/login", {"username": "rosa", "password": PASSWORD})
    browser.call("POST", "/api/tokens", {"name": "fresh"}, status=201)
    hook = webhook_of(project)
    last_proof(browser, 31 * 60)
    sensitive = {
        "/api/tokens": {"name": "later"},
        f"/api/projects/algebra/members/{member.pk}/role": {"role": "researcher"},
        "/api/projects/algebra/invitations": {"role": "admin"},
        "/api/projects/algebra/exports": {"format": "neutral"},
        "/api/session/factors/code_app": None,
        f"/api/projects/algebra/members/{member.pk}/deactivate": None,
        f"/api/projects/algebra/members/{member.pk}/reactivate": None,
        "/api/projects/algebra/webhooks": {"url": "https://hooks.example.org/x", "kinds": ["paused"]},
        f"/api/webhooks/{hook.pk}/secret": None,
    }
    for path, body in sensitive.items():
        assert browser.call("POST", path, body, status=403)["code"] == "check_again"
    assert browser.call("PATCH", f"/api/webhooks/{hook.pk}", {"is_active": False}, status=403)["code"] == "check_again"
    assert browser.call("GET", "/api/projects/algebra/members")["results"], "reading asks nobody again"
    assert browser.call("POST", "/api/session/check", {"password": "wrong"}, status=401)["code"] == "wrong_credentials"
    assert AccessAttempt.objects.get().username == "rosa", "and it counts as a failed login"
    browser.call("POST", "/api/session/check", {"password": PASSWORD})
    for path, body in sensitive.items():
        assert browser.send("POST", path, body).status_code in (200, 201)
    assert Membership.objects.get(pk=member.pk).role == "researcher"
    assert Export.objects.count() == 1
    Program(rosa).call("POST", "/api/projects/algebra/invitations", {"role": "annotator"}, status=201)


@pytest.mark.parametrize(
    "credential",
    [
        {},
        {"rawId": 7},
        {"rawId": "AAAA", "id": "AAAA", "type": "public-key", "response": {}},
        {"rawId": "AAAA", "id": "AAAA", "response": {"clientDataJSON": "e30", "attestationObject": "oA"}},
        {"rawId": "AAAA", "id": "AAAA", "response": {"clientDataJSON": "W10", "attestationObject": "_w"}},
        {"rawId": "AAAA", "id": "AAAA", "response": {"clientDataJSON": {}, "attestationObject": [[]]}},
    ],
)
def test_what_is_no_passkey_is_refused_in_words(ada: User, settings: Any, credential: dict[str, Any]) -> None:
    settings.PASSKEYS = True
    browser, stranger = Browser(ada), Browser()
    for where, who in (("factors/passkey", browser), ("passkey", stranger)):
        begin, end = (where, f"{where}/finish") if who is browser else (f"{where}/begin", where)
        assert who.call("POST", f"/api/session/{begin}")["public_key"]["challenge"]
        body = {"credential": credential, **({"name": "laptop"} if who is browser else {})}
        assert who.call("POST", f"/api/session/{end}", body, status=400)["code"] == "passkey_refused"
    assert not SecondFactor.objects.exists()
