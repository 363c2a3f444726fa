"""Problems, model-written traces and the alternative completions offered for their steps."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from labeling.models.people import Project


class Rating(models.IntegerChoices):
    """A labeler's rating of one completion. Without a rating there is no row, or null; never 0."""

    NEGATIVE = -1
    NEUTRAL = 0
    POSITIVE = 1


# An Asymptote drawing or an external image, neither of which the labeling page draws (ui/math/segments.ts).
HOLDS_A_FIGURE = Q(text__contains="[asy]") | Q(text__regex=r"!\[[^\]\n]*\]\([^()\s]")


class StepWords(models.Func):
    """The words of steps in searchable form: a function of the database (migration 0094)."""

    function = "labeling_step_words"
    output_field = SearchVectorField()


class StepCount(models.Func):
    """The number of steps."""

    function = "cardinality"
    output_field = models.IntegerField()


class Problem(models.Model):
    """A question with its ground-truth answer, stored byte for byte."""

    class Split(models.TextChoices):
        TRAIN = "train"
        HELD_OUT = "held_out"

    class Status(models.TextChoices):
        ACTIVE = "active"
        BAD = "bad"

    project = models.ForeignKey(Project, models.PROTECT, related_name="problems", db_index=False)
    external_id = models.CharField(max_length=200, blank=True)
    text = models.TextField()
    answer = models.TextField(null=True)
    accepted_answers = ArrayField(
        models.TextField(),
        default=list,
        db_default=[],
        help_text="Right too: what equals one of these is correct.",
    )
    reference_solution = models.TextField(null=True)
    split = models.CharField(max_length=10, choices=Split.choices, default=Split.TRAIN)
    subject = models.CharField(max_length=100, blank=True)
    level = models.CharField(max_length=40, blank=True)
    source = models.CharField(max_length=100, blank=True)
    licence = models.CharField(max_length=100, blank=True)
    metadata = models.JSONField(default=dict)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.ACTIVE)
    text_hash = models.BinaryField(
        max_length=32, help_text="SHA-256 of the normalised text (labeling.formats.normalise)."
    )
    created_at = models.DateTimeField(default=timezone.now, db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "text_hash"], name="one_problem_a_text"),
        ]
        indexes = [
            models.Index(fields=["project", "external_id"], name="problem_by_external_id"),
            models.Index(fields=["project"], condition=HOLDS_A_FIGURE, name="problem_with_a_figure"),
        ]


class ProblemLetters(models.Model):
    """A copy of a problem's text, by whose letters the problem is found. A worker writes it after the problem
    (labeling.actions.problem_letters), so that imports of problems do not wait for the index.

    The database deletes it with its problem.
    """

    problem = models.OneToOneField(Problem, models.CASCADE, primary_key=True, related_name="+", db_constraint=False)
    project = models.ForeignKey(Project, models.CASCADE, related_name="+", db_index=False, db_constraint=False)
    text = models.TextField()

    class Meta:
        indexes = [
            GinIndex(fields=["text"], opclasses=["gin_trgm_ops"], name="letters_of_problems"),
            models.Index(fields=["project"], name="letters_by_project"),
        ]


class ProblemsWithoutLetters(models.Model):
    """Problems of a project whose letters are still missing: those with ids from `lowest` to `highest`. Written by
    triggers (migration 0108), one row for each statement that writes problems.

    The problems may have been deleted since, and ids in between may belong to problems that others wrote at the same
    time.
    """

    project = models.ForeignKey(Project, models.CASCADE, related_name="+", db_index=False, db_constraint=False)
    lowest = models.BigIntegerField()
    highest = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(fields=["project"], name="without_letters_by_project")]


