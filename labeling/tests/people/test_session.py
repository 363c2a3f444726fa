"""Logging in and out, lock-out, passwords, preferences."""

from datetime import timedelta

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.hashers import identify_hasher
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from labeling.api.throttles import LoginThrottle
from labeling.models import AuditEvent, User
from labeling.tests.accounts import PASSWORD, Browser, Program
from labeling.tests.factories import join, make_project, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    return make_user("ada", password=PASSWORD, display_name="Ada L.")


def log_in(browser: Browser, username: str, password: str, status: int = 200):
    return browser.call("POST", "/api/session/login", {"username": username, "password": password}, status=status)


def test_a_stranger_gets_an_empty_session_and_a_csrf_cookie():
    browser = Browser(csrf=False)
    session = browser.call("GET", "/api/session")
    assert session["user"] is None
    assert session["build"]
    assert browser.cookies["csrftoken"].value


def test_a_person_logs_in_and_sees_their_projects_and_logs_out(ada):
    project = make_project("algebra", name="Algebra")
    join(project, ada, "researcher")
    join(make_project("left"), ada, is_active=False)
    browser = Browser()
    session = log_in(browser, "ada", PASSWORD)
    assert session["user"] == {
        "id": ada.pk,
        "username": "ada",
        "display_name": "Ada L.",
        "email": "",
        "is_superuser": False,
        "preferences": {},
        "memberships": [{"project": {"slug": "algebra", "name": "Algebra", "status": "active"}, "role": "researcher"}],
    }
    assert browser.call("GET", "/api/session") == session
    assert browser.call("POST", "/api/session/logout")["user"] is None
    assert browser.call("GET", "/api/tokens", status=401)["code"] == "not_authenticated"
    assert list(AuditEvent.objects.order_by("pk").values_list("action", "actor__username")) == [
        ("session.log_in", "ada"),
        ("session.log_out", "ada"),
    ]


@pytest.mark.usefixtures("products_hashers")
def test_passwords_are_kept_as_argon2_and_let_in():
    ada = make_user("ada", password=PASSWORD)
    log_in(Browser(), "ada", PASSWORD)
    assert identify_hasher(ada.password).algorithm == "argon2"


def test_logging_in_gives_a_fresh_session_key_and_csrf_token(ada):
    browser = Browser()
    browser.session["before"] = 1
    fixed = browser.session
    fixed["planted"] = "by an attacker"
    fixed.save()
    browser.cookies["sessionid"] = fixed.session_key
    before = browser.cookies["csrftoken"].value
    log_in(browser, "ada", PASSWORD)
    assert browser.cookies["sessionid"].value != fixed.session_key
    assert browser.cookies["csrftoken"].value != before
    thief = Browser()
    thief.cookies["sessionid"] = fixed.session_key
    assert thief.call("GET", "/api/session")["user"] is None


@pytest.mark.parametrize(("username", "password"), [("ada", "wrong"), ("nobody", PASSWORD), ("ADA", PASSWORD)])
def test_a_wrong_login_does_not_say_which_part_was_wrong(ada, username, password):
    refusal = log_in(Browser(), username, password, status=401)
    assert refusal["code"] == "wrong_credentials"
    assert refusal["detail"] == "The user name and password do not match. Check both and try again."


def test_a_switched_off_account_and_an_imported_labeler_cannot_log_in(ada):
    make_user("imported", kind="imported")
    User.objects.filter(pk=ada.pk).update(is_active=False)
    assert log_in(Browser(), "ada", PASSWORD, status=401)["code"] == "wrong_credentials"
    assert log_in(Browser(), "imported", "!", status=401)["code"] == "wrong_credentials"


def test_repeated_failures_lock_the_name_out_at_that_address_until_a_named_time(ada, settings):
    settings.AXES_FAILURE_LIMIT = 3
    attacker, elsewhere = Browser(), Browser()
    log_in(attacker, "ada", "wrong", status=401)
    log_in(attacker, "ada", "wrong", status=401)
    refusal = log_in(attacker, "ada", "wrong", status=423)
    assert refusal["code"] == "locked_out"
    again = log_in(attacker, "ada", PASSWORD, status=423)
    assert again["retry_at"] == refusal["retry_at"], "trying on does not move the time that was named"
    wait = parse_datetime(refusal["retry_at"]) - timezone.now()
    assert timedelta(minutes=14) < wait <= timedelta(minutes=15)
    log_in(elsewhere, "ada", PASSWORD)
    log_in(attacker, "bob", "wrong", status=401)


