"""A backup of an installation of version 0.1.0 is restored and so brought up to date, and it answers as it did then.

The database and the answers were made by the old code (make_v0_1_0.py). What is meant to differ is named in
differences.py, a line each; whatever else differs is a fault of a migration, or of the code that reads what it left.
"""

import gzip
import hashlib
import json
import math
import os
import re
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from annotation_app.postgres.upgrades import unapplied
from labeling.actions.backup_restores import restore_backup
from labeling.actions.backups import make_backup
from labeling.queries.installation import migrations_fault
from labeling.tests.upgrade import differences, installation
from labeling.tests.upgrade.clock import Clock
from labeling.tests.upgrade.old_processes import OldProcesses, last_that_stops, told_of_each_migration
from labeling.tests.upgrade.replay import Desk
from labeling.tests.upgrades.steps import without_looking_for_rubbish

FOLDER = Path(__file__).parent
DUMP = FOLDER / "v0_1_0.sql.gz"
PROCESS = os.environ.get("PYTEST_XDIST_WORKER", "alone")  # processes of a run share a server
DATABASE, OLD = f"upgraded_{PROCESS}", f"old_{PROCESS}"
RECORD: dict[str, Any] = json.loads(gzip.decompress((FOLDER / "v0_1_0_answers.json.gz").read_bytes()))
Answers = list[dict[str, Any]]
NOTHING = "(no such key)"
NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")


@pytest.fixture(scope="module")
def old(django_db_blocker: Any) -> Iterator[OldProcesses]:
    """The old installation's tables, and processes that still know them so; Django is connected there."""
    installation.load(DUMP, OLD)
    with django_db_blocker.unblock():
        before = installation.connect_to(OLD)
        refused_while_somebody_works()
        yield OldProcesses(last_that_stops())
        installation.connect_to(before)


