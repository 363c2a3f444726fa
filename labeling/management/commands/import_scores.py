"""`manage.py import_scores PROJECT FILE --name NAME`: import scores made elsewhere from a file on the server."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling.actions.imported_scores import record_score_import, run_score_import
from labeling.configs.prm_families import AGGREGATIONS
from labeling.count_words import count_of
from labeling.errors import LabelingError
from labeling.formats.scores import SCALES
from labeling.management.words import FAULTY, fault_lines, project_of, require_file
from labeling.models import ScoreImport


class Command(BaseCommand):
    help = (
        'Import step scores that were computed elsewhere: JSON lines {"trace_id" or "trace_hash", "scores": [...]}.'
        " If a row is faulty, nothing is imported, unless you use --skip-faulty."
        " Exit code 0: done; 1: could not run; 2: the file has faults."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """PROJECT FILE --name, --fingerprint, --scale, --aggregation, --learned-from, --dry-run, --skip-faulty."""
        parser.add_argument("project", metavar="PROJECT", help="The project's address, as in its URL.")
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument(
            "--name", required=True, help="Name of the step scorer: a new one, or one to add scores to."
        )
        parser.add_argument(
            "--fingerprint", default="", help="Identifies the model and its settings. Default: from the rows."
        )
        parser.add_argument(
            "--scale", choices=SCALES, default="", help="Default: from the rows, otherwise probability."
        )
        parser.add_argument(
            "--aggregation", choices=AGGREGATIONS, default="product", help="How step scores become a trace's score."
        )
        parser.add_argument("--learned-from", default="", help="What the model was trained on (for information).")
        parser.add_argument("--dry-run", action="store_true", help="Check everything; import nothing.")
        parser.add_argument("--skip-faulty", action="store_true", help="Import the rows without faults.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Import the scores. Raises CommandError (exit code 1 or 2)."""
        project = project_of(options["project"])
        file: Path = options["file"]
        require_file(file)
        names = ("name", "fingerprint", "scale", "aggregation", "learned_from", "dry_run", "skip_faulty")
        asked = {name: options[name] for name in names}
        try:
            job = record_score_import(project, by=None, path=str(file.resolve()), file_name=file.name, **asked)
        except LabelingError as refused:
            raise CommandError(refused.detail) from refused
        done = run_score_import(job.pk)
        if done is None:
            raise CommandError(f"Import {job.pk} was taken over by a worker; see the project's imports of scores.")
        self._tell(done)

    def _tell(self, job: ScoreImport) -> None:
        report = job.report
        if not report:
            raise CommandError(job.error or f"Import {job.pk} ended as {job.status}.")
        scores = report["scores"]
        self.stdout.write(f"{job.file_name}: {count_of(report['rows'], 'row')}")
        self.stdout.write(f"  scores: {scores['new']:,} new, {scores['known']:,} already known")
        self.stdout.write(f"  traces without a score by {job.name}: {report['without_score']:,}")
        for line in fault_lines(report):
            self.stdout.write(line)
        if job.status == ScoreImport.Status.FAILED or (job.dry_run and report["faults"]["total"]):
            raise CommandError(job.error or "The file has faults.", returncode=FAULTY)
        self.stdout.write("Imported." if report["imported"] else "Nothing was imported.")