class Trace(models.Model):
    """One model-written solution: an ordered list of steps and a final answer, byte for byte."""

    class Outcome(models.TextChoices):
        CORRECT = "correct"
        WRONG = "wrong"
        UNGRADED = "ungraded"

    project = models.ForeignKey(Project, models.PROTECT, related_name="traces", db_index=False)
    problem = models.ForeignKey(Problem, models.PROTECT, related_name="traces", db_index=False)
    external_id = models.CharField(max_length=200, blank=True)
    source = models.CharField(max_length=100, blank=True)
    generator = models.CharField(max_length=200, blank=True)
    sampling = models.JSONField(default=dict)
    steps = ArrayField(models.TextField())
    typed_steps = models.JSONField(
        null=True,
        help_text="Of an agent's run: all that was said and done, each with its kind; `steps` are its rated units"
        " (labeling.formats.typed_steps).",
    )
    final_answer = models.TextField(null=True)
    outcome = models.CharField(max_length=10, choices=Outcome.choices, default=Outcome.UNGRADED)
    grader_version = models.CharField(max_length=40, blank=True, help_text="Empty: the outcome came with the import.")
    splitter_version = models.CharField(max_length=40, blank=True)
    recorded_first_error = models.IntegerField(
        null=True, help_text="What the import says: 0-based, -1 = no error, null = nobody looked."
    )
    recorded_ratings = ArrayField(models.SmallIntegerField(null=True), null=True)
    recorded_marks = models.JSONField(
        null=True, help_text="Of an agent's run: what the import says of it as a whole (protocol.run_marks)."
    )
    recorded_by = models.CharField(
        max_length=200, blank=True, db_default="", help_text="Whom the import's row names as the one who said so."
    )
    metadata = models.JSONField(default=dict)
    trace_hash = models.BinaryField(
        max_length=32, help_text="SHA-256 of problem hash and steps (labeling.formats.normalise)."
    )
    created_at = models.DateTimeField(default=timezone.now, db_default=Now())
    is_path = models.BooleanField(
        default=False,
        db_default=False,
        help_text="A labeler makes it, choosing step by step; until they have, it holds the starting steps alone. It is"
        " in no pool: no round takes it, nothing scores it.",
    )
    replaced_by = models.ForeignKey(
        "self",
        models.PROTECT,
        null=True,
        related_name="replaces",
        db_index=False,
        help_text="The version with a repaired split; later rounds take that one.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["replaced_by"], condition=Q(replaced_by__isnull=False), name="one_trace_is_replaced_by_one"
            ),
            models.UniqueConstraint(fields=["project", "trace_hash"], name="one_trace_a_text"),
            models.CheckConstraint(condition=Q(steps__len__gte=1) | Q(is_path=True), name="trace_has_a_step"),
        ]
        indexes = [
            models.Index(fields=["project", "id"], name="trace_by_project"),
            models.Index(fields=["project", "outcome", "id"], name="trace_by_outcome"),
            models.Index(fields=["problem", "id"], include=["outcome"], name="trace_of_problem"),
            models.Index("project", StepCount("steps"), "id", name="trace_by_length"),
            models.Index(
                fields=["project", "problem", "outcome", "generator", "source"],
                condition=Q(steps__len__gte=1),
                name="trace_by_kind",
            ),
        ]

    @property
    def is_run(self) -> bool:
        """Whether it is an agent's run, with typed steps. They are not fetched for this: there may be 50 MB of them."""
        if "typed_steps" in self.get_deferred_fields():
            return Trace.objects.filter(pk=self.pk, typed_steps__isnull=False).exists()
        return self.typed_steps is not None


class TraceWords(models.Model):
    """The words of a trace's steps (StepWords), by which it is found. A worker writes them after the steps
    (labeling.actions.trace_words), so that nothing that writes traces waits for them.

    The database deletes them with their trace.
    """

    trace = models.OneToOneField(Trace, models.CASCADE, primary_key=True, related_name="+", db_constraint=False)
    project = models.ForeignKey(Project, models.CASCADE, related_name="+", db_index=False, db_constraint=False)
    words = SearchVectorField()

    class Meta:
        indexes = [
            GinIndex(fields=["words"], name="words_of_traces"),
            models.Index(fields=["project"], name="words_by_project"),
        ]


class TracesWithoutWords(models.Model):
    """Traces of a project whose words are still missing: those with ids from `lowest` to `highest`. Written by triggers
    (migration 0110), one row for each statement that writes traces, and for each trace whose steps change.

    The traces may have been deleted since, and ids in between may belong to traces that others wrote at the same time.
    """

    project = models.ForeignKey(Project, models.CASCADE, related_name="+", db_index=False, db_constraint=False)
    lowest = models.BigIntegerField()
    highest = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(fields=["project"], name="words_missing_by_project")]


class RecordedVerdict(models.Model):
    """A second opinion: what a later row of a file said of a known trace, if it differs.

    The first row's verdict is stored in the trace itself (recorded_first_error, recorded_ratings, recorded_marks,
    recorded_by).
    """

    trace = models.ForeignKey(Trace, models.PROTECT, related_name="recorded_verdicts")
    import_job = models.ForeignKey("ImportJob", models.PROTECT, related_name="+", db_index=False)
    line = models.BigIntegerField(help_text="Where in the import's file it stood.")
    recorded_by = models.CharField(max_length=200, blank=True)
    source = models.CharField(max_length=100, blank=True)
    generator = models.CharField(max_length=200, blank=True)
    outcome = models.CharField(max_length=10, choices=Trace.Outcome.choices)
    first_error = models.IntegerField(null=True, help_text="0-based, -1 = no error, null = it does not say.")
    ratings = ArrayField(models.SmallIntegerField(null=True), null=True)
    marks = models.JSONField(null=True, help_text="Of an agent's run as a whole (protocol.run_marks).")
    metadata = models.JSONField(default=dict, help_text="The row's keys that no column has.")
    created_at = models.DateTimeField(default=timezone.now, db_default=Now())


class Completion(models.Model):
    """A candidate text for a step besides the trace's own: by a model, or written by a labeler.

    A suggestion at a labeler's mistake becomes a completion when it is rated. Such a completion is offered to nobody
    else: it would show that others labeled the trace before, and so reveal gold.
    """

    class Source(models.TextChoices):
        MODEL = "model"
        HUMAN = "human"
        SUGGESTED = "suggested", "by a model, as a suggestion that a labeler rated"

    trace = models.ForeignKey(Trace, models.PROTECT, related_name="completions", db_index=False)
    step_index = models.PositiveIntegerField()
    text = models.TextField()
    source = models.CharField(max_length=10, choices=Source.choices, default=Source.MODEL)
    metadata = models.JSONField(default=dict)

    class Meta:
        indexes = [models.Index(fields=["trace", "step_index"], name="completion_by_step")]
