"""Tables and columns under the field's words. Names alone change; JSON that held an old name is written anew."""

import django.db.models.deletion
from django.db import migrations, models

from labeling.migrations._operations import StateAtOnce

OPTIONS = """
    UPDATE labeling_trainingrun
    SET options = options - 'made_wrong_steps' || jsonb_build_object('synthetic_errors', options -> 'made_wrong_steps')
    WHERE options ? 'made_wrong_steps'
"""
BEFORE = """
    UPDATE labeling_labelaudititem
    SET before = before - 'places' || jsonb_build_object('slots', before -> 'places') WHERE before ? 'places'
"""
CONSTRAINTS = """
    ALTER TABLE labeling_labelaudititem RENAME CONSTRAINT one_item_a_triage_and_label TO one_item_a_label_audit_and_label;
    ALTER TABLE labeling_labelaudititem
        RENAME CONSTRAINT one_item_a_triage_and_place TO one_item_a_label_audit_and_position;
"""
OPTIONS_BACK = """
    UPDATE labeling_trainingrun
    SET options = options - 'synthetic_errors' || jsonb_build_object('made_wrong_steps', options -> 'synthetic_errors')
    WHERE options ? 'synthetic_errors'
"""
BEFORE_BACK = """
    UPDATE labeling_labelaudititem
    SET before = before - 'slots' || jsonb_build_object('places', before -> 'slots') WHERE before ? 'slots'
"""
CONSTRAINTS_BACK = """
    ALTER TABLE labeling_labelaudititem RENAME CONSTRAINT one_item_a_label_audit_and_label TO one_item_a_triage_and_label;
    ALTER TABLE labeling_labelaudititem
        RENAME CONSTRAINT one_item_a_label_audit_and_position TO one_item_a_triage_and_place;
"""


class Migration(migrations.Migration):

    dependencies = [
        ("labeling", "0041_stage_names"),
    ]

    operations = [
        migrations.RenameModel("Triage", "LabelAudit"),
        migrations.RenameModel("TriageItem", "LabelAuditItem"),
        migrations.RenameIndex("labelaudit", "label_audit_by_project", old_name="triage_by_project"),
        migrations.RenameField("labelaudititem", "triage", "label_audit"),
        migrations.RenameField("labelaudititem", "surprise", "surprisal"),
        migrations.RenameField("labelaudititem", "surprising_step", "least_likely_step"),
        migrations.RenameField("labelaudititem", "place", "position"),
        migrations.RenameField("goldplan", "places", "positions"),
        StateAtOnce(
            database_operations=[migrations.RunSQL(CONSTRAINTS, CONSTRAINTS_BACK)],
            state_operations=[
                migrations.RemoveConstraint("labelaudititem", "one_item_a_triage_and_label"),
                migrations.RemoveConstraint("labelaudititem", "one_item_a_triage_and_place"),
                migrations.AddConstraint(
                    "labelaudititem",
                    models.UniqueConstraint(
                        fields=["label_audit", "label"], name="one_item_a_label_audit_and_label"
                    ),
                ),
                migrations.AddConstraint(
                    "labelaudititem",
                    models.UniqueConstraint(
                        fields=["label_audit", "position"], name="one_item_a_label_audit_and_position"
                    ),
                ),
                migrations.AlterField(
                    "label",
                    "surplus",
                    models.BooleanField(
                        default=False, help_text="Kept, but the task's slots were taken or its round was closed."
                    ),
                ),
                migrations.AlterField(
                    "labelaudit",
                    "project",
                    models.ForeignKey(
                        db_index=False, on_delete=models.deletion.PROTECT, related_name="label_audits", to="labeling.project"
                    ),
                ),
                migrations.AlterField(
                    "labelaudititem",
                    "label",
                    models.ForeignKey(
                        on_delete=models.deletion.PROTECT, related_name="label_audit_items", to="labeling.label"
                    ),
                ),
                migrations.AlterField(
                    "task",
                    "withdrawn",
                    models.SmallIntegerField(
                        help_text="The slots it had when it was taken off the queue (bad problem, repaired split); null: on it.",
                        null=True,
                    ),
                ),
            ],
        ),
        migrations.RunSQL(OPTIONS, OPTIONS_BACK),
        migrations.RunSQL(BEFORE, BEFORE_BACK),
    ]
