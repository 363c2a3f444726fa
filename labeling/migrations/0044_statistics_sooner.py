"""Statistics of the tables that grow are renewed when a hundredth of them is new, not a tenth.

A new project of an old instance is a small part of each table. Until its rows are a tenth, Postgres planned as if there
were none: what a training would learn from was counted by comparing each label with each.
"""

from django.db import migrations

TABLES = ("problem", "trace", "task", "label", "steplabel", "score", "tracegrade", "evaluationitem", "heldouttext")
SOONER = "ALTER TABLE labeling_{} SET (autovacuum_analyze_scale_factor = 0.01)"
AS_BEFORE = "ALTER TABLE labeling_{} RESET (autovacuum_analyze_scale_factor)"


class Migration(migrations.Migration):
    dependencies = [("labeling", "0043_round_tallies")]
    operations = [migrations.RunSQL(SOONER.format(table), AS_BEFORE.format(table)) for table in TABLES]
