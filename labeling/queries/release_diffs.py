"""What changed from one release to another: labels added, removed or revised, by round, labeler and source.

A label is the same in both releases if its id is. If a labeler's label on a task was replaced by another one, the row
changed: `steps` is the number of ratings that differ, and the verdicts are shown next to each other.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.db import connection

from labeling.models import Release
from labeling.queries.labeler_ids import LabelerIds
from labeling.queries.releases import label_ids
from labeling.queries.sql_slots import fill

CHANGES = ("added", "removed", "changed")
MOST_SHOWN = 200

PAIRS = """
    WITH gone AS (
        SELECT id, task_id, labeler_id, verdict, finish_reason FROM labeling_label WHERE id = ANY(%(gone)s::bigint[])
    ), come AS (
        SELECT id, task_id, labeler_id, verdict, finish_reason FROM labeling_label WHERE id = ANY(%(come)s::bigint[])
    ), pair AS (
        SELECT task_id, labeler_id, gone.id AS before, come.id AS after, gone.verdict AS verdict_before,
            come.verdict AS verdict_after, gone.finish_reason AS reason_before, come.finish_reason AS reason_after,
            CASE WHEN gone.id IS NULL THEN 'added' WHEN come.id IS NULL THEN 'removed' ELSE 'changed' END AS change
        FROM gone FULL JOIN come USING (task_id, labeler_id)
    ), told AS (
        SELECT pair.*, round.number AS round, trace.id AS trace, trace.source AS trace_source, person.kind AS source,
            person.external_id, problem.external_id AS problem
        FROM pair JOIN labeling_task AS task ON task.id = pair.task_id
        JOIN labeling_round AS round ON round.id = task.round_id
        JOIN labeling_trace AS trace ON trace.id = task.trace_id
        JOIN labeling_problem AS problem ON problem.id = trace.problem_id
        JOIN labeling_user AS person ON person.id = pair.labeler_id
    )
    {wanted}
"""
COUNTS = fill(
    PAIRS,
    wanted="""
    SELECT change, round, labeler_id, external_id, source, count(*), count(*) FILTER (WHERE
        change = 'changed' AND (verdict_before IS DISTINCT FROM verdict_after OR reason_before <> reason_after))
    FROM told GROUP BY GROUPING SETS ((change), (change, round), (change, labeler_id, external_id, source),
        (change, source))
""",
)
ROWS = fill(
    PAIRS,
    wanted="""
    SELECT change, before, after, trace, problem, round, labeler_id, external_id, source, trace_source,
        reason_before, verdict_before, reason_after, verdict_after, CASE WHEN change = 'changed' THEN (
            SELECT count(*) FROM (SELECT step_index, rating FROM labeling_steplabel
                WHERE label_id = before AND completion_id IS NULL) AS old
            FULL JOIN (SELECT step_index, rating FROM labeling_steplabel
                WHERE label_id = after AND completion_id IS NULL) AS new USING (step_index)
            WHERE old.rating IS DISTINCT FROM new.rating) END
    FROM told ORDER BY array_position(ARRAY['changed', 'removed', 'added'], change), task_id, labeler_id
    LIMIT %(most)s
""",
)
Json = dict[str, Any]


class DiffRow(NamedTuple):
    """A label that is not the same in both releases. Added labels have None for the values before, removed ones for
    those after. `source` is whose label it is (person, imported), `trace_source` where the trace was published.
    """

    change: str
    label_before: int | None
    label_after: int | None
    trace: int
    problem: str
    round: int
    labeler: str
    source: str
    trace_source: str
    reason_before: str | None
    verdict_before: int | None
    reason_after: str | None
    verdict_after: int | None
    steps: int | None


def diff_of(before: Release, after: Release) -> Json:
    """Return counts of the whole difference, and its first rows. Two queries in addition to those for the ids."""
    asked, same = _asked(before, after)
    totals = dict.fromkeys(CHANGES, 0) | {"same": same, "verdicts": 0}
    labelers = LabelerIds(after.project)
    groups: dict[str, dict[Any, dict[str, int]]] = {"round": {}, "labeler": {}, "source": {}}
    for change, round_, labeler, external_id, source, count, verdicts in _rows(COUNTS, asked):
        if labeler is not None:
            kind, key = "labeler", labelers.of(source, external_id, labeler)
        elif round_ is not None or source is not None:
            kind, key = ("round", round_) if round_ is not None else ("source", source)
        else:
            totals[change], totals["verdicts"] = count, totals["verdicts"] + verdicts
            continue
        groups[kind].setdefault(key, dict.fromkeys(CHANGES, 0))[change] += count
    parts = {f"by_{kind}": _sorted(found) for kind, found in groups.items()}
    return {"totals": totals, **parts, "rows": list(diff_rows(before, after, MOST_SHOWN))}


def diff_rows(before: Release, after: Release, most: int | None = None) -> Iterator[DiffRow]:
    """Yield the labels that differ: changed ones first, then removed ones, then new ones."""
    asked, _ = _asked(before, after)
    labelers = LabelerIds(after.project)
    for row in _rows(ROWS, asked | {"most": most}):
        *head, labeler, external_id, source = row[:9]
        yield DiffRow._make((*head, labelers.of(source, external_id, labeler), source, *row[9:]))


def _asked(before: Release, after: Release) -> tuple[Json, int]:
    old, new = set(label_ids(before)), set(label_ids(after))
    return {"gone": sorted(old - new), "come": sorted(new - old)}, len(old & new)


def _sorted(found: dict[Any, dict[str, int]]) -> list[Json]:
    return [{"name": str(key), **counts} for key, counts in sorted(found.items())]


def _rows(statement: str, asked: Json) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, asked)
        return list(cursor.fetchall())
