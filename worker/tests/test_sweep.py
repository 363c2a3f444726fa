"""The sweep works for all projects: a step of it that fails is seen, and stops no other."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone

from labeling.tests.accounts import Browser
from labeling.tests.factories import make_user
from worker.tasks import sweep


@pytest.mark.django_db
def test_a_step_of_the_sweep_that_fails_is_named_and_the_steps_after_it_are_done(
    settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    over = Browser(make_user())
    Session.objects.filter(pk=over.session.session_key).update(expire_date=timezone.now() - timedelta(minutes=1))
    settings.FILE_UPLOAD_TEMP_DIR = None  # no folder in which to look for old uploads
    with pytest.raises(RuntimeError, match="forget_stray_uploads"):
        sweep()
    assert not Session.objects.exists(), "sessions that are over are removed after old uploads"
    [line] = [record for record in caplog.records if record.exc_info]
    assert "forget_stray_uploads" in line.getMessage()
