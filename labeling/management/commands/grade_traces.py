"""`manage.py grade_traces PROJECT`: grade the final answers of a project's traces, show what would change, apply it."""

import os
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from labeling.actions.gradings import apply_grading, create_grading, run_grading
from labeling.errors import LabelingError
from labeling.grading.process_pool import SECONDS, GradingPool
from labeling.management.words import project_of
from labeling.models import GradingJob
from labeling.queries.grading import differences, grading_counts, keeps_imported

SHOWN = 20
WIDTH = 60
SCOPES = "Default: all. outdated: graded by another version or by the import; problem: after a corrected answer."


class Command(BaseCommand):
    help = (
        "Grade final answers by the project's kind of answer. Lists the differences. Nothing changes without --apply."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """PROJECT, --scope, --apply, --show, --processes, --seconds."""
        parser.add_argument("project", metavar="PROJECT", help="The project's address, as in its URL.")
        parser.add_argument("--scope", choices=GradingJob.Scope.values, default=GradingJob.Scope.ALL, help=SCOPES)
        parser.add_argument("--apply", action="store_true", help="Set the new outcomes on the traces.")
        parser.add_argument("--show", type=int, default=SHOWN, metavar="N", help="Number of differences to list.")
        parser.add_argument(
            "--processes",
            type=int,
            default=os.cpu_count() or 1,
            metavar="N",
            help="Number of processes. Default: one per core.",
        )
        parser.add_argument(
            "--seconds",
            type=float,
            default=SECONDS,
            help="Time limit for an answer; if it takes longer, it is ungraded.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Grade the traces. Raises CommandError."""
        project = project_of(options["project"])
        with GradingPool(options["processes"], seconds=options["seconds"]) as pool:
            try:
                job = self._run(create_grading(project, by=None, scope=options["scope"], wake=False), pool)
                self._tell(job, options["show"])
                if options["apply"]:
                    job = self._run(apply_grading(job, by=None, wake=False), pool)
                    self.stdout.write(f"Applied: {job.changed:,} outcomes changed, {job.skipped:,} skipped.")
                else:
                    self.stdout.write("Nothing was changed. Use --apply to set these outcomes.")
            except LabelingError as refused:
                raise CommandError(refused.detail) from refused

    def _run(self, job: GradingJob, pool: GradingPool) -> GradingJob:
        done = run_grading(job.pk, pool.grade)
        if done is None:
            raise CommandError(f"Grading {job.pk} was taken over by a worker; see the project's gradings.")
        if done.status != GradingJob.Status.SUCCEEDED:
            raise CommandError(done.error or f"Grading {job.pk} ended as {done.status}.")
        return done

    def _tell(self, job: GradingJob, most: int) -> None:
        counts = grading_counts(job)
        self.stdout.write(f"Grading {job.pk}: {job.traces_done:,} traces, grader {job.grader_version}")
        for before, after in sorted(counts["outcomes"].items()):
            found = ", ".join(f"{outcome} {number:,}" for outcome, number in sorted(after.items()))
            self.stdout.write(f"  {before} before: {found}")
        reasons = sorted(counts["reasons"].items(), key=lambda item: -item[1])
        self.stdout.write("  reasons: " + ", ".join(f"{reason} {number:,}" for reason, number in reasons))
        self.stdout.write(f"  {counts['differences']:,} differ, {counts['kept']:,} of them keep their imported outcome")
        for grade in differences(job)[:most]:
            truth = (grade.trace.problem.answer or "")[:WIDTH]
            change = f"{grade.outcome_before} -> {grade.outcome}"
            if keeps_imported(grade.outcome, grade.outcome_before, grade.version_before):
                change += " (kept)"
            self.stdout.write(
                f"    trace {grade.trace_id}: {change}, {grade.reason}: {grade.answer[:WIDTH]!r} / {truth!r}"
            )
