"""Jobs that workers take from the table (imports and exports), and workers' heartbeats."""

from datetime import timedelta

from django.db import models
from django.utils import timezone

from labeling.models.people import Project, User
from labeling.models.problems import Problem

LEASE = timedelta(seconds=60)  # a worker without a sign of life for this long counts as dead


class Job(models.Model):
    """The common part of imports and exports: who holds the job, until when, and its progress."""

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"
        CANCELLED = "cancelled"

    status = models.CharField(max_length=10, choices=Status.choices, default=Status.QUEUED)
    created_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    lease_token = models.UUIDField(null=True)
    leased_until = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    cancel_requested = models.BooleanField(default=False)
    error = models.TextField(blank=True)

    class Meta:
        abstract = True

    def silent_seconds(self) -> int:
        """While it runs, how long ago its worker gave its last sign of life (it gives one each second); 0 otherwise."""
        if self.status != self.Status.RUNNING or self.leased_until is None:
            return 0
        return max(0, int((timezone.now() - (self.leased_until - LEASE)).total_seconds()))


class ImportJob(Job):
    """The import of one file: problems, traces, and labels if the format has them."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="import_jobs")
    file_name = models.CharField(max_length=255)
    path = models.CharField(max_length=500, help_text="Relative to the data directory.")
    format = models.CharField(max_length=20)
    dry_run = models.BooleanField(default=False)
    skip_faulty = models.BooleanField(default=False)
    as_gold = models.BooleanField(
        default=False, db_default=False, help_text="Each row's trace becomes gold, with the row's first error."
    )
    labels_of = models.CharField(
        max_length=120,
        blank=True,
        db_default="",
        help_text="The imported labeler whose labels recorded verdicts become; empty: they stay beside their traces.",
    )
    split = models.CharField(
        max_length=10,
        blank=True,
        db_default="",
        choices=Problem.Split.choices,
        help_text="Where problems go whose rows do not say; empty: train, and held out where a benchmark is known.",
    )
    marks_of = models.CharField(
        max_length=100,
        blank=True,
        db_default="",
        help_text="The machine source whose marks step labels become; empty: the one that the format names, if any.",
    )
    mapping = models.JSONField(
        default=dict, db_default={}, help_text="Which column is what, where the format is columns of one's own."
    )
    head = models.JSONField(
        default=list, db_default=[], help_text="The first rows, as long as nothing of the file was imported."
    )
    bytes_total = models.BigIntegerField(default=0)
    bytes_done = models.BigIntegerField(default=0)
    rows_done = models.BigIntegerField(default=0)
    report = models.JSONField(default=dict)


class Export(Job):
    """The export of one dataset: a frozen set of labels in an external format."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="exports")
    format = models.CharField(max_length=20)
    config = models.JSONField(default=dict)
    manifest = models.JSONField(default=dict)
    snapshot_id = models.CharField(max_length=64, blank=True)
    path = models.CharField(max_length=500, blank=True, help_text="Relative to the data directory.")
    labels_total = models.BigIntegerField(default=0)
    labels_done = models.BigIntegerField(default=0)
    rows = models.BigIntegerField(default=0)
    bytes = models.BigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)
    label_ids = models.BinaryField(
        null=True, help_text="The frozen labels in order: ids as packed little-endian 64-bit, deflated."
    )
    frozen_at = models.DateTimeField(null=True)
    checkpoint = models.JSONField(
        default=dict, help_text="How much of the file is surely on disk, and the counts up to there."
    )

    class Meta:
        indexes = [models.Index(fields=["project", "-frozen_at"], name="export_by_freezing")]


class WorkerHeartbeat(models.Model):
    """When each worker process was last seen alive."""

    name = models.CharField(max_length=200, primary_key=True)
    queues = models.CharField(max_length=200)
    processes = models.PositiveSmallIntegerField(default=1, help_text="How many tasks it does at once.")
    seen_at = models.DateTimeField()
    models_found = models.JSONField(
        default=list, db_default=[], help_text="The folders under MODELS_DIR that a worker of the queue gpu sees."
    )
