"""Step scorers that were registered or connected, the scores they gave, and single traces they were tried on."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone

from labeling.models.jobs import Job
from labeling.models.people import Project, User
from labeling.models.problems import Problem, Trace


class Real(models.FloatField):
    """A 32-bit float: enough for a score, and there are hundreds of millions of them."""

    def db_type(self, connection: object) -> str:
        """Return the column type."""
        return "real"


class StepScorer(models.Model):
    """Anything that gives numbers to steps; `kind` says how. Workers open the path or address in its record, so the
    record is written by an operator, or has a folder that a worker found and a server that the operator listed.

    `project` null: for every project. A worker that can reach the model checks it and fills in what it found.
    """

    class Kind(models.TextChoices):
        PRM = "prm", "PRM"  # a process reward model, which reads a trace and judges each step
        ROLLOUTS = "rollouts"  # completions from each prefix, graded: hits and n in the evidence
        JUDGE = "judge"  # a language model asked for the first error: its votes and texts in the evidence
        CONSENSUS = "consensus"  # a rule over other scorers
        VERIFIER = "verifier"  # checks that prove something, run when traces are imported
        FORMAL = "formal"  # a prover's verdicts, imported with its message
        IMPORTED = "imported"  # marks or scores made elsewhere

    ASK_A_SERVER = (Kind.ROLLOUTS, Kind.JUDGE)  # whose speed depends on a server's answers

    class Status(models.TextChoices):
        UNCHECKED = "unchecked"  # registered; no worker has checked it yet
        READY = "ready"
        FAULTY = "faulty"
        RETIRED = "retired"

    project = models.ForeignKey(Project, models.PROTECT, null=True, related_name="step_scorers")
    kind = models.CharField(max_length=12, choices=Kind.choices, default=Kind.PRM, db_default=Kind.PRM)
    name = models.CharField(max_length=100, help_text="One PRM's in its project, or among those for all.")
    spec = models.JSONField(help_text="The record as worker.prm.spec reads it; a path is relative to MODELS_DIR.")
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.UNCHECKED)
    error = models.TextField(blank=True, help_text="What does not fit, in a worker's words.")
    checksum = models.CharField(max_length=64, blank=True, help_text="SHA-256 over the weights; empty for servers.")
    fingerprint = models.CharField(
        max_length=64, blank=True, help_text="Of everything that changes a score; scores compare only within one."
    )
    scale = models.CharField(max_length=12, blank=True, help_text="probability or log_ratio.")
    learned_from = models.CharField(
        max_length=300,
        blank=True,
        db_default="",
        help_text="What it was trained on, as a person said it. Empty: unknown.",
    )
    learned_texts = models.PositiveIntegerField(
        null=True,
        help_text="Its rows of LearnedText. Null: nothing beside its weights says what it learned.",
    )
    created_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    checked_at = models.DateTimeField(null=True)

    @property
    def is_run_here(self) -> bool:
        """Whether workers can make more of its scores; they cannot if it was made elsewhere."""
        return self.kind not in (StepScorer.Kind.IMPORTED, StepScorer.Kind.FORMAL)

    @property
    def aggregation(self) -> str:
        """How the scores of steps become the trace's. Imported marks do not specify it: a product."""
        said: str = self.spec.get("aggregation") or "product"
        return said

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["prm", "rollouts", "judge", "consensus", "verifier", "formal", "imported"]),
                name="step_scorer_is_of_a_known_kind",
            ),
            models.UniqueConstraint(fields=["project", "name"], name="one_step_scorer_a_name"),
            models.UniqueConstraint(fields=["name"], condition=Q(project=None), name="one_step_scorer_a_name_for_all"),
        ]


class LearnedText(models.Model):
    """The hash of a problem or trace that a step scorer learned from, as listed in meta.json next to its weights."""

    pk = models.CompositePrimaryKey("scorer_id", "text_hash")
    scorer = models.ForeignKey(StepScorer, models.CASCADE, related_name="+", db_index=False)
    text_hash = models.BinaryField(max_length=32, help_text="Problem.text_hash or Trace.trace_hash.")


