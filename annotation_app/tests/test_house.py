"""The layers hold, each contract really fails when it is broken, and files and functions stay readable."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from labeling.configs.stages import STAGES

BASE_DIR = Path(__file__).resolve().parent.parent.parent
PACKAGES = ("annotation_app", "labeling", "worker")
LINES_PER_FILE = 400
LINES_PER_FUNCTION_P90 = 30


def sources() -> list[Path]:
    """Our own Python files."""
    files = [path for package in (*PACKAGES, "bench") for path in (BASE_DIR / package).rglob("*.py")]
    return [path for path in files if "migrations" not in _within(path).parts]


def _within(path: Path) -> Path:
    """The path inside the checkout, wherever that is."""
    return path.relative_to(BASE_DIR)


def check_contracts(folder: Path, *contracts: str) -> subprocess.CompletedProcess[str]:
    """Run these contracts, or all, over the packages in `folder`."""
    command = [Path(sys.executable).parent / "lint-imports", "--no-cache"]
    command += [word for contract in contracts for word in ("--contract", contract)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages with their contracts, which all hold: to be broken and repaired."""
    folder = tmp_path_factory.mktemp("house")
    for package in PACKAGES:
        shutil.copytree(BASE_DIR / package, folder / package, ignore=shutil.ignore_patterns("__pycache__", "tests"))
    shutil.copy(BASE_DIR / "pyproject.toml", folder)
    whole = check_contracts(folder)
    assert whole.returncode == 0, whole.stdout
    return folder


@contextmanager
def lines_added(file: Path, lines: str) -> Iterator[None]:
    """Append to a file, which is created if needed."""
    before = file.read_text() if file.exists() else None
    file.write_text((before or "") + lines)
    yield
    if before is None:
        file.unlink()
    else:
        file.write_text(before)


def contracts() -> list[dict[str, object]]:
    """The contracts of pyproject.toml."""
    project = tomllib.loads((BASE_DIR / "pyproject.toml").read_text())
    return project["tool"]["importlinter"]["contracts"]


BREACHES = [
    ("floors", "labeling/models/people.py", "import labeling.queries.projects"),
    ("floors", "labeling/queries/projects.py", "import labeling.actions.projects"),
    ("floors", "labeling/actions/projects.py", "import labeling.api.serializers.projects"),
    ("rooms", "labeling/errors/base.py", "import labeling.models"),
    ("rooms", "labeling/protocol/verdicts.py", "import labeling.statistics"),
    ("rooms", "labeling/statistics/intervals.py", "import labeling.quality.consensus"),
    ("rooms", "labeling/generation/prompts.py", "import labeling.queries"),
    ("api-floors", "labeling/api/serializers/labels.py", "import labeling.api.views.labels"),
    ("api-floors", "labeling/api/schema.py", "import labeling.api.urls"),
    ("no-torch-in-the-web", "labeling/actions/projects.py", "import torch"),
    ("no-torch-in-the-web", "annotation_app/urls.py", "import worker"),
    ("views-import-no-models", "labeling/api/views/projects.py", "from labeling.models import Project"),
    ("pure-is-pure", "labeling/protocol/active_time.py", "import django.db"),
    ("pure-is-pure", "labeling/generation/splitting.py", "import django.db"),
    ("pure-is-pure", "labeling/statistics/agreement.py", "import labeling.models"),
    ("pure-is-pure", "labeling/metrics/evaluation.py", "import labeling.queries.rounds"),
    ("pure-is-pure", "labeling/formats/imports/neutral.py", "from rest_framework import serializers"),
    ("prm-is-plain-torch", "worker/prm/scoring.py", "import labeling.models"),
    ("prm-is-plain-torch", "worker/prm/forward.py", "import django.db"),
    ("http-is-plain", "worker/http/connections.py", "import django.conf"),
    ("http-is-plain", "worker/http/server_client.py", "import worker.prm.errors"),
]


@pytest.mark.parametrize(("contract", "file", "line"), BREACHES)
def test_a_contract_fails_when_it_is_broken(house: Path, contract: str, file: str, line: str) -> None:
    assert (house / file).exists()
    with lines_added(house / file, f"\n{line}\n"):
        broken = check_contracts(house, contract)
    assert broken.returncode == 1
    assert "Contracts: 0 kept, 1 broken." in broken.stdout


