"""/metrics is off, then guarded; Prometheus reads it; everything that dashboard and alerts query exists."""

import json
import os
import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
import yaml
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from annotation_app.metrics_guard import check_token, read_networks
from labeling.actions import audit_log
from labeling.models import Export
from labeling.queries.installation import all_checks
from labeling.queries.site_metrics import site_metrics
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round, make_traces, make_user

pytestmark = pytest.mark.django_db
BASE_DIR = Path(__file__).resolve().parent.parent.parent
TOKEN = "a-token-of-enough-characters"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
ELSEWHERE = """
import django; django.setup()
from django.test import Client
Client().get("/healthz")
"""


@pytest.fixture
def open_metrics(settings: Settings) -> None:
    """Enable metrics for requests with TOKEN."""
    settings.METRICS_TOKEN = TOKEN


def read() -> dict[str, list[tuple[str, dict[str, str], float]]]:
    """Return what Prometheus' own parser reads: samples by the name of their family."""
    answer = Client(headers=BEARER).get("/metrics")
    assert answer.status_code == 200, answer.content
    from prometheus_client.parser import (  # noqa: PLC0415 (the package looks at its loading where counts are kept)
        text_string_to_metric_families,
    )

    families = text_string_to_metric_families(answer.content.decode())
    return {family.name: [(one.name, one.labels, one.value) for one in family.samples] for family in families}


def test_metrics_are_never_open(settings: Settings):
    assert Client(headers=BEARER).get("/metrics").status_code == 404  # off: as if it did not exist
    settings.METRICS_TOKEN = TOKEN
    for headers in ({}, {"Authorization": "Bearer "}, {"Authorization": f"Bearer {TOKEN}x"}):
        assert Client(headers=headers).get("/metrics").status_code == 401
    assert Client(headers=BEARER).post("/metrics").status_code == 405
    settings.METRICS_TOKEN, settings.METRICS_NETWORKS = "", read_networks(["10.0.0.0/8"])
    assert Client(REMOTE_ADDR="10.1.2.3").get("/metrics").status_code == 200
    assert Client(REMOTE_ADDR="192.0.2.1").get("/metrics").status_code == 401
    assert Client(REMOTE_ADDR="10.1.2.3", headers={"X-Forwarded-For": "10.1.2.4"}).get("/metrics").status_code == 401
    assert Client(REMOTE_ADDR="10.1.2.3", headers={"Authorization": "Bearer "}).get("/metrics").status_code == 200
    for wrong in ("0.0.0.0/0", "::/0", "8.8.8.0/24", "the office"):
        with pytest.raises(ImproperlyConfigured, match="METRICS_NETWORKS"):
            read_networks([wrong])
    with pytest.raises(ImproperlyConfigured, match="METRICS_TOKEN"):
        check_token("short")


@pytest.mark.usefixtures("open_metrics")
def test_the_figures_are_those_of_the_queue_and_of_the_jobs(django_assert_num_queries: DjangoAssertNumQueries):
    project = make_project(slug="algebra")
    make_traces(project, 3)
    round_ = make_round(project, overlap=2)
    annotator = Browser(make_member(project, "annotator"))
    claimed = annotator.send("POST", f"/api/projects/{project.slug}/labels/claim", {})
    assert claimed.status_code == 200, claimed.content
    now = timezone.now()
    Export.objects.create(project=project, format="neutral", created_at=now - timedelta(minutes=5))
    done = {"started_at": now - timedelta(seconds=10), "finished_at": now, "status": "succeeded"}
    Export.objects.create(project=project, format="neutral", **done)
    found = read()
    where = {"project": "algebra", "round": str(round_.number)}
    held = found["stepmark_leases_open"][0][2]
    assert held >= 1
    assert found["stepmark_queue_labels"] == [("stepmark_queue_labels", where, 2 * round_.task_count - held)]
    waits = {labels["kind"]: value for _, labels, value in found["stepmark_job_oldest_seconds"]}
    assert 200 <= waits["export"] < 400  # the transaction of a test began earlier, on a busy machine by seconds
    assert waits["importjob"] == 0
    spent = {labels["le"]: n for name, labels, n in found["stepmark_job_seconds"] if name.endswith("_bucket")}
    assert (spent["5.0"], spent["15.0"], spent["+Inf"]) == (0, 1, 1)
    assert found["stepmark_database_up"][0][2] == 1
    make_round(make_project(slug="geometry"))
    with django_assert_num_queries(17):  # two of these are the savepoint's; however many projects there are
        site_metrics()


