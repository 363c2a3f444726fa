"""What labelers wrote and calculated beside their ratings, for the rows of exports."""

from typing import Any

import orjson

from labeling.formats.own_labels import OWN_KEY
from labeling.queries.sql_slots import fill

# What the labeler calculated: here, or as an export of ours that was imported says (labeling.formats.own_labels).
CALCULATIONS = f"coalesce(label.submission -> 'calculations', label.extra #> '{{{OWN_KEY},calculations}}')"

# What labelers wrote beside their ratings; a row a kind and label, and none for most labels.
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
    """By label its comments, reports and calculations, where there are any; `ids` as Postgres reads an array."""
    found: dict[int, dict[str, Any]] = {}
    cursor.execute(REMARKS, {"ids": ids})
    for pk, kind, text in cursor.fetchall():
        found.setdefault(pk, {})[kind] = orjson.loads(text)
    return found
