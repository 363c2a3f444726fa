"""Imports."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from labeling.api.answers import Shape
from labeling.api.one_line import OneLine
from labeling.api.serializers.people import PersonRef
from labeling.formats.export_config import SPLITS
from labeling.formats.imports import IMPORT_FORMATS
from labeling.formats.imports.columns import MARKS_ARE
from labeling.formats.imports.columns import SPLITS as STEP_SPLITS
from labeling.formats.records import ParsedRow
from labeling.models import ImportJob

PREVIEWED_TEXT = 4_000  # characters of a text in a preview
PREVIEWED_STEPS = 50


class ImportMapping(serializers.Serializer):
    """Which column means what. A value is a key of a row, or a path to a key inside it (`question.text`)."""

    problem = serializers.CharField()
    steps = serializers.CharField()
    split = serializers.ChoiceField(
        STEP_SPLITS, required=False, help_text="How the steps are separated. list: the column is already a list."
    )
    pattern = serializers.CharField(
        required=False, help_text="For custom: the text that begins a step. For tag: the text that ends it."
    )
    marks = serializers.CharField(required=False)
    marks_are = serializers.ChoiceField(MARKS_ARE, required=False)
    final_answer = serializers.CharField(required=False)
    outcome = serializers.CharField(required=False)
    ground_truth_answer = serializers.CharField(required=False)
    ground_truth_solution = serializers.CharField(required=False)
    problem_id = serializers.CharField(required=False)
    subject = serializers.CharField(required=False)
    level = serializers.CharField(required=False)
    source = serializers.CharField(required=False)  # type: ignore[assignment]  # also a name of DRF
    generator = serializers.CharField(required=False)


@extend_schema_field(ImportMapping)
class MappingField(serializers.JSONField):
    """Checked where it is used (labeling.formats.imports.columns), which names each wrong key."""


class ImportIn(serializers.Serializer):
    """The upload: one file of JSON lines, plain or gzip. If no format is given, it is detected from the first row."""

    file = serializers.FileField()
    format = serializers.ChoiceField(list(IMPORT_FORMATS), required=False, allow_blank=True, default="")
    dry_run = serializers.BooleanField(default=False)
    skip_faulty = serializers.BooleanField(default=False)
    as_gold = serializers.BooleanField(default=False, help_text="Only admins: each row's trace becomes gold.")
    labels_of = OneLine(
        max_length=120,
        required=False,
        allow_blank=True,
        default="",
        help_text="Recorded ratings and first errors become labels of the person that a row names, or else of the "
        "imported labeler of this name. Blank: they stay with their traces.",
    )
    split = serializers.ChoiceField(
        SPLITS,
        required=False,
        allow_blank=True,
        default="",
        help_text="For problems whose rows name no split. Blank: train, or held out if they are from a known "
        "benchmark.",
    )
    marks_of = OneLine(
        max_length=100,
        required=False,
        allow_blank=True,
        default="",
        help_text="Judgements of steps in the rows become scores of an imported step scorer of this name. Blank: "
        "of the machine that the format names (`marks_by`); without one, they stay with the traces.",
    )
    mapping = MappingField(required=False, help_text="Instead of a format: which column means what.")


class ImportCheckedIn(serializers.Serializer):
    """Omitted fields are as when the file was checked."""

    skip_faulty = serializers.BooleanField(default=False)
    dry_run = serializers.BooleanField(default=False, help_text="Check it again, for example with another mapping.")
    mapping = MappingField(required=False)
    marks_of = OneLine(max_length=100, required=False, allow_blank=True)
    labels_of = OneLine(max_length=120, required=False, allow_blank=True)


class ImportPreviewIn(serializers.Serializer):
    """Without a mapping, the file is read in its own format."""

    mapping = MappingField(required=False)


class HeadRow(serializers.Serializer):
    line = serializers.IntegerField()
    row = serializers.DictField(child=serializers.JSONField(allow_null=True))


class ColumnOut(serializers.Serializer):
    name = serializers.CharField(allow_blank=True)
    kinds = serializers.ListField(child=serializers.CharField())
    example = serializers.CharField(allow_blank=True)


class ImportRowsOut(serializers.Serializer):
    """The first rows of a file of which nothing was imported yet, and a mapping to start from."""

    rows = HeadRow(many=True)
    columns = ColumnOut(many=True)
    suggested = serializers.DictField(child=serializers.CharField(), help_text="A mapping, or part of one.")
    suggested_by = serializers.IntegerField(allow_null=True, help_text="The earlier import that was read this way.")


class PreviewedTrace(Shape):
    """One of the first traces as it would be imported. Long texts are cut."""

    line = serializers.IntegerField()
    problem = serializers.CharField()
    steps = serializers.ListField(child=serializers.CharField())
    step_count = serializers.IntegerField()
    marks = serializers.ListField(child=serializers.FloatField(allow_null=True), allow_null=True)
    first_error = serializers.IntegerField(allow_null=True)
    final_answer = serializers.CharField(allow_null=True)
    ground_truth_answer = serializers.CharField(allow_null=True)
    outcome = serializers.ChoiceField(["correct", "wrong", "ungraded"])


def previewed_trace(line: int, parsed: ParsedRow) -> dict[str, Any] | None:
    """A row as PreviewedTrace. None for a problem alone."""
    trace, marks = parsed.trace, parsed.marks
    if trace is None:
        return None
    ratings = trace.recorded_ratings
    rated = None if ratings is None else [None if one is None else float(one >= 0) for one in ratings]
    shown = marks.values if marks is not None else rated
    return {
        "line": line,
        "problem": parsed.problem.text[:PREVIEWED_TEXT],
        "steps": [step[:PREVIEWED_TEXT] for step in trace.steps[:PREVIEWED_STEPS]],
        "step_count": len(trace.steps),
        "marks": None if shown is None else shown[:PREVIEWED_STEPS],
        "first_error": trace.recorded_first_error,
        "final_answer": trace.final_answer and trace.final_answer[:PREVIEWED_TEXT],
        "ground_truth_answer": parsed.problem.answer and parsed.problem.answer[:PREVIEWED_TEXT],
        "outcome": trace.outcome,
    }


class ImportFormatOut(serializers.Serializer):
    """A format and how to recognise it."""

    name = serializers.CharField()
    title = serializers.CharField()
    means = serializers.CharField(help_text="What such a file contains.")
    looks_like = serializers.CharField(help_text="The keys by which a row is recognised.")
    leaves = serializers.CharField(allow_blank=True, help_text="What is not read from a row, or is changed.")
    marks_by = serializers.CharField(allow_blank=True, help_text="The machine whose marks the rows hold. Blank: none.")
    always_held_out = serializers.BooleanField(help_text="Its problems are used for measuring and never for training.")


class ImportFormatsOut(serializers.Serializer):
    formats = ImportFormatOut(many=True)


class ImportProgress(serializers.Serializer):
    """The progress of an import. Bytes count the file as uploaded."""

    bytes_done = serializers.IntegerField()
    bytes_total = serializers.IntegerField()
    rows = serializers.IntegerField(source="rows_done")
    silent_seconds = serializers.IntegerField(
        help_text="While it runs: how long ago its worker last gave a sign of life, normally every second."
    )


class NewAndKnown(serializers.Serializer):
    new = serializers.IntegerField()
    known = serializers.IntegerField()


class CountedOnce(NewAndKnown):
    """Rows that say the same are counted, but stored once."""

    duplicate_in_file = serializers.IntegerField()


class ProblemCounts(NewAndKnown):
    """Problems, and how rows changed those that were already here."""

    filled = serializers.IntegerField(
        required=False, help_text="Known problems that took from a row what they lacked, such as the answer."
    )
    held_out = serializers.IntegerField(
        required=False,
        help_text="Known problems of the train split that are held out from now on, because a row says so.",
    )


class FaultOut(serializers.Serializer):
    """What is wrong, where, and what to do. `line` counts from 1. An empty `field` means the whole row."""

    line = serializers.IntegerField()
    field = serializers.CharField()
    found = serializers.CharField()
    do = serializers.CharField()


class FaultOfKind(FaultOut):
    kind = serializers.CharField()


class ImportPreviewOut(serializers.Serializer):
    """What the first rows would become."""

    traces = PreviewedTrace(many=True)
    faults = FaultOfKind(many=True)


class FaultKind(serializers.Serializer):
    """Faults of one kind. All are counted; the first hundred are shown."""

    kind = serializers.CharField()
    count = serializers.IntegerField()
    examples = FaultOut(many=True)


class Faults(serializers.Serializer):
    total = serializers.IntegerField()
    kinds = FaultKind(many=True)


class BenchmarkMet(serializers.Serializer):
    """A known benchmark. Earlier reports count only its rows. Problems that are not held out are in the train split."""

    name = serializers.CharField()
    rows = serializers.IntegerField()
    held_out = serializers.IntegerField(required=False, help_text="Rows whose problems are held out, or would be.")
    says_train = serializers.IntegerField(required=False, help_text="Rows that name the train split themselves.")
    by_split = serializers.IntegerField(
        required=False, help_text="Rows that name no split themselves. The import's `split` decides."
    )


class VerdictCounts(NewAndKnown):
    """Rows that differ from a known trace's own verdict. They are stored with it as second opinions."""

    filled = serializers.IntegerField(help_text="Known traces that had no verdict before.")