@pytest.mark.usefixtures("open_metrics")
def test_requests_of_all_web_processes_are_added_up():
    def healthy() -> float:
        counts = read().get("stepmark_request_seconds", [])
        mine = {"method": "GET", "route": "other", "status": "2xx"}
        return sum(value for name, labels, value in counts if name.endswith("_count") and labels == mine)

    read()
    before = healthy()
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "annotation_app.settings", "METRICS_TOKEN": TOKEN}
    for _ in range(2):
        subprocess.run([sys.executable, "-c", ELSEWHERE], env=env, cwd=BASE_DIR, check=True)
    assert healthy() == before + 2


@pytest.mark.usefixtures("open_metrics")
def test_without_the_database_it_says_so():
    def fail(*_: object) -> None:
        raise OperationalError("gone")

    with connection.execute_wrapper(fail):
        found = read()
    assert found["stepmark_database_up"][0][2] == 0


@pytest.mark.usefixtures("open_metrics")
def test_dashboard_and_alerts_ask_for_what_there_is():
    Client().get("/healthz")
    known = {metric.name for metric in site_metrics()} | set(read())
    known.add("stepmark_replica_serves")  # where REPLICA_URL is set, as test_replica sees
    known |= {f"{name}_{part}" for name in known if name.endswith("_seconds") for part in ("bucket", "sum", "count")}
    dashboard = json.loads((BASE_DIR / "docs" / "grafana.json").read_text())
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
    rules = yaml.safe_load((BASE_DIR / "docs" / "alerts.yml").read_text())["groups"][0]["rules"]
    assert len({rule["alert"] for rule in rules}) == len(rules) >= 6
    assert all(rule["annotations"]["summary"] and rule["for"] for rule in rules)
    named = {name for expr in [*asked, *(rule["expr"] for rule in rules)] for name in re.findall(r"stepmark_\w+", expr)}
    assert len(named) >= 15
    assert named - known == set()


def test_the_operators_page_lists_what_the_doctor_does(settings: Settings, tmp_path: Path):
    (tmp_path / "stepmark.dump").write_bytes(b"12345")
    settings.BACKUP_DIR = str(tmp_path)
    settings.DEBUG = True
    site = Browser(make_user(is_superuser=True)).get("/api/site").json()
    assert [check["name"] for check in site["checks"]] == [name for name, _ in all_checks()]
    assert "visitors see tracebacks" in next(check["fault"] for check in site["checks"] if check["name"] == "debug")
    assert site["backup"]["bytes"] == 5
    page = (BASE_DIR / "frontend" / "src" / "features" / "site" / "SitePage.tsx").read_text()
    assert [jobs["kind"] for jobs in site["jobs"] if f"  {jobs['kind']}:" not in page] == [], "each kind has a name"
    assert site["database"]["bytes"] > 0
    assert {disk["name"] for disk in site["disks"]} >= {"DATA_DIR"}
    assert Browser(make_user()).get("/api/site").status_code == 403
    audit_log.record("backup.make", actor=None, target="1", folder="/elsewhere/1", bytes=7)
    found = Browser(make_user(is_superuser=True)).get("/api/site").json()["backup"]
    assert (found["folder"], found["bytes"]) == ("/elsewhere/1", 7), "made on another machine, later"
