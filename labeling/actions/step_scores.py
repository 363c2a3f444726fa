"""Scores of traces: written as they arrive, once per trace and PRM even if computed twice."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db import connection, transaction
from psycopg.types.json import Jsonb

from labeling.models import StepScorer
from labeling.queries.unsure_scores import SCALE, entropy_of

REASON = 200  # characters that the column holds

ENTROPY = f"CASE WHEN %(scale)s = '{SCALE}' AND new_score.score IS NOT NULL THEN {entropy_of('new_score.steps')} END"
MAKE_TABLE = """
    CREATE TEMPORARY TABLE new_score (
        trace_id bigint, steps real[], score double precision, reason text, sketch bytea, evidence jsonb, spread real
    ) ON COMMIT DROP
"""
COPY = "COPY new_score (trace_id, steps, score, reason, sketch, evidence, spread) FROM STDIN"
# The outcome is the trace's own. The lock keeps a grading from changing it between reading and writing. The count
# comes last, so that whoever waits for it holds nothing that its holder still needs.
ADD = f"""
    WITH added AS (
        INSERT INTO labeling_score
            (scorer_id, trace_id, project_id, problem_id, outcome, draw, steps, score, reason, sketch, exact,
                evidence, spread, entropy)
        SELECT %(scorer)s, trace.id, trace.project_id, trace.problem_id, trace.outcome,
            ('x' || encode(substr(trace.trace_hash, 1, 8), 'hex'))::bit(64)::bigint,
            new_score.steps, new_score.score, new_score.reason, new_score.sketch, %(exact)s,
            new_score.evidence, new_score.spread, {ENTROPY}
        FROM new_score JOIN labeling_trace AS trace ON trace.id = new_score.trace_id
        ORDER BY trace.id FOR SHARE OF trace
        ON CONFLICT DO NOTHING
        RETURNING project_id
    ), counted AS (
        INSERT INTO labeling_scorecount AS known (scorer_id, project_id, traces)
        SELECT %(scorer)s, project_id, count(*) FROM added GROUP BY project_id ORDER BY project_id
        ON CONFLICT (scorer_id, project_id) DO UPDATE SET traces = known.traces + excluded.traces
    )
    SELECT FROM added
"""
REPLACE = f"""
    UPDATE labeling_score AS score
    SET steps = new_score.steps, score = new_score.score, reason = new_score.reason, exact = TRUE,
        sketch = coalesce(new_score.sketch, score.sketch), spread = new_score.spread, entropy = {ENTROPY}
    FROM new_score WHERE score.scorer_id = %(scorer)s AND score.trace_id = new_score.trace_id AND NOT score.exact
"""


class NewScore(NamedTuple):
    """A trace's score by a PRM: `steps` and `score`, or neither and a reason. `score` is a logarithm.

    `sketch`: of the trace's text, by `labeling.selection.sketches_of`. `spread`: how far apart the PRM's heads fitted
    on resampled problems are, if it has any, on average over the steps.
    """

    trace_id: int
    steps: Sequence[float | None] | None
    score: float | None
    reason: str
    sketch: bytes | None = None
    evidence: dict[str, Any] | None = None
    spread: float | None = None


def add_scores(scorer: StepScorer, scores: Sequence[NewScore], *, exact: bool) -> int:
    """Write the scores of traces that this PRM has not scored yet. Returns how many were new."""
    return _write(ADD, scorer, scores, exact)


def make_exact(scorer: StepScorer, scores: Sequence[NewScore]) -> int:
    """Replace rough scores by exact ones. Returns how many were rough."""
    return _write(REPLACE, scorer, scores, True)


@transaction.atomic
def _write(statement: str, scorer: StepScorer, scores: Sequence[NewScore], exact: bool) -> int:
    with connection.cursor() as cursor:
        cursor.execute(MAKE_TABLE)
        with cursor.copy(COPY) as copy:
            for one in scores:
                steps = None if one.steps is None else list(one.steps)
                reason = one.reason.replace("\x00", "")[:REASON]
                evidence = None if one.evidence is None else Jsonb(one.evidence)
                copy.write_row((one.trace_id, steps, one.score, reason, one.sketch, evidence, one.spread))
        cursor.execute(statement, {"scorer": scorer.pk, "scale": scorer.scale, "exact": exact})
        return cursor.rowcount
