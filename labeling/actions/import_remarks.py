"""Where rows differ from known problems and traces without changing them: how often, and the first such rows.

Everything here only reads, in the import's one transaction.
"""

from typing import Any

from django.db.backends.utils import CursorWrapper

from labeling.queries.planner import make_temporary

EXAMPLES = 5  # rows shown per kind
EXAMPLES_OF_IDS = 10
SHOWN_OF_TEXT = 100  # characters of a problem

# Right answers for known problems, or for problems given twice, that are not among the stored ones. A problem without
# any takes the first from a problem file (import_traces), but none from a trace's row.
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
# A row with its own label keeps its final answer with the label.
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
# The ids that rows give to problems, each pair once, at its first row.
NAMED = """
    SELECT external_id, problem_id, min(problem_no) AS problem_no, min(line) AS line
    FROM staged_problem JOIN problem_of USING (problem_no) WHERE external_id <> '' GROUP BY external_id, problem_id
"""
# Ids that name another problem: an earlier one of the project, or else that of an earlier row. At most two problems are
# looked at for each id: if a column is the same in every row, all of them have it.
OTHER_PROBLEMS = """
    WITH name AS MATERIALIZED (
        SELECT external_id, min(problem_no) AS problem_no, count(*) AS problems FROM named_problem GROUP BY external_id
    ), known AS (
        SELECT external_id, min(there.id) AS lowest, max(there.id) AS highest
        FROM name JOIN labeling_problem AS there USING (external_id)
        WHERE there.project_id = %(project)s AND there.id <= %(before)s GROUP BY external_id
    ), other AS (
        SELECT DISTINCT ON (problem_no) * FROM (
            SELECT named.problem_no, named.line, external_id, named.problem_id,
                CASE WHEN lowest <> named.problem_id THEN lowest ELSE highest END AS other_id, 1 AS place
            FROM known JOIN named_problem AS named USING (external_id)
            WHERE lowest <> named.problem_id OR highest <> named.problem_id
            UNION ALL
            SELECT later.problem_no, later.line, external_id, later.problem_id, first.problem_id, 2
            FROM name JOIN named_problem AS first USING (external_id, problem_no)
            JOIN named_problem AS later USING (external_id)
            WHERE name.problems > 1 AND later.problem_id <> first.problem_id) AS either
        ORDER BY problem_no, place
    ), shown AS (SELECT *, count(*) OVER () AS problems FROM other ORDER BY problem_no LIMIT %(examples)s)
    SELECT shown.line, shown.external_id, left(kept.text, %(length)s), left(given.text, %(length)s), shown.problems
    FROM shown JOIN labeling_problem AS kept ON kept.id = other_id
    JOIN labeling_problem AS given ON given.id = shown.problem_id ORDER BY problem_no
"""


def other_answers(cursor: CursorWrapper, about: dict[str, Any]) -> dict[str, Any]:
    """Return how many rows give a problem a right answer not among those it is graded by, and the first rows."""
    cursor.execute(OTHER_ANSWERS, {**about, "examples": EXAMPLES})
    found = cursor.fetchall()
    if not found:
        return {}
    told = [{"line": line, "problem_id": name, "kept": kept, "given": given} for line, name, kept, given, _ in found]
    return {"other_answers": {"problems": found[0][-1], "examples": told}}


def other_problems(cursor: CursorWrapper, about: dict[str, Any]) -> dict[str, Any]:
    """Return how many problems have an id that names another one, and the first. `before`: the newest earlier problem.

    In every export, such an id names several problems, and whoever joins by it mixes them up.
    """
    if not make_temporary(cursor, "named_problem", NAMED, about):
        return {}
    cursor.execute(OTHER_PROBLEMS, {**about, "examples": EXAMPLES_OF_IDS, "length": SHOWN_OF_TEXT})
    found = cursor.fetchall()
    if not found:
        return {}
    told = [{"line": line, "problem_id": name, "kept": kept, "given": given} for line, name, kept, given, _ in found]
    return {"other_problems": {"problems": found[0][-1], "examples": told}}


def other_words(cursor: CursorWrapper, about: dict[str, Any]) -> dict[str, Any]:
    """Return how many rows give a known trace another final answer or source, and the first rows of each."""
    told = {}
    for name, statement in (("other_final_answers", OTHER_FINAL_ANSWERS), ("other_sources", OTHER_SOURCES)):
        cursor.execute(statement, {**about, "examples": EXAMPLES})
        if found := cursor.fetchall():
            examples = [{"line": line, "kept": kept, "given": given} for line, kept, given, _ in found]
            told[name] = {"rows": found[0][-1], "examples": examples}
    return told
