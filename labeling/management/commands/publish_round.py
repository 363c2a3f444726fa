"""`manage.py publish_round PROJECT NUMBER`: serve the traces that workers selected for a round to labelers."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling.actions.rounds import publish_round
from labeling.count_words import count_of
from labeling.errors import LabelingError
from labeling.queries.rounds import get_round_by_number


class Command(BaseCommand):
    help = "Publish a round that is ready. Publishing it again changes nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """PROJECT and NUMBER."""
        parser.add_argument("project", metavar="PROJECT", help="The project's address, as in its URL.")
        parser.add_argument("number", metavar="NUMBER", type=int, help="The round's number.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Publish the round. Raises CommandError."""
        try:
            round_ = publish_round(get_round_by_number(options["project"], options["number"]), by=None)
        except LabelingError as refused:
            raise CommandError(refused.detail) from refused
        self.stdout.write(
            f"Round {round_.number} is {round_.get_status_display().lower()}: {count_of(round_.task_count, 'task')}."
        )
