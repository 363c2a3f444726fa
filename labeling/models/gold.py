"""Gold: traces whose acceptable first errors are known, where labelers meet them, and how they answered."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone

from labeling.models.labels import Label
from labeling.models.people import Project, User
from labeling.models.problems import Trace
from labeling.models.rounds import Round, Task


class Gold(models.Model):
    """A trace whose first error is known. `acceptable` holds verdicts: -1 is "no error"."""

    class Source(models.TextChoices):
        ADMIN = "admin"
        ADJUDICATION = "adjudication"
        IMPORT = "import"

    class Status(models.TextChoices):
        ACTIVE = "active"
        RETIRED = "retired"

    project = models.ForeignKey(Project, models.PROTECT, related_name="gold", db_index=False)
    trace = models.OneToOneField(Trace, models.PROTECT, related_name="gold")
    acceptable = ArrayField(models.IntegerField(), help_text="First errors that pass: steps from 0, -1 = no error.")
    acceptable_decisive = ArrayField(
        models.IntegerField(),
        default=list,
        db_default=[],
        help_text="Of an agent's run: the decisive errors that are accepted; empty: it is not judged.",
    )
    explanation = models.TextField(blank=True, help_text="Shown after an answer, where feedback is on.")
    paragraph = models.TextField(blank=True, help_text="The paragraph of the guidelines that it teaches.")
    source = models.CharField(max_length=12, choices=Source.choices)
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.ACTIVE)
    retired_because = models.TextField(blank=True)
    created_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(acceptable__len__gte=1), name="gold_accepts_something"),
        ]
        indexes = [models.Index(fields=["project", "status", "id"], name="gold_by_project")]


class GoldPath(models.Model):
    """In a round whose labelers choose paths: the gold whose steps a gold task offers first, as long as its path
    follows them. The trace of such a task is the labeler's path; the gold's own trace is not changed.
    """

    task = models.OneToOneField(Task, models.CASCADE, related_name="gold_path")
    gold = models.ForeignKey(Gold, models.PROTECT, related_name="paths")


class GoldPlan(models.Model):
    """At which of a labeler's tasks in a round they meet its gold: gold `tasks[i]` is due once `positions[i]` tasks
    were served.

    `positions` ascend. The labeler has passed `next` of them, and was served `served` tasks in all.
    """

    round = models.ForeignKey(Round, models.CASCADE, related_name="gold_plans", db_index=False)
    labeler = models.ForeignKey(User, models.PROTECT, related_name="+", db_index=False)
    positions = ArrayField(models.IntegerField())
    tasks = ArrayField(models.BigIntegerField())
    served = models.IntegerField(default=0)
    next = models.SmallIntegerField(default=0)
    until = models.IntegerField(
        default=0, db_default=0, help_text="The tasks over which the positions are spread; 0: they stay as they are."
    )
    since = models.IntegerField(
        default=0, db_default=0, help_text="How many tasks the round's other labelers had been served when it was made."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["round", "labeler"], name="one_gold_plan_a_round_and_labeler"),
        ]


class GoldResult(models.Model):
    """A label's verdict on a gold task, and whether it passes. It counts while the gold is active."""

    label = models.OneToOneField(Label, models.CASCADE, related_name="gold_result")
    gold = models.ForeignKey(Gold, models.PROTECT, related_name="results")
    project = models.ForeignKey(Project, models.PROTECT, related_name="+", db_index=False)
    labeler = models.ForeignKey(User, models.PROTECT, related_name="+", db_index=False)
    kind = models.CharField(max_length=12, choices=Task.Kind.choices)
    verdict = models.IntegerField(
        null=True, help_text="The first error found, -1 = none; null: gave up, or a path left the gold beyond it."
    )
    decisive = models.IntegerField(
        null=True, help_text="Of an agent's run: the decisive error that the label names; null: it names none."
    )
    passed = models.BooleanField()
    objection = models.TextField(blank=True, db_default="", help_text="Why the labeler holds what is accepted wrong.")
    at = models.DateTimeField()
    weighed_at = models.DateTimeField(
        null=True, help_text="When the labeler's quality was evaluated with it; empty: still to be done."
    )

    class Meta:
        indexes = [
            models.Index(fields=["project", "labeler", "at"], name="gold_result_by_labeler"),
            models.Index(
                fields=["project", "labeler"],
                condition=Q(weighed_at=None, kind="gold"),
                name="gold_result_to_weigh",
            ),
        ]


class ScreeningAttempt(models.Model):
    """One attempt of a new labeler to be admitted: these gold tasks, in this order, and how many must be passed."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="screening_attempts", db_index=False)
    labeler = models.ForeignKey(User, models.PROTECT, related_name="+")
    number = models.PositiveSmallIntegerField()
    tasks = ArrayField(models.BigIntegerField())
    needed = models.PositiveSmallIntegerField()
    feedback = models.BooleanField(help_text="The accepted answer is shown after each task.")
    started_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True)
    passed = models.PositiveSmallIntegerField(null=True, help_text="Tasks passed, once all are done.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "labeler", "number"], name="one_screening_attempt_a_number"),
        ]
