"""`manage.py load_demo --logins FILE`: the demo project with people, traces, guidelines, round, first labels, PRM."""

import json
import os
import secrets
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling.actions.demo import SLUG, Login, load_demo
from labeling.errors import LabelingError
from labeling.models import Membership

PEOPLE = (
    ("admin", "admin", "Demo Admin"),
    ("researcher", "researcher", "Demo Researcher"),
    ("ada", "annotator", "Ada (demo)"),
    ("ben", "annotator", "Ben (demo)"),
)


class Command(BaseCommand):
    """Load the demo. Safe to run again: existing data is left unchanged."""

    help = "Load the demo project. Running it again does not change existing data."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--logins",
            type=Path,
            required=True,
            metavar="FILE",
            help="JSON list of {username, password, role, display_name}; created with new passwords if it is missing.",
        )
        parser.add_argument(
            "--prm", type=Path, metavar="RECORD", help="Record of a PRM for this project; see docs/prm.md."
        )

    def handle(self, *args: Any, logins: Path, prm: Path | None = None, **options: Any) -> None:
        if not logins.exists():
            make_logins(logins)
            self.stdout.write(f"New logins are in {logins}.")
        try:
            project = load_demo(read_logins(logins), prm=json.loads(prm.read_text()) if prm else None)
        except (LabelingError, RuntimeError) as fault:
            raise CommandError(f"The demo was not loaded: {fault}") from fault
        self.stdout.write(f"The demo project is at /projects/{project.slug}.")


def make_logins(path: Path) -> None:
    """Write logins with new passwords to a new file that only its owner can read."""
    logins = [
        {"username": username, "password": secrets.token_urlsafe(12), "role": role, "display_name": name}
        for username, role, name in PEOPLE
    ]
    with open(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
        json.dump(logins, file, indent=1)


def read_logins(path: Path) -> list[Login]:
    """Read the logins in a file. Raises CommandError if it is not valid."""
    try:
        logins = [Login(**entry) for entry in json.loads(path.read_text(encoding="utf-8"))]
    except (ValueError, TypeError) as fault:
        raise CommandError(
            f"{path} is not a list of logins: {fault}. Remove it, and the next run creates a new one."
        ) from fault
    if not any(login.role == Membership.Role.ADMIN for login in logins):
        raise CommandError(f"{path} has no user with the role admin. The project `{SLUG}` needs one.")
    return logins
