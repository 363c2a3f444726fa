"""A person's sessions, forgotten passwords, and invitations by mail."""

import re
import time
from datetime import timedelta
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.core import mail
from django.utils import timezone

from labeling.actions.forgotten_passwords import ANSWERED
from labeling.actions.webhook_deliveries import deliver
from labeling.models import AuditEvent, Delivery, Invitation, LoggedIn, Project, User
from labeling.tests.accounts import PASSWORD, Browser, Program
from labeling.tests.factories import make_member, make_project, make_user

pytestmark = pytest.mark.django_db
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Mobile Safari/604.1"
NEW = "another long sentence 9"


@pytest.fixture
def ada() -> User:
    return make_user("ada", password=PASSWORD, email="ada@example.org")


@pytest.fixture
def mailing(settings: Any) -> None:
    settings.MAIL, settings.SITE_URL = True, "https://label.example.org"


def logged_in(name: str = "ada", agent: str = FIREFOX, password: str = PASSWORD, status: int = 200) -> Browser:
    browser = Browser()
    browser.defaults["HTTP_USER_AGENT"] = agent
    browser.call("POST", "/api/session/login", {"username": name, "password": password}, status=status)
    return browser


def send_all() -> list[str]:
    """Return the text of each mail that the worker sends."""
    before = len(mail.outbox)
    for waiting in Delivery.objects.filter(status="waiting"):
        deliver(waiting.pk, lambda *_: None)
    return [str(sent.body) for sent in mail.outbox[before:]]


def link_in(text: str) -> str:
    found = re.search(r"https://label\.example\.org(/\S+)", text)
    assert found is not None
    return found[1]


def test_a_person_sees_where_they_are_logged_in_and_logs_out_there(ada: User) -> None:
    desk, phone = logged_in(), logged_in(agent=PHONE)
    shown = desk.call("GET", "/api/session/browsers")["results"]
    assert [(one["browser"], one["is_this"]) for one in shown] == [
        ("Safari on iPhone", False),
        ("Firefox on Linux", True),
    ]
    assert shown[0]["address"] == phone.defaults["REMOTE_ADDR"]
    Browser(make_user()).call("POST", f"/api/session/browsers/{shown[0]['id']}/end", status=404)
    assert phone.call("GET", "/api/session")["user"]
    desk.call("POST", f"/api/session/browsers/{shown[0]['id']}/end")
    assert phone.call("GET", "/api/session")["user"] is None, "from the next request on"
    assert [one["is_this"] for one in desk.call("GET", "/api/session/browsers")["results"]] == [True]
    logged_in(agent=PHONE)
    assert desk.call("POST", "/api/session/browsers/end_others") == {"ended": 1}
    desk.call("POST", "/api/session/logout")
    assert not LoggedIn.objects.exists()


def test_who_logs_in_where_somebody_else_was_is_listed_and_the_other_one_is_not(ada: User) -> None:
    make_user("bob", password=PASSWORD)
    browser = logged_in()
    browser.call("POST", "/api/session/login", {"username": "bob", "password": PASSWORD})
    assert [one["is_this"] for one in browser.call("GET", "/api/session/browsers")["results"]] == [True]
    assert logged_in().call("POST", "/api/session/browsers/end_others") == {"ended": 0}


def test_a_login_at_the_admin_pages_is_listed_audited_and_ended_as_any_other() -> None:
    root = make_user("root", password=PASSWORD, is_superuser=True, is_staff=True)
    desk, pages = logged_in("root"), Browser()
    form = {"username": "root", "password": PASSWORD, "next": "/admin/labeling/user/"}
    assert pages.post("/admin/login/", form, headers=pages.csrf_header()).headers["Location"] == "/admin/labeling/user/"
    assert pages.get("/admin/labeling/user/").status_code == 200
    assert pages.get("/admin/password_change/").headers["Location"] == "/account"  # where attempts are counted
    assert AuditEvent.objects.filter(action="session.log_in", actor=root).count() == 2
    shown = desk.call("GET", "/api/session/browsers")["results"]
    assert [one["address"] for one in shown] == [pages.defaults["REMOTE_ADDR"], desk.defaults["REMOTE_ADDR"]]
    assert desk.call("POST", "/api/session/browsers/end_others") == {"ended": 1}
    assert pages.get("/admin/labeling/user/").status_code == 302


def test_a_new_password_ends_the_other_browsers_and_not_this_one(ada: User) -> None:
    desk, phone = logged_in(), logged_in(agent=PHONE)
    desk.call("POST", "/api/session/password", {"old_password": PASSWORD, "new_password": NEW})
    assert phone.call("GET", "/api/session")["user"] is None
    assert [one["is_this"] for one in desk.call("GET", "/api/session/browsers")["results"]] == [True]


