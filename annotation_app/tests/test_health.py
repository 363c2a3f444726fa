"""/healthz, /readyz and `manage.py doctor` describe what is wrong, tested on real servers that are really away."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from django.core.cache import caches
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from annotation_app.postgres.roles import let_app_in
from annotation_app.sign_in_providers import SignInProvider
from labeling.actions import audit_log
from labeling.models import Export, ImportJob, WorkerHeartbeat
from labeling.tests.factories import make_project
from labeling.tests.people.provider import running_provider

BASE_DIR = Path(__file__).resolve().parent.parent.parent
NO_DATABASE = {"DATABASE_URL": "postgres://stepmark@/stepmark?host=/nonexistent"}
NO_BROKER = {"REDIS_URL": "redis://127.0.0.1:1/0"}
ASK = """
import sys, django; django.setup()
from django.test import Client
for path in sys.argv[1:]:
    answer = Client().get(path, headers={"host": "10.0.0.7"})
    print(answer.status_code, answer.content.decode())
"""
Answer = tuple[int, dict[str, Any]]


def ask_elsewhere(*paths: str, **changes: str) -> list[Answer]:
    """GET these paths in a process whose environment differs from ours by `changes`."""
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "annotation_app.settings", **changes}
    command = [sys.executable, "-c", ASK, *paths]
    done = subprocess.run(command, env=env, cwd=BASE_DIR, capture_output=True, text=True, check=True)
    said = (line.partition(" ") for line in done.stdout.splitlines())
    return [(int(status), json.loads(body)) for status, _, body in said]


def doctor() -> str:
    """Return the doctor's output; the last line is the exit message if anything is wrong."""
    out = StringIO()
    try:
        call_command("doctor", stdout=out)
    except CommandError as fault:
        out.write(str(fault))
    return out.getvalue()


@pytest.fixture(scope="module")
def alone() -> list[Answer]:
    """The liveness and readiness responses of a process without database and broker."""
    return ask_elsewhere("/healthz", "/readyz", **NO_DATABASE, **NO_BROKER)


def test_the_process_is_alive_even_without_database_and_broker(alone: list[Answer]) -> None:
    assert alone[0] == (200, {"status": "alive"})


def test_a_load_balancer_may_ask_by_address_and_without_https() -> None:
    safe = {"STEPMARK_ENV": "production", "HTTPS_ONLY": "true", "ALLOWED_HOSTS": "label.example.org"}
    secret = "kD8-wQ2_zLr0vXn5sTb7yHc3mJf9gPa1eUo6iRq4xWt"
    assert ask_elsewhere("/healthz", **safe, SECRET_KEY=secret) == [(200, {"status": "alive"})]


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_no_page_frames_an_answer_or_takes_it_for_one(client: Client, path: str) -> None:
    answer = client.get(path)
    assert (answer["X-Frame-Options"], answer["X-Content-Type-Options"]) == ("DENY", "nosniff")
    assert answer["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"


@pytest.mark.django_db
def test_ready_when_database_broker_and_migrations_are_there(client: Client) -> None:
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ready", "reasons": []})


def test_not_ready_without_database_or_broker_with_a_reason_for_each(alone: list[Answer]) -> None:
    status, body = alone[1]
    assert status == 503
    reasons = " | ".join(body["reasons"])
    assert "The database does not answer" in reasons
    assert "The broker does not answer" in reasons
    assert "nonexistent" not in reasons, "where they lie is nobody's business but the log's"
    assert "127.0.0.1" not in reasons


@pytest.mark.django_db
def test_strangers_who_ask_without_end_cost_one_look_a_second(client: Client) -> None:
    began = time.monotonic()
    with CaptureQueriesContext(connection) as asked:
        said = [client.get("/readyz").json() for _ in range(100)]
    assert said == [{"status": "ready", "reasons": []}] * 100
    assert len(asked) <= 3 * (time.monotonic() - began + 1)


@pytest.fixture
def empty_database() -> Iterator[str]:
    """The address of a database without any migration."""
    server, name = urlsplit(os.environ["DATABASE_URL"]), f"empty_{os.getpid()}"
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield urlunsplit(server._replace(path=f"/{name}"))
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_not_ready_while_migrations_are_missing(empty_database: str) -> None:
    [(status, body)] = ask_elsewhere("/readyz", DATABASE_URL=empty_database)
    assert status == 503
    assert "migrations are not applied. Run: python manage.py migrate" in str(body["reasons"])


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("seconds", "said"),
    [(None, "none was ever seen"), (61, "none is alive; cpu@host was last seen 61 s ago"), (50, "ok     worker")],
)
def test_the_doctor_misses_a_worker_after_sixty_silent_seconds(seconds: int | None, said: str) -> None:
    if seconds is not None:
        seen_at = timezone.now() - timedelta(seconds=seconds)
        WorkerHeartbeat.objects.create(name="cpu@host", queues="cpu", seen_at=seen_at)
    assert said in doctor()


