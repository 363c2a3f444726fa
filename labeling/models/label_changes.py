"""What researchers do to submitted labels: exclusions, tags and other changes to many at once; and saved views."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from labeling.models.labels import Label
from labeling.models.people import Project, User


class LabelTag(models.Model):
    """A word that researchers put on a label to find it again. Labelers never see it."""

    label = models.ForeignKey(Label, models.CASCADE, related_name="tags", db_index=False)
    tag = models.CharField(max_length=40)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["label", "tag"], name="one_tag_a_label_and_word")]
        indexes = [models.Index(fields=["tag", "label"], name="label_tag_by_word")]


class LabelChange(models.Model):
    """One change made to many labels at once. `label_ids` are the labels it changed, which undoing it restores."""

    class Kind(models.TextChoices):
        EXCLUDE = "exclude", "left out of exports, releases, training and measuring"
        INCLUDE = "include", "no longer left out"
        REVIEW = "review", "their tasks wait for a reviewer"
        RELABEL = "relabel", "their tasks want one more label"
        TAG = "tag", "found by a word from now on"
        UNTAG = "untag", "the word taken off"

    project = models.ForeignKey(Project, models.PROTECT, related_name="label_changes", db_index=False)
    kind = models.CharField(max_length=8, choices=Kind.choices)
    label_ids = ArrayField(models.BigIntegerField())
    tag = models.CharField(max_length=40, blank=True)
    because = models.TextField(blank=True)
    by = models.ForeignKey(User, models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    undone_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    undone_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["project", "-id"], name="label_change_by_project")]


class LabelView(models.Model):
    """Filters of the list of labels that a person saved under a name."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="label_views", db_index=False)
    person = models.ForeignKey(User, models.CASCADE, related_name="label_views")
    name = models.CharField(max_length=60)
    filters = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "person", "name"], name="one_label_view_a_person_and_name")
        ]
