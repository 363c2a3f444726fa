"""Tasks of imported labels that were quality control or screening where they come from, which only the labels said."""

from django.db import migrations

FLAGGED = """
    CREATE TEMP TABLE flagged ON COMMIT DROP AS
    SELECT label.id, label.task_id,
        coalesce((label.extra #>> '{prm800k,quality_control}')::boolean, false)
            OR coalesce((label.extra #>> '{prm800k,screening}')::boolean, false) AS quality_control
    FROM labeling_label AS label JOIN labeling_task AS task ON task.id = label.task_id
    JOIN labeling_round AS round ON round.id = task.round_id
    WHERE round.imported AND task.kind = 'work'
"""
WHOLLY = """
    UPDATE labeling_task AS task SET kind = 'imported_qc' FROM (
        SELECT task_id FROM flagged GROUP BY task_id HAVING bool_and(quality_control)) AS wholly
    WHERE task.id = wholly.task_id
"""
# Where a trace was work for some and quality control for others, the latter get a task of their own beside it.
DIVIDE = """
    WITH divided AS (
        INSERT INTO labeling_task (round_id, trace_id, kind, reason, order_key, labels_wanted)
        SELECT round_id, trace_id, 'imported_qc', reason, order_key, 0 FROM labeling_task
        WHERE kind = 'work' AND id IN (SELECT task_id FROM flagged WHERE quality_control)
        RETURNING id, round_id, trace_id
    ), counted AS (
        UPDATE labeling_round AS round SET task_count = round.task_count + found.tasks
        FROM (SELECT round_id, count(*) AS tasks FROM divided GROUP BY round_id) AS found
        WHERE round.id = found.round_id
    )
    UPDATE labeling_label AS label SET task_id = divided.id
    FROM flagged, labeling_task AS old, divided
    WHERE flagged.quality_control AND label.id = flagged.id AND old.id = flagged.task_id AND old.kind = 'work'
        AND divided.round_id = old.round_id AND divided.trace_id = old.trace_id
"""
# The way back, for an installation that returns to an earlier version. Refused by the database where one labeler has
# labels of both sorts on a trace.
TWINS = """
    CREATE TEMP TABLE twin ON COMMIT DROP AS
    SELECT task.id, work.id AS work_id, task.round_id FROM labeling_task AS task
    JOIN labeling_task AS work ON work.round_id = task.round_id AND work.trace_id = task.trace_id AND work.id <> task.id
    WHERE task.kind = 'imported_qc'
"""
UNITE = "UPDATE labeling_label AS label SET task_id = twin.work_id FROM twin WHERE label.task_id = twin.id"
RECOUNT = """
    UPDATE labeling_round AS round SET task_count = round.task_count - found.tasks
    FROM (SELECT round_id, count(*) AS tasks FROM twin GROUP BY round_id) AS found WHERE round.id = found.round_id
"""
DROP = "DELETE FROM labeling_task WHERE id IN (SELECT id FROM twin)"
AS_WORK = "UPDATE labeling_task SET kind = 'work' WHERE kind = 'imported_qc'"


def fill(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        for statement in (FLAGGED, WHOLLY, DIVIDE, "DROP TABLE flagged"):
            cursor.execute(statement)


def empty(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        for statement in (TWINS, UNITE, RECOUNT, DROP, AS_WORK, "DROP TABLE twin"):
            cursor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [
        ("labeling", "0028_imported_quality_control"),
    ]

    operations = [
        migrations.RunPython(fill, empty),
    ]
