"""Releases: exports published under a name and a version, with a card, and where they were pushed."""

from django.db import models
from django.db.models import Q

from labeling.models.jobs import Export, Job
from labeling.models.people import Project, User


class Release(Job):
    """Exports with a name, a version and a card. A job checks a draft and, once it is released, packs its folder.

    A release never changes. A withdrawn one is kept but no longer handed out, and every later manifest names it.
    """

    class State(models.TextChoices):
        DRAFT = "draft"
        RELEASED = "released"
        WITHDRAWN = "withdrawn"

    project = models.ForeignKey(Project, models.PROTECT, related_name="releases")
    name = models.CharField(max_length=100)
    version = models.PositiveIntegerField(help_text="Counted from 1 in each name.")
    state = models.CharField(max_length=9, choices=State.choices, default=State.DRAFT)
    exports = models.ManyToManyField(Export, related_name="releases")
    supersedes = models.ForeignKey("self", models.PROTECT, null=True, related_name="superseded_by")
    without = models.JSONField(
        default=list, help_text="Labelers whose labels were taken out: {labeler, labels}, by their salted ids."
    )
    answers = models.JSONField(default=dict, help_text="What people said for the card, by the question's name.")
    facts = models.JSONField(default=dict, help_text="What the product knew for the card when the draft was checked.")
    overlaps = models.JSONField(default=dict, help_text="What of it is held out: labeling.queries.release_overlaps.")
    manifest = models.JSONField(default=dict, help_text="MANIFEST.json, once the folder is packed.")
    manifest_sha256 = models.CharField(max_length=64, blank=True)
    words = models.JSONField(
        default=dict,
        db_default={},
        help_text="README.md, LICENSE, croissant.json, MANIFEST.json as they were packed.",
    )
    bytes = models.BigIntegerField(default=0, help_text="Of the packed folder.")
    released_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    released_at = models.DateTimeField(null=True)
    withdrawn_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    withdrawn_at = models.DateTimeField(null=True)
    withdrawn_because = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "name", "version"], name="one_release_a_name_and_version"),
            models.CheckConstraint(
                condition=Q(state="draft", released_at=None)
                | (~Q(state="draft") & Q(released_at__isnull=False, released_by__isnull=False)),
                name="released_release_says_who_and_when",
            ),
            models.CheckConstraint(
                condition=(Q(state="withdrawn", withdrawn_at__isnull=False) & ~Q(withdrawn_because=""))
                | (~Q(state="withdrawn") & Q(withdrawn_at=None)),
                name="withdrawn_release_says_why",
            ),
        ]

    @property
    def title(self) -> str:
        """The name and the version."""
        return f"{self.name} v{self.version}"

    @property
    def is_packed(self) -> bool:
        """Whether its folder is complete."""
        return bool(self.manifest_sha256)


class ReleasePush(Job):
    """A release to be pushed to a place that the operator named (the setting RELEASE_TARGETS)."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="release_pushes")
    release = models.ForeignKey(Release, models.PROTECT, related_name="pushes")
    target = models.CharField(max_length=100, help_text="The place's name in the setting.")
    address = models.CharField(max_length=500, blank=True, help_text="Where it can be seen, once it is there.")
