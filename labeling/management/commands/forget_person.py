"""`manage.py forget_person NAME`: delete a person's data; their labels stay, under a meaningless name."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling.actions.forgetting import forget_person
from labeling.errors import LabelingError
from labeling.models import User
from labeling.queries.retention import taken_out_projects


class Command(BaseCommand):
    help = (
        "Delete a person's data: name, e-mail address, password, tokens, notices, unfinished drafts. Tasks they held"
        " return to the queue. Their labels stay, under a neutral name. This cannot be undone. Entries in the audit log"
        " stay."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """NAME, --yes."""
        parser.add_argument("username", metavar="NAME")
        parser.add_argument("--yes", action="store_true", help="Do not ask for confirmation.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Forget the person. Raises CommandError if there is nobody of that name, or nobody to succeed them."""
        name = options["username"]
        person = User.objects.filter(username=name).first()
        if person is None:
            raise CommandError(f"There is no user named {name}.")
        if out := taken_out_projects(person):
            self.stdout.write(f"Not deleted: data in the files of {', '.join(out)}, which are taken out now.")
        if not options["yes"] and input(f"Forget {name} for good? Type the name again: ") != name:
            raise CommandError("Nothing was changed.")
        try:
            counts = forget_person(person)
        except LabelingError as refused:
            raise CommandError(refused.detail) from refused
        found = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
        self.stdout.write(f"{name} is now former-{person.pk}. Deleted or returned: {found or 'nothing else'}.")
