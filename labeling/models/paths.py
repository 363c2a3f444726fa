"""Paths that labelers choose step by step: the completions offered for a prefix, and the steps of each label's path."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone

from labeling.models.labels import Label
from labeling.models.problems import Problem
from labeling.models.rounds import Round


class StepOffer(models.Model):
    """The completions of one prefix in one round, written by a generator or recorded. Every labeler who reaches the
    prefix is offered the same ones.

    They are stored before any labeler sees them, and the list only grows: after a reload, on another device or after a
    worker was killed, it is the same. A worker leases the row while it asks; if it dies, its open requests are
    repeated.
    """

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"

    round = models.ForeignKey(Round, models.CASCADE, related_name="offers", db_index=False)
    problem = models.ForeignKey(Problem, models.CASCADE, related_name="+", db_index=False)
    prefix_key = models.BinaryField(max_length=32, help_text="SHA-256 of problem and steps (formats.normalise).")
    prefix = ArrayField(models.TextField())
    texts = ArrayField(models.TextField(), default=list, db_default=[], help_text="In the order in which they came.")
    done = ArrayField(
        models.PositiveSmallIntegerField(), default=list, db_default=[], help_text="Numbers of the samples that came."
    )
    dropped = models.JSONField(default=dict, db_default={}, help_text="Samples that gave no completion, by reason.")
    wanted = models.PositiveSmallIntegerField(help_text="Samples to ask for; one while it is only likely to be next.")
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.QUEUED)
    error = models.TextField(blank=True, help_text="Why the last attempt gave nothing.")
    lease_token = models.UUIDField(null=True)
    leased_until = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    asked_at = models.DateTimeField(default=timezone.now, help_text="Since when somebody waits for it.")
    woken_at = models.DateTimeField(default=timezone.now, help_text="When a worker was last told of it.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["round", "problem", "prefix_key"], name="one_offer_a_prefix"),
        ]
        indexes = [
            models.Index(
                fields=["-wanted", "asked_at"], condition=Q(status__in=["queued", "running"]), name="offers_to_ask"
            ),
        ]


class PathStep(models.Model):
    """One step of a label's path, or the step being chosen. A step that was taken back stays, discarded."""

    label = models.ForeignKey(Label, models.CASCADE, related_name="path_steps", db_index=False)
    step = models.PositiveIntegerField(help_text="Its place in the path, starting steps included.")
    offer = models.ForeignKey(StepOffer, models.PROTECT, related_name="+")
    rest = models.BooleanField(default=False, help_text="The first one was not great: the others are shown too.")
    more = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="How often the labeler asked for as many more as a step of the round has."
    )
    shown = models.PositiveSmallIntegerField(default=0, help_text="How many completions of the offer were shown.")
    said = models.JSONField(default=list, help_text="[number, rating, flagged] of each that something was said of.")
    chosen = models.PositiveSmallIntegerField(null=True, help_text="The completion that was drawn.")
    written = models.TextField(null=True, help_text="The labeler's own step, where none was great.")
    draw = models.JSONField(null=True, help_text="The seed, and the completions among which was drawn.")
    key = models.UUIDField(null=True, help_text="Of one press of the button: it counts once.")
    submitted_at = models.DateTimeField(null=True)
    discarded_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["label", "step"], condition=Q(discarded_at=None), name="one_step_of_a_path_at_a_place"
            ),
            models.UniqueConstraint(fields=["label", "key"], condition=~Q(key=None), name="one_step_a_press"),
            models.CheckConstraint(
                condition=Q(submitted_at=None, chosen=None, written=None)
                | Q(submitted_at__isnull=False, chosen__isnull=False, written=None)
                | Q(submitted_at__isnull=False, chosen=None, written__isnull=False),
                name="submitted_step_is_chosen_or_written",
            ),
        ]
        indexes = [models.Index(fields=["label", "id"], name="path_step_history")]

    @property
    def text(self) -> str:
        """The text of the step in the path."""
        return self.offer.texts[self.chosen] if self.written is None and self.chosen is not None else self.written or ""