@pytest.fixture(scope="module")
def upgraded(old: OldProcesses, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """The old installation's backup, restored by today's code; its clock where the answers were recorded."""
    clock = Clock(datetime.fromisoformat(RECORD["asked_at"]))
    with pytest.MonkeyPatch.context() as patch:
        back_up_and_restore(tmp_path_factory.mktemp("kept"), old)
        clock.install()
        patch.setattr(timezone, "now", clock.now)
        yield Desk()
        installation.connect_to(OLD)
    installation.drop(DATABASE)


def refused_while_somebody_works() -> None:
    """To migrate tables of which one is renamed: in words, and nothing is changed. The doctor says it beforehand."""
    waiting = len(unapplied(connection))
    assert "renames Prm, so stop web, workers and beat before" in (migrations_fault() or "")
    address = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{OLD}").geturl()
    with psycopg.connect(address), pytest.raises(CommandError, match=r"renames Prm: .*1 connections of .*--anyway"):
        call_command("migrate", verbosity=0)
    assert len(unapplied(connection)) == waiting


def back_up_and_restore(scratch: Path, old: OldProcesses) -> None:
    """A backup of the old tables, put back into an empty database, which Django is then connected to."""
    installation.make(DATABASE)
    with pytest.MonkeyPatch.context() as patch, without_looking_for_rubbish(), told_of_each_migration(old):
        patch.setattr(settings, "DATA_DIR", scratch / "data")
        patch.setattr(settings, "MODELS_DIR", scratch / "models")
        folder, manifest = make_backup(scratch / "backups")
        installation.connect_to(DATABASE)
        restore_backup(folder)
    assert "labeling.0025_label_verdict" not in manifest["migrations"]
    assert manifest["rows"]["labeling_prm"]  # as the table was called


def subject(path: str) -> str:
    """What a path is about: its words, without ids and what is asked about them."""
    return re.sub(r"/(\d+|demo|algebra|geometry|loop|records)(?=/|$)", "", path.removeprefix("/api/").split("?")[0])


def by_subject() -> dict[str, Answers]:
    """The recorded answers to requests."""
    found: dict[str, Answers] = {}
    for answer in RECORD["answers"]:
        if "method" in answer:
            found.setdefault(subject(answer["path"]), []).append(answer)
    return found


REQUESTS = by_subject()
EXPORTS: Answers = [answer for answer in RECORD["answers"] if "method" not in answer]


def differing(said: Any, expected: Any, place: str = "") -> Iterator[str]:
    """Where two answers differ: the place in the answer, what was expected there, and what was said."""
    if isinstance(said, dict) and isinstance(expected, dict):
        for key in sorted(said.keys() | expected.keys()):
            yield from differing(said.get(key, NOTHING), expected.get(key, NOTHING), f"{place}.{key}")
    elif isinstance(said, list) and isinstance(expected, list) and len(said) == len(expected):
        for number, (one, other) in enumerate(zip(said, expected, strict=True)):
            yield from differing(one, other, f"{place}[{number}]")
    elif isinstance(said, str) and isinstance(expected, str) and "," in expected:
        yield from differing(numbers_in(said), numbers_in(expected), place) if said != expected else ()
    elif expected != differences.ANYTHING and not same_value(said, expected):
        yield f"{place}: expected {str(expected)[:300]}, said {str(said)[:300]}"


def same_value(said: Any, expected: Any) -> bool:
    """Whether two values are the same; figures may differ in the last digits, as sums do in another order."""
    if isinstance(said, float) and isinstance(expected, float):
        return math.isclose(said, expected, rel_tol=1e-9, abs_tol=1e-12)
    return bool(said == expected) and type(said) is type(expected)


def numbers_in(text: str) -> list[list[Any]]:
    """A CSV file's cells, numbers as numbers."""
    return [
        [float(cell) if NUMBER.fullmatch(cell) else cell for cell in line.split(",")] for line in text.split("\r\n")
    ]


def assert_same(said: Any, expected: Any, about: str) -> None:
    """Fail with the first places where they differ."""
    found = list(islice(differing(said, expected), 8))
    assert not found, "\n".join([about, *found])


@pytest.mark.parametrize("about", REQUESTS)
def test_an_upgraded_installation_answers_as_the_old_one_did(upgraded: Desk, about: str) -> None:
    for recorded in REQUESTS[about]:
        path = recorded["path"]
        said = upgraded.answer({**recorded, "path": differences.address_today(path)})
        told = f"{recorded['method']} {path} {recorded.get('body', '')} as {recorded['by']}"
        assert_same(differences.comparable(path, said), differences.expected(path, recorded["answer"]), told)


@pytest.mark.parametrize("number", range(len(EXPORTS)))
def test_an_export_of_old_labels_holds_what_it_held(upgraded: Desk, number: int) -> None:
    recorded = EXPORTS[number]
    path, then = recorded["path"], recorded["answer"]
    format = recorded.get("format") or recorded["export"]["format"]
    told = f"{path} {recorded.get('export', recorded.get('again'))}"
    said = upgraded.answer({**recorded, "path": differences.address_today(path)})
    assert_same(
        differences.in_one_order(said["rows"]) if format == "neutral" else said["rows"],
        differences.expected_rows(format, then["rows"], then["manifest"]["switches"]),
        told,
    )
    for manifest in (said["manifest"], then["manifest"]):
        for name in differences.OF_THE_BYTES:
            manifest.pop(name)
    manifest = differences.comparable(f"{path}/manifest", said["manifest"])
    assert_same(manifest, differences.expected(f"{path}/manifest", then["manifest"]), f"manifest of {told}")


def test_processes_of_the_version_before_are_served_after_each_migration_that_lets_them_run(
    upgraded: Desk, old: OldProcesses
) -> None:
    assert set(old.expected.values()) <= {"done", "23505", "42501"}  # one of its kind is there; the audit log's guard
    assert sum(said == "done" for said in old.expected.values()) > 80
    assert len(old.differing) > 10
    assert not any(old.differing.values()), old.differing
    assert old.say() == old.expected


def test_anybody_who_owns_an_empty_database_can_load_the_dump() -> None:
    sql = gzip.decompress(DUMP.read_bytes()).decode()
    assert not re.search(r"OWNER TO|^GRANT|^REVOKE|CREATE EXTENSION|CREATE SCHEMA", sql, flags=re.MULTILINE)


def test_the_old_labels_include_all_whose_first_error_is_not_their_verdict() -> None:
    asked = {
        "format": "neutral",
        "switches": {"neutral": "keep3", "after_error": "keep_unlabelled", "aggregate": "each"},
    }
    rows = [row for answer in EXPORTS if answer.get("export") == asked for row in answer["answer"]["rows"]]
    found = {row["label"]["finish_reason"] for row in rows if row["first_error"] not in (None, -1)}
    assert found == {"found_error", "solution", "bad_problem", "give_up"}


def test_the_old_installation_was_no_empty_one() -> None:
    counts = {about: len(answers) for about, answers in REQUESTS.items()}
    assert {"projects/overview", "projects/standings", "triages", "evaluations", "rounds/report"} <= counts.keys()
    assert len(RECORD["answers"]) > 500
    assert hashlib.sha256(DUMP.read_bytes()).hexdigest() == RECORD["dump"]
