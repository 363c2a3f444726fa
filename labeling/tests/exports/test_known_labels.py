"""Which labels of a file of ours the project has already: all of them quickly, and none that somebody mended."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from labeling.tests.exports.labeled import exported, give_label, traces_of
from labeling.tests.factories import make_member, make_project, open_round
from labeling.tests.imports.files import import_bytes, lines, neutral_row

pytestmark = pytest.mark.django_db(transaction=True)  # several imports
SCANS = "SELECT seq_scan FROM pg_stat_xact_user_tables WHERE relname = 'staged_step'"


def test_known_labels_are_found_without_going_through_all_ratings_for_each(tmp_path: Path) -> None:
    project, count = make_project(), 40
    traces_of(project, tmp_path, *(neutral_row(f"{number}?", ["a", "b"]) for number in range(count)))
    open_round(project)
    ada = make_member(project)
    for _ in range(count):
        give_label(project, [1, -1], ada)
    rows, _ = exported(project, "neutral")
    scans = []

    def look(execute: Callable[..., Any], sql: str, *about: Any) -> Any:
        done = execute(sql, *about)
        if sql.startswith("CREATE TEMP TABLE known_label"):
            with connection.cursor() as cursor:
                cursor.execute(SCANS)
                scans.append(cursor.fetchone()[0])
        return done

    with connection.execute_wrapper(look):
        job = import_bytes(project, lines(*rows), tmp_path, labels_of="X")
    assert job.report["labels"] == {"new": 0, "duplicate_in_file": 0, "known": count}
    [scanned] = scans
    assert scanned < 5, "once or twice for all of them"


def test_names_of_new_labels_are_found_by_one_join_however_many_are_known(tmp_path: Path) -> None:
    project, plans = make_project(), []
    traces_of(project, tmp_path, neutral_row())
    give_label(project, [1, -1])
    rows, _ = exported(project, "neutral")

    def look(execute: Callable[..., Any], sql: str, *about: Any) -> Any:
        if sql.lstrip().startswith("SELECT DISTINCT labeler, md5"):
            with connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN {sql}")
                plans.append("\n".join(line for [line] in cursor.fetchall()))
        return execute(sql, *about)

    with connection.execute_wrapper(look):
        import_bytes(project, lines(*rows), tmp_path, labels_of="X")
    [plan] = plans
    assert "Anti Join" in plan
    assert "SubPlan" not in plan, "beyond what fits into work_mem it would be asked anew for each label"
