"""A project on its way out to a file, or back."""

from django.db import models

from labeling.models.jobs import Job
from labeling.models.people import Project


class ProjectMove(Job):
    """All rows and files of an archived project into one file, or from it back, by a worker."""

    class Direction(models.TextChoices):
        OUT = "take_out", "Out to a file"
        BACK = "bring_back", "Back from the file"

    project = models.ForeignKey(Project, models.PROTECT, related_name="moves")
    direction = models.CharField(max_length=10, choices=Direction.choices)
    rows_total = models.BigIntegerField(default=0)
    rows_done = models.BigIntegerField(default=0)
