"""API tokens: made once, shown once, revoked for good."""

import hashlib
from datetime import timedelta

import pytest
from django.utils import timezone

from labeling.models import ApiToken, AuditEvent, User
from labeling.tests.accounts import Browser, Program
from labeling.tests.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    return make_user("ada")


def test_a_token_is_shown_once_and_only_its_hash_is_kept(ada):
    browser = Browser(ada)
    made = browser.call("POST", "/api/tokens", {"name": "nightly export"}, status=201)
    secret = made["token"]
    assert secret.startswith("smk_")
    assert len(secret) == 4 + 43
    assert made["prefix"] == secret[:12]
    stored = ApiToken.objects.get()
    assert stored.token_hash == hashlib.sha256(secret.encode()).hexdigest()
    listed = browser.call("GET", "/api/tokens")["results"]
    assert listed == [{name: value for name, value in made.items() if name != "token"}]
    assert secret not in str(list(ApiToken.objects.values())) + str(list(AuditEvent.objects.values()))


def test_a_revoked_token_is_refused_at_once_and_stays_listed(ada):
    program, browser = Program(ada), Browser(ada)
    program.call("GET", "/api/projects")
    token = ApiToken.objects.get()
    assert browser.call("POST", f"/api/tokens/{token.pk}/revoke")["revoked_at"] is not None
    assert program.call("GET", "/api/projects", status=401)["code"] == "not_authenticated"
    first = browser.call("GET", "/api/tokens")["results"][0]["revoked_at"]
    assert browser.call("POST", f"/api/tokens/{token.pk}/revoke")["revoked_at"] == first


@pytest.mark.parametrize(
    "header", ["Bearer", "Bearer smk_wrong", "Bearer a b", "bearer \xff\xfe", "Bearer smk_" + "x" * 5000]
)
def test_a_bad_token_is_refused_even_where_no_login_is_needed(header):
    browser = Browser()
    answer = browser.get("/api/session", headers={"Authorization": header})
    assert answer.status_code == 401
    assert answer.json()["code"] == "not_authenticated"
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_the_token_of_a_switched_off_person_is_refused(ada):
    program = Program(ada)
    User.objects.filter(pk=ada.pk).update(is_active=False)
    program.call("GET", "/api/projects", status=401)


def test_a_token_cannot_make_another_token(ada):
    refusal = Program(ada).call("POST", "/api/tokens", {"name": "child"}, status=403)
    assert refusal["code"] == "session_needed"
    assert ApiToken.objects.count() == 1


def test_somebody_elses_token_is_not_there(ada):
    Program(ada)
    token = ApiToken.objects.get()
    other = Browser(make_user())
    assert other.call("POST", f"/api/tokens/{token.pk}/revoke", status=404)["code"] == "not_found"
    assert other.call("GET", "/api/tokens")["results"] == []
    assert ApiToken.objects.get().revoked_at is None


def test_the_use_of_a_token_is_noted_at_most_once_a_minute(ada, django_assert_num_queries):
    program = Program(ada)
    program.call("GET", "/api/tokens")
    first = ApiToken.objects.get().last_used_at
    assert first is not None
    with django_assert_num_queries(2):  # the token with its person, the list
        program.call("GET", "/api/tokens")
    assert ApiToken.objects.get().last_used_at == first
    ApiToken.objects.update(last_used_at=timezone.now() - timedelta(seconds=61))
    program.call("GET", "/api/tokens")
    assert ApiToken.objects.get().last_used_at > first