class MarksCounts(NewAndKnown):
    """Marks of one machine source, by traces. `differing`: known traces with different marks; the first marks stay."""

    source = serializers.CharField()  # type: ignore[assignment]  # also a name of DRF
    scorer = serializers.IntegerField(
        allow_null=True, help_text="The step scorer. Null in the report if nothing was imported."
    )
    differing = serializers.IntegerField()


class OtherAnswer(serializers.Serializer):
    line = serializers.IntegerField()
    problem_id = serializers.CharField()
    kept = serializers.CharField(allow_null=True)
    given = serializers.CharField()


class OtherAnswers(serializers.Serializer):
    problems = serializers.IntegerField(help_text="A problem with several other answers counts once for each.")
    examples = OtherAnswer(many=True, help_text="The first ones, by line.")


class OtherProblem(serializers.Serializer):
    line = serializers.IntegerField()
    problem_id = serializers.CharField()
    kept = serializers.CharField(help_text="The beginning of the problem that already has this id.")
    given = serializers.CharField(help_text="The beginning of the row's problem.")


class OtherProblems(serializers.Serializer):
    problems = serializers.IntegerField(help_text="A problem that rows give several such ids counts once for each.")
    examples = OtherProblem(many=True, help_text="The first ones, by line.")


class OtherWord(serializers.Serializer):
    line = serializers.IntegerField()
    kept = serializers.CharField(allow_null=True)
    given = serializers.CharField()


