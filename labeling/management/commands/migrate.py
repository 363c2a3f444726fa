"""`manage.py migrate`: Django's own, run as the owner of the tables, who then grants the app's role access."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from itertools import count
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.core.management.commands import migrate
from django.db import connections

from annotation_app.postgres.roles import become_owner, let_app_in
from annotation_app.postgres.upgrades import refuse_others

LOCK = "SELECT pg_try_advisory_lock(hashtextextended('stepmark migrate', 0))"
UNLOCK = "SELECT pg_advisory_unlock(hashtextextended('stepmark migrate', 0))"


class Command(migrate.Command):
    """With OWNER_DATABASE_URL, that role owns the tables, and the role of DATABASE_URL gets access only to
    their rows.
    """

    def add_arguments(self, parser: CommandParser) -> None:
        """Django's own, and --anyway."""
        super().add_arguments(parser)
        parser.add_argument(
            "--anyway",
            action="store_true",
            help="Do not look whether web or workers are connected that the new tables would break.",
        )

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Check, migrate, grant the app access. Raises CommandError."""
        connection = connections[options["database"]]
        app = dict(connection.settings_dict)
        become_owner(connection)
        whole = not any(options.get(name) for name in ("app_label", "plan", "check_unapplied", "anyway"))
        if whole:
            refuse_others(connection, app["USER"])
        only_looks = options.get("plan") or options.get("check_unapplied")
        with nullcontext() if only_looks else self._one_at_a_time(connection):
            said = super().execute(*args, **options)
            if settings.OWNER_DATABASE is not None:
                let_app_in(connection, app["USER"], app["PASSWORD"])
        return said

    @contextmanager
    def _one_at_a_time(self, connection: Any) -> Iterator[None]:
        """Hold a lock, because tables that another process is making look half-made. The lock is polled: a process that
        waits inside a statement would make the other one wait for it. No lock with a pool that gives each transaction
        another backend, as the pool would keep it.
        """
        if settings.OWNER_DATABASE is None and connection.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS"):
            yield
            return
        with connection.cursor() as cursor:
            for turn in count():
                cursor.execute(LOCK)
                if cursor.fetchone()[0]:
                    break
                if not turn:
                    self.stderr.write("Another migrate is running on this database. Waiting for it.")
                time.sleep(1)
        try:
            yield
        finally:
            if connection.is_usable():
                with connection.cursor() as cursor:
                    cursor.execute(UNLOCK)
