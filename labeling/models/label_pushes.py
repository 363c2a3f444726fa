"""Labels of agents' runs to be sent to the service that recorded the runs, and what it already has of them."""

from django.db import models

from labeling.models.jobs import Export, Job
from labeling.models.people import Project


class LabelPush(Job):
    """The scores of an export, to be sent to a service that the operator named (the setting LABEL_TARGETS)."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="label_pushes", db_index=False)
    export = models.ForeignKey(Export, models.PROTECT, related_name="pushes")
    target = models.CharField(max_length=100, help_text="The service's name in the setting.")
    scores_sent = models.BigIntegerField(default=0, help_text="Of this push; those that the service had are not sent.")
    scores_total = models.BigIntegerField(default=0)


class SentScore(models.Model):
    """A score that a service has accepted: it is sent again only when its content has changed."""

    project = models.ForeignKey(Project, models.PROTECT, related_name="+", db_index=False)
    target = models.CharField(max_length=100)
    score = models.UUIDField(help_text="The score's id (labeling.formats.exports.home.said).")
    digest = models.BinaryField(max_length=16, help_text="Of what was sent.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "target", "score"], name="one_sent_score_a_target"),
        ]