def test_every_contract_is_broken_once_on_purpose() -> None:
    assert {contract["id"] for contract in contracts()} == {contract for contract, _, _ in BREACHES}


@pytest.mark.parametrize(
    ("contract", "room"), [("rooms", "labeling/a_new_room.py"), ("api-floors", "labeling/api/a_new_room.py")]
)
def test_a_room_that_stands_on_no_floor_fails_the_contract(house: Path, contract: str, room: str) -> None:
    with lines_added(house / room, '"""A room that nobody gave a floor."""\n'):
        refused = check_contracts(house, contract)
    assert refused.returncode == 1
    assert "a_new_room" in refused.stdout + refused.stderr


def statements(within: ast.AST) -> Iterator[ast.stmt]:
    """Return every statement, however deeply nested. Expressions, most of a file's nodes, contain none."""
    for node in ast.iter_child_nodes(within):
        if isinstance(node, ast.stmt):
            yield node
        if isinstance(node, ast.stmt | ast.excepthandler | ast.match_case):
            yield from statements(node)


def test_no_file_is_longer_than_a_reader_can_hold() -> None:
    lengths = {str(path.relative_to(BASE_DIR)): len(path.read_text().splitlines()) for path in sources()}
    assert {name: length for name, length in lengths.items() if length > LINES_PER_FILE} == {}


