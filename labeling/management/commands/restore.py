"""`manage.py restore FOLDER`: return the installation to its state at the time of the backup."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling.actions.backup_restores import read_manifest, restore_backup
from labeling.errors import LabelingError


class Command(BaseCommand):
    help = (
        "Restore a backup. Stop web, workers and beat first. The hashes are checked, the database is restored in one"
        " transaction, counts are compared, files are swapped, and tables are migrated to this version."
    )
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """FOLDER, --over, --check."""
        parser.add_argument("folder", metavar="FOLDER")
        parser.add_argument("--over", action="store_true", help="Replace the current data of this installation.")
        parser.add_argument("--check", action="store_true", help="Only check whether the backup is complete.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Restore the backup. Raises CommandError with what is wrong."""
        folder = Path(options["folder"])
        try:
            manifest = read_manifest(folder) if options["check"] else restore_backup(folder, over=options["over"])
        except LabelingError as refused:
            raise CommandError(refused.detail) from refused
        said = "is complete" if options["check"] else "is restored; every table has as many rows as the backup"
        self.stdout.write(f"{folder} of {manifest['begun_at'][:19]} (Stepmark {manifest['stepmark']}) {said}.")