@pytest.mark.django_db
def test_the_doctor_says_when_a_job_waits_long_for_its_turn_and_what_is_at_work() -> None:
    now = timezone.now()
    asked = {"format": "neutral", "created_at": now - timedelta(minutes=16)}
    waits = Export.objects.create(project=make_project("patient"), **asked)
    Export.objects.create(project=make_project("mends"), **asked, leased_until=now + timedelta(minutes=1))
    ImportJob.objects.create(
        project=make_project("busy"),
        file_name="large.jsonl",
        status="running",
        started_at=now - timedelta(minutes=50),
        leased_until=now + timedelta(minutes=1),
    )
    said = doctor()
    assert "WRONG  waiting jobs: Waiting: export of patient for 16 minutes. At work: import of busy for 50 min" in said
    assert "mends" not in said, "it waits after a failure, which its page tells"
    Export.objects.filter(pk=waits.pk).update(created_at=now - timedelta(minutes=14))
    assert "ok     waiting jobs" in doctor()


@pytest.mark.django_db
def test_the_doctor_names_unsafe_settings_and_open_files(settings: Settings, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    env_file = tmp_path / "env"
    env_file.touch(mode=0o644)
    settings.DATA_DIR, settings.ENV_FILE, settings.DEBUG, settings.ALLOWED_HOSTS = tmp_path, env_file, True, ["*"]
    settings.FRONTEND_DIR = tmp_path
    said = doctor()
    for sentence in (
        "WRONG  secret key: SECRET_KEY is the one in the public source code",
        "WRONG  debug: DEBUG is on",
        "WRONG  hosts: ALLOWED_HOSTS has wildcards (*)",
        f"WRONG  page: {tmp_path} has no index.html. Run: make frontend",
        f"Run: chmod 700 {tmp_path}",
        f"Run: chmod 600 {env_file}",
    ):
        assert sentence in said


@pytest.mark.django_db
def test_the_doctor_is_content_with_a_sound_installation(settings: Settings, tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "index.html").touch()
    settings.DATA_DIR = settings.FRONTEND_DIR = settings.BASE_DIR = tmp_path
    settings.SECRET_KEY = "kD8-wQ2_zLr0vXn5sTb7yHc3mJf9gPa1eUo6iRq4xWt"
    WorkerHeartbeat.objects.create(name="cpu@host", queues="cpu", seen_at=timezone.now())
    settings.PRODUCTION, settings.PROXIES = True, 0
    said = doctor()
    assert "WRONG" not in said
    assert said.count("ok ") == 12
    assert "NOTE   database role: stepmark owns the tables" in said
    assert "NOTE   lock-out: BEHIND_TLS_PROXY is off" in said
    assert "NOTE   backup: none was ever made. Run: make backup" in said
    audit_log.record("backup.make", actor=None, target="1", folder="/elsewhere/1", bytes=7)
    settings.PROXIES = 1
    let_app_in(connection, "app_of_a_test", "secret")
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL ROLE app_of_a_test")
    assert "NOTE" not in doctor()


@pytest.mark.django_db
def test_the_doctor_says_when_a_proxy_that_ends_tls_is_not_believed(settings: Settings) -> None:
    settings.PRODUCTION, settings.PROXIES, settings.ALLOWED_HOSTS = True, 0, ["label.example.org"]
    assert "ok     proxy" in doctor(), "without TLS, as on a machine of one's own"
    settings.SECURE_SSL_REDIRECT = True
    said = doctor()
    assert "WRONG  proxy: HTTPS_ONLY is on, but web has no TLS of its own and BEHIND_TLS_PROXY is off" in said
    assert "Set BEHIND_TLS_PROXY=true if the proxy sets X-Forwarded-Proto" in said
    assert "NOTE   lock-out" not in said, "one sentence about it is enough"
    came = {"host": "label.example.org", "x-forwarded-proto": "https"}
    assert Client().get("/api/session", headers=came)["Location"] == "https://label.example.org/api/session"
    settings.SECURE_SSL_REDIRECT, settings.SITE_URL = False, "https://label.example.org"
    assert "WRONG  proxy: SITE_URL is https, so a proxy ends TLS, but BEHIND_TLS_PROXY is off" in doctor()
    refused = Client(enforce_csrf_checks=True).post(
        "/api/session/login", headers={**came, "origin": "https://label.example.org"}, content_type="application/json"
    )
    assert (refused.status_code, refused.json()["code"]) == (403, "csrf_failed")
    settings.CSRF_TRUSTED_ORIGINS = ["https://label.example.org"]
    assert "ok     proxy" in doctor(), "they can write: the note of one address is left"
    assert "NOTE   lock-out" in doctor()
    settings.CSRF_TRUSTED_ORIGINS, settings.PROXIES, settings.SECURE_SSL_REDIRECT = [], 1, True
    assert "ok     proxy" in doctor()


@pytest.mark.django_db
def test_the_doctor_names_what_sign_in_lacks(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    roles = {"labelers": {"algebra": "annotator", "algbra": "annotator"}}
    about: dict[str, Any] = {"client_id": "s", "secret_env": "SSO_SECRET_OF_A_TEST", "roles": roles}
    make_project(slug="algebra")
    with running_provider() as sso:
        settings.OIDC_PROVIDERS = {"sso": SignInProvider(name="sso", issuer=sso.issuer, **about)}
        assert (
            "WRONG  sign-in provider sso: The variable SSO_SECRET_OF_A_TEST, which should hold its secret" in doctor()
        )
        monkeypatch.setenv("SSO_SECRET_OF_A_TEST", "secret")
        assert "WRONG  sign-in provider sso: Its roles name projects that do not exist: algbra." in doctor()
        make_project(slug="algbra")
        assert "ok     sign-in provider sso" in doctor()
    with running_provider() as sso:
        settings.OIDC_PROVIDERS = {"sso": SignInProvider(name="sso", issuer=f"{sso.issuer}/", **about)}
        assert f"WRONG  sign-in provider sso: It calls itself {sso.issuer}. Set exactly that" in doctor()
    settings.OIDC_PROVIDERS = {"sso": SignInProvider(name="sso", issuer="http://127.0.0.1:1", **about)}
    assert "openid-configuration cannot be fetched ([Errno 111]" in doctor()


@pytest.mark.django_db
def test_the_doctor_names_a_valkey_that_forgets() -> None:
    client = caches["valkey"]._cache.get_client()  # type: ignore[attr-defined]  # Django's own way to it
    client.config_set("maxmemory-policy", "allkeys-lru")
    try:
        assert "WRONG  broker: Its maxmemory-policy is allkeys-lru" in doctor()
    finally:
        client.config_set("maxmemory-policy", "noeviction")
    assert "ok     broker" in doctor()


@pytest.mark.django_db
def test_the_doctor_says_when_groups_by_scim_give_nobody_a_role(settings: Settings) -> None:
    one, other = (
        SignInProvider(name=name, issuer=f"http://127.0.0.1:1/{name}", client_id="x") for name in ("okta", "entra")
    )
    settings.OIDC_PROVIDERS, settings.SCIM_PROVIDER = {"okta": one, "entra": other}, ""
    assert "groups by SCIM" not in doctor(), "SCIM is off"
    settings.SCIM_TOKEN = "a token of an identity provider 1"
    assert (
        "NOTE   groups by SCIM: OIDC_PROVIDERS names several providers (entra, okta), but SCIM_PROVIDER names none of"
        " them" in doctor()
    )
    settings.SCIM_PROVIDER = "okta"
    assert "groups by SCIM" not in doctor()
    settings.SCIM_PROVIDER, settings.OIDC_PROVIDERS = "", {"okta": one}
    assert "groups by SCIM" not in doctor(), "the only one is meant"


def test_the_doctor_speaks_plainly_when_database_and_broker_are_away() -> None:
    env = {**os.environ, **NO_DATABASE, **NO_BROKER}
    command = [sys.executable, "manage.py", "doctor"]
    done = subprocess.run(command, env=env, cwd=BASE_DIR, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "WRONG  database: Postgres does not answer" in done.stdout
    assert "is DATABASE_URL right?" in done.stdout
    assert "WRONG  broker: Valkey does not answer" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
