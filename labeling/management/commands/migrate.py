"""`manage.py migrate`: Django's, done by the owner of the tables, who then lets the app's role in."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.core.management.commands import migrate
from django.db import connections

from annotation_app.postgres.roles import become_owner, let_app_in
from annotation_app.postgres.upgrades import refuse_others


class Command(migrate.Command):
    """With OWNER_DATABASE_URL the tables belong to that role, and DATABASE_URL's gets their rows alone."""

    def add_arguments(self, parser: CommandParser) -> None:
        """Django's own, and --anyway."""
        super().add_arguments(parser)
        parser.add_argument(
            "--anyway",
            action="store_true",
            help="Do not look whether web or workers are connected that the new tables would break.",
        )

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Check, migrate, let the app in. Raises CommandError."""
        connection = connections[options["database"]]
        app = dict(connection.settings_dict)
        become_owner(connection)
        whole = not any(options.get(name) for name in ("app_label", "plan", "check_unapplied", "anyway"))
        if whole:
            refuse_others(connection, app["USER"])
        said = super().execute(*args, **options)
        if settings.OWNER_DATABASE is not None:
            let_app_in(connection, app["USER"], app["PASSWORD"])
        return said
