"""All traces wait for their words, in batches while people work; the index over the traces themselves goes.

Until a worker has been through, the search finds what has its words, and says how many have not. What the version
before searches meanwhile it finds without the index, which takes long.
"""

from django.contrib.postgres.operations import RemoveIndexConcurrently
from django.db import migrations

BATCH = 20_000  # traces
END = "SELECT max(id) FROM (SELECT id FROM labeling_trace WHERE id > %s ORDER BY id LIMIT %s) AS batch"
WAIT = """
    INSERT INTO labeling_tracewithoutwords (trace_id, project_id)
    SELECT id, project_id FROM labeling_trace AS trace WHERE id > %s AND id <= %s
        AND NOT EXISTS (SELECT FROM labeling_tracewords AS words WHERE words.trace_id = trace.id)
    ON CONFLICT DO NOTHING
"""


def let_all_wait(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        after = 0
        while end := cursor.execute(END, [after, BATCH]).fetchone()[0]:
            cursor.execute(WAIT, [after, end])
            after = end


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("labeling", "0106_trace_words"),
    ]

    operations = [
        migrations.RunPython(let_all_wait, migrations.RunPython.noop, elidable=True),
        RemoveIndexConcurrently(model_name="trace", name="trace_by_words"),
    ]
