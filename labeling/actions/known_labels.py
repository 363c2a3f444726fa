"""Labels in a file that the project already has, because they were exported from it."""

from typing import Any

from django.db.backends.utils import CursorWrapper

from labeling.models import Project
from labeling.queries.labeler_ids import LabelerIds
from labeling.queries.planner import make_temporary

NAMES = "SELECT DISTINCT labeler FROM staged_label"
CALLED = "CREATE TEMP TABLE called (labeler text, labeler_id bigint, member boolean) ON COMMIT DROP"
# Whom a name means: the person with this name since an import, or with this id in the project's exports.
BY_IMPORT = """
    INSERT INTO called
    SELECT named.labeler, people.id, false FROM (SELECT DISTINCT labeler FROM staged_label) AS named
    JOIN labeling_user AS people ON people.username = 'imported-' || md5(named.labeler)
    WHERE EXISTS (SELECT FROM staged_label WHERE told IS NOT NULL)
"""
NOTHING = "SELECT 0::bigint AS row_no WHERE false"
# A label may be the one in the file if the same labeler submitted it on the same trace, at the same microsecond,
# with the same end and verdict.
MAY_BE_KNOWN = """
    SELECT staged.row_no, known.id AS label_id, staged.told IS NOT NULL AS ours,
        CASE WHEN staged.finish_reason <> known.finish_reason THEN staged.verdict END AS other_first_error
    FROM staged_label AS staged JOIN called USING (labeler)
    JOIN labeling_trace AS trace ON trace.project_id = %(project)s AND trace.trace_hash = staged.trace_hash
    JOIN labeling_label AS known ON known.project_id = %(project)s AND known.labeler_id = called.labeler_id
        AND known.submitted_at = staged.submitted_at
        AND known.finish_reason = coalesce(staged.told->>'finish_reason', staged.finish_reason)
        AND known.verdict IS NOT DISTINCT FROM
            CASE WHEN staged.told IS NULL THEN staged.verdict ELSE (staged.told->>'verdict')::int END
    JOIN labeling_task AS task ON task.id = known.task_id AND task.trace_id = trace.id
    WHERE called.member OR staged.told IS NOT NULL
"""
# It is a different one if somebody corrected or removed a rating, or gave the row another end. Ratings of 0, even a
# first error's, may be anything that the export's switch `neutral` made of them. Rows of our other formats end at the
# first error.
BY_ROW = "CREATE INDEX ON staged_step (row_no)"  # the only index that the planner can use for each label
DIFFERING = """
    SELECT may_be.row_no, may_be.label_id FROM may_be_known AS may_be
    JOIN staged_step AS said USING (row_no)
    LEFT JOIN labeling_steplabel AS own
        ON own.label_id = may_be.label_id AND own.completion_id IS NULL AND own.step_index = said.step_index
    WHERE said.text IS NULL AND said.rating IS NOT NULL
        AND own.rating IS DISTINCT FROM said.rating AND own.rating IS DISTINCT FROM 0
    UNION
    SELECT may_be.row_no, may_be.label_id FROM may_be_known AS may_be
    JOIN labeling_steplabel AS own ON own.label_id = may_be.label_id AND own.completion_id IS NULL
    LEFT JOIN staged_step AS said
        ON said.row_no = may_be.row_no AND said.step_index = own.step_index AND said.text IS NULL
    WHERE may_be.ours AND own.rating <> 0 AND said.rating IS NULL
    UNION
    SELECT may_be.row_no, may_be.label_id FROM may_be_known AS may_be
    LEFT JOIN labeling_steplabel AS own ON own.label_id = may_be.label_id AND own.completion_id IS NULL
        AND own.step_index = may_be.other_first_error
    WHERE may_be.other_first_error IS NOT NULL AND own.rating IS DISTINCT FROM 0
"""
# Versions before 0.3 told labels of one labeler apart only by their ratings (`former_key`).
KNOWN = """
    SELECT may_be.row_no FROM may_be_known AS may_be WHERE NOT EXISTS (
        SELECT FROM differing WHERE differing.row_no = may_be.row_no AND differing.label_id = may_be.label_id)
    UNION
    SELECT staged.row_no FROM staged_label AS staged JOIN called USING (labeler)
    JOIN labeling_label AS known ON known.labeler_id = called.labeler_id AND known.idempotency_key = staged.former_key
"""


def find_known_labels(cursor: CursorWrapper, project: Project, about: dict[str, Any]) -> None:
    """Store in `known_label` the staged labels that the project already has, or had."""
    cursor.execute(CALLED)
    cursor.execute(BY_IMPORT)
    cursor.execute(NAMES)
    members = LabelerIds(project).members_called(name for [name] in cursor.fetchall())
    cursor.executemany("INSERT INTO called VALUES (%s, %s, true)", list(members.items()))
    cursor.execute("ANALYZE called")
    cursor.execute("SELECT EXISTS (SELECT FROM called)")
    if not cursor.fetchone()[0]:
        make_temporary(cursor, "known_label", NOTHING, about)
        return
    if make_temporary(cursor, "may_be_known", MAY_BE_KNOWN, about):
        cursor.execute(BY_ROW)
    make_temporary(cursor, "differing", DIFFERING, about)
    make_temporary(cursor, "known_label", KNOWN, about)
