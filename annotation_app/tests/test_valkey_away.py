"""The site while Valkey is killed, or hangs: people work on, nobody waits, nothing is lost and nothing unlimited."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.core.cache import caches
from django.db import connection
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext
from kombu import pools
from redis import Redis
from redis.exceptions import RedisError

from annotation_app.caches import Away
from annotation_app.exception_handler import answer_for
from annotation_app.local.valkey import Valkey
from labeling.actions import jobs
from labeling.api.throttles import LoginThrottle
from labeling.models import Export
from labeling.queries.sessions import PERSON_OF_SESSION
from labeling.tests.accounts import PASSWORD, Browser
from labeling.tests.factories import make_member, make_project

pytestmark = pytest.mark.django_db(transaction=True)
HUNG = 5.0  # seconds: a call that waited for Valkey for its client's default took ten


@pytest.fixture
def valkey(tmp_path: Path, settings: Any) -> Iterator[Valkey]:
    """A server of this test's own, for caches and broker."""
    server = Valkey(tmp_path, "test", durable=False)
    server.start()
    before = current_app.conf.broker_url
    point_at(server.url, settings)
    yield server
    assert server.process
    server.process.send_signal(signal.SIGCONT)
    server.stop()
    settings.CACHES = settings.CACHES
    current_app.conf.update(broker_url=before, broker_write_url=before)
    pools.reset()
    Away.until = 0.0


def point_at(url: str, settings: Any) -> None:
    settings.CACHES = {name: {**cache, "LOCATION": url} for name, cache in settings.CACHES.items()}
    current_app.conf.update(broker_url=url, broker_write_url=url)
    pools.reset()
    Away.until = 0.0


def go_away(server: Valkey, how: str) -> None:
    assert server.process
    if how == "hangs":
        server.process.send_signal(signal.SIGSTOP)
    else:
        server.process.kill()
        server.process.wait()


def come_back(server: Valkey, how: str) -> None:
    assert server.process
    if how == "hangs":
        server.process.send_signal(signal.SIGCONT)
    else:
        server.start()
    Away.until = 0.0


def waiting_in(server: Valkey) -> int:
    """Return the number of messages in the workers' queue."""
    return int(Redis.from_url(server.url).llen("cpu"))


@pytest.mark.parametrize("how", ["is killed", "hangs"])
def test_without_valkey_people_go_on_and_what_they_ask_for_is_done_later(valkey: Valkey, how: str) -> None:
    project = make_project("algebra")
    person = make_member(project, "researcher", password=PASSWORD)
    at_work, left, newcomer = Browser(person), Browser(person), Browser()
    go_away(valkey, how)
    began = time.monotonic()
    assert at_work.call("GET", "/api/session")["user"]["id"] == person.pk, "the session comes from the database"
    asked = at_work.call("POST", "/api/projects/algebra/exports", {"format": "prm800k"}, status=201)
    log_in = {"username": person.username, "password": PASSWORD}
    newcomer.call("POST", "/api/session/login", log_in)
    assert newcomer.call("GET", "/api/projects/algebra")["slug"] == "algebra"
    left.call("POST", "/api/session/logout")
    assert left.call("GET", "/api/session")["user"] is None
    ready = at_work.get("/readyz")
    assert (ready.status_code, ready.json()["status"]) == (200, "degraded")
    assert "The broker does not answer" in ready.json()["reasons"][0]
    assert time.monotonic() - began < HUNG
    come_back(valkey, how)
    Export.objects.update(created_at="2026-01-01T00:00:00Z")
    assert jobs.sweep_jobs() == 1, "the sweep wakes a worker for what nobody could be woken for"
    assert waiting_in(valkey) >= 1
    assert jobs.claim_job(Export, asked["id"]) is not None
    assert at_work.call("GET", "/api/session")["user"]["id"] == person.pk
    assert newcomer.call("GET", "/api/session")["user"]["id"] == person.pk, "who logged in meanwhile stays so"


def test_logins_are_counted_without_valkey_too(valkey: Valkey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LoginThrottle, "rate", "3/min")
    go_away(valkey, "is killed")
    guesser, wrong = Browser(), {"username": "ada", "password": "a wrong sentence 1"}
    statuses = [guesser.send("POST", "/api/session/login", wrong).status_code for _ in range(5)]
    assert statuses == [401, 401, 401, 429, 429]
    assert Browser().send("POST", "/api/session/login", wrong).status_code == 401, "from elsewhere it goes on"


def test_what_cannot_be_done_without_valkey_says_so_and_when_to_come_back(valkey: Valkey) -> None:
    go_away(valkey, "is killed")
    with pytest.raises(RedisError) as away:
        caches["valkey"].get("anything")
    said = answer_for(away.value, {"request": RequestFactory().get("/api/session")})
    assert said is not None
    assert (said.status_code, said.data["code"], said.headers["Retry-After"]) == (503, "unavailable", "5")
    assert "Valkey does not answer just now" in said.data["detail"]


def test_a_known_session_costs_one_statement_and_what_the_cache_keeps_of_it_a_minute_at_most(valkey: Valkey) -> None:
    at_work = Browser(make_member(make_project(), "annotator"))
    at_work.call("GET", "/api/tokens")
    with CaptureQueriesContext(connection) as asked:
        at_work.call("GET", "/api/tokens")
    assert len([query for query in asked if "django_session" in str(query["sql"] or PERSON_OF_SESSION)]) == 1
    client = caches["valkey"]._cache.get_client()  # type: ignore[attr-defined]
    kept = client.keys("stepmark-session:*")
    assert kept
    assert all(0 < client.ttl(key) <= 60 for key in kept)
