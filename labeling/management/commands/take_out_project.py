"""`manage.py take_out_project SLUG`: write an archived project's rows and files into one file."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling.actions.project_archives import take_out_project
from labeling.errors import LabelingError
from labeling.management.words import project_of


class Command(BaseCommand):
    help = (
        "Write all data of an archived project to one file, and remove it from the database and the disk. The project"
        " stays listed, empty, with its members and its audit log; bring_back_project restores the rest."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """SLUG, --to."""
        parser.add_argument("project", metavar="SLUG")
        parser.add_argument("--to", required=True, help="Folder in which the file is created.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the file. Raises CommandError with what is wrong."""
        project = project_of(options["project"])
        try:
            path = take_out_project(project, Path(options["to"]))
        except LabelingError as refused:
            raise CommandError(refused.detail) from refused
        project.refresh_from_db()
        self.stdout.write(f"{path}: {(project.taken_out or {})['rows']:,} rows. This file is now the only copy.")
