"""A project being written to a file, or read back from one."""

from django.db import models

from labeling.models.jobs import Job
from labeling.models.people import Project


class ProjectMove(Job):
    """The job of a worker that writes all rows and files of an archived project into one file, or reads them back."""

    class Direction(models.TextChoices):
        OUT = "take_out", "Out to a file"
        BACK = "bring_back", "Back from the file"

    project = models.ForeignKey(Project, models.PROTECT, related_name="moves")
    direction = models.CharField(max_length=10, choices=Direction.choices)
    rows_total = models.BigIntegerField(default=0)
    rows_done = models.BigIntegerField(default=0)
