"""Prepared statements for hand-written SQL, and a connection check that costs no round trip."""

import functools
import re
import select
import time
from typing import Any

import psycopg
from django.db import connections
from django.db.backends.postgresql import base

from annotation_app.postgres.schema_editor import SchemaEditor

NAMED = re.compile(r"%\((\w+)\)s")
PREPARED = "prepared"  # the cursor name that makes Django's own code create our cursor
# Applies to prepared statements only. Without it, Postgres plans some of them at every call (4 ms), because the plan
# for one labeler looks slightly cheaper than the plan for all.
PLAN_ONCE = "plan_cache_mode=force_generic_plan"
LIMITS = "SESSION_LIMITS"  # key in a database's settings: options that a connection starts with
TRUSTED_SECONDS = 5.0  # after a check, how long a connection is trusted unless it has hung up


def limit_sessions(*, statement_seconds: int, idle_seconds: int) -> None:
    """Limit this process's statements and idle connections from now on. Postgres cancels a longer statement
    (QueryCanceled) and closes a connection idle for longer; the check before a request then opens another. 0 sets no
    limit.
    """
    limits = f"-c statement_timeout={statement_seconds}s -c idle_session_timeout={idle_seconds}s"
    for name in connections:
        connections.settings[name][LIMITS] = limits


def check_again() -> None:
    """Have this thread's connections check that Postgres is still there before their next use, as at the beginning of a
    request.
    """
    for connection in connections.all(initialized_only=True):
        connection.health_check_done = False  # type: ignore[attr-defined]  # the stubs leave it out


class PreparedCursor(psycopg.RawCursor):
    """A cursor that parses and plans each statement once per connection, and sends the values separately."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        """Execute like any cursor, with values by name. psycopg recognises a prepared statement by its text."""
        statement, names = positional(query)
        return super().execute(statement, [params[name] for name in names], prepare=True, **options)


@functools.cache
def positional(statement: str) -> tuple[str, list[str]]:
    """Return the statement in Postgres's form, with `$1` for `%(name)s`, and the names in that order."""
    names = list(dict.fromkeys(NAMED.findall(statement)))
    return NAMED.sub(lambda found: f"${names.index(found[1]) + 1}", statement), names


class DatabaseWrapper(base.DatabaseWrapper):
    """One connection. Django asks `is_usable` before the first statement of each request."""

    SchemaEditorClass = SchemaEditor
    asked_at = 0.0

    def prepared_cursor(self) -> Any:
        """Return a cursor for the statements written out in our code, whose number is fixed."""
        return self._cursor(PREPARED)  # type: ignore[attr-defined]  # the way all of Django's cursors come

    def create_cursor(self, name: str | None = None) -> Any:
        """Create a cursor. Called by Django."""
        if name != PREPARED:
            return super().create_cursor(name)
        return PreparedCursor(self.connection)

    def get_connection_params(self) -> dict[str, Any]:
        """Return the connection's parameters. Django forbids prepared statements unless a threshold is set.

        Behind PgBouncer, each transaction may run on another backend. Nothing is prepared there, and no options are
        sent when a connection starts.
        """
        params = super().get_connection_params()
        if self.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS"):
            return params
        options = f"{params.get('options', '')} -c {PLAN_ONCE}"
        options = f"{options} {self.settings_dict.get(LIMITS, '')}".strip()
        return {**params, "prepare_threshold": 5, "options": options}

    def is_usable(self) -> bool:
        """Return whether Postgres is still there.

        A server that was stopped or killed hangs up, and the kernel knows that at once, so a busy connection need not
        be checked each time. After a pause, or after an error, Postgres itself is asked.
        """
        now = time.monotonic()
        trusted = now - self.asked_at < TRUSTED_SECONDS and not (self.errors_occurred or self.connection.closed)
        self.asked_at = now
        return (trusted and not hung_up(self.connection.fileno())) or super().is_usable()


def hung_up(socket: int) -> bool:
    """Return whether there is something to read although nothing was asked: a goodbye message, or the end."""
    poll = select.poll()
    poll.register(socket, select.POLLIN)
    return bool(poll.poll(0))
