"""The compose file and the image agree with the code: same settings, same modules, no host left open."""

import re
import shlex
from pathlib import Path

import yaml

BASE_DIR = Path(__file__).resolve().parent.parent.parent
COMPOSE = yaml.safe_load((BASE_DIR / "docker-compose.yml").read_text())
DOCKERFILE = (BASE_DIR / "Dockerfile").read_text()
OURS = ("web", "worker", "gpu-worker", "beat")


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
    for secret in ("SECRET_KEY", "POSTGRES_PASSWORD", "VALKEY_PASSWORD", "ALLOWED_HOSTS"):
        assert f"${{{secret}:?" in text
        assert not re.search(rf"\$\{{{secret}:?-", text)
    ports = {name: service["ports"] for name, service in COMPOSE["services"].items() if "ports" in service}
    assert ports == {"web": ["127.0.0.1:8000:8000"]}


def test_named_volumes_are_declared() -> None:
    used = {volume.split(":")[0] for service in COMPOSE["services"].values() for volume in service.get("volumes", [])}
    assert {name for name in used if not name.startswith(("$", "."))} == set(COMPOSE["volumes"])


def test_a_gpu_worker_serves_its_queue_on_one_card_and_writes_no_models_but_those_it_trains() -> None:
    service = COMPOSE["services"]["gpu-worker"]
    assert service["command"][service["command"].index("--queues") + 1] == "gpu"
    (device,) = service["deploy"]["resources"]["reservations"]["devices"]
    assert (device["count"], device["capabilities"]) == (1, ["gpu"])
    models, trained = service["volumes"]
    folder = service["environment"]["MODELS_DIR"]
    assert models.endswith(f":{folder}:ro")
    assert trained.endswith(f":{folder}/trained")
    assert f"AS {service['build']['target']}\n" in DOCKERFILE
    assert service["environment"]["DATA_DIR"].startswith("/tmp/"), "everything else is read-only"


def test_the_image_copies_what_exists_and_drops_root_before_it_starts() -> None:
    copies = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, flags=re.MULTILINE)
    for source in (path for line in copies for path in shlex.split(line)):
        assert (BASE_DIR / source).exists(), source
    assert DOCKERFILE.index("USER stepmark") < DOCKERFILE.index("CMD [")
