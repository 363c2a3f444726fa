"""Runs of machine label sources, the texts behind their marks, and marks that were accepted in bulk."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone

from labeling.models.jobs import Job
from labeling.models.people import Project, User
from labeling.models.problems import Trace
from labeling.models.rounds import Round
from labeling.models.step_scorers import StepScorer


class SourceRun(models.Model):
    """One source applied to the traces that match a filter. Its chunks are separate jobs, so that workers share it.

    Its results are rows of Score: one per trace and source, never made twice.
    """

    class Status(models.TextChoices):
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"
        CANCELLED = "cancelled"
        OVER_BUDGET = "over_budget"  # stopped when the budget was used up; a person may raise it

    project = models.ForeignKey(Project, models.PROTECT, related_name="source_runs")
    scorer = models.ForeignKey(StepScorer, models.PROTECT, related_name="runs")
    filter = models.JSONField(default=dict, help_text="configs.TraceFilter.")
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.RUNNING)
    error = models.TextField(blank=True)
    token_budget = models.BigIntegerField(null=True, help_text="Null: none.")
    money_budget = models.FloatField(null=True, help_text="Null: none.")
    traces_total = models.PositiveIntegerField(default=0)
    traces_done = models.PositiveIntegerField(default=0)
    calls = models.PositiveBigIntegerField(default=0)
    tokens_in = models.PositiveBigIntegerField(default=0)
    tokens_out = models.PositiveBigIntegerField(default=0)
    estimated = models.BooleanField(default=False, help_text="The server counted no tokens: they are of text lengths.")
    created_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["project", "-id"], name="source_run_by_project")]


class SourceChunk(Job):
    """Traces of a run, held by one worker at a time. No trace is in unfinished chunks of two runs of a source."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="+")
    run = models.ForeignKey(SourceRun, models.CASCADE, related_name="chunks")
    traces = ArrayField(models.BigIntegerField(), default=list, help_text="Ids, ascending.")


class SourceText(models.Model):
    """What was written for a trace: rollouts, or a judge's answers. Deflated JSON; pruned when no longer wanted."""

    pk = models.CompositePrimaryKey("scorer_id", "trace_id")
    scorer = models.ForeignKey(StepScorer, models.CASCADE, related_name="+", db_index=False)
    trace = models.ForeignKey(Trace, models.CASCADE, related_name="+")
    packed = models.BinaryField()
    texts = models.PositiveIntegerField()


class Acceptance(models.Model):
    """A source's marks taken as labels in bulk, because it passed a bar on a random sample that people labeled.

    They are rows of AcceptedMark, never of Label: no figure, export or training includes them unless it names them.
    """

    project = models.ForeignKey(Project, models.PROTECT, related_name="+", db_index=False)
    scorer = models.ForeignKey(StepScorer, models.PROTECT, related_name="+", db_index=False)
    audit = models.ForeignKey(Round, models.PROTECT, related_name="+", db_index=False)
    bar = models.FloatField(help_text="Named when the audit was opened; the interval's lower end is above it.")
    sample = models.JSONField(help_text="The agreement on the audit's sample: value, low, high, n, clusters.")
    filter = models.JSONField(default=dict, help_text="configs.TraceFilter.")
    traces = models.PositiveIntegerField(default=0)
    created_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    withdrawn_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    withdrawn_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(bar__gt=0, bar__lt=1), name="acceptance_bar_is_a_share"),
        ]
        indexes = [models.Index(fields=["project", "-id"], name="acceptance_by_project")]


class AcceptedMark(models.Model):
    """A trace's first error according to an accepted source: a step, -1 = no error. Deleted when the source is
    withdrawn.
    """

    pk = models.CompositePrimaryKey("acceptance_id", "trace_id")
    acceptance = models.ForeignKey(Acceptance, models.CASCADE, related_name="marks", db_index=False)
    trace = models.ForeignKey(Trace, models.CASCADE, related_name="+")
    verdict = models.IntegerField()
