"""Restores a backup of an old version's installation, which upgrades it; it must answer as it did then.

Databases and answers were made by the old code (make_version.py). Each intended difference has a line in since_v*.py.
Any other difference is a fault of a migration, or of the code that reads what it left.
"""

import gzip
import hashlib
import math
import os
import re
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
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
from labeling.actions.trace_words import WORDS
from labeling.models import Trace
from labeling.queries.installation import migrations_fault
from labeling.queries.trace_list import browse_traces, trace_facets
from labeling.tests.upgrade import differences, installation
from labeling.tests.upgrade.clock import Clock
from labeling.tests.upgrade.old_processes import (
    OldProcesses,
    last_that_stops,
    tables_they_do_not_know,
    told_of_each_migration,
)
from labeling.tests.upgrade.replay import Desk
from labeling.tests.upgrade.versions import Version
from labeling.tests.upgrades.steps import without_looking_for_rubbish

PROCESS = os.environ.get("PYTEST_XDIST_WORKER", "alone")  # the processes of a run share a server
Answers = list[dict[str, Any]]
NOTHING = "(no such key)"
NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")


class Upgraded(NamedTuple):
    """An old installation, upgraded."""

    version: Version
    desk: Desk
    processes: OldProcesses


@pytest.fixture(scope="module")
def upgraded(
    request: pytest.FixtureRequest, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Upgraded]:
    """Restore the old installation's backup with today's code, and set the clock to when the answers were recorded."""
    version: Version = request.module.VERSION
    clock = Clock(datetime.fromisoformat(version.record["asked_at"]))
    old, today = (f"{which}_{version.stem}_{PROCESS}" for which in ("old", "upgraded"))
    installation.load(version.dump, old)
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        before = installation.connect_to(old)
        refused_while_somebody_works(version, old)
        processes = OldProcesses(last_that_stops(), tables_they_do_not_know())
        back_up_and_restore(tmp_path_factory.mktemp("kept"), version, today, processes)
        clock.install()
        patch.setattr(timezone, "now", clock.now)
        yield Upgraded(version, Desk(), processes)
        installation.connect_to(before)
    for name in (today, old):
        installation.drop(name)


def refused_while_somebody_works(version: Version, name: str) -> None:
    """Assert that tables that old processes cannot live with are not migrated while one is connected, with a clear
    message and no change. The doctor reports it. An owner who is not a superuser (a hosted server) sees less of who is
    connected.
    """
    waiting = len(unapplied(connection))
    assert f"{version.first_stop}, so stop web, workers and beat first" in (migrations_fault() or "")
    address = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}").geturl()
    refusal = rf"{re.escape(version.first_stop)}: .*1 connections of .*--anyway"
    role = dict(connection.settings_dict)
    for owner in (None, {**role, "USER": installation.OWNER, "PASSWORD": installation.OWNER}):
        with psycopg.connect(address), pytest.MonkeyPatch.context() as patch:
            patch.setattr(settings, "OWNER_DATABASE", owner)
            with pytest.raises(CommandError, match=refusal):
                call_command("migrate", verbosity=0)
        connection.close()
        connection.settings_dict |= role
        assert len(unapplied(connection)) == waiting


def back_up_and_restore(scratch: Path, version: Version, name: str, old: OldProcesses) -> None:
    """Back up the old tables and restore them into an empty database, which Django is then connected to."""
    installation.make(name)
    with pytest.MonkeyPatch.context() as patch, without_looking_for_rubbish(), told_of_each_migration(old):
        patch.setattr(settings, "DATA_DIR", scratch / "data")
        patch.setattr(settings, "MODELS_DIR", scratch / "models")
        folder, manifest = make_backup(scratch / "backups")
        installation.connect_to(name)
        restore_backup(folder)
    assert version.first_migration_since not in manifest["migrations"]
    assert manifest["rows"][version.scorers]  # the table's old name


def subject(path: str) -> str:
    """Return the subject of a path: its words, without ids and the query."""
    return re.sub(r"/(\d+|demo|algebra|geometry|loop|records)(?=/|$)", "", path.removeprefix("/api/").split("?")[0])


def by_subject(version: Version) -> dict[str, Answers]:
    """Return the recorded answers to requests, by subject."""
    found: dict[str, Answers] = {}
    for answer in version.record["answers"]:
        if "method" in answer:
            found.setdefault(subject(answer["path"]), []).append(answer)
    return found


