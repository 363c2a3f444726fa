"""What waits trace by trace becomes ranges. A migration of its own: who wrote traces before 0110 was in force notes them
the old way until their transaction ends, and the table can go only then.
"""

from django.db import migrations

# Ids in a row are a range. Nobody reads the table any more, so the lock holds up nobody.
TO_RANGES = """
LOCK TABLE labeling_tracewithoutwords IN ACCESS EXCLUSIVE MODE;
INSERT INTO labeling_traceswithoutwords (project_id, lowest, highest)
SELECT project_id, min(trace_id), max(trace_id) FROM (
    SELECT project_id, trace_id, trace_id - row_number() OVER (PARTITION BY project_id ORDER BY trace_id) AS run
    FROM labeling_tracewithoutwords) AS waiting
GROUP BY project_id, run;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("labeling", "0110_words_wait_in_ranges"),
    ]

    operations = [
        migrations.RunSQL(TO_RANGES, migrations.RunSQL.noop),
        migrations.DeleteModel("TraceWithoutWords"),
    ]
