"""Work that needs its own session refuses PgBouncer with a clear message, instead of losing its locks."""

import pytest
from django.db import connection

from labeling.models import StepScorer
from labeling.tests.factories import make_project
from worker.scoring_chunks import score_project


@pytest.mark.django_db
def test_scoring_a_whole_project_asks_for_postgres_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connection.settings_dict, "DISABLE_SERVER_SIDE_CURSORS", True)
    fault, scored = score_project(make_project(), StepScorer(name="x"), 0)
    assert "PgBouncer" in fault
    assert scored == 0
