"""`manage.py backup`: database, files and trained PRMs into a new folder."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from labeling.actions.backups import make_backup, size_of
from labeling.errors import LabelingError


class Command(BaseCommand):
    help = (
        "Back up the database (as of one moment), the files of DATA_DIR and the PRMs that were trained here into a new"
        " folder, with a manifest of hashes. Web and workers may keep running. Connects with OWNER_DATABASE_URL if it"
        " is set, otherwise with DATABASE_URL: the app's role is enough."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """--to, --all-models."""
        parser.add_argument("--to", default="", help="Create the backup in this folder instead of BACKUP_DIR.")
        parser.add_argument(
            "--all-models", action="store_true", help="Back up everything in MODELS_DIR, not only PRMs trained here."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the backup. Raises CommandError with what is wrong."""
        target = options["to"] or settings.BACKUP_DIR
        if not target:
            raise CommandError(
                "Name the folder: manage.py backup --to FOLDER (make backup TO=FOLDER), or set BACKUP_DIR."
            )
        try:
            folder, manifest = make_backup(Path(target), all_models=options["all_models"])
        except LabelingError as refused:
            raise CommandError(refused.detail) from refused
        size = size_of(manifest)
        rows = sum(manifest["rows"].values())
        self.stdout.write(f"{folder}: {rows:,} rows, {size / 1e6:,.1f} MB.")
