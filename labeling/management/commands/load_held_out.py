"""`manage.py load_held_out NAME FILE`: keep a benchmark's problems out of every train split."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling.actions.problem_held_out import load_held_out, remove_held_out
from labeling.errors import InvalidFields
from labeling.management.words import project_of


class Command(BaseCommand):
    help = (
        "Register the problems of a benchmark (MATH-500, the GSM8K test set, ProcessBench …) as held out. FILE has "
        "JSON lines with the problems, or SHA-256 hashes of their normalised texts. From then on, imports refuse "
        'them unless their rows say "split": "held_out". Problems that already exist become held out.'
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """NAME FILE, --project, --remove."""
        parser.add_argument("name", metavar="NAME", help="Name of the benchmark.")
        parser.add_argument("file", metavar="FILE", type=Path, nargs="?")
        parser.add_argument("--project", default="", help="Only in this project (its address). Default: all projects.")
        parser.add_argument(
            "--remove", action="store_true", help="Delete the list; problems that it held out stay held out."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Load or remove the benchmark. Raises CommandError."""
        project = project_of(options["project"]) if options["project"] else None
        if options["remove"]:
            self.stdout.write(f"{remove_held_out(options['name'], project=project):,} hashes removed.")
            return
        file: Path | None = options["file"]
        if file is None or not file.is_file():
            raise CommandError(f"There is no file {file or ''}. Name a file, or use --remove.")
        try:
            with file.open("rb") as raw:
                loaded = load_held_out(options["name"], raw, project=project)
        except InvalidFields as refused:
            reasons = [reason for found in refused.extra["fields"].values() for reason in found]
            raise CommandError(" ".join(reasons)) from refused
        self.stdout.write(
            f"{loaded.new:,} problems are now held out, {loaded.known:,} were already; "
            f"{loaded.marked:,} existing problems moved from train to held_out."
        )
