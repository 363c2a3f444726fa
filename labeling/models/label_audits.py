"""Label audits: labels that a PRM finds unlikely, plus a random control, reviewed again by people who see neither."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone

from labeling.configs import LabelAuditConfig
from labeling.models.labels import Label
from labeling.models.people import Project, User
from labeling.models.step_scorers import StepScorer


class LabelAudit(models.Model):
    """Some of a project's labels, to be reviewed blind. Until it is over, nobody is shown which arm a label is in."""

    class Status(models.TextChoices):
        OPEN = "open"
        FINISHED = "finished"
        CANCELLED = "cancelled", "no review of it changed anything"
        UNDONE = "undone", "its rulings were withdrawn"

    project = models.ForeignKey(Project, models.PROTECT, related_name="label_audits", db_index=False)
    scorer = models.ForeignKey(StepScorer, models.PROTECT, related_name="+", db_index=False)
    status = models.CharField(max_length=9, choices=Status.choices, default=Status.OPEN)
    seed = models.BigIntegerField(help_text="Of the control arm and of the order.")
    asked = models.JSONField(default=dict, help_text="How many labels, the control's share, the round.")
    counts = models.JSONField(default=dict, help_text="What it was chosen from: queries.label_audits.count_labels.")
    report = models.JSONField(default=dict, help_text="labeling.queries.label_audit_report, frozen at the end.")
    created_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    ended_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    ended_at = models.DateTimeField(null=True)
    undone_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    undone_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["project", "-id"], name="label_audit_by_project")]

    @property
    def config(self) -> LabelAuditConfig:
        """What was requested, read from `asked`. Raises ConfigFault."""
        return LabelAuditConfig.from_json(self.asked)


class LabelAuditItem(models.Model):
    """One label to review, and its reviewer's verdict on the trace. `position`: its place in the shuffled order."""

    class Arm(models.TextChoices):
        MODEL = "model", "a PRM finds it unlikely"
        CONTROL = "control", "drawn at random"

    label_audit = models.ForeignKey(LabelAudit, models.CASCADE, related_name="items", db_index=False)
    label = models.ForeignKey(Label, models.PROTECT, related_name="label_audit_items")
    arm = models.CharField(max_length=7, choices=Arm.choices)
    position = models.PositiveSmallIntegerField()
    surprisal = models.FloatField(help_text="In nats, labeling.quality.surprisal.")
    least_likely_step = models.PositiveIntegerField()
    held_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+", db_index=False)
    held_until = models.DateTimeField(null=True, help_text="Until then nobody else is shown it.")
    reviewer = models.ForeignKey(User, models.PROTECT, null=True, related_name="+", db_index=False)
    reviewed_at = models.DateTimeField(null=True)
    ratings = ArrayField(models.SmallIntegerField(null=True), null=True)
    finish_reason = models.CharField(max_length=12, choices=Label.FinishReason.choices, blank=True)
    verdict = models.IntegerField(null=True, help_text="Of the review, as a label's: a step, -1 = no error.")
    finish_detail = models.JSONField(default=dict)
    mistake = models.JSONField(null=True)
    note = models.TextField(blank=True)
    ruling = models.ForeignKey(Label, models.PROTECT, null=True, related_name="+", db_index=False)
    before = models.JSONField(
        default=dict,
        help_text="What the ruling changed, of versions up to 0.2.0; now it stands in Label.before_ruling.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["label_audit", "label"], name="one_item_a_label_audit_and_label"),
            models.UniqueConstraint(fields=["label_audit", "position"], name="one_item_a_label_audit_and_position"),
            models.CheckConstraint(
                condition=Q(reviewed_at=None, reviewer=None, ratings=None)
                | (Q(reviewed_at__isnull=False, reviewer__isnull=False, ratings__isnull=False) & ~Q(finish_reason="")),
                name="reviewed_item_says_who_and_what",
            ),
            models.CheckConstraint(
                condition=Q(ruling=None) | Q(reviewed_at__isnull=False), name="only_a_reviewed_item_rules"
            ),
        ]