@pytest.mark.usefixtures("mailing")
def test_a_forgotten_password_is_set_anew_by_a_link_once(ada: User) -> None:
    before = logged_in()
    program = Program(ada)
    AccessAttempt.objects.create(
        username="ada", ip_address="10.9.9.9", failures_since_start=8, attempt_time=timezone.now()
    )
    browser = Browser()
    assert browser.call("GET", "/api/session")["sign_in"]["mail"]
    browser.call("POST", "/api/session/password/forgotten", {"name": "ADA@example.org"})
    browser.call("POST", "/api/session/password/forgotten", {"name": "ada"})
    [text] = send_all()
    assert mail.outbox[0].to == ["ada@example.org"]
    assert "ada@" not in str(Delivery.objects.values()), "neither the address nor the link stands in the outbox"
    _, person, token = link_in(text).strip("/").split("/")
    weak = browser.call(
        "POST", "/api/session/password/new", {"person": person, "token": token, "new_password": "short"}, status=400
    )
    assert list(weak["fields"]) == ["new_password"]
    body = {"person": person, "token": token, "new_password": NEW}
    assert browser.call("POST", "/api/session/password/new", body)["user"] is None, "it logs nobody in"
    assert browser.call("POST", "/api/session/password/new", body, status=409)["code"] == "link_over"
    assert before.call("GET", "/api/session")["user"] is None
    assert program.get("/api/notices").status_code == 401, "the token may be a thief's"
    assert not AccessAttempt.objects.exists(), "who was locked out may try again"
    logged_in(password=NEW)


@pytest.mark.usefixtures("mailing")
def test_who_asks_for_a_password_learns_nothing_of_accounts(settings: Any) -> None:
    make_user("off", password=PASSWORD, email="off@example.org", is_active=False)
    make_user("silent", password=PASSWORD)
    provided = make_user("provided", email="provided@example.org")
    provided.set_unusable_password()
    provided.save()
    make_user("named", password=PASSWORD, email="named@example.org")
    settings.PASSWORD_LOGIN_FOR = frozenset({"root"})
    answers = [
        Browser().call("POST", "/api/session/password/forgotten", {"name": name})
        for name in ("off", "silent", "provided", "nobody", "named@example.org")
    ]
    assert all(answer == answers[0] for answer in answers)
    assert send_all() == []


@pytest.mark.usefixtures("mailing", "ada")
@pytest.mark.parametrize("name", ["ada", "nobody"])
def test_the_clock_does_not_say_either_whether_there_is_an_account(name: str) -> None:
    browser = Browser()
    began = time.monotonic()
    browser.call("POST", "/api/session/password/forgotten", {"name": name})
    assert time.monotonic() - began > ANSWERED
    assert len(send_all()) == (name == "ada")


@pytest.mark.usefixtures("mailing")
def test_a_link_that_is_too_old_sets_nothing(ada: User) -> None:
    Browser().call("POST", "/api/session/password/forgotten", {"name": "ada"})
    Delivery.objects.update(created_at=timezone.now() - timedelta(hours=2))
    assert send_all() == []
    assert "more than an hour ago" in Delivery.objects.get().last_error


def test_a_site_without_mail_says_so() -> None:
    assert not Browser().call("GET", "/api/session")["sign_in"]["mail"]
    refusal = Browser().call("POST", "/api/session/password/forgotten", {"name": "ada"}, status=409)
    assert refusal["code"] == "no_mail"
    project = make_project("algebra")
    body = {"role": "annotator", "email": "bob@example.org", "mail": True}
    admin = Browser(make_member(project, "admin"))
    assert admin.call("POST", "/api/projects/algebra/invitations", body, status=409)["code"] == "no_mail"
    assert not Invitation.objects.exists()


@pytest.mark.usefixtures("mailing")
def test_an_invitation_goes_by_mail_and_its_link_stands_nowhere() -> None:
    project: Project = make_project("algebra", name="Algebra")
    admin = Browser(make_member(project, "admin", display_name="Rosa"))
    where = "/api/projects/algebra/invitations"
    nowhere = admin.call("POST", where, {"role": "annotator", "mail": True}, status=400)
    assert list(nowhere["fields"]) == ["email"]
    made = admin.call("POST", where, {"role": "annotator", "email": "bob@example.org", "mail": True}, status=201)
    [text] = send_all()
    assert mail.outbox[0].to == ["bob@example.org"]
    assert mail.outbox[0].subject == "[Stepmark] You are invited to Algebra"
    assert "Rosa invites you to Algebra as annotator" in text
    assert link_in(text) == made["url_path"], "the admin may send the same link on by other ways"
    secret = made["url_path"].removeprefix("/invitations/")
    assert secret not in str(list(Delivery.objects.values()) + list(Invitation.objects.values()))
    Browser().call("POST", f"/api{link_in(text)}/accept", {"username": "bob", "password": PASSWORD})
    assert User.objects.get(username="bob").email == "bob@example.org"


@pytest.mark.usefixtures("mailing")
def test_a_withdrawn_invitation_is_not_sent_and_invitations_by_mail_have_an_end(settings: Any) -> None:
    settings.ALLOWANCES = {**settings.ALLOWANCES, "mails": 1}
    admin = Browser(make_member(make_project("algebra"), "admin"))
    body = {"role": "annotator", "email": "bob@example.org", "mail": True}
    made = admin.call("POST", "/api/projects/algebra/invitations", body, status=201)
    admin.call("POST", f"/api/invitations/{made['id']}/revoke")
    assert send_all() == []
    over = admin.call("POST", "/api/projects/algebra/invitations", body, status=429)
    assert over["allowance"] == "mails"
