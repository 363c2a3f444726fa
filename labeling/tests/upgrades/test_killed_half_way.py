"""A migration that runs while people work keeps its results when it is killed; started again, it continues there."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection

from annotation_app.postgres.migrations_left import migrations_left
from labeling.tests.upgrades.steps import earlier_database, without_looking_for_rubbish

pytestmark = pytest.mark.django_db(transaction=True)
VALID = "SELECT indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid WHERE relname = %s"
END_OTHERS = """
    SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
    WHERE datname = current_database() AND query LIKE 'CREATE INDEX CONCURRENTLY%'
"""
INDEXES = {
    "0094": (
        "problem_by_letters",
        "trace_by_words",
        "trace_by_length",
        "trace_by_kind",
    ),  # 0107 and 0109 drop the first two
    "0099": ("score_by_entropy", "score_by_spread"),  # of columns that it adds before
}


@pytest.mark.parametrize(("earlier", "killed"), [("0093_project_moves", "0094"), ("0098_next_rounds", "0099")])
def test_what_was_half_made_is_made_again_and_what_was_there_is_left(earlier: str, killed: str) -> None:
    with earlier_database(earlier) as database:
        kill_and_begin_again(killed, database)


def kill_and_begin_again(killed: str, database: str) -> None:
    """Kill it with one of its two indexes half made, then the other if its table may be written meanwhile."""
    first, second, *_ = INDEXES[killed]
    with psycopg.connect(database, autocommit=True) as watching:
        # A concurrent index is finished once all transactions that began before it have ended.
        with somebody(database, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", "SELECT 1"):
            kill_while_half_made(first, migrating(database), watching)
        if killed == "0094":
            with somebody(database, "LOCK TABLE labeling_trace IN ROW EXCLUSIVE MODE"):
                kill_while_half_made(second, migrating(database), watching)
            assert valid(first, watching) is True
    with without_looking_for_rubbish():
        call_command("migrate", verbosity=0)
    assert migrations_left(connection) == []
    with psycopg.connect(database) as watching:
        left = [name for name in INDEXES[killed] if name not in ("problem_by_letters", "trace_by_words")]
        assert [valid(name, watching) for name in left] == [True] * len(left)


def test_of_two_that_migrate_at_once_one_waits_for_the_other() -> None:
    with earlier_database("0093_project_moves") as database, psycopg.connect(database, autocommit=True) as watching:
        with somebody(database, "LOCK TABLE labeling_trace IN ROW EXCLUSIVE MODE"):
            one = migrating(database)
            wait_until(lambda: valid("trace_by_words", watching) is False)
            other = migrating(database)
            assert other.stderr is not None
            assert "Waiting for it" in other.stderr.readline()
            assert migrating(database, "--check").wait(60) == 1, "who only looks waits for nobody"
        said = [process.communicate(timeout=100)[1] for process in (one, other)]
        assert [one.returncode, other.returncode] == [0, 0], said
        assert [valid(name, watching) for name in ("trace_by_words", "trace_by_kind")] == [None, True]


@contextmanager
def somebody(database: str, *statements: str) -> Iterator[None]:
    """At work meanwhile: these were said in a transaction that is still open."""
    with psycopg.connect(database) as working:
        for statement in statements:
            working.execute(statement)
        yield


def migrating(database: str, *options: str) -> subprocess.Popen[str]:
    """Run `manage.py migrate` in a separate process."""
    env = {**os.environ, "DATABASE_URL": database}
    command = [sys.executable, "manage.py", "migrate", "--anyway", "--verbosity", "0", *options]
    return subprocess.Popen(command, env=env, cwd=settings.BASE_DIR, stderr=subprocess.PIPE, text=True)


def kill_while_half_made(index: str, process: subprocess.Popen[str], watching: psycopg.Connection[Any]) -> None:
    """Act as if its machine went away, and the server noticed."""
    wait_until(lambda: valid(index, watching) is False)
    process.kill()
    process.communicate()
    watching.execute(END_OTHERS)
    assert valid(index, watching) is False


def valid(index: str, watching: psycopg.Connection[Any]) -> bool | None:
    """Return whether statements use the index; None if it does not exist."""
    row = watching.execute(VALID, [index]).fetchone()
    return None if row is None else bool(row[0])


def wait_until(true: Callable[[], bool]) -> None:
    """For a hundred seconds at most."""
    end = time.monotonic() + 100
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)
