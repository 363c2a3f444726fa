"""Where rows differ from known problems and traces without changing them: how often, and the first such rows.

Everything here only reads, in the import's one transaction.
"""

from typing import Any

from django.db.backends.utils import CursorWrapper

EXAMPLES = 5  # rows that are shown of each kind

# Right answers of known problems, or of problems told twice, that are not among those kept. Where none is kept, a
# problem takes the first of a file of problems (import_traces), and none of a trace's row.
OTHER_ANSWERS = """
    SELECT staged.line, kept.external_id, kept.answer, other.said[1], count(*) OVER ()
    FROM problem_of JOIN staged_problem AS staged USING (problem_no)
    JOIN labeling_problem AS kept ON kept.id = problem_of.problem_id,
    LATERAL (
        SELECT array_agg(said) AS said FROM (
            SELECT given->>'ground_truth_answer'
            UNION ALL SELECT jsonb_array_elements_text(coalesce(given->'ground_truth_answers', '[]'))) AS every (said)
        WHERE said <> '' AND said IS DISTINCT FROM kept.answer AND said <> ALL (kept.accepted_answers)) AS other
    WHERE given ?| ARRAY['ground_truth_answer', 'ground_truth_answers'] AND other.said IS NOT NULL
    ORDER BY staged.line LIMIT %(examples)s
"""
# A row with a label of its own keeps its final answer with the label.
OTHER_FINAL_ANSWERS = """
    SELECT staged.line, trace.final_answer, staged.final_answer, count(*) OVER ()
    FROM staged_trace AS staged JOIN labeling_trace AS trace
        ON trace.project_id = %(project)s AND trace.trace_hash = staged.trace_hash
    WHERE NOT staged.has_label AND staged.final_answer <> '' AND staged.final_answer IS DISTINCT FROM trace.final_answer
    ORDER BY staged.line LIMIT %(examples)s
"""
OTHER_SOURCES = """
    SELECT staged.line, trace.source, staged.source, count(*) OVER ()
    FROM staged_trace AS staged JOIN labeling_trace AS trace
        ON trace.project_id = %(project)s AND trace.trace_hash = staged.trace_hash
    WHERE NOT staged.has_label AND staged.source NOT IN ('', trace.source)
    ORDER BY staged.line LIMIT %(examples)s
"""


def other_answers(cursor: CursorWrapper, about: dict[str, Any]) -> dict[str, Any]:
    """How many rows give a problem another right answer than those kept, by which its traces are graded; the first."""
    cursor.execute(OTHER_ANSWERS, {**about, "examples": EXAMPLES})
    found = cursor.fetchall()
    if not found:
        return {}
    told = [{"line": line, "problem_id": name, "kept": kept, "given": given} for line, name, kept, given, _ in found]
    return {"other_answers": {"problems": found[0][-1], "examples": told}}


def other_words(cursor: CursorWrapper, about: dict[str, Any]) -> dict[str, Any]:
    """How many rows give a known trace another final answer, or another source, than it has; the first of each."""
    told = {}
    for name, statement in (("other_final_answers", OTHER_FINAL_ANSWERS), ("other_sources", OTHER_SOURCES)):
        cursor.execute(statement, {**about, "examples": EXAMPLES})
        if found := cursor.fetchall():
            examples = [{"line": line, "kept": kept, "given": given} for line, kept, given, _ in found]
            told[name] = {"rows": found[0][-1], "examples": examples}
    return told
