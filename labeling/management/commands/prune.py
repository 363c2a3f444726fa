"""`manage.py prune`: delete what nobody will continue, after a number of days."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling.actions.forgetting import prune
from labeling.queries.retention import LEAST_DAYS


class Command(BaseCommand):
    help = (
        "Delete drafts of labels that expired or were released, and the first rows kept in import reports, if they are"
        " older than --days. Labels stay."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """--days."""
        parser.add_argument("--days", type=int, default=90, help=f"Age in days, at least {LEAST_DAYS}. Default: 90.")
        parser.add_argument(
            "--rollouts",
            action="store_true",
            help="Also delete rollouts and judges' words of sources whose last run is that old; marks stay.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Prune. Raises CommandError for a number of days within which people may still come back."""
        if options["days"] < LEAST_DAYS:
            raise CommandError(f"Keep drafts for at least {LEAST_DAYS} days: labelers come back to them.")
        counts = prune(options["days"], rollouts=options["rollouts"])
        self.stdout.write(f"Deleted {counts['drafts']} drafts and the first rows of {counts['heads']} imports.")
        if options["rollouts"]:
            self.stdout.write(
                f"Deleted the rollouts and judges' words behind the marks of {counts['rollouts']} traces."
            )