def exports_of(version: Version) -> Answers:
    """Return the recorded exports."""
    return [answer for answer in version.record["answers"] if "method" not in answer]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make a case for each subject, and each export, of the module's VERSION."""
    version: Version = metafunc.module.VERSION
    if "about" in metafunc.fixturenames:
        metafunc.parametrize("about", by_subject(version))
    if "number" in metafunc.fixturenames:
        metafunc.parametrize("number", range(len(exports_of(version))))


def differing(said: Any, expected: Any, place: str = "") -> Iterator[str]:
    """Yield where two answers differ: the place in the answer, the expected value, and the actual one."""
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
    """Return whether two values are equal. The last digits of figures may differ: sums depend on their order."""
    if isinstance(expected, differences.NoLess):
        return isinstance(said, int | float) and said >= expected.number
    if isinstance(said, float) and isinstance(expected, float):
        return math.isclose(said, expected, rel_tol=1e-9, abs_tol=1e-12)
    return bool(said == expected) and type(said) is type(expected)


def numbers_in(text: str) -> list[list[Any]]:
    """Return a CSV file's cells, with numbers as numbers."""
    return [
        [float(cell) if NUMBER.fullmatch(cell) else cell for cell in line.split(",")] for line in text.split("\r\n")
    ]


def assert_same(said: Any, expected: Any, about: str) -> None:
    """Fail with the first places where they differ."""
    found = list(islice(differing(said, expected), 8))
    assert not found, "\n".join([about, *found])


def test_an_upgraded_installation_answers_as_the_old_one_did(upgraded: Upgraded, about: str) -> None:
    since = upgraded.version.since
    for recorded in by_subject(upgraded.version)[about]:
        path = recorded["path"]
        said = upgraded.desk.answer({**recorded, "path": since.address_today(path)})
        told = f"{recorded['method']} {path} {recorded.get('body', '')} as {recorded['by']}"
        expected = since.expected(path, recorded["answer"])
        assert_same(since.comparable(path, said, expected), expected, told)


def test_exports_of_old_labels_hold_what_they_held(upgraded: Upgraded, number: int) -> None:
    since, recorded = upgraded.version.since, exports_of(upgraded.version)[number]
    path, then = recorded["path"], recorded["answer"]
    format = recorded.get("format") or recorded["export"]["format"]
    told = f"{path} {recorded.get('export', recorded.get('again'))}"
    said = upgraded.desk.answer({**recorded, "path": since.address_today(path)})
    assert_same(
        differences.in_one_order(said["rows"]) if format == "neutral" else said["rows"],
        since.expected_rows(format, then["rows"], then["manifest"]["switches"]),
        told,
    )
    for manifest in (said["manifest"], then["manifest"]):
        for name in differences.OF_THE_BYTES:
            manifest.pop(name)
    expected = since.expected(f"{path}/manifest", then["manifest"])
    assert_same(since.comparable(f"{path}/manifest", said["manifest"], expected), expected, f"manifest of {told}")


def test_processes_of_the_version_before_are_served_after_each_migration_that_lets_them_run(upgraded: Upgraded) -> None:
    old = upgraded.processes
    assert set(old.expected.values()) <= {"done", "23505", "42501"}  # unique row exists; the audit log's guard
    assert sum(said == "done" for said in old.expected.values()) > 80
    assert len(old.differing) > 10
    assert not any(old.differing.values()), old.differing
    said = old.say()  # tables that had no row then may have one by now
    assert {asked: said[asked] for asked in old.expected} == old.expected


def test_words_of_old_steps_are_found_once_a_worker_was_there(upgraded: Upgraded) -> None:
    trace = Trace.objects.filter(steps__0__contains="Multiply both sides").earliest("pk")
    asked = {"q": '"multiplying both sides"'}
    assert trace_facets(trace.project, {})["unsearched"] == trace.project.traces.count()
    assert trace not in browse_traces(trace.project, asked)
    assert WORDS.work_off(60) is False
    assert trace_facets(trace.project, {})["unsearched"] == 0
    assert trace in browse_traces(trace.project, asked)


def test_the_old_installation_was_no_empty_one_and_any_owner_of_an_empty_database_can_load_it(
    request: pytest.FixtureRequest,
) -> None:
    version: Version = request.module.VERSION
    packed = version.dump.read_bytes()
    assert hashlib.sha256(packed).hexdigest() == version.record["dump"]
    sql = gzip.decompress(packed).decode()
    assert not re.search(r"OWNER TO|^GRANT|^REVOKE|CREATE EXTENSION|CREATE SCHEMA", sql, flags=re.MULTILINE)
    assert {"projects/overview", version.quality, "rounds/report"} <= by_subject(version).keys()
    assert len(version.record["answers"]) > 500
