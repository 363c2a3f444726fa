"""The verdicts of what was labeled and reviewed before there was a column for them.

In batches, each committed for itself: no row stays locked for longer than its batch takes, and a migration that was
stopped goes on where it was. The rule is that of `labeling.protocol` on the day of the migration.
"""

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models
from django.db.models import Q

BATCH = 20_000  # ids

LABELS = """
    UPDATE labeling_label AS label SET verdict = CASE label.finish_reason WHEN 'solution' THEN -1 ELSE (
        SELECT min(step.step_index) FROM labeling_steplabel AS step
        WHERE step.label_id = label.id AND step.completion_id IS NULL AND step.rating = -1) END
    WHERE label.id BETWEEN %(first)s AND %(last)s AND label.finish_reason IN ('solution', 'found_error')
        AND label.verdict IS NULL
"""
REVIEWS = """
    UPDATE labeling_triageitem AS item
    SET verdict = CASE item.finish_reason WHEN 'solution' THEN -1 ELSE array_position(item.ratings, -1::smallint) - 1 END
    WHERE item.finish_reason IN ('solution', 'found_error') AND item.verdict IS NULL
"""


FITS = models.CheckConstraint(
    condition=Q(finish_reason="solution", verdict__isnull=False, verdict=-1)
    | Q(finish_reason="found_error", verdict__isnull=False, verdict__gte=0)
    | (Q(finish_reason="found_error", verdict=None, submission__isnull=True) & ~Q(status="ruling"))
    | (~Q(finish_reason__in=["solution", "found_error"]) & Q(verdict=None)),
    name="verdict_fits_the_finish_reason",
)


def fill(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(min(id), 1), coalesce(max(id), 0) FROM labeling_label")
        lowest, highest = cursor.fetchone()
        for first in range(lowest, highest + 1, BATCH):
            cursor.execute(LABELS, {"first": first, "last": first + BATCH - 1})
        cursor.execute(REVIEWS)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("labeling", "0025_label_verdict"),
    ]

    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop),
        AddConstraintNotValid(model_name="label", constraint=FITS),  # of what is written from now on
    ]
