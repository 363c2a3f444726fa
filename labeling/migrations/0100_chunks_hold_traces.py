"""A chunk of a source's run holds the ids of its traces, not the first and the last: two runs by different filters lie
across each other. What was finished needs none; what was not gets those between that have no mark.
"""

import django.contrib.postgres.fields
from django.db import migrations, models

FILL = """
    UPDATE labeling_sourcechunk AS chunk
    SET traces = ARRAY(
        SELECT trace.id FROM labeling_trace AS trace
        WHERE trace.project_id = chunk.project_id
            AND trace.id BETWEEN chunk.first_trace AND chunk.last_trace
            AND NOT EXISTS (
                SELECT FROM labeling_score AS score
                WHERE score.trace_id = trace.id AND score.scorer_id = run.scorer_id
            )
        ORDER BY trace.id
    )
    FROM labeling_sourcerun AS run
    WHERE run.id = chunk.run_id AND chunk.status <> 'succeeded'
"""
EMPTY = """
    UPDATE labeling_sourcechunk
    SET first_trace = traces[1], last_trace = traces[cardinality(traces)]
    WHERE cardinality(traces) > 0
"""


class Migration(migrations.Migration):
    dependencies = [
        ("labeling", "0099_unsure_scores"),
    ]

    operations = [
        migrations.AddField(
            model_name="sourcechunk",
            name="traces",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.BigIntegerField(), default=list, help_text="Ids, ascending.", size=None
            ),
        ),
        migrations.AlterField("sourcechunk", "first_trace", models.BigIntegerField(default=0)),
        migrations.AlterField("sourcechunk", "last_trace", models.BigIntegerField(default=0)),
        migrations.RunSQL(FILL, EMPTY),
        migrations.RemoveField("sourcechunk", "first_trace"),
        migrations.RemoveField("sourcechunk", "last_trace"),
    ]
