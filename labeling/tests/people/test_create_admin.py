"""`manage.py create_admin`: the first account."""

import io

import pytest
from django.core.management import CommandError, call_command

from labeling.models import AuditEvent, User
from labeling.tests.accounts import PASSWORD, Browser

pytestmark = pytest.mark.django_db


def test_the_password_comes_through_a_pipe_and_the_admin_can_log_in(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO(PASSWORD + "\n"))
    call_command("create_admin", "root", email="root@example.org", display_name="Root")
    session = Browser().call("POST", "/api/session/login", {"username": "root", "password": PASSWORD})
    assert session["user"]["is_superuser"] is True
    assert PASSWORD not in capsys.readouterr().out
    assert AuditEvent.objects.filter(action="person.create").exists()


def test_the_password_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("STEPMARK_ADMIN_PASSWORD", PASSWORD)
    call_command("create_admin", "root")
    assert User.objects.get(username="root").check_password(PASSWORD)


@pytest.mark.parametrize(("password", "reason"), [("short", "too short"), ("password123", "too common"), ("", "short")])
def test_a_weak_password_is_refused_with_the_reason(monkeypatch, password, reason):
    monkeypatch.setattr("sys.stdin", io.StringIO(password + "\n"))
    with pytest.raises(CommandError, match=reason):
        call_command("create_admin", "root")
    assert not User.objects.exists()


def test_a_name_that_is_taken_is_refused(monkeypatch):
    monkeypatch.setenv("STEPMARK_ADMIN_PASSWORD", PASSWORD)
    call_command("create_admin", "root")
    with pytest.raises(CommandError, match="taken"):
        call_command("create_admin", "Root")
