"""`manage.py register_prm NAME RECORD.json`: offer a PRM to rounds. Workers open what the record names."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from celery import current_app
from django.core.management.base import BaseCommand, CommandError

from labeling.actions.step_scorers import CHECK, register_prm, retire_prm
from labeling.errors import LabelingError
from labeling.management.words import project_of
from labeling.models import Project, StepScorer
from labeling.queries.step_scorers import twins_of


class Command(BaseCommand):
    help = (
        "Register a process reward model. RECORD is JSON (see docs/prm.md); its paths are relative to MODELS_DIR. "
        "A worker of the queue gpu then loads the PRM and scores one trace. Until then no round can use it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """NAME, RECORD, --project, --check, --retire."""
        parser.add_argument("name", metavar="NAME")
        parser.add_argument("record", metavar="RECORD", type=Path, nargs="?")
        parser.add_argument("--project", metavar="PROJECT", help="Only for this project. Default: all projects.")
        parser.add_argument("--check", action="store_true", help="Also check it in this process (needs torch).")
        parser.add_argument("--retire", action="store_true", help="Stop offering it. Its scores stay.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Register, check or retire the PRM. Raises CommandError."""
        if options["retire"]:
            self._retire(options["name"], self._project(options))
            return
        try:
            prm = register_prm(options["name"], self._record(options["record"]), project=self._project(options))
        except LabelingError as refused:
            raise CommandError(refused.detail) from refused
        if options["check"]:
            current_app.loader.import_default_modules()
            current_app.tasks[CHECK](prm.pk)
            prm.refresh_from_db()
            if prm.status != StepScorer.Status.READY:
                raise CommandError(f"{prm.name} cannot be used: {prm.error}")
        if twins := ", ".join(twins_of(prm)):
            same = f"{prm.name} is the same model as {twins} (same fingerprint), so its scores are the same"
            self.stderr.write(f"Warning: {same}. Use only one.")
        self.stdout.write(f"PRM {prm.pk}, {prm.name}: {prm.get_status_display().lower()}. {self._next(prm)}".strip())

    def _retire(self, name: str, project: Project | None) -> None:
        prm = StepScorer.objects.filter(name=name, project=project).first()
        if prm is None:
            whose = (
                f"of the project {project.slug}"
                if project
                else "for all projects. For a project's own PRM, use --project"
            )
            raise CommandError(f"There is no PRM {name} {whose}.")
        try:
            retire_prm(prm)
        except LabelingError as refused:
            raise CommandError(refused.detail) from refused
        self.stdout.write(f"{name} is retired.")

    def _record(self, path: Path | None) -> Any:
        if path is None:
            raise CommandError("Name the file with the record: register_prm NAME RECORD.json")
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as fault:
            raise CommandError(f"{path} cannot be read as JSON: {fault}") from fault

    def _project(self, options: dict[str, Any]) -> Project | None:
        return None if options["project"] is None else project_of(options["project"])

    def _next(self, prm: StepScorer) -> str:
        waits = "A worker of the queue gpu checks it; manage.py doctor shows whether one is running."
        return waits if prm.status == StepScorer.Status.UNCHECKED else ""
