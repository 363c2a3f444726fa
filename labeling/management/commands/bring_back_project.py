"""`manage.py bring_back_project FILE`: restore a project that was taken out."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling.actions.project_archives import bring_back_project
from labeling.errors import LabelingError
from labeling.management.words import require_file


class Command(BaseCommand):
    help = (
        "Restore a project from the file that take_out_project wrote. Hashes are checked first, and either everything"
        " is restored or nothing. The project is then archived, as before; the file is kept."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """FILE."""
        parser.add_argument("file", metavar="FILE", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        """Restore the project. Raises CommandError with what is wrong."""
        require_file(options["file"])
        try:
            project = bring_back_project(options["file"])
        except LabelingError as refused:
            raise CommandError(refused.detail) from refused
        self.stdout.write(
            f"{project.slug} is restored with every row and file. An admin can make it active again in Settings."
        )
