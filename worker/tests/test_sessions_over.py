"""Expired sessions are deleted from the table, which Django itself never does."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone

from labeling.models import LoggedIn
from labeling.tests.accounts import PASSWORD, Browser
from labeling.tests.factories import make_user
from worker.tasks import sweep


@pytest.mark.django_db
def test_the_sweep_takes_out_sessions_that_are_over_and_what_was_noted_of_them() -> None:
    alive, over = Browser(make_user()), Browser()
    make_user("ada", password=PASSWORD)
    over.call("POST", "/api/session/login", {"username": "ada", "password": PASSWORD})
    Session.objects.filter(pk=over.session.session_key).update(expire_date=timezone.now() - timedelta(minutes=1))
    assert LoggedIn.objects.count() == 1
    sweep()
    assert set(Session.objects.values_list("pk", flat=True)) == {alive.session.session_key}
    assert not LoggedIn.objects.exists()
