"""Shapes of imports."""

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
    """Which column is what: keys of a row, or paths to one inside it (`question.text`)."""

    problem = serializers.CharField()
    steps = serializers.CharField()
    split = serializers.ChoiceField(STEP_SPLITS, required=False, help_text="How the steps are parted; list: they are.")
    pattern = serializers.CharField(required=False, help_text="For custom what begins a step, for tag what ends it.")
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
    """Checked where it is used (labeling.formats.imports.columns), which names each key that is wrong."""


class ImportIn(serializers.Serializer):
    """The upload: one file of JSON lines, plain or gzip. Without a format it is found out from the first row."""

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
        help_text="Recorded ratings and first errors become labels of whom a row names, and where it names nobody of"
        " the imported labeler of this name. Blank: they stay beside their traces.",
    )
    split = serializers.ChoiceField(
        SPLITS,
        required=False,
        allow_blank=True,
        default="",
        help_text="Of problems whose rows do not say it. Blank: train, and held out what is known to be a benchmark's.",
    )
    marks_of = OneLine(
        max_length=100,
        required=False,
        allow_blank=True,
        default="",
        help_text="What rows say of their steps becomes scores of an imported step scorer of this name. Blank: of the"
        " machine that the format names (`marks_by`), else it stays beside the traces.",
    )
    mapping = MappingField(required=False, help_text="In place of a format: which column is what.")


class ImportCheckedIn(serializers.Serializer):
    """What is not given is as the file was checked."""

    skip_faulty = serializers.BooleanField(default=False)
    dry_run = serializers.BooleanField(default=False, help_text="Check it again, say with another mapping.")
    mapping = MappingField(required=False)
    marks_of = OneLine(max_length=100, required=False, allow_blank=True)
    labels_of = OneLine(max_length=120, required=False, allow_blank=True)


class ImportPreviewIn(serializers.Serializer):
    """Without a mapping: as the file's own format reads it."""

    mapping = MappingField(required=False)


class HeadRow(serializers.Serializer):
    line = serializers.IntegerField()
    row = serializers.DictField(child=serializers.JSONField(allow_null=True))


class ColumnOut(serializers.Serializer):
    name = serializers.CharField(allow_blank=True)
    kinds = serializers.ListField(child=serializers.CharField())
    example = serializers.CharField(allow_blank=True)


class ImportRowsOut(serializers.Serializer):
    """The first rows of a file of which nothing was imported yet, and where a mapping may begin."""

    rows = HeadRow(many=True)
    columns = ColumnOut(many=True)
    suggested = serializers.DictField(child=serializers.CharField(), help_text="A mapping, or part of one.")
    suggested_by = serializers.IntegerField(allow_null=True, help_text="The import that was read so.")


class PreviewedTrace(Shape):
    """One of the first traces as it would be; long texts are cut."""

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
    """What PreviewedTrace shows of a row; None of a problem alone."""
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
    """A format and how to know it."""

    name = serializers.CharField()
    title = serializers.CharField()
    means = serializers.CharField(help_text="What is in such a file.")
    looks_like = serializers.CharField(help_text="The keys by which a row is known.")
    leaves = serializers.CharField(allow_blank=True, help_text="What of a row is not read, or not as it stood.")
    marks_by = serializers.CharField(allow_blank=True, help_text="The machine whose marks rows hold; blank: nobody's.")
    always_held_out = serializers.BooleanField(help_text="Its problems are measured on and never trained on.")


class ImportFormatsOut(serializers.Serializer):
    formats = ImportFormatOut(many=True)


class ImportProgress(serializers.Serializer):
    """How far an import has come; bytes of the file as it was uploaded."""

    bytes_done = serializers.IntegerField()
    bytes_total = serializers.IntegerField()
    rows = serializers.IntegerField(source="rows_done")
    silent_seconds = serializers.IntegerField(
        help_text="While it runs: for how long its worker gave no sign of life, which it does each second."
    )


class NewAndKnown(serializers.Serializer):
    new = serializers.IntegerField()
    known = serializers.IntegerField()


class CountedOnce(NewAndKnown):
    """Rows that say the same are counted, and kept once."""

    duplicate_in_file = serializers.IntegerField()


class ProblemCounts(NewAndKnown):
    """Problems, and what rows changed of those that were here before."""

    filled = serializers.IntegerField(
        required=False, help_text="Known problems that took from a row what they had nothing of, such as the answer."
    )
    held_out = serializers.IntegerField(
        required=False, help_text="Known problems of the train split that a row holds out from now on."
    )


class FaultOut(serializers.Serializer):
    """What is wrong, where, and what to do. `line` counts from 1; an empty `field` means the whole row."""

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
    """Faults of one kind: all are counted, the first hundred shown."""

    kind = serializers.CharField()
    count = serializers.IntegerField()
    examples = FaultOut(many=True)


