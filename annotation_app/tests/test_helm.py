"""The Helm chart, rendered by Helm's own library and checked against Kubernetes' schemas; its queries run on our
tables.
"""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings
from django.db import connection

from annotation_app.tests.running_installation import BASE_DIR
from labeling.actions.exports import create_export
from labeling.configs.stages import STAGES
from labeling.models import RoundChunk, StepScorer
from labeling.queries.job_kinds import JOBS
from labeling.tests.factories import make_project, make_round

CHART = BASE_DIR / "deploy" / "helm" / "stepmark"
LIBRARY = Path(sys.prefix) / "helm"
LEAST: dict[str, Any] = {
    "existingSecret": "stepmark",
    "config": {"ALLOWED_HOSTS": "label.example.org"},
    "data": {"existingClaim": "files"},
    "networkPolicy": {"from": [{"namespaceSelector": {"matchLabels": {"name": "ingress"}}}]},
}
EVERYTHING: dict[str, Any] = LEAST | {
    "ownerSecret": "stepmark-owner",
    "gpu": {"enabled": True, "modelsClaim": "models", "trainedClaim": "trained", "secret": "tokens"},
    "keda": {"enabled": True, "connectionSecret": "keda"},
    "ingress": {"enabled": True, "host": "label.example.org", "tlsSecret": "tls"},
    "networkPolicy": {"to": [{"ipBlock": {"cidr": "10.0.0.0/8"}}], "from": [{"podSelector": {}}]},
    "worker": {"secret": "generators", "extraEnv": [{"name": "X", "value": "1"}]},
}
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"config": {"ALLOWED_HOSTS": "x"}}, "existingSecret"),
    ({**LEAST, "config": {"ALLOWED_HOSTS": ""}}, "ALLOWED_HOSTS"),
    ({**LEAST, "config": {"ALLOWED_HOSTS": "x", "SECRET_KEY": "in the open"}}, "SECRET_KEY"),
    ({**LEAST, "data": {}}, "OBJECT_STORAGE"),
    ({**LEAST, "wbe": {"replicas": 3}}, "wbe"),
    ({**LEAST, "networkPolicy": {}}, "networkPolicy.from"),
    ({**LEAST, "keda": {"enabled": True}}, "keda.connectionSecret"),
]


