"""How unsure a scorer is of a trace stands with its score, so that a round can choose by it from an index.

Scores of before have no entropy; the first round that asks for it fills it in (labeling.queries.unsure_scores), a few
thousand at a time. How far heads were apart is known of new scores alone.
"""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import Q

import labeling.models.step_scorers


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("labeling", "0098_next_rounds"),
    ]

    operations = [
        migrations.AddField(
            model_name="score",
            name="entropy",
            field=labeling.models.step_scorers.Real(
                help_text="Mean entropy of its steps, in bits. Null: no probabilities, or not filled in yet"
                " (labeling.queries.unsure_scores).",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="score",
            name="spread",
            field=labeling.models.step_scorers.Real(
                help_text="How far heads of problems drawn anew are apart, mean over its steps. Null: no such heads.",
                null=True,
            ),
        ),
        AddIndexConcurrently(
            model_name="score",
            index=models.Index(
                condition=Q(score__isnull=False),
                fields=["scorer", "project", "-entropy"],
                include=["trace", "problem"],
                name="score_by_entropy",
            ),
        ),
        AddIndexConcurrently(
            model_name="score",
            index=models.Index(
                condition=Q(spread__isnull=False),
                fields=["scorer", "project", "-spread"],
                include=["trace", "problem"],
                name="score_by_spread",
            ),
        ),
    ]
