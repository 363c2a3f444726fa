"""What imports say about a trace: its own verdict, and the second opinions that were imported later."""

from typing import Any

from labeling.models import RecordedVerdict, Trace

# One verdict for each trace with a recorded first error: the one that most say. A tie gives none.
AGREED = """
    SELECT DISTINCT ON (trace_id) trace_id, first_error, ratings FROM (
        SELECT trace_id, first_error, ratings, turn, votes,
            count(*) OVER (PARTITION BY trace_id, votes) = votes AS alone,
            max(votes) OVER (PARTITION BY trace_id) AS most
        FROM (
            SELECT *, count(*) OVER (PARTITION BY trace_id, first_error) AS votes FROM (
                SELECT DISTINCT ON (trace_id, first_error, recorded_by) * FROM (
                    SELECT id AS trace_id, 0 AS turn, recorded_first_error AS first_error, recorded_ratings AS ratings,
                        recorded_by
                    FROM labeling_trace WHERE project_id = %(project)s AND recorded_first_error IS NOT NULL
                    UNION ALL
                    SELECT told.trace_id, told.id, told.first_error, told.ratings, told.recorded_by
                    FROM labeling_recordedverdict AS told JOIN labeling_trace AS trace ON trace.id = told.trace_id
                    WHERE trace.project_id = %(project)s AND told.first_error IS NOT NULL
                ) AS every ORDER BY trace_id, first_error, recorded_by, turn) AS once) AS counted
    ) AS said WHERE votes = most AND alone ORDER BY trace_id, turn
"""


def recorded_verdicts(trace: Trace) -> list[dict[str, Any]]:
    """Return everything that imports said about a trace, with its own verdict first if it has one. One query."""
    own: dict[str, Any] = {
        "recorded_by": trace.recorded_by,
        "source": trace.source,
        "generator": trace.generator,
        "outcome": None if trace.grader_version else trace.outcome,
        "first_error": trace.recorded_first_error,
        "ratings": trace.recorded_ratings,
        "marks": trace.recorded_marks,
        "file_name": None,
        "line": None,
        "metadata": {},
    }
    columns = [name for name in own if name != "file_name"]
    told = RecordedVerdict.objects.filter(trace=trace).order_by("pk").values(*columns, "import_job__file_name")
    others = [{**row, "file_name": row.pop("import_job__file_name")} for row in told]
    said = (trace.recorded_first_error, trace.recorded_ratings, trace.recorded_marks)
    return others if said == (None, None, None) else [own, *others]
