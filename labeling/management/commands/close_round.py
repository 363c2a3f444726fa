"""`manage.py close_round PROJECT NUMBER`: freeze a round permanently, with its report."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling.actions.rounds import close_round
from labeling.count_words import count_of
from labeling.errors import LabelingError
from labeling.queries.rounds import get_round_by_number, round_counts


class Command(BaseCommand):
    help = "Close a round. Labels that are still open can be submitted and are kept as surplus."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """PROJECT and NUMBER."""
        parser.add_argument("project", metavar="PROJECT", help="The project's address, as in its URL.")
        parser.add_argument("number", metavar="NUMBER", type=int, help="The round's number.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Close the round. Raises CommandError."""
        try:
            round_ = close_round(get_round_by_number(options["project"], options["number"]), by=None)
        except LabelingError as refused:
            raise CommandError(refused.detail) from refused
        counts = round_counts([round_])[round_.pk]
        self.stdout.write(
            f"Round {round_.number} is closed: {count_of(counts['submitted'], 'label')}, {counts['surplus']:,} surplus."
        )
