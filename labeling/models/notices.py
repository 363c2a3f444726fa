"""Messages to people and other systems: notices in the app, webhooks, and the outbox of messages not yet sent."""

import uuid

from django.db import models
from django.db.models import Q
from django.utils import timezone

from labeling.models.people import Invitation, Project, User, new_export_salt


class NoticeKind(models.TextChoices):
    """The kinds of notices."""

    PAUSED = "paused"
    QUEUE_STALLED = "queue_stalled"
    GOLD_SHORT = "gold_short"
    ROUND_FINISHED = "round_finished"
    EXPORT_READY = "export_ready"
    NO_WORKER = "no_worker"
    HASTY_LABELS = "hasty_labels"
    SCREENING = "screening"
    INVITED = "invited"
    DIGEST = "digest"


# The kinds that projects are notified of, too: whom an invitation reached is private to that person.
PROJECT_KINDS = [kind.value for kind in NoticeKind if kind != NoticeKind.INVITED]


class Notice(models.Model):
    """One notification of one person. `event` is the same for everyone who is notified of it."""

    project = models.ForeignKey(Project, models.CASCADE, null=True, related_name="notices", db_index=False)
    person = models.ForeignKey(User, models.CASCADE, related_name="notices", db_index=False)
    kind = models.CharField(max_length=20, choices=NoticeKind.choices)
    event = models.CharField(max_length=120, help_text="Which happening it is about: nobody is told of one twice.")
    title = models.CharField(max_length=200)
    text = models.TextField()
    path = models.CharField(max_length=200, blank=True, help_text="The page that is about it.")
    created_at = models.DateTimeField(default=timezone.now)
    read_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["person", "event"], name="one_notice_an_event_and_person"),
        ]
        indexes = [
            models.Index(fields=["person", "-id"], name="notice_by_person"),
            models.Index(fields=["person"], condition=Q(read_at__isnull=True), name="notice_unread"),
        ]


class Webhook(models.Model):
    """An address of another system that a project notifies. Its secret is derived, not stored."""

    class Format(models.TextChoices):
        STANDARD = "standard", "All that is said, signed as Standard Webhooks have it"
        SLACK = "slack", "A text, as Slack's incoming webhooks take it"

    project = models.ForeignKey(Project, models.CASCADE, related_name="webhooks")
    url = models.URLField(max_length=500)
    format = models.CharField(
        max_length=10, choices=Format.choices, default=Format.STANDARD, db_default=Format.STANDARD
    )
    kinds = models.JSONField(default=list, help_text="Which kinds of notices it is sent.")
    salt = models.CharField(max_length=64, default=new_export_salt, editable=False)
    is_active = models.BooleanField(default=True)
    created_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)


class Delivery(models.Model):
    """One outgoing message: by mail to a person or an invited address, or to a webhook.

    It may arrive twice, with the same `number`.
    """

    class Status(models.TextChoices):
        WAITING = "waiting"
        DELIVERED = "delivered"
        FAILED = "failed"

    number = models.UUIDField(default=uuid.uuid4, unique=True)
    project = models.ForeignKey(Project, models.CASCADE, null=True, related_name="deliveries", db_index=False)
    webhook = models.ForeignKey(Webhook, models.CASCADE, null=True, related_name="deliveries", db_index=False)
    person = models.ForeignKey(User, models.CASCADE, null=True, related_name="+", db_index=False)
    invitation = models.ForeignKey(Invitation, models.CASCADE, null=True, related_name="+", db_index=False)
    kind = models.CharField(max_length=20)
    event = models.CharField(max_length=120)
    message = models.JSONField()
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField(default=timezone.now, help_text="Not before; while it is being sent, its lease.")
    last_error = models.TextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    delivered_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["webhook", "event"],
                condition=Q(webhook__isnull=False),
                name="one_delivery_an_event_and_webhook",
            ),
            models.UniqueConstraint(
                fields=["person", "event"], condition=Q(person__isnull=False), name="one_delivery_an_event_and_person"
            ),
            models.CheckConstraint(
                condition=Q(webhook__isnull=False, person__isnull=True, invitation__isnull=True)
                | Q(webhook__isnull=True, person__isnull=False, invitation__isnull=True)
                | Q(webhook__isnull=True, person__isnull=True, invitation__isnull=False),
                name="delivery_goes_to_one",
            ),
        ]
        indexes = [
            models.Index(fields=["next_at"], condition=Q(status="waiting"), name="delivery_due"),
            models.Index(fields=["project", "-id"], name="delivery_by_project"),
        ]
