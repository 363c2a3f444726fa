"""Cookies, headers, redirects and logs: what leaves the server besides the responses."""

import io
import logging
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from django.conf import settings as project_settings
from django.db import OperationalError, connection

from annotation_app.json_api import MAX_STRANGERS_BODY
from labeling.api.throttles import LoginThrottle
from labeling.tests.accounts import PASSWORD, Browser, Program
from labeling.tests.factories import make_member, make_project, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Everything the process logs while the test runs, as the configured handler writes it."""
    root = logging.getLogger()
    handler = next(h for h in root.handlers if type(h) is logging.StreamHandler)
    written = io.StringIO()
    before, level = handler.setStream(written), root.level
    root.setLevel(logging.DEBUG)
    yield written
    root.setLevel(level)
    handler.setStream(before)


def test_the_session_cookie_is_out_of_reach_of_scripts_and_of_other_sites():
    make_user("ada", password=PASSWORD)
    browser = Browser()
    browser.call("POST", "/api/session/login", {"username": "ada", "password": PASSWORD})
    session, csrf = browser.cookies["sessionid"], browser.cookies["csrftoken"]
    assert (session["httponly"], session["samesite"], csrf["samesite"]) == (True, "Lax", "Lax")
    assert not csrf["httponly"], "our page reads it for the X-CSRFToken header"


def test_in_production_cookies_travel_encrypted_only_and_browsers_are_told_to_stay_with_https():
    code = (
        "from django.conf import settings as s; print(s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE,"
        " s.SESSION_COOKIE_HTTPONLY, s.SECURE_SSL_REDIRECT, s.SECURE_HSTS_SECONDS > 10**7)"
    )
    environment = {name: value for name, value in os.environ.items() if name not in ("STEPMARK_ENV", "HTTPS_ONLY")}
    environment |= {"DJANGO_SETTINGS_MODULE": "annotation_app.settings", "ALLOWED_HOSTS": "label.example.org"}
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=project_settings.BASE_DIR, capture_output=True, text=True
    )
    assert run.stdout.split() == ["True"] * 5, run.stderr


def test_the_session_cookie_is_marked_secure_where_https_is_on(settings):
    settings.SESSION_COOKIE_SECURE = True
    make_user("ada", password=PASSWORD)
    browser = Browser()
    browser.call("POST", "/api/session/login", {"username": "ada", "password": PASSWORD})
    assert browser.cookies["sessionid"]["secure"]


@pytest.mark.parametrize(
    "path",
    [
        "/api/session?next=https://evil.example/",
        "//evil.example/projects",
        "/\\evil.example",
        "/%2F%2Fevil.example",
        "/projects?next=//evil.example",
        "/api//evil.example",
        "/admin/login/?next=//evil.example/",
    ],
)
def test_no_address_redirects_to_another_site(path):
    answer = Browser(make_user(is_superuser=True, is_staff=True)).get(path)
    assert "evil.example" not in answer.headers.get("Location", "")


def test_the_admin_pages_do_not_send_people_away_after_the_login():
    make_user("root", password=PASSWORD, is_superuser=True, is_staff=True)
    browser = Browser()
    answer = browser.post(
        "/admin/login/?next=https://evil.example/",
        {"username": "root", "password": PASSWORD, "next": "https://evil.example/"},
        headers=browser.csrf_header(),
    )
    assert (answer.status_code, answer.headers["Location"]) == (302, "/admin/")


def test_the_admin_pages_show_no_secret_and_delete_nobody():
    root = Browser(make_user(is_superuser=True, is_staff=True))
    project = make_project()
    person = make_member(project, "admin")
    Program(person)
    Browser(person).call("POST", f"/api/projects/{project.slug}/invitations", {"role": "annotator"}, status=201)
    for model in ("user", "project", "membership", "invitation", "apitoken", "auditevent"):
        page = root.get(f"/admin/labeling/{model}/")
        assert page.status_code == 200
        assert b"token_hash" not in page.content
    assert root.get(f"/admin/labeling/user/{person.pk}/change/").status_code == 200
    assert root.get("/admin/labeling/user/add/").status_code == 200
    assert root.get(f"/admin/labeling/user/{person.pk}/delete/").status_code == 403
    for model in ("invitation", "apitoken", "auditevent"):
        assert root.get(f"/admin/labeling/{model}/add/").status_code == 403


@pytest.mark.parametrize("role", ["annotator", "researcher", "admin"])
def test_the_admin_pages_are_for_superusers_alone(role):
    answer = Browser(make_member(make_project(), role)).get("/admin/labeling/user/")
    assert (answer.status_code, answer.headers["Location"].split("?")[0]) == (302, "/admin/login/")


def test_the_admin_pages_can_be_switched_off(settings):
    settings.ADMIN_PAGES = False
    root = Browser(make_user(is_superuser=True, is_staff=True))
    for path in ("/admin/", "/admin/login/", "/admin/labeling/user/"):
        answer = root.get(path)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_logins_at_the_admin_pages_count_with_those_of_the_api(monkeypatch):
    monkeypatch.setattr(LoginThrottle, "rate", "3/min")
    browser = Browser()
    form = {"username": "nobody", "password": "never the one"}
    browser.call("POST", "/api/session/login", form, status=401)
    said = [browser.post("/admin/login/", form, headers=browser.csrf_header()) for _ in range(3)]
    assert [answer.status_code for answer in said] == [200, 200, 429]
    assert b"Too many login attempts from this address" in said[2].content
    assert 1 <= int(said[2].headers["Retry-After"]) <= 61
    browser.call("POST", "/api/session/login", form, status=429)
    assert browser.get("/admin/login/").status_code == 200, "looking is free"


def test_every_answer_says_what_a_browser_may_not_offer_it():
    for path in ("/", "/api/session", "/admin/login/"):
        policy = Browser().get(path).headers["Permissions-Policy"]
        assert {"camera=()", "geolocation=()", "microphone=()"} <= set(policy.split(", "))


def test_what_is_refused_before_a_view_sees_it_is_json_for_a_program_and_a_page_for_a_person():
    stranger = Browser()
    answer = stranger.get("/api/session", headers={"Host": "evil.example"})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
    assert "ALLOWED_HOSTS" in answer.json()["detail"]
    assert stranger.get("/", headers={"Host": "evil.example"}).headers["Content-Type"].startswith("text/html")
    fields = dict.fromkeys((f"f{number}" for number in range(1001)), "x")
    answer = stranger.post("/api/session/login", fields, headers=stranger.csrf_header())
    assert answer.status_code in (400, 415)
    assert set(answer.json()) == {"code", "detail"}


def test_no_password_token_or_invitation_link_reaches_the_log(log):
    project = make_project()
    admin = make_member(project, "admin", password=PASSWORD)
    browser = Browser()
    browser.call("POST", "/api/session/login", {"username": admin.username, "password": "the wrong secret"}, status=401)
    browser.call("POST", "/api/session/login", {"username": admin.username, "password": PASSWORD})
    browser.call("POST", "/api/session/password", {"old_password": PASSWORD, "new_password": "weak"}, status=400)
    token = browser.call("POST", "/api/tokens", {"name": "x"}, status=201)["token"]
    browser.get(f"/api/nowhere/{token}")
    link = browser.call("POST", f"/api/projects/{project.slug}/invitations", {"role": "admin"}, status=201)["url_path"]
    stranger = Browser()
    stranger.call("POST", f"/api{link}/accept", {"username": "grace", "password": "1234567"}, status=400)
    stranger.get(f"/api{link}", headers={"Authorization": f"Bearer {token}x"})
    written = log.getvalue()
    assert "Bad Request: /api/invitations/[hidden]/accept" in written, "the refusal itself is logged"
    for secret in ("the wrong secret", PASSWORD, "1234567", token, link.removeprefix("/invitations/")):
        assert secret not in written


def test_no_answer_of_the_api_is_kept_by_a_browser_or_a_proxy():
    project = make_project()
    admin = Browser(make_member(project, "admin"))
    for path in (
        "/api/session",
        f"/api/projects/{project.slug}/members",
        f"/api/projects/{project.slug}/agreement.csv",
    ):
        assert admin.get(path).headers["Cache-Control"] == "private, no-store", path
    assert Browser().get("/api/projects").headers["Cache-Control"] == "private, no-store", "a refusal"


@pytest.mark.parametrize("depth", [101, 260, 600, 900])
def test_a_body_nested_too_deep_is_refused_in_words(depth):
    ada = Browser(make_user())
    for body in (b"[" * (depth - 1) + b"]" * (depth - 1), b'{"a":' * (depth - 1) + b'"\\u0000"' + b"}" * (depth - 1)):
        answer = ada.send("PUT", "/api/session/preferences", b'{"preferences": ' + body + b"}")
        assert (answer.status_code, answer.json()["detail"][:36]) == (400, "The body is nested more than 100 dee"), (
            depth
        )


def test_a_body_at_the_limit_of_depth_is_taken():
    deepest = b'{"a":' * 98 + b"{}" + b"}" * 98
    answer = Browser(make_user()).send("PUT", "/api/session/preferences", b'{"preferences": ' + deepest + b"}")
    assert answer.status_code == 200


def test_a_body_of_a_great_many_lists_is_refused_before_it_is_read():
    asked = b'{"preferences": [' + b"[]," * 500_000 + b"[]]}"
    answer = Browser(make_user()).send("PUT", "/api/session/preferences", asked)
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    assert "500,000 lists and objects" in answer.json()["detail"]


def test_whoever_is_not_logged_in_sends_no_more_than_names_and_passwords_take():
    large = b'{"username": "ada", "password": "secret", "more": "' + b"x" * MAX_STRANGERS_BODY + b'"}'
    answer = Browser().send("POST", "/api/session/login", large)
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    assert "64 kB" in answer.json()["detail"]
    known = Browser(make_user()).send("PUT", "/api/session/preferences", large)
    assert known.status_code == 400, "it is looked into"


@pytest.mark.django_db(transaction=True)
def test_while_the_database_is_away_an_answer_says_so_and_when_to_come_back(log):
    ada = Program(make_user())
    with pytest.raises(OperationalError), connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    away = ada.get("/api/tokens")
    assert (away.status_code, away.json()["code"], away.headers["Retry-After"]) == (503, "unavailable", "5")
    assert "Traceback" not in log.getvalue()
    connection.close()
    assert ada.get("/api/tokens").status_code == 200
