"""How many labels stand in each round, kept by the database itself, so that progress need not be counted.

Rows of labels are locked against writing while the present ones are counted, so none is missed.
"""

import django.db.models.deletion
from django.db import migrations, models

# A label counts while it is submitted and holds a slot. The order of the rows is the same in every statement, so that
# two that touch many parts do not wait for each other in a circle.
KEEP = """
CREATE FUNCTION labeling_tally_inserted_labels() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO labeling_roundtally (round_id, part, labels)
    SELECT task.round_id, label.labeler_id % 64, count(*)
    FROM inserted label JOIN labeling_task task ON task.id = label.task_id
    WHERE label.status = 'submitted' AND NOT label.surplus
    GROUP BY task.round_id, label.labeler_id % 64 ORDER BY task.round_id, label.labeler_id % 64
    ON CONFLICT (round_id, part) DO UPDATE SET labels = labeling_roundtally.labels + excluded.labels;
    RETURN NULL;
END;
$$;
CREATE TRIGGER tally_inserted_labels AFTER INSERT ON labeling_label REFERENCING NEW TABLE AS inserted
    FOR EACH STATEMENT EXECUTE FUNCTION labeling_tally_inserted_labels();

CREATE FUNCTION labeling_tally_changed_label() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO labeling_roundtally (round_id, part, labels)
    SELECT task.round_id, NEW.labeler_id % 64, CASE WHEN NEW.status = 'submitted' AND NOT NEW.surplus THEN 1 ELSE -1 END
    FROM labeling_task task WHERE task.id = NEW.task_id
    ON CONFLICT (round_id, part) DO UPDATE SET labels = labeling_roundtally.labels + excluded.labels;
    RETURN NULL;
END;
$$;
CREATE TRIGGER tally_changed_label AFTER UPDATE OF status, surplus ON labeling_label FOR EACH ROW
    WHEN ((OLD.status = 'submitted' AND NOT OLD.surplus) IS DISTINCT FROM (NEW.status = 'submitted' AND NOT NEW.surplus))
    EXECUTE FUNCTION labeling_tally_changed_label();

CREATE FUNCTION labeling_tally_deleted_label() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE labeling_roundtally tally SET labels = labels - 1 FROM labeling_task task
    WHERE task.id = OLD.task_id AND tally.round_id = task.round_id AND tally.part = OLD.labeler_id % 64;
    RETURN NULL;
END;
$$;
CREATE TRIGGER tally_deleted_label AFTER DELETE ON labeling_label FOR EACH ROW
    WHEN (OLD.status = 'submitted' AND NOT OLD.surplus) EXECUTE FUNCTION labeling_tally_deleted_label();
"""
FORGET = """
DROP TRIGGER tally_deleted_label ON labeling_label;
DROP FUNCTION labeling_tally_deleted_label();
DROP TRIGGER tally_changed_label ON labeling_label;
DROP FUNCTION labeling_tally_changed_label();
DROP TRIGGER tally_inserted_labels ON labeling_label;
DROP FUNCTION labeling_tally_inserted_labels();
"""
COUNT = """
INSERT INTO labeling_roundtally (round_id, part, labels)
SELECT task.round_id, label.labeler_id % 64, count(*) FROM labeling_label label
JOIN labeling_task task ON task.id = label.task_id
WHERE label.status = 'submitted' AND NOT label.surplus GROUP BY task.round_id, label.labeler_id % 64
"""


class Migration(migrations.Migration):

    dependencies = [("labeling", "0042_words_of_the_field")]

    operations = [
        migrations.CreateModel(
            name="RoundTally",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("part", models.SmallIntegerField(help_text="The labeler's id modulo 64.")),
                ("labels", models.BigIntegerField(help_text="Submitted labels that hold a slot, gold among them.")),
                ("round", models.ForeignKey(
                    db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="tallies", to="labeling.round"
                )),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("round", "part"), name="one_tally_a_round_and_part")
                ],
            },
        ),
        migrations.RunSQL(KEEP, FORGET),
        migrations.RunSQL(COUNT, migrations.RunSQL.noop),
    ]
