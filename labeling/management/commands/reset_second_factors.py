"""`manage.py reset_second_factors NAME`: for a person who lost their second factor and the recovery codes."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling.actions.second_factors import reset_factors
from labeling.models import User


class Command(BaseCommand):
    help = (
        "Remove a person's second factors and recovery codes, so that they can log in with the password alone. "
        "First verify who is asking. The reset is recorded in the audit log."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """NAME."""
        parser.add_argument("username", metavar="NAME")

    def handle(self, *args: Any, **options: Any) -> None:
        """Reset them. Raises CommandError if there is no such person."""
        person = User.objects.filter(username=options["username"]).first()
        if person is None:
            raise CommandError(f"There is no user named {options['username']}.")
        removed = reset_factors(person)
        factors = "second factor" if removed == 1 else "second factors"
        self.stdout.write(f"Removed {removed} {factors}. {person.username} can now log in with the password alone.")
