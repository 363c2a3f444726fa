"""Words of steps stand in a table of their own, written by a worker; triggers note which traces wait for theirs.

The words of every trace that is written, by whatever version, wait in the same transaction. That a row waits already
is no reason to leave it alone: touched, it is locked, so that the worker does not take it for what it was before.
"""

import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
from django.db import migrations, models

TOGETHER = """
ALTER TABLE labeling_tracewords ADD CONSTRAINT words_of_a_trace
    FOREIGN KEY (trace_id) REFERENCES labeling_trace (id) ON DELETE CASCADE;

CREATE FUNCTION labeling_note_new_steps() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO labeling_tracewithoutwords (trace_id, project_id) SELECT id, project_id FROM inserted
    ON CONFLICT (trace_id) DO UPDATE SET project_id = excluded.project_id;
    RETURN NULL;
END;
$$;
CREATE TRIGGER note_new_steps AFTER INSERT ON labeling_trace REFERENCING NEW TABLE AS inserted
    FOR EACH STATEMENT EXECUTE FUNCTION labeling_note_new_steps();

CREATE FUNCTION labeling_note_changed_steps() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO labeling_tracewithoutwords (trace_id, project_id) VALUES (NEW.id, NEW.project_id)
    ON CONFLICT (trace_id) DO UPDATE SET project_id = excluded.project_id;
    RETURN NULL;
END;
$$;
CREATE TRIGGER note_changed_steps AFTER UPDATE OF steps ON labeling_trace FOR EACH ROW
    WHEN (OLD.steps IS DISTINCT FROM NEW.steps) EXECUTE FUNCTION labeling_note_changed_steps();
"""
APART = """
DROP TRIGGER note_changed_steps ON labeling_trace;
DROP FUNCTION labeling_note_changed_steps();
DROP TRIGGER note_new_steps ON labeling_trace;
DROP FUNCTION labeling_note_new_steps();
ALTER TABLE labeling_tracewords DROP CONSTRAINT words_of_a_trace;
"""
TRACE = {
    "db_constraint": False,
    "on_delete": django.db.models.deletion.CASCADE,
    "primary_key": True,
    "related_name": "+",
    "serialize": False,
    "to": "labeling.trace",
}
PROJECT = {
    "db_constraint": False,
    "db_index": False,
    "on_delete": django.db.models.deletion.CASCADE,
    "related_name": "+",
    "to": "labeling.project",
}


class Migration(migrations.Migration):
    dependencies = [
        ("labeling", "0105_what_a_training_does"),
    ]

    operations = [
        migrations.CreateModel(
            name="TraceWords",
            fields=[
                ("trace", models.OneToOneField(**TRACE)),
                ("words", django.contrib.postgres.search.SearchVectorField()),
                ("project", models.ForeignKey(**PROJECT)),
            ],
            options={
                "indexes": [
                    django.contrib.postgres.indexes.GinIndex(fields=["words"], name="words_of_traces"),
                    models.Index(fields=["project"], name="words_by_project"),
                ],
            },
        ),
        migrations.CreateModel(
            name="TraceWithoutWords",
            fields=[
                ("trace", models.OneToOneField(**TRACE)),
                ("project", models.ForeignKey(**PROJECT)),
            ],
            options={
                "indexes": [models.Index(fields=["project"], name="without_words_by_project")],
            },
        ),
        migrations.RunSQL(TOGETHER, APART),
    ]