def test_nine_functions_of_ten_fit_on_a_screen() -> None:
    lengths = sorted(
        (node.end_lineno or node.lineno) - node.lineno + 1
        for path in sources()
        for node in statements(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    assert lengths[int(len(lengths) * 0.9)] <= LINES_PER_FUNCTION_P90


def test_every_dependency_has_its_line_in_the_decision() -> None:
    page = (BASE_DIR / "docs" / "decisions" / "0002-dependencies.md").read_text()
    chosen = "".join((BASE_DIR / "requirements" / f"{name}.in").read_text() for name in ("base", "dev", "trainers"))
    names = re.findall(r"^([A-Za-z][\w-]*(?:\[.+?\])?)", chosen, flags=re.MULTILINE)
    assert len(names) > 25
    assert [name for name in names if name not in page] == []


HTTP = {"httpx", "httpx_sse", "httpcore", "requests", "urllib3", "urllib.request", "http.client", "aiohttp", "stamina"}
# `make demo` asks its own web server whether it is up, where nothing of the worker may be imported.
# `stepmark_reward.py` is handed out with exports and runs in trainers, by the standard library alone.
# `provider_requests.py` asks within a request of the web process, which may not import the worker either.
OPENS_HTTP = (
    "worker/http",
    "annotation_app/local/demo.py",
    "labeling/formats/stepmark_reward.py",
    "annotation_app/provider_requests.py",
)


def test_http_is_opened_in_one_place() -> None:
    ours = [path for path in map(_within, sources()) if not {"tests", "bench"} & set(path.parts)]
    others = [path for path in ours if not str(path).startswith(OPENS_HTTP)]
    assert len(ours) - len(others) > 3
    assert {str(path): found for path in others if (found := HTTP & imported_by(BASE_DIR / path))} == {}


def imported_by(path: Path) -> set[str]:
    """Return each module that a file imports, with its parent packages and the names imported from it."""
    names: set[str] = set()
    for node in statements(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
    return names | {name[:at] for name in names for at, letter in enumerate(name) if letter == "."}


# The name of a stage, or of a status of the workers, quoted in code. In prose the words have their usual meaning.
NAMES = sorted({name for stage in STAGES.values() for name in (stage.name, stage.status)})
STAGE_NAMES = re.compile(rf"""["']({"|".join(NAMES)})["']""")
OTHER_MEANINGS = {
    "labeling/configs/stages.py",  # the table
    "labeling/models/grading.py",  # a grading job's own stage
    "labeling/queries/job_kinds.py",  # the name of a grading job
    "labeling/queries/audit_words.py",  # acts on a grading job
    "labeling/queries/__init__.py",  # a module
    "worker/asking.py",  # a thread's name
    "frontend/src/features/gradings/GradingPage.tsx",  # a grading job's own stage
    "frontend/src/features/gradings/GradingsPage.tsx",  # a grading job in prose
    "frontend/src/features/gradings/gradingWords.ts",  # a grading job's own stage
    "frontend/src/features/gradings/queries.ts",  # a cache key
    "frontend/src/api/schema.d.ts",  # generated from the API
}


def product_code() -> dict[str, str]:
    """Return the production files by path: no tests, no migrations."""
    page = [path for ending in ("ts", "tsx") for path in (BASE_DIR / "frontend" / "src").rglob(f"*.{ending}")]
    ours = [path for path in sources() if path.relative_to(BASE_DIR).parts[0] in ("labeling", "worker")]
    read = {str(path.relative_to(BASE_DIR)): path for path in (*page, *ours)}
    return {name: path.read_text() for name, path in read.items() if "/tests/" not in name and ".test." not in name}


def test_the_name_of_a_stage_stands_in_the_table_of_stages_alone() -> None:
    named = {name for name, text in product_code().items() if STAGE_NAMES.search(text)}
    assert named - OTHER_MEANINGS == set()
    assert named == OTHER_MEANINGS, "an exception that is no longer needed"


def test_the_page_on_the_architecture_lists_the_stages_with_their_queues() -> None:
    page = (BASE_DIR / "docs" / "architecture.md").read_text()
    table = page.split("| stage | queue |")[1].split("\n\n")[0]
    rows = re.findall(r"^\| (\w+) \| (\w+) \|", table, flags=re.MULTILINE)
    assert rows == [(stage.name, stage.queue) for stage in STAGES.values()]


def test_every_source_file_that_the_docs_name_is_there() -> None:
    pages = [*BASE_DIR.glob("*.md"), BASE_DIR / "frontend" / "README.md", *(BASE_DIR / "docs").rglob("*.md")]
    pages.remove(BASE_DIR / "CHANGELOG.md")  # mentions former files
    folders = [BASE_DIR / "frontend" / name for name in ("src", "rendering")]
    page_sources = [path for folder in folders for ending in ("ts", "tsx") for path in folder.rglob(f"*.{ending}")]
    tools = (
        path for folder in (".", ".ci", "requirements", "client/stepmark") for path in (BASE_DIR / folder).glob("*.py")
    )
    there = {f"/{_within(path)}" for path in (*sources(), *page_sources, *tools)}
    for page in pages:
        named = re.findall(r"`([^`\n<>*{}]+\.(?:py|tsx?))`", page.read_text())
        gone = {name for name in named if not any(path.endswith(f"/{name}") for path in there)}
        assert gone == set(), _within(page)


def test_every_decision_is_listed_with_its_number_and_title() -> None:
    folder = BASE_DIR / "docs" / "decisions"
    pages = sorted(path for path in folder.glob("*.md") if path.name != "README.md")
    heads = [path.read_text().partition("\n")[0].removeprefix("# ").partition(". ") for path in pages]
    assert [int(number) for number, _, _ in heads] == [int(path.name[:4]) for path in pages]
    rows = [f"| {number} | [{title}]({path.name}) |" for (number, _, title), path in zip(heads, pages, strict=True)]
    assert re.findall(r"^\| \d.*$", (folder / "README.md").read_text(), re.MULTILINE) == rows


def test_the_example_of_running_one_test_runs_some() -> None:
    page = (BASE_DIR / "CONTRIBUTING.md").read_text()
    [(file, word)] = re.findall(r"`\.venv/bin/pytest (\S+) -k (\w+)`", page)
    assert re.search(rf"def test_\w*{word}", (BASE_DIR / file).read_text())


def test_nobody_reads_a_config_by_key() -> None:
    by_key = re.compile(r"\.(config|options|asked)(\[|\.get\()")
    read = {name for name, text in product_code().items() if name.startswith("labeling/") and by_key.search(text)}
    exports = {name for name in read if "export" in name}
    assert read - exports == {"labeling/models/rounds.py"}  # which kind of config it is


def test_no_module_hides_behind_a_name_that_says_nothing() -> None:
    empty_words = {"utils", "util", "common", "helpers", "services", "signals", "misc"}
    assert [path for path in sources() if path.stem in empty_words or empty_words & set(_within(path).parts)] == []