def through(told: str) -> Browser:
    """A browser behind two proxies: the inner one passes on where a request came from."""
    browser = Browser()
    browser.defaults |= {"HTTP_X_FORWARDED_FOR": told, "REMOTE_ADDR": "10.0.0.2"}
    return browser


def test_behind_two_proxies_a_stranger_locks_nobody_else_out(ada, settings):
    settings.PROXIES, settings.AXES_FAILURE_LIMIT = 2, 1
    log_in(through("6.6.6.6, 10.0.0.1"), "ada", "wrong", status=423)
    log_in(through("9.9.9.9, 6.6.6.6, 10.0.0.1"), "ada", PASSWORD, status=423)  # what the client prepends is ignored
    log_in(through("7.7.7.7, 10.0.0.1"), "ada", PASSWORD)


@pytest.mark.parametrize(
    ("told", "address"),
    [
        ("8.8.8.8:4000", "8.8.8.8"),
        ("[2001:db8::1]:443", "2001:db8::1"),
        ("2001:DB8::1", "2001:db8::1"),
        ("::ffff:8.8.8.8", "8.8.8.8"),
        ("unknown", "10.0.0.2"),
        ("fe80::1%eth0", "10.0.0.2"),
        ("", "10.0.0.2"),
        ("8.8.8.8\x00", "10.0.0.2"),
    ],
)
def test_whatever_a_proxy_writes_of_an_address_people_log_in(ada, settings, told, address):
    settings.PROXIES = 1
    browser = through(told)
    log_in(browser, "ada", PASSWORD)
    assert browser.call("GET", "/api/session/browsers")["results"][0]["address"] == address


@pytest.mark.parametrize(
    ("tried", "same_line", "another"),
    [
        ("2001:db8:3::1", "2001:db8:3:0:ffff::2", "2001:db8:3:1::1"),
        ("::ffff:8.8.8.8", "8.8.8.8", "::ffff:8.8.8.9"),
    ],
)
def test_tries_are_counted_by_what_one_line_has_of_addresses(ada, settings, tried, same_line, another):
    settings.PROXIES, settings.AXES_FAILURE_LIMIT = 1, 2
    log_in(through(tried), "ada", "wrong", status=401)
    log_in(through(same_line), "ada", "wrong", status=423)
    log_in(through(tried), "ada", PASSWORD, status=423)
    log_in(through(another), "ada", PASSWORD)


def test_a_login_is_throttled_by_what_one_line_has_of_addresses(ada, settings, monkeypatch):
    settings.PROXIES = 1
    monkeypatch.setattr(LoginThrottle, "rate", "2/min")
    log_in(through("2001:db8:4::1"), "ada", PASSWORD)
    log_in(through("2001:db8:4::2"), "ada", PASSWORD)
    assert log_in(through("2001:db8:4::3"), "ada", PASSWORD, status=429)["code"] == "throttled"
    log_in(through("2001:db8:5::1"), "ada", PASSWORD)


def test_without_a_proxy_an_address_of_ipv4_in_ipv6_is_shown_and_counted_as_itself(ada, settings):
    settings.PROXIES, settings.AXES_FAILURE_LIMIT = 0, 2
    browsers = [Browser(), Browser()]
    for browser, address in zip(browsers, ("::ffff:8.8.8.8", "8.8.8.8"), strict=True):
        browser.defaults["REMOTE_ADDR"] = address
    log_in(browsers[0], "ada", PASSWORD)
    assert browsers[0].call("GET", "/api/session/browsers")["results"][0]["address"] == "8.8.8.8"
    for browser, status in zip(browsers, (401, 423), strict=True):
        log_in(browser, "bob", "wrong", status=status)


def test_the_lock_opens_when_the_time_is_over(ada, settings):
    settings.AXES_FAILURE_LIMIT = 1
    browser = Browser()
    log_in(browser, "ada", "wrong", status=423)
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=16))
    assert log_in(browser, "ada", PASSWORD)["user"]["username"] == "ada"


