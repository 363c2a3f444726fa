"""SQL for where people and machines see the first error of a trace, for everything that compares the two.

What people say of a trace is its newest ruling, otherwise what most of its labels say. For comparisons with machines,
labels whose labeler had seen a machine's view are left out, and so are traces on which labels are split.
"""

from labeling.queries.labels import NOT_EXCLUDED
from labeling.queries.recorded_verdicts import AGREED
from labeling.queries.sql_slots import fill

# `{which}` narrows the labels, with the tables label, task and round. `first_error` is null where labels are split.
# Votes are counted only for the few traces on which labels differ.
VOTED = f"""
    WITH said AS (
        SELECT task.trace_id, label.verdict, round.protocol, label.status = 'ruling' AS ruling, label.id
        FROM labeling_label AS label JOIN labeling_task AS task ON task.id = label.task_id
        JOIN labeling_round AS round ON round.id = task.round_id
        WHERE label.project_id = %(project)s AND label.status IN ('submitted', 'ruling') AND task.kind = 'work'
            AND label.verdict IS NOT NULL AND NOT label.surplus AND {NOT_EXCLUDED} AND {{which}}
    ), ruled AS (
        SELECT DISTINCT ON (trace_id) trace_id, verdict AS first_error, protocol FROM said WHERE ruling
        ORDER BY trace_id, id DESC
    ), counted AS (
        SELECT trace_id, min(verdict) AS least, max(verdict) AS most, min(protocol) AS protocol
        FROM said WHERE NOT ruling GROUP BY trace_id
    ), split AS (
        SELECT trace_id, verdict, rank() OVER (PARTITION BY trace_id ORDER BY count(*) DESC) AS place
        FROM said JOIN counted USING (trace_id) WHERE NOT ruling AND least <> most GROUP BY trace_id, verdict
    ), heard AS (
        SELECT trace_id, least AS first_error, protocol FROM counted WHERE least = most
        UNION ALL SELECT trace_id, CASE WHEN count(*) = 1 THEN min(verdict) END, min(counted.protocol)
        FROM split JOIN counted USING (trace_id) WHERE place = 1 GROUP BY trace_id
    )
    SELECT trace_id, first_error, protocol FROM ruled
    UNION ALL SELECT trace_id, first_error, protocol FROM heard WHERE trace_id NOT IN (SELECT trace_id FROM ruled)
"""
UNAIDED = fill(VOTED, which="NOT label.edited_after_reveal AND {which}")
PEOPLE = f"SELECT trace_id, first_error, protocol FROM ({UNAIDED}) AS voted WHERE first_error IS NOT NULL"
LABELED = fill(PEOPLE, which="TRUE")
# Labels in the random samples drawn for this scorer as it is now; a scorer that has changed has none.
AUDITED = fill(
    PEOPLE,
    which="""round.config ->> 'source' = 'audit'
        AND (round.config -> 'by_machine' -> 'scorer' ->> 'id')::bigint = %(scorer)s
        AND round.config -> 'by_machine' -> 'scorer' ->> 'fingerprint' = %(fingerprint)s
        AND (%(grader)s::text IS NULL OR round.config -> 'by_machine' ->> 'grader' = %(grader)s)""",
)
RECORDED = f"SELECT trace_id, first_error, 'recorded' AS protocol FROM ({AGREED}) AS agreed"


def first_error_sql(score: str = "") -> str:
    """Return SQL for where a row of `labeling_score`, called `score`, sees the first error: what its evidence says,
    otherwise the first step the scorer (a PRM) holds wrong. Null if it does not say.
    """
    of = f"{score}." if score else ""
    return f"""
        CASE WHEN jsonb_exists({of}evidence, 'first_error') THEN ({of}evidence ->> 'first_error')::int
            WHEN array_position({of}steps, NULL) IS NULL AND cardinality({of}steps) > 0 AND (
                SELECT scale FROM labeling_stepscorer WHERE id = {of}scorer_id) = 'probability'
            THEN coalesce((SELECT min(place)::int - 1 FROM unnest({of}steps) WITH ORDINALITY AS step (value, place)
                WHERE value < 0.5), -1)
        END
    """
