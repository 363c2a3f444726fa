"""Gradings of a project's traces, their grades before and after applying, and the texts of held-out problems."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from labeling.models.jobs import Job
from labeling.models.people import Project, User
from labeling.models.problems import Problem, Trace


class GradingJob(Job):
    """One grading of a project's traces. It changes no trace until someone applies its results."""

    class Scope(models.TextChoices):
        ALL = "all"
        UNGRADED = "ungraded"
        OUTDATED = "outdated", "graded by another version, or by the import"
        PROBLEM = "problem", "the traces of one problem, whose answer was corrected"

    class Stage(models.TextChoices):
        GRADING = "grading"
        APPLYING = "applying"

    project = models.ForeignKey(Project, models.PROTECT, related_name="gradings")
    scope = models.CharField(max_length=10, choices=Scope.choices, default=Scope.ALL)
    problem = models.ForeignKey(Problem, models.PROTECT, null=True, related_name="+", db_index=False)
    stage = models.CharField(max_length=10, choices=Stage.choices, default=Stage.GRADING)
    answer_kind = models.CharField(max_length=10, help_text="The project's settings when the grading was asked for.")
    answer_tolerance = models.FloatField(default=0)
    grader_version = models.CharField(max_length=40)
    traces_total = models.BigIntegerField(default=0)
    traces_done = models.BigIntegerField(default=0)
    last_trace_id = models.BigIntegerField(default=0, help_text="How far the stage has come, by trace id.")
    changed = models.BigIntegerField(default=0, help_text="Traces whose outcome was changed by applying.")
    skipped = models.BigIntegerField(default=0, help_text="Traces that somebody else changed since they were graded.")
    left_out = models.PositiveIntegerField(default=0, db_default=0, help_text="Differences that applying is to skip.")
    counts = models.JSONField(default=dict, help_text="What was found so far: labeling.actions.gradings.count_grades.")
    applied_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    applied_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project"], condition=Q(status__in=["queued", "running"]), name="one_grading_at_a_time"
            ),
        ]


class TraceGrade(models.Model):
    """What a grading found for one trace, and the trace's previous outcome."""

    job = models.ForeignKey(GradingJob, models.CASCADE, related_name="grades", db_index=False)
    trace = models.ForeignKey(Trace, models.CASCADE, related_name="grades")
    outcome = models.CharField(max_length=10, choices=Trace.Outcome.choices)
    outcome_before = models.CharField(max_length=10, choices=Trace.Outcome.choices)
    version_before = models.CharField(max_length=40, blank=True)
    reason = models.CharField(max_length=40)
    rule = models.CharField(max_length=20, blank=True)
    answer = models.TextField(blank=True, help_text="The final answer that was found, up to 500 characters.")
    left_out = models.BooleanField(default=False, db_default=False, help_text="A person wants its trace left as it is.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["job", "trace"], name="one_grade_a_trace_and_job"),
        ]
        indexes = [
            models.Index(
                fields=["job", "trace"], condition=~Q(outcome=models.F("outcome_before")), name="grade_differences"
            ),
        ]


class HeldOutText(models.Model):
    """The hash of a benchmark problem's text, which must never be in a train split. `project` null: in any project."""

    project = models.ForeignKey(Project, models.CASCADE, null=True, related_name="held_out_texts", db_index=False)
    name = models.CharField(max_length=100, help_text="The benchmark, as people call it.")
    text_hash = models.BinaryField(
        max_length=32, help_text="SHA-256 of the normalised text (labeling.formats.normalise)."
    )
    text = models.TextField(
        blank=True, db_default="", help_text="Empty where only the hash is known: then nothing can be near to it."
    )
    created_at = models.DateTimeField(default=timezone.now, db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["text_hash", "name", "project"], nulls_distinct=False, name="one_held_out_text_a_list"
            ),
        ]
