"""Pictures shown by steps of agents' runs, each stored once per project."""

from django.db import models

from labeling.models.people import Project


class StepImage(models.Model):
    """A picture from an import, unchanged; typed steps name it by its hash (labeling.formats.images)."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="+", db_index=False)
    sha256 = models.BinaryField(max_length=32)
    content_type = models.CharField(max_length=20)
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "sha256"], name="one_step_image_a_hash")]
