"""What a file says of a run as a whole is kept with its trace; the decisive errors of Who&When are no first errors.

Labels that were made of those stay as they are: what was exported or released rests on them.
"""

import django.contrib.postgres.fields
from django.db import migrations, models

SOURCE = "Who&When"  # as its import format names it, which names nothing but the mistake that lost the run
TRACES = """
    UPDATE labeling_trace
    SET recorded_marks = jsonb_build_object('decisive_error', recorded_first_error), recorded_first_error = NULL
    WHERE source = %s AND typed_steps IS NOT NULL AND recorded_ratings IS NULL AND recorded_first_error >= 0
"""
VERDICTS = """
    UPDATE labeling_recordedverdict AS told
    SET marks = jsonb_build_object('decisive_error', told.first_error), first_error = NULL
    FROM labeling_trace AS trace
    WHERE trace.id = told.trace_id AND told.source = %s AND trace.typed_steps IS NOT NULL AND told.ratings IS NULL
        AND told.first_error >= 0
"""
BACK = """
    UPDATE labeling_trace SET recorded_first_error = (recorded_marks->>'decisive_error')::int
    WHERE source = %s AND recorded_first_error IS NULL AND recorded_ratings IS NULL
"""
VERDICTS_BACK = """
    UPDATE labeling_recordedverdict SET first_error = (marks->>'decisive_error')::int
    WHERE source = %s AND first_error IS NULL AND ratings IS NULL
"""


def _run(*statements):
    def run(apps, schema_editor):
        with schema_editor.connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement, [SOURCE])

    return run


class Migration(migrations.Migration):

    dependencies = [
        ('labeling', '0070_sign_in'),
    ]

    operations = [
        migrations.AddField(
            model_name='recordedverdict',
            name='marks',
            field=models.JSONField(help_text="Of an agent's run as a whole (protocol.run_marks).", null=True),
        ),
        migrations.AddField(
            model_name='trace',
            name='recorded_marks',
            field=models.JSONField(help_text="Of an agent's run: what the import says of it as a whole (protocol.run_marks).", null=True),
        ),
        migrations.AddField(
            model_name='gold',
            name='acceptable_decisive',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), db_default=[], default=list, help_text="Of an agent's run: the decisive errors that are accepted; empty: it is not judged.", size=None),
        ),
        migrations.AddField(
            model_name='goldresult',
            name='decisive',
            field=models.IntegerField(help_text="Of an agent's run: the decisive error that the label names; null: it names none.", null=True),
        ),
        migrations.RunPython(_run(TRACES, VERDICTS), _run(BACK, VERDICTS_BACK)),
    ]