class Score(models.Model):
    """A step scorer's result for one trace: a number per step and one for the trace; or a reason and no number.

    Problem, project and outcome repeat the trace's, so that the selection reads only an index of this table.
    """

    pk = models.CompositePrimaryKey("scorer_id", "trace_id")
    scorer = models.ForeignKey(StepScorer, models.PROTECT, related_name="scores", db_index=False)
    trace = models.ForeignKey(Trace, models.CASCADE, related_name="scores")
    project = models.ForeignKey(Project, models.PROTECT, related_name="+", db_index=False)
    problem = models.ForeignKey(Problem, models.PROTECT, related_name="+", db_index=False)
    outcome = models.CharField(max_length=10, choices=Trace.Outcome.choices)
    draw = models.BigIntegerField(help_text="First 64 bits of the trace's hash: the order for random draws.")
    steps = ArrayField(Real(), null=True, help_text="P(step correct) per step; for log_ratio models their rewards.")
    score = models.FloatField(null=True, help_text="Log of the trace's score. Null: unscored, for `reason`.")
    reason = models.CharField(max_length=200, blank=True)
    entropy = Real(
        null=True,
        help_text="Mean entropy of its steps, in bits. Null: no probabilities, or not filled in yet"
        " (labeling.queries.unsure_scores).",
    )
    spread = Real(
        null=True, help_text="How far heads of problems drawn anew are apart, mean over its steps. Null: no such heads."
    )
    sketch = models.BinaryField(
        max_length=36,
        null=True,
        help_text="Of the trace's text (labeling.selection.sketches). Null: made from the text when it is needed.",
    )
    exact = models.BooleanField(default=True, help_text="False: in bfloat16, and not among those scored again.")
    evidence = models.JSONField(null=True, help_text="What the numbers rest on, where the scorer says; a PRM does not.")

    class Meta:
        indexes = [
            models.Index(
                fields=["scorer", "problem", "outcome", "-score"],
                include=["trace", "sketch"],
                condition=Q(score__isnull=False),
                name="score_by_problem",
            ),
            models.Index(
                fields=["scorer", "project", "outcome", "-score"],
                include=["trace", "problem"],
                condition=Q(score__isnull=False),
                name="score_over_project",
            ),
            models.Index(
                fields=["scorer", "project", "draw"],
                include=["trace", "problem"],
                condition=Q(score__isnull=False),
                name="score_by_draw",
            ),
            models.Index(
                fields=["scorer", "project", "-entropy"],
                include=["trace", "problem"],
                condition=Q(score__isnull=False),
                name="score_by_entropy",
            ),
            models.Index(
                fields=["scorer", "project", "-spread"],
                include=["trace", "problem"],
                condition=Q(spread__isnull=False),
                name="score_by_spread",
            ),
        ]


class ScoreCount(models.Model):
    """How many traces of a project a scorer has a row for, counted as rows are written; traces are never deleted."""

    pk = models.CompositePrimaryKey("scorer_id", "project_id")
    scorer = models.ForeignKey(StepScorer, models.PROTECT, related_name="+", db_index=False)
    project = models.ForeignKey(Project, models.PROTECT, related_name="+")
    traces = models.PositiveBigIntegerField()


class PrmTrial(Job):
    """One trace that a person typed, for a PRM to score, to check it against its authors' claims. It is no row of
    Trace.
    """

    scorer = models.ForeignKey(StepScorer, models.PROTECT, related_name="trials")
    project = models.ForeignKey(Project, models.PROTECT, related_name="+")
    problem = models.TextField()
    steps = ArrayField(models.TextField())
    expected = ArrayField(models.FloatField(), null=True, help_text="Per step what the model's card says.")
    scores = ArrayField(Real(), null=True)
    score = models.FloatField(null=True, help_text="Log of the trace's score.")
    reason = models.CharField(max_length=300, blank=True, help_text="Why it gave no number.")


class ScoreImport(Job):
    """The import of one file of scores made elsewhere, all of one step scorer, which it creates or extends."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="score_imports")
    file_name = models.CharField(max_length=255)
    path = models.CharField(max_length=500, help_text="Relative to the data directory.")
    name = models.CharField(max_length=100, help_text="The step scorer's.")
    fingerprint = models.CharField(max_length=64, blank=True, help_text="Empty until the first row says it.")
    scale = models.CharField(max_length=12, blank=True, help_text="probability or log_ratio; empty: as rows say.")
    aggregation = models.CharField(max_length=10)
    learned_from = models.CharField(max_length=300, blank=True)
    scorer = models.ForeignKey(StepScorer, models.PROTECT, null=True, related_name="+")
    dry_run = models.BooleanField(default=False)
    skip_faulty = models.BooleanField(default=False)
    bytes_total = models.BigIntegerField(default=0)
    bytes_done = models.BigIntegerField(default=0)
    rows_done = models.BigIntegerField(default=0)
    report = models.JSONField(default=dict)
