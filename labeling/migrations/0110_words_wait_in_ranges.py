"""Which traces wait for their words is noted as ranges of ids, as of problems and letters, and no longer trace by trace.

Nobody has to lock what waits already: a trace whose steps change is noted once more, in a row of its own.
"""

import django.db.models.deletion
from django.db import migrations, models

IN_RANGES = """
CREATE OR REPLACE FUNCTION labeling_note_new_steps() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO labeling_traceswithoutwords (project_id, lowest, highest)
    SELECT project_id, min(id), max(id) FROM inserted GROUP BY project_id;
    RETURN NULL;
END;
$$;
CREATE OR REPLACE FUNCTION labeling_note_changed_steps() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO labeling_traceswithoutwords (project_id, lowest, highest) VALUES (NEW.project_id, NEW.id, NEW.id);
    RETURN NULL;
END;
$$;
"""
ONE_BY_ONE = """
CREATE OR REPLACE FUNCTION labeling_note_new_steps() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO labeling_tracewithoutwords (trace_id, project_id) SELECT id, project_id FROM inserted
    ON CONFLICT (trace_id) DO UPDATE SET project_id = excluded.project_id;
    RETURN NULL;
END;
$$;
CREATE OR REPLACE FUNCTION labeling_note_changed_steps() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO labeling_tracewithoutwords (trace_id, project_id) VALUES (NEW.id, NEW.project_id)
    ON CONFLICT (trace_id) DO UPDATE SET project_id = excluded.project_id;
    RETURN NULL;
END;
$$;
INSERT INTO labeling_tracewithoutwords (trace_id, project_id)
SELECT trace.id, trace.project_id FROM labeling_traceswithoutwords AS waiting JOIN labeling_trace AS trace
    ON trace.project_id = waiting.project_id AND trace.id BETWEEN waiting.lowest AND waiting.highest
ON CONFLICT DO NOTHING;
"""
PROJECT = {
    "db_constraint": False,
    "db_index": False,
    "on_delete": django.db.models.deletion.CASCADE,
    "related_name": "+",
    "to": "labeling.project",
}


class Migration(migrations.Migration):
    dependencies = [
        ("labeling", "0109_letters_by_workers"),
    ]

    operations = [
        migrations.CreateModel(
            name="TracesWithoutWords",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("lowest", models.BigIntegerField()),
                ("highest", models.BigIntegerField()),
                ("project", models.ForeignKey(**PROJECT)),
            ],
            options={
                "indexes": [models.Index(fields=["project"], name="words_missing_by_project")],
            },
        ),
        migrations.RunSQL(IN_RANGES, ONE_BY_ONE),
    ]
