"""The time of the versions that a label superseded, for those that are there.

One statement, which changes revisions alone: nobody waits for it but who revises one of them again.
"""

from django.db import migrations

# Of all versions that a label superseded, one after another.
FILL = """
    WITH RECURSIVE version (label, before, ms) AS (
        SELECT label.id, earlier.supersedes_id, earlier.active_ms
        FROM labeling_label AS label JOIN labeling_label AS earlier ON earlier.id = label.supersedes_id
        UNION ALL
        SELECT version.label, earlier.supersedes_id, earlier.active_ms
        FROM version JOIN labeling_label AS earlier ON earlier.id = version.before
    )
    UPDATE labeling_label SET earlier_ms = found.ms
    FROM (SELECT label, sum(ms) AS ms FROM version GROUP BY label HAVING sum(ms) > 0) AS found
    WHERE labeling_label.id = found.label
"""


class Migration(migrations.Migration):
    dependencies = [
        ("labeling", "0113_time_of_earlier_versions"),
    ]

    operations = [migrations.RunSQL(FILL, migrations.RunSQL.noop, elidable=True)]