class Faults(serializers.Serializer):
    total = serializers.IntegerField()
    kinds = FaultKind(many=True)


class BenchmarkMet(serializers.Serializer):
    """A known benchmark; earlier reports count its rows alone. What is not held out is in the train split."""

    name = serializers.CharField()
    rows = serializers.IntegerField()
    held_out = serializers.IntegerField(required=False, help_text="Rows whose problems are held out, or would be.")
    says_train = serializers.IntegerField(required=False, help_text="Rows that name the train split themselves.")
    by_split = serializers.IntegerField(
        required=False, help_text="Rows that name none themselves: `split` of the import decides."
    )


class VerdictCounts(NewAndKnown):
    """Rows that say something else of a known trace: second opinions, kept beside its own word."""

    filled = serializers.IntegerField(help_text="Known traces of which nobody had said anything before.")


class MarksCounts(NewAndKnown):
    """Marks of one machine source, by traces. `differing`: known ones that say something else; the first stay."""

    source = serializers.CharField()  # type: ignore[assignment]  # also a name of DRF
    scorer = serializers.IntegerField(
        allow_null=True, help_text="The step scorer; null in the report of what was not imported."
    )
    differing = serializers.IntegerField()


class OtherAnswer(serializers.Serializer):
    line = serializers.IntegerField()
    problem_id = serializers.CharField()
    kept = serializers.CharField(allow_null=True)
    given = serializers.CharField()


class OtherAnswers(serializers.Serializer):
    problems = serializers.IntegerField(help_text="A problem that is told in several ways counts once for each.")
    examples = OtherAnswer(many=True, help_text="The first, by line.")


class OtherProblem(serializers.Serializer):
    line = serializers.IntegerField()
    problem_id = serializers.CharField()
    kept = serializers.CharField(help_text="The beginning of the problem that the id names already.")
    given = serializers.CharField(help_text="The beginning of the row's problem.")


class OtherProblems(serializers.Serializer):
    problems = serializers.IntegerField(help_text="A problem that rows call by several such ids counts for each.")
    examples = OtherProblem(many=True, help_text="The first, by line.")


class OtherWord(serializers.Serializer):
    line = serializers.IntegerField()
    kept = serializers.CharField(allow_null=True)
    given = serializers.CharField()


class OtherWords(serializers.Serializer):
    rows = serializers.IntegerField()
    examples = OtherWord(many=True, help_text="The first, by line.")


class ImportReport(serializers.Serializer):
    """What is in the file. In a dry run, or where `imported` is false: what would have been new."""

    rows = serializers.IntegerField()
    problems = ProblemCounts()
    traces = CountedOnce()
    labels = CountedOnce()
    verdicts = VerdictCounts(required=False, help_text="Where rows are of traces that were known.")
    other_answers = OtherAnswers(
        required=False,
        help_text="Where rows give a problem another right answer than those kept. It stays beside the row's trace"
        " (`problem_as_given`) and grades nothing.",
    )
    other_problems = OtherProblems(
        required=False,
        help_text="Where the id that a row gives its problem names another one, in the project or earlier in the file."
        " It is imported; in exports the id names both.",
    )
    other_final_answers = OtherWords(
        required=False, help_text="Where rows give a known trace another final answer than it has, which it keeps."
    )
    other_sources = OtherWords(
        required=False, help_text="Where rows give a known trace another source than it has, which it keeps."
    )
    redacted = serializers.DictField(
        child=serializers.IntegerField(),
        required=False,
        help_text="Of agents' runs: how often each kind of secret was taken out before anything was stored.",
    )
    recorded = serializers.IntegerField(
        required=False,
        help_text="Rows that say how steps are rated or where it goes wrong, which stays beside their traces: with"
        " `labels_of` it becomes labels.",
    )
    without_label = serializers.IntegerField(required=False, help_text="Rows of which no label could be made.")
    benchmarks = BenchmarkMet(many=True, required=False, help_text="Known benchmarks that rows are of.")
    gold = NewAndKnown(required=False, help_text="Where rows become gold: `known` was gold before and stays as it is.")
    marks = MarksCounts(many=True, required=False, help_text="Where rows hold marks of a machine.")
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
    marks_of = serializers.CharField(allow_blank=True)
    mapping = serializers.DictField(child=serializers.CharField(), help_text="Empty where a format reads the rows.")
    can_map = serializers.BooleanField(help_text="Its first rows are kept: their columns can be said, and tried.")
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

    def can_map_of(self, job: ImportJob) -> bool:
        """As long as nothing was imported; nothing is kept of a job that was just made."""
        return getattr(job, "can_map", False)

    def report_of(self, job: ImportJob) -> dict[str, Any] | None:
        """Null until there is one."""
        return job.report or None
