"""`manage.py score_traces PROJECT --prm NAME`: score a project's traces in this process, without a round."""

from argparse import ArgumentParser
from typing import Any

from celery import current_app
from django.core.management.base import BaseCommand, CommandError

from labeling.count_words import count_of
from labeling.management.words import project_of
from labeling.models import StepScorer
from labeling.queries.step_scorers import named_prm

TASK = "worker.score_project"


class Command(BaseCommand):
    help = (
        "Score all traces that a round of the project could choose from and that this PRM has not scored yet. A later "
        "round finds the scores and starts selecting immediately. Scoring runs in this process (it needs torch, like a "
        "worker of the queue gpu). If you run it on several machines at once, they share the problems. If it is "
        "killed, start it again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """PROJECT, --prm, --rescore."""
        parser.add_argument("project", metavar="PROJECT", help="The project's address, as in its URL.")
        parser.add_argument("--prm", metavar="NAME", required=True)
        parser.add_argument(
            "--rescore", type=int, default=0, metavar="N", help="Score the best N of each problem again in float32."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Score the traces. Raises CommandError."""
        project = project_of(options["project"])
        prm = named_prm(project, options["prm"])
        if prm is None or prm.status != StepScorer.Status.READY:
            why = (
                f"is {prm.get_status_display().lower()}. {prm.error}" if prm else "is not registered for this project."
            )
            raise CommandError(f"The PRM {options['prm']} {why}".strip())
        current_app.loader.import_default_modules()
        fault, count = current_app.tasks[TASK](project.pk, prm.pk, options["rescore"])
        if fault:
            raise CommandError(f"The PRM {prm.name} cannot be used: {fault}")
        nothing = f" {prm.name} has scored every trace that a round could choose from, or other machines are at work."
        self.stdout.write(f"{count_of(count, 'trace')} scored here.{'' if count else nothing}")
