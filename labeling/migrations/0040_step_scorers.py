"""PRMs become step scorers of a kind, and every column that names one is called `scorer`.

Tables and columns are renamed in the catalogue alone: no row is rewritten and no foreign key is checked anew, however
many scores there are. Django's own renaming would drop each foreign key and read the whole table to make it again.
"""

import django.db.models.deletion
from django.db import migrations, models

from labeling.migrations._operations import StateAtOnce

RENAMED = ("score", "scorecount", "round", "evaluation", "promotion", "triage")


def columns(was: str, becomes: str) -> list[str]:
    """One statement a table."""
    return [f"ALTER TABLE labeling_{table} RENAME COLUMN {was} TO {becomes}" for table in RENAMED]


def index(name: str, fields: list[str], include: tuple[str, ...]) -> list[migrations.operations.base.Operation]:
    """The index of that name again, with what its columns are called now."""
    scored = models.Q(("score__isnull", False))
    again = models.Index(condition=scored, fields=["scorer", *fields], include=include, name=name)
    return [migrations.RemoveIndex("score", name), migrations.AddIndex("score", again)]


def key(model: str, second: str) -> migrations.AlterField:
    """The primary key of a table whose first column was renamed."""
    pk = models.CompositePrimaryKey(
        "scorer_id", second, blank=True, editable=False, primary_key=True, serialize=False
    )
    return migrations.AlterField(model, "pk", pk)


class Migration(migrations.Migration):
    dependencies = [("labeling", "0031_gold_results_to_weigh"), ("contenttypes", "0002_remove_content_type_name")]

    operations = [
        StateAtOnce(
            database_operations=[
                migrations.RunSQL(
                    ["ALTER TABLE labeling_prm RENAME TO labeling_stepscorer", *columns("prm_id", "scorer_id")],
                    ["ALTER TABLE labeling_stepscorer RENAME TO labeling_prm", *columns("scorer_id", "prm_id")],
                ),
                migrations.RunSQL(
                    "UPDATE django_content_type SET model = 'stepscorer' WHERE app_label = 'labeling' AND model = 'prm'",
                    "UPDATE django_content_type SET model = 'prm' WHERE app_label = 'labeling' AND model = 'stepscorer'",
                ),
            ],
            state_operations=[
                migrations.RenameModel("Prm", "StepScorer"),
                *(migrations.RenameField(model, "prm", "scorer") for model in RENAMED),
                key("score", "trace_id"),
                key("scorecount", "project_id"),
                *index("score_by_problem", ["problem", "outcome", "-score"], ("trace", "sketch")),
                *index("score_over_project", ["project", "outcome", "-score"], ("trace", "problem")),
                *index("score_by_draw", ["project", "draw"], ("trace", "problem")),
                migrations.AlterField(
                    "stepscorer",
                    "project",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="step_scorers",
                        to="labeling.project",
                    ),
                ),
                migrations.AlterField(
                    "task",
                    "score",
                    models.FloatField(help_text="The trace's score by the round's scorer when it was selected.", null=True),
                ),
                migrations.AlterField(
                    "triage",
                    "counts",
                    models.JSONField(default=dict, help_text="What it was chosen from: queries.label_audits.count_labels."),
                ),
            ],
        ),
        migrations.AddField(
            "stepscorer",
            "kind",
            models.CharField(choices=[("prm", "PRM")], db_default="prm", default="prm", max_length=12),
        ),
        migrations.AddConstraint(
            "stepscorer",
            models.CheckConstraint(
                condition=models.Q(("kind__in", ["prm"])), name="step_scorer_is_of_a_known_kind"
            ),
        ),
        migrations.AddField(
            "score",
            "evidence",
            models.JSONField(
                help_text="What the numbers rest on, where the scorer says; a PRM does not.", null=True
            ),
        ),
    ]
