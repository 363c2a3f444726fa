"""Connections without requests for a while are closed, and the next request opens another."""

import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import psycopg
import pytest

from annotation_app.tests.running_installation import wait_for
from annotation_app.tests.web_server import web_server
from labeling.actions.api_tokens import create_token
from labeling.tests.factories import make_member, make_project, make_round
from labeling.tests.imports.files import lines, neutral_row
from labeling.tests.killed_process import environment

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
IDLE = 2  # seconds
OF_WEB = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> ALL(%s)"
ALL = "SELECT coalesce(array_agg(pid), '{}') FROM pg_stat_activity WHERE datname = current_database()"


def test_connections_are_given_back_and_nobody_notices(tmp_path: Path) -> None:
    project = make_project()
    make_round(project, 3)
    token = {"Authorization": f"Bearer {create_token(make_member(project), name='t')[1]}"}
    with psycopg.connect(environment()["DATABASE_URL"], autocommit=True) as watching:
        (others,) = watching.execute(ALL).fetchone() or ([],)

        def of_web() -> int:
            (count,) = watching.execute(OF_WEB, [others]).fetchone() or (0,)
            return int(count)

        with web_server(tmp_path, WEB_IDLE_SECONDS=str(IDLE)) as url:
            for _ in range(3):
                claimed = httpx.post(f"{url}/api/projects/{project.slug}/labels/claim", headers=token, json={})
                assert claimed.status_code == 200, claimed.text
                assert of_web() >= 1
                wait_for("the connections to be given back", lambda: of_web() == 0, 30)


def test_an_upload_that_takes_longer_is_taken_in(tmp_path: Path) -> None:
    project = make_project()
    token = {"Authorization": f"Bearer {create_token(make_member(project, 'researcher'), name='t')[1]}"}
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="rows.jsonl"\r\n\r\n'
    body = head + lines(*(neutral_row(f"What is {number}?") for number in range(2_000))) + b"\r\n--x--\r\n"

    def slowly() -> Iterator[bytes]:
        yield body[:-20]  # more than is waited for before anybody asks who sends it
        time.sleep(2 * IDLE)
        yield body[-20:]

    about = {**token, "Content-Type": "multipart/form-data; boundary=x", "Content-Length": str(len(body))}
    with web_server(tmp_path, WEB_IDLE_SECONDS=str(IDLE)) as url:
        path = f"{url}/api/projects/{project.slug}/imports"
        answer = httpx.post(path, headers=about, content=slowly(), timeout=60)
        assert answer.status_code in (201, 202), answer.text
