"""Tests that pass only when rerun are counted, in every process of a run, and too many fail the run."""

import subprocess
import sys
from pathlib import Path

import pytest

from annotation_app.tests.reruns import RERUNS_ALLOWED

BASE_DIR = Path(__file__).resolve().parents[2]
TESTS = """
import pathlib
import pytest

@pytest.mark.flaky(reruns=2)
@pytest.mark.parametrize("number", range({tests}))
def test_fails_the_first_time(number):
    seen = pathlib.Path(__file__).with_name(f"{name}-seen-{{number}}")
    if not seen.exists():
        seen.touch()
        raise RuntimeError("not yet")
"""


def run_tests(folder: Path, *numbers: int, processes: int = 0) -> subprocess.CompletedProcess[str]:
    """Start a separate run over files with this many tests that pass at their second attempt."""
    for number, tests in enumerate(numbers):
        (folder / f"test_{number}.py").write_text(TESTS.format(tests=tests, name=number))
    (folder / "pytest.ini").write_text("[pytest]\n")
    options = [
        "-q",
        "-n",
        str(processes),
        "-p",
        "annotation_app.tests.reruns",
        "-p",
        "no:django",
        "-p",
        "no:schemathesis",
    ]
    command = [sys.executable, "-m", "pytest", *options, "--rootdir", str(folder), str(folder)]
    env = {"PYTHONPATH": str(BASE_DIR), "PATH": "/usr/bin:/bin"}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def test_as_many_reruns_as_are_allowed_pass_and_are_said(tmp_path: Path) -> None:
    ended = run_tests(tmp_path, RERUNS_ALLOWED)
    assert ended.returncode == 0, ended.stdout
    assert ended.stdout.count(f"Run again: {RERUNS_ALLOWED} times") == 1


@pytest.mark.parametrize("processes", [0, 2])
def test_one_more_fails_the_run_though_every_test_passed(tmp_path: Path, processes: int) -> None:
    ended = run_tests(tmp_path, RERUNS_ALLOWED, 1, processes=processes)
    assert f"{RERUNS_ALLOWED + 1} passed" in ended.stdout
    assert f"Run again: {RERUNS_ALLOWED + 1} times" in ended.stdout
    assert ended.stdout.count("RuntimeError: not yet") >= RERUNS_ALLOWED + 1, "what each attempt died of"
    assert ended.returncode == pytest.ExitCode.TESTS_FAILED, ended.stdout
