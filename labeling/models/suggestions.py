"""Machine suggestions at a step that may be wrong: explanations of the mistake, and alternative next steps."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from labeling.models.labels import Label
from labeling.models.problems import Trace
from labeling.models.rounds import Round


class Suggestion(models.Model):
    """One text for labelers to rate at their -1. `number` counts from 1 among those of its kind at the step."""

    class Kind(models.TextChoices):
        EXPLANATION = "explanation"
        ALTERNATIVE = "alternative"

    trace = models.ForeignKey(Trace, models.CASCADE, related_name="suggestions", db_index=False)
    step_index = models.PositiveIntegerField()
    kind = models.CharField(max_length=12, choices=Kind.choices)
    number = models.PositiveSmallIntegerField()
    text = models.TextField()
    request = models.ForeignKey(
        "SuggestionRequest", models.CASCADE, null=True, related_name="suggestions", help_text="Null: from a file."
    )
    created_at = models.DateTimeField(default=timezone.now, db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["trace", "step_index", "kind", "number"], name="one_suggestion_a_number"),
        ]


class SuggestionRequest(models.Model):
    """What a generator is to write for one step of a trace, with the settings of the round that asked first.

    Claimed from this table by workers. A step is requested only once per project, unless it failed.
    """

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    trace = models.ForeignKey(Trace, models.CASCADE, related_name="suggestion_requests", db_index=False)
    step_index = models.PositiveIntegerField()
    round = models.ForeignKey(Round, models.PROTECT, related_name="suggestion_requests")
    settings = models.JSONField(help_text="configs.ExplainingConfig: generator, model, prompt, sampling.")
    prompt_version = models.CharField(max_length=40)
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.QUEUED)
    lease_token = models.UUIDField(null=True)
    leased_until = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["trace", "step_index"], name="one_suggestion_request_a_step"),
        ]
        indexes = [
            models.Index(
                fields=["id"], condition=Q(status__in=["queued", "running"]), name="suggestion_requests_to_do"
            ),
        ]


class SuggestionAsk(models.Model):
    """When a label asked for a step's suggestions. If another label asked before, they arrive after the same delay as
    then: a faster answer would show labelers that they are not the first, and so reveal gold.
    """

    label = models.ForeignKey(Label, models.CASCADE, related_name="suggestion_asks", db_index=False)
    request = models.ForeignKey(SuggestionRequest, models.CASCADE, related_name="asks")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["label", "request"], name="one_ask_a_label_and_step")]
