"""Shapes of imports."""

from typing import Any

from rest_framework import serializers

from labeling.api.answers import Shape
from labeling.api.serializers.people import PersonRef
from labeling.formats.export_config import SPLITS
from labeling.formats.imports import IMPORT_FORMATS
from labeling.models import ImportJob


class ImportIn(serializers.Serializer):
    """The upload: one file of JSON lines, plain or gzip. Without a format it is found out from the first row."""

    file = serializers.FileField()
    format = serializers.ChoiceField(list(IMPORT_FORMATS), required=False, allow_blank=True, default="")
    dry_run = serializers.BooleanField(default=False)
    skip_faulty = serializers.BooleanField(default=False)
    as_gold = serializers.BooleanField(default=False, help_text="Only admins: each row's trace becomes gold.")
    labels_of = serializers.CharField(
        max_length=120,
        required=False,
        allow_blank=True,
        default="",
        help_text="Recorded ratings and first errors become labels of the imported labeler of this name, or of whom a"
        " row names. Blank: they stay beside their traces.",
    )
    split = serializers.ChoiceField(
        SPLITS,
        required=False,
        allow_blank=True,
        default="",
        help_text="Of problems whose rows do not say it. Blank: train, and held out what is known to be a benchmark's.",
    )


class ImportCheckedIn(serializers.Serializer):
    skip_faulty = serializers.BooleanField(default=False)


class ImportFormatOut(serializers.Serializer):
    """A format and how to know it."""

    name = serializers.CharField()
    title = serializers.CharField()
    means = serializers.CharField(help_text="What is in such a file.")
    looks_like = serializers.CharField(help_text="The keys by which a row is known.")
    always_held_out = serializers.BooleanField(help_text="Its problems are measured on and never trained on.")


class ImportFormatsOut(serializers.Serializer):
    formats = ImportFormatOut(many=True)


class ImportProgress(serializers.Serializer):
    """How far an import has come; bytes of the file as it was uploaded."""

    bytes_done = serializers.IntegerField()
    bytes_total = serializers.IntegerField()
    rows = serializers.IntegerField(source="rows_done")


class NewAndKnown(serializers.Serializer):
    new = serializers.IntegerField()
    known = serializers.IntegerField()


class CountedOnce(NewAndKnown):
    """Rows that say the same are counted, and kept once."""

    duplicate_in_file = serializers.IntegerField()


class FaultOut(serializers.Serializer):
    """What is wrong, where, and what to do. `line` counts from 1; an empty `field` means the whole row."""

    line = serializers.IntegerField()
    field = serializers.CharField()
    found = serializers.CharField()
    do = serializers.CharField()


class FaultKind(serializers.Serializer):
    """Faults of one kind: all are counted, the first hundred shown."""

    kind = serializers.CharField()
    count = serializers.IntegerField()
    examples = FaultOut(many=True)


class Faults(serializers.Serializer):
    total = serializers.IntegerField()
    kinds = FaultKind(many=True)


class BenchmarkMet(serializers.Serializer):
    name = serializers.CharField()
    rows = serializers.IntegerField()


class VerdictCounts(NewAndKnown):
    """Rows that say something else of a known trace: second opinions, kept beside its own word."""

    filled = serializers.IntegerField(help_text="Known traces of which nobody had said anything before.")


class ImportReport(serializers.Serializer):
    """What is in the file. In a dry run, or where `imported` is false: what would have been new."""

    rows = serializers.IntegerField()
    problems = NewAndKnown()
    traces = CountedOnce()
    labels = CountedOnce()
    verdicts = VerdictCounts(required=False, help_text="Where rows are of traces that were known.")
    without_label = serializers.IntegerField(required=False, help_text="Rows of which no label could be made.")
    benchmarks = BenchmarkMet(many=True, required=False, help_text="Known benchmarks that rows are of.")
    gold = NewAndKnown(required=False, help_text="Where rows become gold: `known` was gold before and stays as it is.")
    faults = Faults()
    imported = serializers.BooleanField()


class ImportOut(Shape):
    id = serializers.IntegerField()
    file_name = serializers.CharField()
    format = serializers.CharField(help_text="Empty until it is found out.")
    dry_run = serializers.BooleanField()
    skip_faulty = serializers.BooleanField()
    as_gold = serializers.BooleanField()
    labels_of = serializers.CharField()
    split = serializers.ChoiceField(SPLITS, allow_blank=True)
    status = serializers.ChoiceField(ImportJob.Status.values)
    created_at = serializers.DateTimeField()
    created_by = PersonRef(allow_null=True)
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    progress = ImportProgress(source="*")
    attempts = serializers.IntegerField(
        help_text="How often a worker began; above 1, the one before ended early and the file is read from its start."
    )
    report = ImportReport(allow_null=True)
    error = serializers.CharField()

    def report_of(self, job: ImportJob) -> dict[str, Any] | None:
        """Null until there is one."""
        return job.report or None
