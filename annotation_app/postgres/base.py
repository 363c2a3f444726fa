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
PREPARED = "prepared"  # the name under which Django's own path to a cursor is asked for ours
# Only prepared statements heed it. Without it Postgres plans some of them at every call (4 ms), because the plan for
# one labeler looks a little cheaper than the plan for all.
PLAN_ONCE = "plan_cache_mode=force_generic_plan"
LIMITS = "SESSION_LIMITS"  # of a database's settings: options that a connection begins with
TRUSTED_SECONDS = 5.0  # so long after it was asked, a connection is believed unless it has hung up


def limit_sessions(*, statement_seconds: int, idle_seconds: int) -> None:
    """What this process asks from now on is broken off by Postgres after so long (QueryCanceled), and connections that
    were not used for so long are hung up: the check before a request then makes another. 0 sets no limit."""
    limits = f"-c statement_timeout={statement_seconds}s -c idle_session_timeout={idle_seconds}s"
    for name in connections:
        connections.settings[name][LIMITS] = limits


def check_again() -> None:
    """Have this thread's connections asked whether Postgres is still there before they are used next, as at the
    beginning of a request."""
    for connection in connections.all(initialized_only=True):
        connection.health_check_done = False  # type: ignore[attr-defined]  # the stubs leave it out


class PreparedCursor(psycopg.RawCursor):
    """Each statement is parsed and planned once per connection; its values travel beside it."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        """As every cursor's, with values by name; psycopg knows a statement again by its text."""
        statement, names = positional(query)
        return super().execute(statement, [params[name] for name in names], prepare=True, **options)


@functools.cache
def positional(statement: str) -> tuple[str, list[str]]:
    """The statement as Postgres takes it, with `$1` for `%(name)s`, and the names in that order."""
    names = list(dict.fromkeys(NAMED.findall(statement)))
    return NAMED.sub(lambda found: f"${names.index(found[1]) + 1}", statement), names


class DatabaseWrapper(base.DatabaseWrapper):
    """One connection. Django asks `is_usable` before the first statement of each request."""

    SchemaEditorClass = SchemaEditor
    asked_at = 0.0

    def prepared_cursor(self) -> Any:
        """A cursor for statements of which there is a fixed number, written out in our code."""
        return self._cursor(PREPARED)  # type: ignore[attr-defined]  # the way all of Django's cursors come

    def create_cursor(self, name: str | None = None) -> Any:
        """Called by Django."""
        if name != PREPARED:
            return super().create_cursor(name)
        return PreparedCursor(self.connection)

    def get_connection_params(self) -> dict[str, Any]:
        """Called by Django, which forbids prepared statements unless a threshold is set.

        Behind PgBouncer each transaction may have another backend: nothing is prepared there, and no option is asked of
        the one that a connection begins with.
        """
        params = super().get_connection_params()
        if self.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS"):
            return params
        options = f"{params.get('options', '')} -c {PLAN_ONCE}"
        options = f"{options} {self.settings_dict.get(LIMITS, '')}".strip()
        return {**params, "prepare_threshold": 5, "options": options}

    def is_usable(self) -> bool:
        """Whether Postgres is still there.

        A server that was stopped or killed hangs up, and the kernel knows that at once: no need to ask a
        busy connection each time. After a pause, or once something went wrong, Postgres itself is asked.
        """
        now = time.monotonic()
        trusted = now - self.asked_at < TRUSTED_SECONDS and not (self.errors_occurred or self.connection.closed)
        self.asked_at = now
        return (trusted and not hung_up(self.connection.fileno())) or super().is_usable()


def hung_up(socket: int) -> bool:
    """Whether there is something to read although nothing was asked: a goodbye, or the end."""
    poll = select.poll()
    poll.register(socket, select.POLLIN)
    return bool(poll.poll(0))
