"""`manage.py import_traces PROJECT FILE`: import problems, traces and labels from a file on the server."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import orjson
from django.core.management.base import BaseCommand, CommandError

from labeling.actions.import_reading import require_mapping
from labeling.actions.imports import record_import, require_choice, run_import
from labeling.errors import InvalidFields
from labeling.formats.export_config import SPLITS
from labeling.formats.imports import IMPORT_FORMATS
from labeling.management.words import FAULTY, SHOWN_PER_KIND, fault_lines, project_of, require_file
from labeling.models import ImportJob

FILLED = {"verdicts": "of traces without one", "problems": "given values they lacked"}
OTHERWISE = {
    "other_answers": "another right answer",
    "other_problems": "another problem under the same id",
    "other_final_answers": "another final answer of a trace",
    "other_sources": "another source of a trace",
}


class Command(BaseCommand):
    help = (
        "Import a file of traces. If a row is faulty, nothing is imported, unless you use --skip-faulty."
        " Exit code 0: done; 1: could not run; 2: the file has faults."
    )
    as_gold = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """PROJECT FILE, and how to read it."""
        parser.add_argument("project", metavar="PROJECT", help="The project's address, as in its URL.")
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument(
            "--format", choices=list(IMPORT_FORMATS), default="", help="Default: detected from the first row."
        )
        parser.add_argument("--dry-run", action="store_true", help="Check everything; import nothing.")
        parser.add_argument("--skip-faulty", action="store_true", help="Import the rows without faults.")
        parser.add_argument(
            "--labels-of",
            metavar="NAME",
            default="",
            help="Turn recorded ratings and first errors into labels, by an imported labeler with this name.",
        )
        parser.add_argument(
            "--marks-of",
            metavar="NAME",
            default="",
            help="Keep the rows' marks of steps as scores of a machine with this name.",
        )
        parser.add_argument(
            "--mapping",
            metavar="FILE",
            type=Path,
            help="JSON that says which column is what; replaces a format (docs/formats.md).",
        )
        parser.add_argument(
            "--split",
            choices=SPLITS,
            default="",
            help="Split of problems whose rows give none. Default: benchmarks are held out.",
        )
        parser.add_argument("--all-faults", action="store_true", help="Show up to 100 faults of each kind.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Import the file. Raises CommandError (exit code 1 or 2)."""
        project = project_of(options["project"])
        file: Path = options["file"]
        require_file(file)
        mapping = _mapping(options["mapping"])
        _require(options, mapping)
        job = record_import(
            project,
            by=None,
            path=str(file.resolve()),
            file_name=file.name,
            format=options["format"],
            dry_run=options["dry_run"],
            skip_faulty=options["skip_faulty"],
            as_gold=self.as_gold,
            labels_of=options["labels_of"],
            split=options["split"],
            marks_of=options["marks_of"],
            mapping=mapping,
        )
        done = run_import(job.pk)
        if done is None:
            raise CommandError(f"Import {job.pk} was taken over by a worker; see the project's imports.")
        self._tell(done, asked=job.format, most=100 if options["all_faults"] else SHOWN_PER_KIND)

    def _tell(self, job: ImportJob, *, asked: str, most: int) -> None:
        report = job.report
        if not report:
            raise CommandError(job.error or f"Import {job.pk} ended as {job.status}.")
        self.stdout.write(
            f"{job.file_name}: {_rows(report['rows'])}, format {job.format or 'unknown'}{_found_out(asked)}"
        )
        for name in ("problems", "traces", "verdicts", "labels", "gold"):
            if name in report:
                self.stdout.write(f"  {name}: {_counts(report[name], FILLED.get(name, ''))}")
        for marks in report.get("marks", []):
            self.stdout.write(f"  marks of {marks['source']}: {_counts(marks)}")
        for name, said in OTHERWISE.items():
            if other := report.get(name):
                first = other["examples"][0]
                told = f"line {first['line']}: {first['given']!r}, kept: {first['kept']!r}"
                self.stdout.write(f"  {said} than the one kept: {other.get('problems', other.get('rows')):,} ({told})")
        for met in report["benchmarks"]:
            self.stdout.write(f"  {_rows(met['rows'])} of {met['name']}, a benchmark: {_where(met, job.split)}")
        for line in fault_lines(report, most):
            self.stdout.write(line)
        if job.status == ImportJob.Status.FAILED:
            raise CommandError(job.error, returncode=FAULTY)
        if job.dry_run:
            self.stdout.write("Dry run: nothing was imported.")
            if report["faults"]["total"]:
                raise CommandError("The file has faults.", returncode=FAULTY)
        else:
            self.stdout.write("Imported." if report["imported"] else "Nothing was imported.")


def _mapping(file: Path | None) -> dict[str, Any] | None:
    if file is None:
        return None
    try:
        mapping: dict[str, Any] = orjson.loads(file.read_bytes())
    except (OSError, orjson.JSONDecodeError) as fault:
        raise CommandError(f"{file} is not a valid mapping: {fault}") from None
    return mapping


def _require(options: dict[str, Any], mapping: dict[str, Any] | None) -> None:
    try:
        require_mapping(mapping)
        require_choice(options["format"], mapping, options["labels_of"], options["marks_of"])
    except InvalidFields as refused:
        said = [f"{name}: {' '.join(faults)}" for name, faults in refused.extra["fields"].items()]
        raise CommandError(" ".join(said)) from None


def _rows(count: int) -> str:
    return f"{count:,} row{'' if count == 1 else 's'}"


def _found_out(asked: str) -> str:
    return "" if asked else " (detected from the first row; --format overrides it)"


def _where(met: dict[str, Any], split: str) -> str:
    """Describe where the problems of a benchmark's rows go, and how to put them elsewhere."""
    otherwise = " (--split train overrides this)" if met["by_split"] and not split else ""
    asked = met["by_split"] if split == "train" else 0
    told = [
        (met["held_out"], f"held out{otherwise}"),
        (asked, "new problems in the train split, as requested (problems held out before stay held out)"),
        (met["says_train"], "in the train split, as their `split` says (problems held out before stay held out)"),
    ]
    parts = [(count, words) for count, words in told if count]
    return ", ".join(words if len(parts) == 1 else f"{count:,} {words}" for count, words in parts)


def _counts(counts: dict[str, int], filled: str = "") -> str:
    words = {"new": "new", "known": "already known", "duplicate_in_file": "repeated in the file"}
    words["differing"] = "known but different (the first version is kept)"
    words |= {"filled": filled, "held_out": "held out from now on"}
    return ", ".join(f"{counts[key]:,} {text}" for key, text in words.items() if key in counts)
