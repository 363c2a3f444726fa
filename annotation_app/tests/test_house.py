"""The floors hold, each contract really fails when it is broken, and files and functions stay readable."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

BASE_DIR = Path(__file__).resolve().parent.parent.parent
PACKAGES = ("annotation_app", "labeling", "worker")
# Wiring that every floor may be named in, and data.
OFF_THE_FLOORS = {"labeling.apps", "labeling.tests", "labeling.migrations", "labeling.api"}
LINES_PER_FILE = 400
LINES_PER_FUNCTION_P90 = 30


def sources() -> list[Path]:
    """Our own Python files."""
    files = [path for package in (*PACKAGES, "bench") for path in (BASE_DIR / package).rglob("*.py")]
    return [path for path in files if "migrations" not in path.parts]


def check_contract(folder: Path, contract: str) -> subprocess.CompletedProcess[str]:
    """Run one contract over the packages in `folder`."""
    command = [Path(sys.executable).parent / "lint-imports", "--no-cache", "--contract", contract]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def contracts() -> list[dict[str, object]]:
    """The contracts of pyproject.toml."""
    project = tomllib.loads((BASE_DIR / "pyproject.toml").read_text())
    return project["tool"]["importlinter"]["contracts"]


BREACHES = [
    ("floors", "labeling/models/people.py", "import labeling.queries.projects"),
    ("floors", "labeling/queries/projects.py", "import labeling.actions.projects"),
    ("floors", "labeling/actions/projects.py", "import labeling.api.serializers.projects"),
    ("floors", "labeling/errors.py", "import labeling.models"),
    ("no-torch-in-the-web", "labeling/actions/projects.py", "import torch"),
    ("no-torch-in-the-web", "annotation_app/urls.py", "import worker"),
    ("views-import-no-models", "labeling/api/views/projects.py", "from labeling.models import Project"),
    ("pure-is-pure", "labeling/active_time.py", "import django.db"),
    ("pure-is-pure", "labeling/splitting.py", "import django.db"),
    ("pure-is-pure", "labeling/agreement.py", "import labeling.models"),
    ("pure-is-pure", "labeling/metrics/evaluation.py", "import labeling.queries.rounds"),
    ("pure-is-pure", "labeling/formats/neutral.py", "from rest_framework import serializers"),
    ("prm-is-plain-torch", "worker/prm/scoring.py", "import labeling.models"),
    ("prm-is-plain-torch", "worker/prm/forward.py", "import django.db"),
]


@pytest.mark.parametrize(("contract", "file", "line"), BREACHES)
def test_a_contract_fails_when_it_is_broken(tmp_path: Path, contract: str, file: str, line: str) -> None:
    for package in PACKAGES:
        shutil.copytree(BASE_DIR / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__", "tests"))
    shutil.copy(BASE_DIR / "pyproject.toml", tmp_path)
    assert check_contract(tmp_path, contract).returncode == 0
    with (tmp_path / file).open("a") as source:
        source.write(f"\n{line}\n")
    broken = check_contract(tmp_path, contract)
    assert broken.returncode == 1
    assert "Contracts: 0 kept, 1 broken." in broken.stdout


def test_every_contract_is_broken_once_on_purpose() -> None:
    assert {contract["id"] for contract in contracts()} == {contract for contract, _, _ in BREACHES}


def test_every_part_of_the_domain_stands_on_a_floor() -> None:
    floors = next(contract for contract in contracts() if contract["id"] == "floors")
    placed = {name.strip("() ") for layer in floors["layers"] for name in layer.split("|")}  # type: ignore[attr-defined]
    parts = [path for folder in ("labeling", "labeling/api") for path in (BASE_DIR / folder).iterdir()]
    names = {".".join(path.relative_to(BASE_DIR).with_suffix("").parts) for path in parts if is_module(path)}
    assert names - placed - OFF_THE_FLOORS == set()


def is_module(path: Path) -> bool:
    """A package or a module, not a cache or a data file."""
    return (path.suffix == ".py" and path.stem != "__init__") or (path / "__init__.py").exists()


def test_no_file_is_longer_than_a_reader_can_hold() -> None:
    lengths = {str(path.relative_to(BASE_DIR)): len(path.read_text().splitlines()) for path in sources()}
    assert {name: length for name, length in lengths.items() if length > LINES_PER_FILE} == {}


def test_nine_functions_of_ten_fit_on_a_screen() -> None:
    lengths = sorted(
        (node.end_lineno or node.lineno) - node.lineno + 1
        for path in sources()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    assert lengths[int(len(lengths) * 0.9)] <= LINES_PER_FUNCTION_P90


def test_every_dependency_has_its_line_in_the_decision() -> None:
    page = (BASE_DIR / "docs" / "decisions" / "0002-dependencies.md").read_text()
    chosen = "".join((BASE_DIR / "requirements" / f"{name}.in").read_text() for name in ("base", "dev"))
    names = re.findall(r"^([A-Za-z][\w-]*(?:\[.+?\])?)", chosen, flags=re.MULTILINE)
    assert len(names) > 25
    assert [name for name in names if name not in page] == []


def test_no_module_hides_behind_a_name_that_says_nothing() -> None:
    empty_words = {"utils", "util", "common", "helpers", "services", "signals", "misc"}
    assert [path for path in sources() if path.stem in empty_words or empty_words & set(path.parts)] == []
