"""What labelers wrote and calculated in addition to their ratings, for the rows of exports."""

from typing import Any

import orjson

from labeling.formats.own_labels import OWN_KEY
from labeling.queries.sql_slots import fill

# What the labeler calculated: here, or according to an imported export of ours (labeling.formats.own_labels).
CALCULATIONS = f"coalesce(label.submission -> 'calculations', label.extra #> '{{{OWN_KEY},calculations}}')"

# What labelers wrote in addition to their ratings: one row per kind and label; most labels have none.
REMARKS = fill(
    """
    SELECT label_id, 'comments', json_agg(json_build_object('step', step_index, 'text', text) ORDER BY id)::text
    FROM labeling_stepcomment WHERE label_id = ANY(%(ids)s::bigint[]) GROUP BY label_id
    UNION ALL
    SELECT label_id, 'reports',
        json_agg(json_build_object('kind', kind, 'step', step_index, 'text', text) ORDER BY id)::text
    FROM labeling_tracereport WHERE label_id = ANY(%(ids)s::bigint[]) GROUP BY label_id
    UNION ALL
    SELECT id, 'calculations', {calculations}::text
    FROM labeling_label AS label WHERE id = ANY(%(ids)s::bigint[]) AND jsonb_array_length({calculations}) > 0
""",
    calculations=CALCULATIONS,
)


def remarks_of(cursor: Any, ids: str) -> dict[int, dict[str, Any]]:
    """Return the comments, reports and calculations of each label that has any. `ids` is a Postgres array as text."""
    found: dict[int, dict[str, Any]] = {}
    cursor.execute(REMARKS, {"ids": ids})
    for pk, kind, text in cursor.fetchall():
        found.setdefault(pk, {})[kind] = orjson.loads(text)
    return found
