"""Texts of problems stand in a table once more, with the index over their letters, written by a worker; triggers note
which problems wait for that, whatever version writes them.
"""

import django.contrib.postgres.indexes
import django.db.models.deletion
from django.db import migrations, models

TOGETHER = """
ALTER TABLE labeling_problemletters ADD CONSTRAINT letters_of_a_problem
    FOREIGN KEY (problem_id) REFERENCES labeling_problem (id) ON DELETE CASCADE;

CREATE FUNCTION labeling_note_new_problems() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO labeling_problemswithoutletters (project_id, lowest, highest)
    SELECT project_id, min(id), max(id) FROM inserted GROUP BY project_id;
    RETURN NULL;
END;
$$;
CREATE TRIGGER note_new_problems AFTER INSERT ON labeling_problem REFERENCING NEW TABLE AS inserted
    FOR EACH STATEMENT EXECUTE FUNCTION labeling_note_new_problems();

CREATE FUNCTION labeling_note_changed_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM labeling_problemletters WHERE problem_id = NEW.id;
    INSERT INTO labeling_problemswithoutletters (project_id, lowest, highest) VALUES (NEW.project_id, NEW.id, NEW.id);
    RETURN NULL;
END;
$$;
CREATE TRIGGER note_changed_text AFTER UPDATE OF text ON labeling_problem FOR EACH ROW
    WHEN (OLD.text IS DISTINCT FROM NEW.text) EXECUTE FUNCTION labeling_note_changed_text();
"""
APART = """
DROP TRIGGER note_changed_text ON labeling_problem;
DROP FUNCTION labeling_note_changed_text();
DROP TRIGGER note_new_problems ON labeling_problem;
DROP FUNCTION labeling_note_new_problems();
ALTER TABLE labeling_problemletters DROP CONSTRAINT letters_of_a_problem;
"""
PROBLEM = {
    "db_constraint": False,
    "on_delete": django.db.models.deletion.CASCADE,
    "primary_key": True,
    "related_name": "+",
    "serialize": False,
    "to": "labeling.problem",
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
        ("labeling", "0107_words_by_workers"),
    ]

    operations = [
        migrations.CreateModel(
            name="ProblemLetters",
            fields=[
                ("problem", models.OneToOneField(**PROBLEM)),
                ("text", models.TextField()),
                ("project", models.ForeignKey(**PROJECT)),
            ],
            options={
                "indexes": [
                    django.contrib.postgres.indexes.GinIndex(
                        fields=["text"], name="letters_of_problems", opclasses=["gin_trgm_ops"]
                    ),
                    models.Index(fields=["project"], name="letters_by_project"),
                ],
            },
        ),
        migrations.CreateModel(
            name="ProblemsWithoutLetters",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("lowest", models.BigIntegerField()),
                ("highest", models.BigIntegerField()),
                ("project", models.ForeignKey(**PROJECT)),
            ],
            options={
                "indexes": [models.Index(fields=["project"], name="without_letters_by_project")],
            },
        ),
        migrations.RunSQL(TOGETHER, APART),
    ]
