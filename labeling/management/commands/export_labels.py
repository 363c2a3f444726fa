"""`manage.py export_labels PROJECT --format FORMAT`: export labels to a file on the server."""

import shutil
from argparse import ArgumentParser, ArgumentTypeError
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from labeling.actions import exports
from labeling.actions.export_companions import written
from labeling.count_words import count_of
from labeling.errors import LabelingError
from labeling.formats.export_config import AGREEMENTS, SPLITS
from labeling.formats.exports import EXPORT_FORMATS
from labeling.formats.exports.containers import CONTAINERS, JSON_LINES
from labeling.formats.exports.export_format import ExportFormat
from labeling.management.words import project_of
from labeling.models import Export, Project, User
from labeling.protocol.submission import FINISH_REASONS


class Command(BaseCommand):
    help = (
        "Export submitted labels as JSON lines or Parquet, with a manifest. The same snapshot always gives the same"
        " bytes. Exit code 0: done; 1: could not run."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """PROJECT, --format, filters, --switch NAME=VALUE, --container, --gzip, --again EXPORT, --output FOLDER."""
        parser.add_argument("project", metavar="PROJECT", help="The project's address, as in its URL.")
        formats = "; ".join(f"{format.name}: {format.means}" for format in EXPORT_FORMATS.values())
        parser.add_argument("--format", choices=EXPORT_FORMATS, default=next(iter(EXPORT_FORMATS)), help=formats)
        parser.add_argument("--round", type=int, action="append", metavar="NUMBER", help="Only this round. Repeatable.")
        parser.add_argument(
            "--finish", choices=FINISH_REASONS, action="append", help="Only this finish reason. Repeatable."
        )
        parser.add_argument("--split", choices=SPLITS, default="", help="Only problems in this split.")
        parser.add_argument("--labeler", action="append", metavar="USERNAME", help="Only this labeler. Repeatable.")
        parser.add_argument(
            "--subject", action="append", metavar="SUBJECT", help="Only problems of this subject. Repeatable."
        )
        parser.add_argument(
            "--agreement",
            choices=AGREEMENTS,
            default="",
            help="Only tasks of two or more labelers who agree or differ.",
        )
        when = "a day (2026-11-25: from its start) or a time (2026-11-25T14:00), in the server's zone if none is given."
        parser.add_argument(
            "--since", type=_moment, metavar="TIME", help=f"Only labels submitted at this time or later: {when}"
        )
        parser.add_argument(
            "--until", type=_moment, metavar="TIME", help="Only labels submitted before this time, as for --since."
        )
        switches = "; ".join(f"{format.name}: {_switches_of(format)}" for format in EXPORT_FORMATS.values())
        parser.add_argument("--switch", action="append", default=[], metavar="NAME=VALUE", help=switches)
        containers = "; ".join(f"{one.name}: {one.means}" for one in CONTAINERS.values())
        parser.add_argument("--container", choices=CONTAINERS, default=JSON_LINES.name, help=containers)
        parser.add_argument("--gzip", action="store_true", help="Compress JSON lines with gzip.")
        parser.add_argument(
            "--again", type=int, metavar="EXPORT", help="Write the snapshot of this earlier export again."
        )
        parser.add_argument(
            "--output", type=Path, metavar="FOLDER", help="Copy the file and manifest.json to this folder."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Export the labels. Raises CommandError (exit code 1)."""
        project = project_of(options["project"])
        try:
            export = self._create(project, options)
            done = exports.run_export(export.pk)
            if done is None:
                raise CommandError(f"Export {export.pk} was taken over by a worker; see the project's exports.")
            path = exports.finished_file(done)
        except LabelingError as refused:
            fields = "".join(f"\n  {name}: {' '.join(why)}" for name, why in refused.extra.get("fields", {}).items())
            raise CommandError(f"{refused.detail}{fields}") from refused
        self.stdout.write(
            f"{count_of(done.rows, 'row')} of {count_of(done.labels_total, 'label')}, {done.bytes:,} bytes: {path}"
        )
        self.stdout.write(f"sha256 {done.sha256}\nsnapshot {done.snapshot_id}")
        if options["output"]:
            self._copy(done, path, options["output"])

    def _create(self, project: Project, options: dict[str, Any]) -> Export:
        if options["again"]:
            earlier = Export.objects.filter(pk=options["again"], project=project).first()
            if earlier is None:
                raise CommandError(f"{project.slug} has no export {options['again']}.")
            return exports.repeat_export(earlier, by=None)
        return exports.create_export(
            project,
            by=None,
            format=options["format"],
            filters={
                "rounds": _round_ids(project, options["round"]),
                "finish": options["finish"],
                "split": options["split"],
                "labelers": _labeler_ids(options["labeler"]),
                "subjects": options["subject"],
                "agreement": options["agreement"],
                "since": options["since"],
                "until": options["until"],
            },
            switches=dict(_switch(text) for text in options["switch"]),
            container=options["container"],
            gzip=options["gzip"],
            wake=False,
        )

    def _copy(self, export: Export, path: Path, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        target = folder / exports.file_name(export)
        shutil.copyfile(path, target)
        shutil.copyfile(exports.hashes_path(path), exports.hashes_path(target))
        (folder / "manifest.json").write_bytes(orjson.dumps(export.manifest, option=orjson.OPT_INDENT_2) + b"\n")
        beside = exports.format_of(export).companions
        for companion in beside:
            (folder / companion.name).write_bytes(written(companion, export))
        names = " and ".join(["manifest.json", *(companion.name for companion in beside)])
        self.stdout.write(f"Copied to {target}, with {names}")


def _switches_of(format: ExportFormat) -> str:
    """Describe each switch with a choice by its name and values; the default first."""
    return ", ".join(f"{switch.name}={'|'.join(switch.values)}" for switch in format.switches if not switch.is_fixed)


def _round_ids(project: Project, numbers: list[int] | None) -> list[int] | None:
    if not numbers:
        return None
    ids = dict(project.rounds.filter(number__in=numbers).values_list("number", "pk"))
    missing = sorted(set(numbers) - ids.keys())
    if missing:
        raise CommandError(f"{project.slug} has no round {', '.join(map(str, missing))}.")
    return list(ids.values())


def _labeler_ids(usernames: list[str] | None) -> list[int] | None:
    if not usernames:
        return None
    ids = dict(User.objects.filter(username__in=usernames).values_list("username", "pk"))
    if missing := sorted(set(usernames) - ids.keys()):
        raise CommandError(f"There is no user named {', '.join(missing)}.")
    return sorted(ids.values())


def _moment(text: str) -> str:
    """Return a time as exports store it: ISO 8601 with its zone."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as fault:
        raise ArgumentTypeError(f"{text} is not a time. Write 2026-11-25 or 2026-11-25T14:00+01:00.") from fault
    return (moment if moment.tzinfo else timezone.make_aware(moment)).isoformat()


def _switch(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise CommandError(f"Write --switch NAME=VALUE, not {text}.")
    return name, value
