"""Our Postgres backend: a closed connection is replaced before a request needs it, and checking costs nothing."""

import time
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django import db

from annotation_app.postgres.base import TRUSTED_SECONDS

connection: Any = db.connection  # ours knows more than Django's types say
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def used() -> int:
    """Open a connection as a server thread keeps it between requests; return the process id of its Postgres backend."""
    connection.close()
    before_a_request()
    return backend()


@pytest.fixture
def observer() -> Iterator[psycopg.Connection]:
    """Somebody else's connection."""
    settings = connection.get_connection_params()
    with psycopg.connect(**{**settings, "cursor_factory": psycopg.Cursor}, autocommit=True) as other:
        yield other


def backend() -> int:
    """Who answers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def before_a_request() -> None:
    """Do what Django does at a request's first statement."""
    connection.health_check_enabled, connection.health_check_done = True, False
    connection.close_if_health_check_failed()


def asked_last(observer: psycopg.Connection, pid: int) -> str:
    """Return the last statement that the backend received."""
    row = observer.execute("SELECT query FROM pg_stat_activity WHERE pid = %s", [pid]).fetchone()
    assert row is not None
    return str(row[0])


def test_a_connection_in_use_is_not_asked_again_before_each_request(used: int, observer: psycopg.Connection) -> None:
    connection.asked_at = time.monotonic() + 3600  # a moment ago, even on a slow machine
    before_a_request()
    assert asked_last(observer, used) == "SELECT pg_backend_pid()"
    assert backend() == used


def test_after_a_pause_postgres_itself_is_asked(used: int, observer: psycopg.Connection) -> None:
    connection.asked_at -= 2 * TRUSTED_SECONDS
    before_a_request()
    assert asked_last(observer, used) == "SELECT 1"
    assert backend() == used


def test_a_connection_that_postgres_ended_is_replaced_before_the_next_request(
    used: int, observer: psycopg.Connection
) -> None:
    observer.execute("SELECT pg_terminate_backend(%s, 5000)", [used])
    before_a_request()
    assert backend() != used


def test_a_written_statement_is_planned_once_and_takes_its_values_by_name() -> None:
    with connection.prepared_cursor() as cursor:
        for number in range(3):
            cursor.execute("SELECT %(a)s::int + %(b)s::int * %(a)s::int", {"b": 10, "a": number})
            assert cursor.fetchone() == (number * 11,)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement = %s",
            ["SELECT $1::int + $2::int * $1::int"],
        )
        assert cursor.fetchall() == [(3, 0)]