def test_a_good_login_forgets_earlier_failures(ada, settings):
    settings.AXES_FAILURE_LIMIT = 3
    browser = Browser()
    for _ in range(2):
        log_in(browser, "ada", "wrong", status=401)
        log_in(browser, "ada", "wrong", status=401)
        log_in(browser, "ada", PASSWORD)


def test_one_address_cannot_try_passwords_without_end():
    browser = Browser()
    body = {"username": "", "password": "x"}
    answers = [browser.send("POST", "/api/session/login", body).status_code for _ in range(121)]
    assert answers == [400] * 120 + [429]
    assert Browser().send("POST", "/api/session/login", body).status_code == 400


def test_a_new_password_keeps_this_session_and_ends_the_others(ada):
    here, there = Browser(), Browser()
    log_in(here, "ada", PASSWORD)
    log_in(there, "ada", PASSWORD)
    body = {"old_password": PASSWORD, "new_password": "quite another sentence 9"}
    here.call("POST", "/api/session/password", body)
    assert here.call("GET", "/api/session")["user"]["username"] == "ada"
    assert there.call("GET", "/api/session")["user"] is None
    log_in(Browser(), "ada", PASSWORD, status=401)
    log_in(Browser(), "ada", "quite another sentence 9")
    assert AuditEvent.objects.filter(action="person.change_password", actor=ada).count() == 1


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("wrong", "quite another sentence 9", "old_password"),
        (PASSWORD, "short", "new_password"),
        (PASSWORD, "password123", "new_password"),
        (PASSWORD, "adalovelace", "new_password"),
    ],
)
def test_a_wrong_old_or_a_weak_new_password_changes_nothing(old, new, field):
    person = make_user("adalovelace", password=PASSWORD)
    refusal = Browser(person).call(
        "POST", "/api/session/password", {"old_password": old, "new_password": new}, status=400
    )
    assert refusal["code"] == "invalid"
    assert list(refusal["fields"]) == [field]
    person.refresh_from_db()
    assert person.check_password(PASSWORD)


def test_old_passwords_are_not_tried_without_end(ada, settings):
    settings.AXES_FAILURE_LIMIT = 3
    browser = Browser()
    log_in(browser, "ada", PASSWORD)
    new = {"new_password": "quite another sentence 9"}
    for status in (400, 400, 423):
        browser.call("POST", "/api/session/password", {"old_password": "wrong", **new}, status=status)
    browser.call("POST", "/api/session/password", {"old_password": PASSWORD, **new}, status=423)
    browser.call("POST", "/api/session/check", {"password": PASSWORD}, status=423)
    log_in(browser, "ada", PASSWORD, status=423)
    log_in(Browser(), "ada", PASSWORD)


def test_a_program_changes_no_password(ada):
    program = Program(ada)
    body = {"old_password": PASSWORD, "new_password": "quite another sentence 9"}
    assert program.call("POST", "/api/session/password", body, status=403)["code"] == "session_needed"
    log_in(Browser(), "ada", PASSWORD)


def test_spaces_around_a_password_are_part_of_it():
    person = make_user("spacey", password="  a sentence with spaces  ")
    log_in(Browser(), "spacey", "a sentence with spaces", status=401)
    assert log_in(Browser(), "spacey", "  a sentence with spaces  ")["user"]["id"] == person.pk


def test_preferences_come_back_as_they_were_saved(ada):
    wanted = {"keys": {"ratePositive": "l"}, "theme": "dark", "later": [1, None, {"é": "<b>"}]}
    browser = Browser(ada)
    assert browser.call("PUT", "/api/session/preferences", {"preferences": wanted})["user"]["preferences"] == wanted
    assert browser.call("GET", "/api/session")["user"]["preferences"] == wanted


@pytest.mark.parametrize("preferences", [[], "text", None, {"keys": "x" * 17_000}])
def test_preferences_are_an_object_of_at_most_16_kb(ada, preferences):
    refusal = Browser(ada).call("PUT", "/api/session/preferences", {"preferences": preferences}, status=400)
    assert list(refusal["fields"]) == ["preferences"]


def test_an_api_token_reads_the_session_of_its_owner(ada):
    assert Program(ada).call("GET", "/api/session")["user"]["username"] == "ada"
