"""Words of steps, letters of problems, and counts of traces by kind come from indexes, which are made while people work.

The extension pg_trgm is trusted: whoever owns the database may make it. Where that is not so, a superuser makes it first.
"""

import django.contrib.postgres.indexes
from django.contrib.postgres.operations import AddIndexConcurrently, TrigramExtension
from django.db import migrations, models
from django.db.models import Q

import labeling.models.problems

# A vector holds a megabyte; of longer traces, agents' runs, the first 200,000 characters are searched.
MAKE = """
    CREATE OR REPLACE FUNCTION labeling_step_words(steps text[]) RETURNS tsvector
    LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
    AS $$ SELECT to_tsvector('pg_catalog.english', left(array_to_string(steps, E'\\n'), 200000)) $$
"""
DROP = "DROP FUNCTION labeling_step_words(text[])"


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("labeling", "0093_project_moves"),
    ]

    operations = [
        TrigramExtension(),
        migrations.RunSQL(MAKE, DROP),
        AddIndexConcurrently(
            model_name="problem",
            index=django.contrib.postgres.indexes.GinIndex(
                fields=["text"], name="problem_by_letters", opclasses=["gin_trgm_ops"]
            ),
        ),
        AddIndexConcurrently(
            model_name="trace",
            index=django.contrib.postgres.indexes.GinIndex(
                labeling.models.problems.StepWords("steps"), name="trace_by_words"
            ),
        ),
        AddIndexConcurrently(
            model_name="trace",
            index=models.Index("project", labeling.models.problems.StepCount("steps"), "id", name="trace_by_length"),
        ),
        AddIndexConcurrently(
            model_name="trace",
            index=models.Index(
                condition=Q(steps__len__gte=1),
                fields=["project", "problem", "outcome", "generator", "source"],
                name="trace_by_kind",
            ),
        ),
    ]
