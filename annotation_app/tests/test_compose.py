"""The compose file and the image agree with the code: same settings, same modules, no open host."""

import fnmatch
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

BASE_DIR = Path(__file__).resolve().parent.parent.parent
COMPOSE = yaml.safe_load((BASE_DIR / "docker-compose.yml").read_text())
DOCKERFILE = (BASE_DIR / "Dockerfile").read_text()
OURS = ("migrate", "backup", "web", "admin", "worker", "gpu-worker", "beat")


def test_the_production_services_are_all_there_and_wait_for_healthy_servers() -> None:
    assert set(COMPOSE["services"]) == {"postgres", "valkey", *OURS}
    for name in OURS:
        needs = COMPOSE["services"][name]["depends_on"]
        assert {server: need["condition"] for server, need in needs.items()} == {
            "postgres": "service_healthy",
            "valkey": "service_healthy",
        }
    assert all("healthcheck" in COMPOSE["services"][server] for server in ("postgres", "valkey", "web"))


def test_every_setting_given_to_the_services_is_one_that_is_read() -> None:
    known = set(re.findall(r"^(\w+)=", (BASE_DIR / ".env.example").read_text(), flags=re.MULTILINE))
    for name in OURS:
        environment = COMPOSE["services"][name]["environment"]
        assert set(environment) <= known
        assert environment["STEPMARK_ENV"] == "production"


def test_no_secret_has_a_default_and_nothing_but_the_web_has_a_port_which_is_local() -> None:
    text = (BASE_DIR / "docker-compose.yml").read_text()
    for secret in ("SECRET_KEY", "POSTGRES_PASSWORD", "POSTGRES_APP_PASSWORD", "VALKEY_PASSWORD", "ALLOWED_HOSTS"):
        assert f"${{{secret}:?" in text
        assert not re.search(rf"\$\{{{secret}:?-", text)
    ports = {name: service["ports"] for name, service in COMPOSE["services"].items() if "ports" in service}
    assert ports == {"web": ["127.0.0.1:8000:8000"], "admin": ["127.0.0.1:8001:8000"]}


def test_only_migrations_and_backups_know_the_owners_password_and_only_the_service_admin_has_the_admin_pages() -> None:
    told = {name: service["environment"] for name, service in COMPOSE["services"].items() if name in OURS}
    assert [name for name in OURS if "OWNER_DATABASE_URL" in told[name]] == ["migrate", "backup"]
    assert {"//stepmark_app:" in environment["DATABASE_URL"] for environment in told.values()} == {True}
    assert [name for name in OURS if told[name]["ADMIN_PAGES"] == "true"] == ["admin"]
    for name in ("migrate", "backup", "admin", "gpu-worker"):  # `up` does not start them
        assert COMPOSE["services"][name]["profiles"]


def test_every_service_gives_up_rights_that_it_does_not_need_and_has_limits() -> None:
    for name, service in COMPOSE["services"].items():
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["pids_limit"], name
        assert "mem_limit" in service or name in ("migrate", "gpu-worker"), name
        assert "cap_add" not in service or name not in OURS, name


def test_named_volumes_are_declared() -> None:
    used = {volume.split(":")[0] for service in COMPOSE["services"].values() for volume in service.get("volumes", [])}
    assert {name for name in used if not name.startswith(("$", "."))} == set(COMPOSE["volumes"])


def test_a_gpu_worker_serves_its_queue_on_one_card_and_writes_no_models_but_those_it_trains() -> None:
    service = COMPOSE["services"]["gpu-worker"]
    assert service["command"][service["command"].index("--queues") + 1] == "gpu"
    (device,) = service["deploy"]["resources"]["reservations"]["devices"]
    assert (device["count"], device["capabilities"]) == (1, ["gpu"])
    data, models, trained = service["volumes"]
    folder = service["environment"]["MODELS_DIR"]
    assert models.endswith(f":{folder}:ro")
    assert trained.endswith(f":{folder}/trained")
    assert f"AS {service['build']['target']}\n" in DOCKERFILE
    assert data == f"data:{service['environment']['DATA_DIR']}", "the rows that a training reads lie there"


def test_the_image_copies_what_exists_and_drops_root_before_it_starts() -> None:
    copies = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, flags=re.MULTILINE)
    for source in (path for line in copies for path in shlex.split(line)):
        assert (BASE_DIR / source).exists(), source
    assert DOCKERFILE.index("USER stepmark") < DOCKERFILE.index("CMD [")


def test_the_image_starts_the_web_server_as_the_demo_does() -> None:
    command = json.loads(DOCKERFILE.split("CMD ")[1].split("\n")[0])
    assert command == ["python", "-m", "annotation_app.server", "--host", "0.0.0.0", "--port", "8000"]
    page = (BASE_DIR / "docs" / "operations.md").read_text()
    assert "\n.venv/bin/python -m annotation_app.server --port 8000\n" in page


def test_every_image_is_pinned_by_its_digest() -> None:
    servers = [service["image"] for name, service in COMPOSE["services"].items() if name not in OURS]
    own_stages = re.findall(r" AS (\w+)$", DOCKERFILE, flags=re.MULTILINE)
    bases = [base for base in re.findall(r"^FROM (\S+)", DOCKERFILE, flags=re.MULTILINE) if base not in own_stages]
    assert len(servers) == len(bases) == 2
    for image in (*servers, *bases):
        assert re.fullmatch(r"[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}", image), image


def test_the_image_installs_only_what_the_locks_name() -> None:
    installs = re.findall(r"pip install (.+)", DOCKERFILE)
    assert len(installs) == 3
    assert all({"--no-deps", "--require-hashes"} <= set(shlex.split(line)) for line in installs)


def left_out(folder: str, names: list[str]) -> set[str]:
    """Return the files of one folder that .dockerignore keeps out of the image."""
    ignored = (BASE_DIR / ".dockerignore").read_text().splitlines()
    found = set()
    for name in names:
        path = (Path(folder) / name).relative_to(BASE_DIR)
        if any(fnmatch.fnmatch(path if "**" not in rule else path.name, rule.removeprefix("**/")) for rule in ignored):
            found.add(name)
    return found


EVERYTHING_IN_THE_IMAGE = """
import importlib, pkgutil
import celery.bin.worker, celery.beat, django, annotation_app.rsgi, worker.tasks
django.setup()
import annotation_app, annotation_app.urls, labeling, worker
for package in (annotation_app, labeling, worker):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        assert ".tests" not in module.name and ".local" not in module.name, module.name
        importlib.import_module(module.name)
"""


def test_the_image_has_no_tests_and_imports_without_them(tmp_path: Path) -> None:
    for line in re.findall(r"^COPY (?!--from|requirements|frontend)(.+) \S+$", DOCKERFILE, flags=re.MULTILINE):
        for source in map(Path, shlex.split(line)):
            if (BASE_DIR / source).is_dir():
                shutil.copytree(BASE_DIR / source, tmp_path / source, ignore=left_out)
            else:
                (tmp_path / source).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(BASE_DIR / source, tmp_path / source)
    assert not list(tmp_path.rglob("tests"))
    assert not (tmp_path / "annotation_app" / "local").exists()
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "annotation_app.settings", "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-c", EVERYTHING_IN_THE_IMAGE]
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-1500:]