@pytest.fixture(scope="module")
def helm() -> dict[str, Any]:
    """Helm's output for the chart."""
    if not LIBRARY.exists():
        pytest.skip("Helm's library is not installed: make .venv/.installed-helm")
    values = [LEAST, EVERYTHING, *(values for values, _ in REFUSED)]
    command = [sys.executable, "-m", "annotation_app.tests.helm_renders", str(CHART)]
    env = {**os.environ, "PYTHONPATH": str(LIBRARY)}
    done = subprocess.run(
        command, cwd=BASE_DIR, env=env, input=json.dumps(values), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def of_kind(found: dict[str, Any], *kinds: str) -> dict[str, Any]:
    return {one["metadata"]["name"]: one for one in found["manifests"] if one["kind"] in kinds}


def test_helm_and_kubernetes_find_nothing_wrong_and_bad_values_are_refused_with_their_name(
    helm: dict[str, Any],
) -> None:
    assert helm["lint"]["errors"] == []
    assert [found["faults"] for found in helm["found"][:2]] == [[], []]
    for found, (_, word) in zip(helm["found"][2:], REFUSED, strict=True):
        assert word in found["refused"]


def test_every_pod_is_closed_and_only_web_is_asked_whether_it_is_ready(helm: dict[str, Any]) -> None:
    pods = of_kind(helm["found"][1], "Deployment", "Job")
    assert sorted(pods) == [f"stepmark-{part}" for part in ("beat", "gpu-worker", "migrate", "web", "worker")]
    for name, one in pods.items():
        spec = one["spec"]["template"]["spec"]
        [container] = spec["containers"]
        assert spec["securityContext"]["runAsNonRoot"], name
        assert spec["automountServiceAccountToken"] is False, name
        closed = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
        assert container["securityContext"] == closed, name
        assert container["resources"]["limits"]["memory"], name
    asked = {name: one["spec"]["template"]["spec"]["containers"][0] for name, one in pods.items()}
    assert [name for name, container in asked.items() if "readinessProbe" in container] == ["stepmark-web"]
    web = asked["stepmark-web"]
    assert web["livenessProbe"]["httpGet"]["path"] == "/healthz"
    assert web["readinessProbe"]["httpGet"]["path"] == "/readyz"


def test_only_the_migrations_know_the_owner_and_they_come_first(helm: dict[str, Any]) -> None:
    pods = of_kind(helm["found"][1], "Deployment", "Job")
    told = {name: json.dumps(one["spec"]["template"]["spec"]) for name, one in pods.items()}
    assert [name for name, text in told.items() if "stepmark-owner" in text] == ["stepmark-migrate"]
    assert [name for name, text in told.items() if "generators" in text] == ["stepmark-worker"]
    hooks = {
        name: one["metadata"]["annotations"] for name, one in of_kind(helm["found"][1], "Job", "ConfigMap").items()
    }
    assert {one["helm.sh/hook"] for one in hooks.values()} == {"pre-install,pre-upgrade"}
    weights = {name: int(one["helm.sh/hook-weight"]) for name, one in hooks.items()}
    assert weights["stepmark"] < weights["stepmark-migrate"], "the settings are there before it"
    assert of_kind(helm["found"][1], "StatefulSet", "PersistentVolumeClaim") == {}, "no database of the chart's own"


def test_gpu_workers_go_to_none_and_the_others_do_not(helm: dict[str, Any]) -> None:
    scaled = of_kind(helm["found"][1], "ScaledObject")
    assert {name: one["spec"]["minReplicaCount"] for name, one in scaled.items()} == {
        "stepmark-worker": 2,
        "stepmark-gpu-worker": 0,
    }
    deployments = of_kind(helm["found"][1], "Deployment")
    assert all("replicas" not in deployments[name]["spec"] for name in scaled), "KEDA alone says how many"
    assert of_kind(helm["found"][0], "ScaledObject") == {}


@pytest.mark.django_db
def test_what_keda_asks_counts_the_rows_that_workers_lease(helm: dict[str, Any]) -> None:
    round_ = make_round(make_project())
    type(round_).objects.filter(pk=round_.pk).update(planned="scoring")
    RoundChunk.objects.create(round=round_, stage="scoring", number=1, first_problem=1, last_problem=2)
    RoundChunk.objects.create(round=round_, stage="grading", number=1, first_problem=1, last_problem=2)
    RoundChunk.objects.create(round=round_, stage="scoring", number=2, first_problem=3, last_problem=4, status="done")
    StepScorer.objects.create(name="new", spec={}, status="unchecked")
    create_export(round_.project, by=None, format="neutral")
    counted = {}
    for name, one in of_kind(helm["found"][1], "ScaledObject").items():
        with connection.cursor() as cursor:
            cursor.execute(one["spec"]["triggers"][0]["metadata"]["query"])
            [counted[name]] = cursor.fetchone()
    assert counted == {"stepmark-worker": 1, "stepmark-gpu-worker": 2}


def test_every_kind_of_work_is_asked_for_on_the_queue_that_does_it() -> None:
    text = (CHART / "templates" / "_waiting.tpl").read_text()
    cpu, gpu = text.split('define "stepmark.waiting.gpu"')
    on_gpu = {task for task, route in settings.CELERY_TASK_ROUTES.items() if route.get("queue") == "gpu"}
    for task, model in JOBS:
        table = f'"{model._meta.db_table.removeprefix("labeling_")}"'
        assert (table in gpu, table in cpu) == (task in on_gpu, task not in on_gpu), table
    assert [stage.name for stage in STAGES.values() if stage.queue == "gpu"] == re.findall(r"c.stage = '(\w+)'", gpu)


def test_the_chart_names_this_version_and_settings_that_there_are() -> None:
    version = tomllib.loads((BASE_DIR / "pyproject.toml").read_text())["project"]["version"]
    assert yaml.safe_load((CHART / "Chart.yaml").read_text())["appVersion"] == version
    known = set(re.findall(r"^(\w+)=", (BASE_DIR / ".env.example").read_text(), flags=re.MULTILINE))
    assert set(yaml.safe_load((CHART / "values.yaml").read_text())["config"]) <= known
