"""`manage.py doctor`: what is wrong with this installation, and how to fix it."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling.queries.installation import all_checks, all_notes


class Command(BaseCommand):
    """Print one line per check. Exit with status 1 if anything is wrong."""

    help = __doc__ or ""
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        """Run every check, even after one failed. Raises CommandError if one did."""
        faults = 0
        for name, fault in all_checks():
            faults += fault is not None
            self.stdout.write(f"  ok     {name}" if fault is None else f"  WRONG  {name}: {fault}")
        for name, note in all_notes():
            self.stdout.write(f"  NOTE   {name}: {note}")
        if faults:
            raise CommandError(f"{faults} of the checks above failed.")
