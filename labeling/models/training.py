"""Training runs, evaluation sets, evaluations, and the choice of the project's selector."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from labeling.configs import TrainerOptions
from labeling.models.jobs import Job
from labeling.models.people import Project, User
from labeling.models.problems import Problem, Trace
from labeling.models.step_scorers import StepScorer


class TrainingRun(Job):
    """The training of one PRM on the labels of some rounds. The labels are frozen when a worker first takes it."""

    class Method(models.TextChoices):
        HEAD = "head"  # a frozen base; only the head is fitted
        STACKED = "stacked"  # likewise; the head reads several layers and what the base predicted
        LORA = "lora"
        FULL = "full"

    class Target(models.TextChoices):
        STEPS = "steps"  # a PRM: people's ratings of steps
        OUTCOME = "outcome"  # an ORM: whether the final answer is right
        PROGRESS = "progress"  # a PRM with a second head on progress as rollouts measured it (PAV)

    class Stage(models.TextChoices):
        WAITING = "waiting"
        READING = "reading"
        TRAINING = "training"
        CHECKING = "checking"
        DONE = "done"

    class Doing(models.TextChoices):
        """What is being done in a stage, and what is counted."""

        ROWS = "rows"  # labels written as rows
        LOADING = "loading"  # the base
        STATES = "states"  # traces that the base reads
        HEADS = "heads"  # fits, the best of which is chosen
        DRAWS = "draws"  # heads fitted on redrawn problems
        LEARNING = "learning"  # traces times epochs
        MEASURING = "measuring"  # traces excluded from learning
        CURVE = "curve"  # heads fitted on fewer labels, and on a round's chosen traces
        SECOND_HEAD = "second_head"  # traces with progress measured by rollouts
        WRITING = "writing"  # the checkpoint

    project = models.ForeignKey(Project, models.PROTECT, related_name="training_runs")
    name = models.CharField(max_length=80, blank=True)
    prm = models.OneToOneField(StepScorer, models.PROTECT, null=True, related_name="training_run")
    base = models.CharField(max_length=100, help_text="A name of TRAINING_BASES.")
    method = models.CharField(max_length=8, choices=Method.choices, default=Method.HEAD)
    target = models.CharField(max_length=8, choices=Target.choices, default=Target.STEPS)
    round_ids = ArrayField(models.BigIntegerField(), help_text="The rounds whose labels are learned.")
    switches = models.JSONField(default=dict, help_text="labeling.formats.training: what becomes of which rating.")
    options = models.JSONField(default=dict, help_text="Of the trainer; empty means its own.")
    sources = models.JSONField(
        default=list, help_text="Machines whose marks are learned beside people's: {id, name, kind, weight}."
    )
    seed = models.BigIntegerField(
        default=0, help_text="Of the split into train and validation problems, and of training."
    )
    stage = models.CharField(max_length=8, choices=Stage.choices, default=Stage.WAITING)
    doing = models.JSONField(
        default=dict,
        db_default={},
        help_text="While a worker has it: {what, done, total, since, per_second}; see labeling.actions.training_log.",
    )
    label_ids = models.BinaryField(
        null=True, help_text="The frozen labels in order: ids as packed little-endian 64-bit, deflated."
    )
    frozen_at = models.DateTimeField(null=True)
    snapshot_id = models.CharField(max_length=64, blank=True)
    labels_total = models.PositiveIntegerField(default=0)
    data = models.JSONField(default=dict, help_text="Of the rows written: counts and SHA-256.")
    points = models.JSONField(default=list, help_text="The curves as they grow: {curve, at, value}.")
    log = models.JSONField(default=list, help_text="The trainer's sentences, oldest first.")
    report = models.JSONField(default=dict, help_text="What came of it, as worker.training gives it.")

    class Meta:
        indexes = [models.Index(fields=["project", "-id"], name="training_run_by_project")]

    @property
    def trainer_options(self) -> TrainerOptions:
        """The settings requested of the trainer, read from `options`. Raises ConfigFault."""
        return TrainerOptions.from_json(self.options)


class EvaluationSet(models.Model):
    """Traces with their true first errors, frozen: two evaluations are comparable only on the same set.

    No run of the project learns from a problem in a set.
    """

    class Source(models.TextChoices):
        LABELS = "labels"  # human labels on problems of the evaluation split
        RECORDED = "recorded"  # what an import recorded for its traces

    project = models.ForeignKey(Project, models.PROTECT, related_name="evaluation_sets")
    name = models.CharField(max_length=100)
    source = models.CharField(max_length=8, choices=Source.choices)
    filter = models.JSONField(default=dict, help_text="What was asked for: rounds, or the source of imported traces.")
    traces = models.PositiveIntegerField()
    problems = models.PositiveIntegerField()
    erroneous = models.PositiveIntegerField(help_text="Traces with a first error.")
    set_hash = models.CharField(max_length=64, help_text="SHA-256 over the traces and what is true of them.")
    grader_versions = ArrayField(models.CharField(max_length=40), help_text="Of the outcomes when it was frozen.")
    created_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="one_evaluation_set_a_name"),
        ]


class EvaluationItem(models.Model):
    """One trace of an evaluation set. `first_error`: a step, -1 for none; `ratings` by step, if any."""

    pk = models.CompositePrimaryKey("evaluation_set_id", "trace_id")
    evaluation_set = models.ForeignKey(EvaluationSet, models.CASCADE, related_name="items", db_index=False)
    trace = models.ForeignKey(Trace, models.PROTECT, related_name="+")
    problem = models.ForeignKey(Problem, models.PROTECT, related_name="+")
    first_error = models.IntegerField()
    ratings = ArrayField(models.SmallIntegerField(null=True), null=True)
    outcome = models.CharField(max_length=10, choices=Trace.Outcome.choices)


class Evaluation(Job):
    """One step scorer evaluated on one set: it scores what has no scores yet, then is measured."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="evaluations")
    scorer = models.ForeignKey(StepScorer, models.PROTECT, related_name="evaluations")
    evaluation_set = models.ForeignKey(EvaluationSet, models.PROTECT, related_name="evaluations")
    threshold = models.FloatField(default=0.5, help_text="A step below it is judged wrong.")
    best_of = models.PositiveSmallIntegerField(
        default=16, help_text="So many graded traces of each problem of the set are scored for best-of-N; 0: none."
    )
    orm = models.ForeignKey(
        StepScorer, models.PROTECT, null=True, related_name="+", help_text="Beside it in best-of-N."
    )
    traces_total = models.PositiveIntegerField(default=0)
    traces_done = models.PositiveIntegerField(default=0)
    set_hash = models.CharField(max_length=64, blank=True, help_text="Of the set when it was measured.")
    grader_versions = ArrayField(models.CharField(max_length=40), default=list)
    report = models.JSONField(default=dict, help_text="labeling.queries.evaluation_report.")

    class Meta:
        indexes = [models.Index(fields=["project", "-id"], name="evaluation_by_project")]


class Promotion(models.Model):
    """A person's choice of the project's selector; the newest row of a project counts. `scorer` null: none."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="promotions")
    scorer = models.ForeignKey(StepScorer, models.PROTECT, null=True, related_name="promotions")
    before = models.ForeignKey(StepScorer, models.PROTECT, null=True, related_name="+")
    by = models.ForeignKey(User, models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    note = models.CharField(max_length=500, blank=True)

    class Meta:
        indexes = [models.Index(fields=["project", "-id"], name="promotion_by_project")]
