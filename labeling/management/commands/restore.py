"""`manage.py restore FOLDER`: the installation becomes what it was when the backup was made."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling.actions.backup_restores import read_manifest, restore_backup
from labeling.errors import LabelingError


class Command(BaseCommand):
    help = (
        "Put a backup back: its hashes are checked first, the database takes it in one transaction, counts are"
        " compared, then files are swapped and tables migrated to this version. Stop web, workers and beat before."
    )
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """FOLDER, --over, --check."""
        parser.add_argument("folder", metavar="FOLDER")
        parser.add_argument("--over", action="store_true", help="Replace what this installation has now.")
        parser.add_argument("--check", action="store_true", help="Only see whether the backup is whole.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Raises CommandError in words."""
        folder = Path(options["folder"])
        try:
            manifest = read_manifest(folder) if options["check"] else restore_backup(folder, over=options["over"])
        except LabelingError as refused:
            raise CommandError(refused.detail) from refused
        said = "is whole" if options["check"] else "is back, every table with as many rows as were kept"
        self.stdout.write(f"{folder} of {manifest['begun_at'][:19]} (Stepmark {manifest['stepmark']}) {said}.")
