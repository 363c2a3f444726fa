"""What all rows of an export share: every row has every key, and the first rows show each key's type.

Readers that infer a column's type look at the beginning of a file: polars at 100 rows, `datasets` at 10 MB, DuckDB at
20,480 rows. Some of them take a column that is null up to there for null throughout, and reject the file at a value.
"""

from array import array
from typing import Any, NamedTuple

from django.db import connection

from labeling.formats.prm800k import EXTRA_KEY
from labeling.formats.records import RESERVED_KEY
from labeling.queries.export_remarks import CALCULATIONS
from labeling.queries.exports import TOTAL_TIME

# A trace's own keys can be anything a file had. If a project has more than this, each row has only its own keys: with
# as many keys as rows, a table of all would grow with the square of their number.
MOST_OWN_KEYS = 100

FROM_LABELS = """
    FROM labeling_label AS label
    JOIN labeling_task AS task ON task.id = label.task_id
    JOIN labeling_trace AS trace ON trace.id = task.trace_id
    JOIN labeling_problem AS problem ON problem.id = trace.problem_id
    JOIN labeling_user AS people ON people.id = label.labeler_id
    LEFT JOIN labeling_guideline AS guideline ON guideline.id = label.guideline_id
    WHERE label.id = ANY(%(ids)s::bigint[])
"""

# For each key that may be without a value: the condition under which a row has one.
SAYS_SOMETHING = (
    "trace.source <> ''",
    "problem.external_id <> ''",
    "problem.answer IS NOT NULL",
    "problem.reference_solution IS NOT NULL",
    "trace.generator <> ''",
    "trace.final_answer IS NOT NULL",
    "trace.outcome <> 'ungraded'",
    "label.verdict IS NOT NULL",
    "problem.subject <> ''",
    "problem.level <> ''",
    "problem.licence <> ''",
    "problem.accepted_answers <> '{}'",
    "label.finish_detail ? 'kind'",
    "label.finish_detail ? 'text'",
    "label.noticed_at_step IS NOT NULL",
    "label.mistake->>'progress' IS NOT NULL",
    "label.mistake IS NOT NULL",
    "label.run_marks IS NOT NULL",
    "trace.typed_steps IS NOT NULL",
    "label.mistake->>'kind' <> ''",
    "label.mistake->>'clause' <> ''",
    "label.mistake->>'corrected_step' <> ''",
    "label.mistake->'explanations' <> '[]'",
    f"{TOTAL_TIME} IS NOT NULL",
    "guideline.version IS NOT NULL",
    "coalesce(label.extra #> %(generation)s::text[], '0') <> 'null'",  # without it, the round's own number
    "EXISTS (SELECT FROM labeling_steplabel AS step WHERE step.label_id = label.id AND step.completion_id IS NULL"
    " AND step.rating IS NOT NULL)",
    "EXISTS (SELECT FROM labeling_steplabel AS step WHERE step.label_id = label.id AND step.completion_id IS NOT NULL"
    " AND step.rating IS NOT NULL)",
    "EXISTS (SELECT FROM labeling_stepcomment AS comment WHERE comment.label_id = label.id)",
    "EXISTS (SELECT FROM labeling_tracereport AS report WHERE report.label_id = label.id)",
    "EXISTS (SELECT FROM labeling_tracereport AS report WHERE report.label_id = label.id"
    " AND report.step_index IS NOT NULL)",
    f"jsonb_array_length({CALCULATIONS}) > 0",
)
FIRST_TO_SAY = f"SELECT {', '.join(f'min(label.id) FILTER (WHERE {said})' for said in SAYS_SOMETHING)} {FROM_LABELS}"

# One row per key of a trace's metadata, and per key of the objects in it, with its first label: null if no row has
# more than a null or an empty list or object.
OWN_KEYS = """
    WITH used AS (
        SELECT task.trace_id AS id, min(label.id) AS label FROM labeling_label AS label
        JOIN labeling_task AS task ON task.id = label.task_id
        WHERE label.id = ANY(%(ids)s::bigint[]) GROUP BY task.trace_id
    )
    SELECT own.key, inside.key,
        min(used.label) FILTER (WHERE coalesce(inside.value, own.value) NOT IN ('null', '[]', '{}'))
    FROM used JOIN labeling_trace AS trace ON trace.id = used.id
    CROSS JOIN LATERAL jsonb_each(trace.metadata) AS own
    LEFT JOIN LATERAL jsonb_each(CASE jsonb_typeof(own.value) WHEN 'object' THEN own.value END) AS inside ON true
    WHERE own.key <> %(reserved)s GROUP BY own.key, inside.key ORDER BY own.key, inside.key
"""


class Columns(NamedTuple):
    """The traces' own keys, sorted, and the labels whose rows come first in the file, ascending."""

    own_keys: list[str]
    first: list[int]


def columns_of(ids: "array[int]") -> Columns:
    """Return the columns of an export's labels. Two queries, over all labels."""
    about: dict[str, Any] = {"ids": "{" + ",".join(map(str, ids)) + "}", "reserved": RESERVED_KEY}
    about["generation"] = [EXTRA_KEY, "generation"]
    with connection.cursor() as cursor:
        cursor.execute(FIRST_TO_SAY, about)
        first = set(cursor.fetchone())
        cursor.execute(OWN_KEYS, about)
        found = cursor.fetchall()
    own_keys = list(dict.fromkeys(key for key, _, _ in found))
    if len(own_keys) > MOST_OWN_KEYS:
        own_keys, found = [], []
    first.update(label for _, _, label in found[: MOST_OWN_KEYS * 10])
    return Columns(own_keys, sorted(first - {None}))


def with_first(ids: "array[int]", first: list[int]) -> "array[int]":
    """Return the ids with those in `first` before the rest."""
    ahead = set(first)
    return array("q", [*first, *(pk for pk in ids if pk not in ahead)])
