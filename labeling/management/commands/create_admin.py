"""`manage.py create_admin NAME`: create the first account, which may do everything."""

import getpass
import os
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling.actions.people import create_person
from labeling.errors import InvalidFields


class Command(BaseCommand):
    help = (
        "Create a superuser. The password is read from STEPMARK_ADMIN_PASSWORD, otherwise from standard input, "
        "otherwise from a prompt. It is never read from the command line, where others can see it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """NAME, --email, --display-name."""
        parser.add_argument("username", metavar="NAME")
        parser.add_argument("--email", default="", help="Their e-mail address.")
        parser.add_argument("--display-name", default="", help="The name that other users see. Default: NAME.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Create the account. Raises CommandError if the name is taken or the password is weak."""
        try:
            person = create_person(
                username=options["username"],
                password=read_password(),
                display_name=options["display_name"],
                email=options["email"],
                is_superuser=True,
            )
        except InvalidFields as refused:
            reasons = [reason for found in refused.extra["fields"].values() for reason in found]
            raise CommandError(" ".join(reasons)) from refused
        self.stdout.write(f"{person.username} can now log in and create projects.")


def read_password() -> str:
    """Read the password from the environment, a pipe, or a person who types it twice. Raises CommandError."""
    given = os.environ.get("STEPMARK_ADMIN_PASSWORD", "")
    if given:
        return given
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    first = getpass.getpass("Password: ")
    if first != getpass.getpass("Again: "):
        raise CommandError("The two passwords differ. No account was created; try again.")
    return first
