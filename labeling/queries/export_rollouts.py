"""Rollout counts of traces, for the exports whose rows are made of them."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import orjson
from django.db import connection

from labeling.formats.exporting import ExportedTrace

Json = dict[str, Any]

# Counts before and after each step, by the sources that ran the rollouts. Those of a search have gaps.
ROLLOUTS = """
    SELECT score.trace_id, scorer.name, scorer.fingerprint, (scorer.spec -> 'completer')::text,
        coalesce((scorer.spec ->> 'n')::integer, 1),
        (score.evidence -> 'hits')::text, (score.evidence -> 'n')::text,
        coalesce((score.evidence ->> 'own_answer')::boolean, FALSE)
    FROM labeling_score AS score JOIN labeling_stepscorer AS scorer ON scorer.id = score.scorer_id
    WHERE score.trace_id = ANY(%s::bigint[]) AND scorer.kind = 'rollouts' AND score.evidence ? 'n'
    ORDER BY score.trace_id, scorer.id
"""


def with_rollouts(traces: Mapping[int, ExportedTrace]) -> dict[int, ExportedTrace]:
    """Return the same traces, each with its sources' counts. One query."""
    found: defaultdict[int, list[Json]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(ROLLOUTS, [list(traces)])
        for trace, source, fingerprint, asked, wanted, *counted, own_answer in cursor.fetchall():
            completer, hits, n = map(orjson.loads, (asked, *counted))
            found[trace].append(
                {
                    "source": source,
                    "prover": completer.get("model", ""),
                    "completer": fingerprint,
                    "seed": completer.get("seed", 0),
                    "hits": hits,
                    "n": n,
                    "wanted": wanted,
                    "own_answer": own_answer,
                }
            )
    return {pk: trace._replace(rollouts=found[pk]) for pk, trace in traces.items()}
