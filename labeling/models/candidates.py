"""Samples that a round requested from its generator, so that a worker taking over knows which are still missing."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from labeling.models.problems import Problem
from labeling.models.rounds import Round


class ProblemSamples(models.Model):
    """One problem's samples in one round. Written in one transaction with the traces made from them.

    A sample is requested once: it became a trace, or was dropped for a reason that is counted here.
    """

    round = models.ForeignKey(Round, models.CASCADE, related_name="samples", db_index=False)
    problem = models.ForeignKey(Problem, models.CASCADE, related_name="+")
    done = ArrayField(models.PositiveIntegerField(), default=list, help_text="Numbers of the samples that came.")
    kept = models.PositiveIntegerField(default=0, help_text="Samples that became a trace.")
    dropped = models.JSONField(default=dict, help_text="How many were dropped, by reason.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["round", "problem"], name="one_row_of_samples_a_problem"),
        ]
