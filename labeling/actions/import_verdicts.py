"""Verdicts that rows give on known traces: a trace without one takes it as its own, else it is a second opinion."""

from typing import Any

from django.db.backends.utils import CursorWrapper

from labeling.models import ImportJob
from labeling.queries.planner import make_temporary, note_written

# A trace without any verdict takes the first one that is imported. A run imported before marks of runs were stored
# takes its marks from a row with the same verdict.
FILL_VERDICTS = """
    UPDATE labeling_trace AS trace SET recorded_first_error = said.recorded_first_error,
        recorded_ratings = said.recorded_ratings, recorded_marks = said.recorded_marks, recorded_by = said.recorded_by
    FROM (
        SELECT DISTINCT ON (trace_hash) trace_hash, recorded_first_error, recorded_ratings, recorded_marks, recorded_by
        FROM staged_trace
        WHERE recorded_first_error IS NOT NULL OR recorded_ratings IS NOT NULL OR recorded_marks IS NOT NULL
        ORDER BY trace_hash, row_no) AS said
    WHERE trace.project_id = %(project)s AND trace.trace_hash = said.trace_hash AND trace.recorded_marks IS NULL
        AND (trace.recorded_first_error IS NULL AND trace.recorded_ratings IS NULL
            OR said.recorded_marks IS NOT NULL AND trace.recorded_by = said.recorded_by
                AND trace.recorded_first_error IS NOT DISTINCT FROM said.recorded_first_error
                AND trace.recorded_ratings IS NOT DISTINCT FROM said.recorded_ratings)
"""
# Rows that say something different about a trace than the trace itself, or whose verdict is by somebody else. A file
# cannot contradict an outcome that was graded here.
OTHER_VERDICTS = """
    SELECT trace.id AS trace_id, min(staged.row_no) AS row_no, staged.recorded_by, staged.generator, staged.outcome,
        staged.recorded_first_error AS first_error, staged.recorded_ratings AS ratings, staged.recorded_marks AS marks
    FROM staged_trace AS staged JOIN labeling_trace AS trace
        ON trace.project_id = %(project)s AND trace.trace_hash = staged.trace_hash
    WHERE staged.recorded_first_error <> trace.recorded_first_error
        OR staged.recorded_first_error IS NOT NULL AND trace.recorded_first_error IS NULL
        OR staged.recorded_ratings IS NOT NULL AND staged.recorded_ratings IS DISTINCT FROM trace.recorded_ratings
        OR staged.recorded_marks IS NOT NULL AND staged.recorded_marks IS DISTINCT FROM trace.recorded_marks
        OR staged.outcome NOT IN ('ungraded', trace.outcome) AND trace.grader_version = ''
        OR staged.generator NOT IN ('', trace.generator)
        OR staged.recorded_by NOT IN ('', trace.recorded_by)
            AND (staged.recorded_first_error IS NOT NULL OR staged.recorded_ratings IS NOT NULL
                OR staged.recorded_marks IS NOT NULL)
    GROUP BY trace.id, staged.recorded_by, staged.generator, staged.outcome, staged.recorded_first_error,
        staged.recorded_ratings, staged.recorded_marks
"""
INSERT_VERDICTS = """
    INSERT INTO labeling_recordedverdict (trace_id, import_job_id, line, recorded_by, source, generator, outcome,
        first_error, ratings, marks, metadata)
    SELECT other.trace_id, %(job)s, staged.line, other.recorded_by, staged.source, other.generator, other.outcome,
        other.first_error, other.ratings, other.marks, staged.metadata
    FROM other_verdict AS other JOIN staged_trace AS staged USING (row_no)
    WHERE NOT EXISTS (SELECT FROM labeling_recordedverdict AS known
        WHERE known.trace_id = other.trace_id
            AND (known.recorded_by, known.generator, known.outcome)
                = (other.recorded_by, other.generator, other.outcome)
            AND known.first_error IS NOT DISTINCT FROM other.first_error
            AND known.ratings IS NOT DISTINCT FROM other.ratings
            AND known.marks IS NOT DISTINCT FROM other.marks)
    ORDER BY other.row_no
"""


def merge_verdicts(cursor: CursorWrapper, job: ImportJob, about: dict[str, Any]) -> dict[str, int]:
    """Store what rows say about known traces: as the trace's own verdict if it had none, else as a second opinion."""
    cursor.execute(FILL_VERDICTS, about)
    filled, new = cursor.rowcount, 0
    found = make_temporary(cursor, "other_verdict", OTHER_VERDICTS, about)
    if found:
        cursor.execute(INSERT_VERDICTS, about | {"job": job.pk})
        new = cursor.rowcount
        note_written(cursor, "labeling_recordedverdict", new)
    return {"filled": filled, "new": new, "known": found - new}
