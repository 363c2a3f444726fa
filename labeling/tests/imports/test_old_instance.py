"""An import into a new project of an instance with many: its time grows with the file, whatever the planner knew."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from labeling.models import Problem, Trace
from labeling.tests import factories
from labeling.tests.imports.files import import_bytes, lines, neutral_row, prm800k_row

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]  # an import keeps its tables until it commits
OLD_PROJECTS = 19
OLD_PROBLEMS = 400  # in each
SIZES = (400, 4_000)


@pytest.fixture
def old_instance() -> None:
    """Its tables are known to the planner as they are before the import; of the next project they hold nothing."""
    for _ in range(OLD_PROJECTS):
        project = factories.make_project()
        problems = Problem.objects.bulk_create(
            Problem(project=project, text=f"Old {number}?", text_hash=number.to_bytes(32, "big"))
            for number in range(OLD_PROBLEMS)
        )
        Trace.objects.bulk_create(
            Trace(project=project, problem=problem, steps=["One."], trace_hash=problem.text_hash)
            for problem in problems
        )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


@pytest.mark.parametrize("row", [neutral_row, prm800k_row], ids=["plain traces", "labels"])
def test_ten_times_as_many_problems_take_about_ten_times_as_long(
    old_instance: None, tmp_path: Path, row: Callable[..., dict[str, Any]]
) -> None:
    few, many = ([seconds_to_import(tmp_path, row, size) for _ in range(2)] for size in SIZES)
    assert min(many) < 15 * max(few)  # other work on the machine lengthens one of two


def seconds_to_import(folder: Path, row: Callable[..., dict[str, Any]], size: int) -> float:
    """Into a new project, a problem each."""
    project = factories.make_project()
    file = lines(*(row(f"What is {size} times {number}?") for number in range(size)))
    began = time.perf_counter()
    assert import_bytes(project, file, folder).status == "succeeded"
    return time.perf_counter() - began
