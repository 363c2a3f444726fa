"""How many steps a label rates itself is stored with it: lists and figures of 100,000 labels counted seven rows of each.

Filled in batches while people work. A label without the number is read from its step labels, so that what an older
process submits meanwhile says the same.
"""

from django.db import migrations, models

BATCH = 5_000  # labels, for whose rows a submission waits
FINISHED = "('submitted', 'superseded', 'ruling')"
END = "SELECT max(id) FROM (SELECT id FROM labeling_label WHERE id > %s ORDER BY id LIMIT %s) AS batch"
FILL = f"""
    UPDATE labeling_label AS label SET rated_steps = (
        SELECT count(*) FROM labeling_steplabel AS own WHERE own.label_id = label.id
        AND own.completion_id IS NULL AND own.rating IS NOT NULL AND own.source <> 'carried')
    WHERE id > %s AND id <= %s AND rated_steps IS NULL AND status IN {FINISHED}
"""


def fill(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        after = 0
        while end := cursor.execute(END, [after, BATCH]).fetchone()[0]:
            cursor.execute(FILL, [after, end])
            after = end


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("labeling", "0095_provider_sessions"),
    ]

    operations = [
        migrations.AddField(
            model_name="label",
            name="rated_steps",
            field=models.IntegerField(
                help_text="How many steps it rates itself: not carried over, no alternatives. Null: its step labels tell (labeling.queries.haste.STEPS_OF).",
                null=True,
            ),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
    ]
