"""Expensive requests wait for each other and are cut off; meanwhile a labeler's request still finds a thread."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psycopg
import pytest

from annotation_app.tests.running_installation import wait_for
from annotation_app.tests.web_server import web_server
from labeling.actions.api_tokens import create_token
from labeling.tests.factories import make_member, make_project, make_round
from labeling.tests.killed_process import environment

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
LIMIT = 8  # seconds
ASKED = 6  # concurrent questions: more than the one process has threads


def test_long_questions_keep_nobody_from_labeling_and_are_broken_off_with_a_reason(tmp_path: Path) -> None:
    project = make_project()
    make_round(project, 3)
    admin, labeler = (make_member(project, role) for role in ("admin", "annotator"))
    asks, labels = ({"Authorization": f"Bearer {create_token(one, name='t')[1]}"} for one in (admin, labeler))
    with web_server(tmp_path, WEB_STATEMENT_SECONDS=str(LIMIT)) as url, ThreadPoolExecutor(ASKED) as pool:
        path = f"{url}/api/projects/{project.slug}"

        def ask(_: int) -> httpx.Response:
            return httpx.get(f"{path}/audit.csv", headers=asks, timeout=120)

        with psycopg.connect(environment()["DATABASE_URL"]) as other:
            # The log cannot be read: each question waits, as one over a million rows would.
            other.execute("LOCK TABLE labeling_auditevent IN ACCESS EXCLUSIVE MODE")
            asked = [pool.submit(ask, number) for number in range(ASKED)]
            time.sleep(1)
            claimed = httpx.post(f"{path}/labels/claim", headers=labels, json={}, timeout=60)
            counted = httpx.get(f"{path}/my_progress", headers=labels, timeout=60)
            assert not any(one.done() for one in asked), "a claim waited until a question was broken off"
            assert (claimed.status_code, counted.status_code) == (200, 200), claimed.text
            wait_for("the first to be broken off", lambda: sum(one.done() for one in asked) >= 2, 60)
        broken = [one.result() for one in asked if one.result().status_code == 503]
        assert 2 <= len(broken) < ASKED
        assert {answer.json()["code"] for answer in broken} == {"took_too_long"}
        assert "Ask for less at once" in broken[0].json()["detail"]
        assert ask(0).status_code == 200
