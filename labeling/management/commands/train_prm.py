"""`manage.py train_prm PROJECT --rounds 1 2 --base NAME`: train a PRM on labels, here or in a worker."""

from argparse import ArgumentParser
from typing import Any

from celery import current_app
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from labeling.actions.training_runs import TASK, create_training_run
from labeling.configs import TrainerOptions, TrainingConfig
from labeling.errors import LabelingError
from labeling.formats.training import DTYPES, MOST_SYNTHETIC, SWITCHES
from labeling.models import TrainingRun
from labeling.queries.rounds import get_round_by_number

METHODS = "head: on one layer of a frozen base (default); stacked: on several layers; lora, full: the base learns too."
TARGETS = "steps: a PRM (default); outcome: an ORM; progress: a PRM with a second head, for a source of rollouts."


class Command(BaseCommand):
    help = (
        "Train a PRM on the labels of a project's rounds, on a worker or, with --here, in this process (needs torch)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """PROJECT, --rounds, --base, --method, --target, --name, --seed, --switch, options of the trainer, --here."""
        parser.add_argument("project", metavar="PROJECT", help="The project's address, as in its URL.")
        parser.add_argument("--rounds", metavar="NUMBER", type=int, nargs="+", required=True)
        parser.add_argument(
            "--base", default=next(iter(settings.TRAINING_BASES), ""), help="A name from TRAINING_BASES."
        )
        parser.add_argument(
            "--method", choices=TrainingRun.Method.values, default=TrainingRun.Method.HEAD.value, help=METHODS
        )
        parser.add_argument(
            "--target", choices=TrainingRun.Target.values, default=TrainingRun.Target.STEPS.value, help=TARGETS
        )
        parser.add_argument("--name", default="", help="Name of the PRM.")
        parser.add_argument(
            "--seed", type=int, default=0, help="Seed of the split by problem and of the data's order. Default: 0."
        )
        known = "; ".join(f"{name}={'|'.join(values)}" for name, values in SWITCHES.items())
        parser.add_argument("--switch", metavar="NAME=VALUE", action="append", default=[], help=known)
        weighed = "Also learn this source's marks. WEIGHT is the weight of a step (1: the same as a person's)."
        parser.add_argument("--source", metavar="ID=WEIGHT", action="append", default=[], help=weighed)
        made, most = "Errors that the trainer makes for each right step; for lora and full.", range(MOST_SYNTHETIC + 1)
        parser.add_argument("--synthetic-errors", metavar="N", type=int, choices=most, default=0, help=made)
        kept = "Cut off the base after N layers; for lora and full. 0: not at all."
        parser.add_argument("--layers", metavar="N", type=int, default=0, help=kept)
        parser.add_argument("--dtype", choices=DTYPES, default="", help="For lora and full. Default: by the device.")
        parser.add_argument("--here", action="store_true", help="Train in this process and wait until it is done.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Train, or queue the training. Raises CommandError."""
        try:
            run = self._create(options)
        except LabelingError as refused:
            fields = "; ".join(fault for faults in refused.extra.get("fields", {}).values() for fault in faults)
            raise CommandError(f"{refused.detail} {fields}".strip()) from refused
        if not options["here"]:
            self.stdout.write(f"Training {run.pk} waits for a worker of the queue gpu.")
            return
        current_app.loader.import_default_modules()
        current_app.tasks[TASK](run.pk)
        run.refresh_from_db()
        self.stdout.write("\n".join(run.log))
        if run.status != TrainingRun.Status.SUCCEEDED or run.prm is None:
            raise CommandError(f"Training {run.pk} {run.get_status_display().lower()}: {run.error}")
        self.stdout.write(f"PRM {run.prm.pk}, {run.prm.name}: {run.prm.get_status_display().lower()}.")

    def _create(self, options: dict[str, Any]) -> TrainingRun:
        rounds = [get_round_by_number(options["project"], number) for number in options["rounds"]]
        asked = {name: options[name] for name in ("base", "method", "target", "name", "seed")}
        trainer = TrainerOptions(**{name: options[name] for name in ("synthetic_errors", "layers", "dtype")})
        switches = dict(switch.partition("=")[::2] for switch in options["switch"])
        ids = tuple(round_.pk for round_ in rounds)
        sources = dict(_source(one) for one in options["source"])
        config = TrainingConfig(ids, switches=switches, sources=sources, options=trainer, **asked)
        return create_training_run(rounds[0].project, by=None, config=config, wake=not options["here"])


def _source(said: str) -> tuple[int, float]:
    """Parse an id and a weight. Raises CommandError."""
    number, _, weight = said.partition("=")
    try:
        found = int(number), float(weight or 1)
    except ValueError as error:
        raise CommandError(f"--source {said}: write ID=WEIGHT, such as 12=0.3.") from error
    if not 0 < found[1] <= 1:
        raise CommandError(f"--source {said}: the weight must be above 0 and at most 1.")
    return found