class OtherWords(serializers.Serializer):
    rows = serializers.IntegerField()
    examples = OtherWord(many=True, help_text="The first ones, by line.")


class ImportReport(serializers.Serializer):
    """What the file contains. In a dry run, or if `imported` is false: what would have been new."""

    rows = serializers.IntegerField()
    problems = ProblemCounts()
    traces = CountedOnce()
    labels = CountedOnce()
    verdicts = VerdictCounts(required=False, help_text="Rows about known traces.")
    other_answers = OtherAnswers(
        required=False,
        help_text="Rows that give a problem a right answer other than the stored ones. It is stored with the row's "
        "trace (`problem_as_given`) and grades nothing.",
    )
    other_problems = OtherProblems(
        required=False,
        help_text="Rows whose problem id already belongs to another problem, in the project or earlier in the "
        "file. The problem is imported; in exports, the id names both.",
    )
    other_final_answers = OtherWords(
        required=False, help_text="Rows that give a known trace another final answer. The trace keeps its own."
    )
    other_sources = OtherWords(
        required=False, help_text="Rows that give a known trace another source. The trace keeps its own."
    )
    redacted = serializers.DictField(
        child=serializers.IntegerField(),
        required=False,
        help_text="For agents' runs: how often each kind of secret was removed before anything was stored.",
    )
    recorded = serializers.IntegerField(
        required=False,
        help_text="Rows with ratings or a first error. These stay with the traces; with `labels_of`, they become "
        "labels.",
    )
    without_label = serializers.IntegerField(required=False, help_text="Rows that could not become labels.")
    benchmarks = BenchmarkMet(many=True, required=False, help_text="Known benchmarks among the rows.")
    gold = NewAndKnown(required=False, help_text="Rows that become gold. `known` was already gold and stays as it is.")
    marks = MarksCounts(many=True, required=False, help_text="Rows with marks of a machine.")
    faults = Faults()
    imported = serializers.BooleanField()


class ImportOut(Shape):
    id = serializers.IntegerField()
    file_name = serializers.CharField()
    format = serializers.CharField(help_text="Empty until it is detected.")
    dry_run = serializers.BooleanField()
    skip_faulty = serializers.BooleanField()
    as_gold = serializers.BooleanField()
    labels_of = serializers.CharField()
    split = serializers.ChoiceField(SPLITS, allow_blank=True)
    marks_of = serializers.CharField(allow_blank=True)
    mapping = serializers.DictField(child=serializers.CharField(), help_text="Empty if a format reads the rows.")
    can_map = serializers.BooleanField(help_text="Its first rows are stored, so its columns can be mapped and tried.")
    status = serializers.ChoiceField(ImportJob.Status.values)
    created_at = serializers.DateTimeField()
    created_by = PersonRef(allow_null=True)
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    progress = ImportProgress(source="*")
    attempts = serializers.IntegerField(
        help_text="How often a worker started it. Above 1, an earlier worker stopped early and the file is read "
        "again from the start."
    )
    report = ImportReport(allow_null=True)
    error = serializers.CharField()

    def can_map_of(self, job: ImportJob) -> bool:
        """Only while nothing was imported. A job that was just created has no rows stored."""
        return getattr(job, "can_map", False)

    def report_of(self, job: ImportJob) -> dict[str, Any] | None:
        """Null until there is one."""
        return job.report or None
