"""Prometheus' own tool reads the alert rules, tests each, and reads the dashboard's queries and the real /metrics."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from django.test import Client
from pytest_django import Settings

from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round, make_traces

BASE_DIR = Path(__file__).resolve().parent.parent.parent
ALERTS = BASE_DIR / "docs" / "alerts.yml"
CASES = Path(__file__).parent / "alerts_cases.yml"
TOKEN = "a-token-of-enough-characters"
PROMTOOL = shutil.which("promtool")
pytestmark = pytest.mark.skipif(PROMTOOL is None, reason="promtool is not installed: apt-get install prometheus")


def promtool(*arguments: str, text: bytes = b"") -> str:
    """Return its output; it must succeed."""
    assert PROMTOOL
    done = subprocess.run([PROMTOOL, *arguments], input=text, capture_output=True, check=False)
    said = (done.stdout + done.stderr).decode()
    assert done.returncode == 0, said
    return said


def test_each_alert_goes_off_for_its_fault_and_is_quiet_on_a_site_that_is_well() -> None:
    rules = yaml.safe_load(ALERTS.read_text())["groups"][0]["rules"]
    assert f"{len(rules)} rules found" in promtool("check", "rules", "--lint-fatal", str(ALERTS))
    assert "SUCCESS" in promtool("test", "rules", str(CASES))
    quiet, *faulty = yaml.safe_load(CASES.read_text())["tests"]
    for tried in ([quiet], faulty):
        named = {case["alertname"] for one in tried for case in one["alert_rule_test"]}
        assert named == {rule["alert"] for rule in rules}


def test_what_the_dashboard_asks_for_can_be_read(tmp_path: Path) -> None:
    panels = json.loads((BASE_DIR / "docs" / "grafana.json").read_text())["panels"]
    asked = [target["expr"] for panel in panels for target in panel.get("targets", [])]
    rules = [{"record": f"dashboard:{number}", "expr": expr} for number, expr in enumerate(asked)]
    file = tmp_path / "dashboard.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}))
    assert f"{len(asked)} rules found" in promtool("check", "rules", str(file))


@pytest.mark.django_db
def test_the_metrics_of_a_site_with_work_are_as_prometheus_wants_them(settings: Settings) -> None:
    settings.METRICS_TOKEN = TOKEN
    project = make_project(slug="algebra")
    make_traces(project, 3)
    make_round(project)
    Browser(make_member(project, "annotator")).call("POST", f"/api/projects/{project.slug}/labels/claim", {})
    answer = Client(headers={"Authorization": f"Bearer {TOKEN}"}).get("/metrics")
    assert b'stepmark_queue_labels{project="algebra"' in answer.content
    assert promtool("check", "metrics", text=answer.content) == ""
