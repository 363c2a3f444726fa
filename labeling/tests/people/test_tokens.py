"""API tokens: made once, shown once, revoked permanently."""

import hashlib
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from labeling.models import ApiToken, AuditEvent, User
from labeling.tests.accounts import PASSWORD, Browser, Program
from labeling.tests.factories import join, make_project, make_user

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


def test_a_token_ends_when_it_was_made_to(ada):
    browser = Browser(ada)
    made = browser.call("POST", "/api/tokens", {"name": "for a month", "days": 30}, status=201)
    ends = datetime.fromisoformat(made["expires_at"])
    assert timedelta(days=29) < ends - timezone.now() <= timedelta(days=30)
    program = Program(ada, secret=made["token"])
    program.call("GET", "/api/projects")
    ApiToken.objects.update(expires_at=timezone.now() - timedelta(hours=1))
    assert "expired" in program.call("GET", "/api/projects", status=401)["detail"]
    assert [token["revoked_at"] for token in browser.call("GET", "/api/tokens")["results"]] == [None]
    for days in (0, -1, 10**6):
        assert "days" in browser.call("POST", "/api/tokens", {"name": "odd", "days": days}, status=400)["fields"]


def test_a_token_that_only_reads_changes_nothing_whatever_its_person_may(ada):
    project = make_project("algebra")
    join(project, ada, "admin")
    browser = Browser(ada)
    made = browser.call("POST", "/api/tokens", {"name": "dashboard", "read_only": True}, status=201)
    assert made["read_only"]
    reader = Program(ada, secret=made["token"])
    assert reader.call("GET", "/api/projects/algebra")["slug"] == "algebra"
    asked = [
        ("PATCH", "/api/projects/algebra", {"lease_minutes": 20}),
        ("POST", "/api/projects/algebra/exports", {"format": "prm800k"}),
        ("PUT", "/api/session/preferences", {"preferences": {"theme": "dark"}}),
    ]
    assert reader.call("POST", "/api/projects/algebra/rounds/preview", {"source": "all"})["traces"] == 0
    before = AuditEvent.objects.count()
    for method, path, body in asked:
        assert reader.call(method, path, body, status=403)["code"] == "token_read_only", path
    ada.refresh_from_db()
    assert (AuditEvent.objects.count(), ada.preferences) == (before, {})


def test_tokens_outlive_a_change_of_the_password_unless_their_end_is_asked_for(ada):
    ada.set_password(PASSWORD)
    ada.save()
    browser, program = Browser(ada), Program(ada)
    other = Program(make_user())
    body = {"old_password": PASSWORD, "new_password": "another long sentence 9"}
    browser.call("POST", "/api/session/password", body)
    program.call("GET", "/api/projects")
    back = {"old_password": "another long sentence 9", "new_password": PASSWORD, "revoke_tokens": True}
    browser.call("POST", "/api/session/password", {**back, "old_password": "a wrong sentence 3"}, status=400)
    program.call("GET", "/api/projects")
    browser.call("POST", "/api/session/password", back)
    program.call("GET", "/api/projects", status=401)
    other.call("GET", "/api/projects")
    revoked = AuditEvent.objects.get(action="token.revoke")
    assert (revoked.actor, revoked.detail["why"]) == (ada, "the password was changed")


def test_an_admin_of_the_site_revokes_anybodys_tokens_and_the_audit_says_who(ada):
    root = make_user("root", is_superuser=True, is_staff=True)
    lost, kept, bobs = Program(ada), Program(ada), Program(make_user("bob"))
    first, second, third = ApiToken.objects.order_by("id")
    pages = Browser(root)

    def act(model: str, action: str, pk: int) -> Any:
        form = {"action": action, "_selected_action": [pk]}
        return pages.post(f"/admin/labeling/{model}/", form, headers=pages.csrf_header(), follow=True)

    assert b"1 API tokens revoked" in act("apitoken", "revoke", first.pk).content
    lost.call("GET", "/api/projects", status=401)
    kept.call("GET", "/api/projects")
    event = AuditEvent.objects.get(action="token.revoke")
    assert (event.actor, event.detail["owner"], event.target) == (root, ada.pk, f"token {first.pk} ({first.prefix}…)")
    act("user", "revoke_tokens", ada.pk)
    kept.call("GET", "/api/projects", status=401)
    bobs.call("GET", "/api/projects")
    assert AuditEvent.objects.filter(action="token.revoke").count() == 2, "what was revoked before is passed over"
    assert act("apitoken", "delete_selected", third.pk).status_code == 200
    assert ApiToken.objects.filter(pk__in=[second.pk, third.pk]).count() == 2


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
