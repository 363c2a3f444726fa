"""All problems wait for their letters, while people work; the index over the problems themselves goes.

Until a worker has been through, a search reads the texts of those that wait, as the version before does of all.
"""

from django.contrib.postgres.operations import RemoveIndexConcurrently
from django.db import migrations

BATCH = 20_000  # ids
LAST = "SELECT coalesce(max(id), 0) FROM labeling_problem"
# What waits twice after this was killed is written once: the worker passes over what has its letters.
WAIT = """
    INSERT INTO labeling_problemswithoutletters (project_id, lowest, highest)
    SELECT project_id, min(id), max(id) FROM labeling_problem WHERE id > %s AND id <= %s GROUP BY project_id
"""


def let_all_wait(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        last = cursor.execute(LAST).fetchone()[0]
        for after in range(0, last, BATCH):
            cursor.execute(WAIT, [after, min(after + BATCH, last)])


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("labeling", "0108_problem_letters"),
    ]

    operations = [
        migrations.RunPython(let_all_wait, migrations.RunPython.noop, elidable=True),
        RemoveIndexConcurrently(model_name="problem", name="problem_by_letters"),
    ]
