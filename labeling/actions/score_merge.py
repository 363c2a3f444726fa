"""Writes scores made elsewhere, a batch at a time: finds each row's trace, and reports rows without one."""

from collections.abc import Iterator

from django.db.backends.utils import CursorWrapper

from labeling.actions.step_scores import ADD, MAKE_TABLE
from labeling.count_words import count_of
from labeling.formats.faults import Fault
from labeling.formats.scores import ScoreRow
from labeling.metrics.trace_score import trace_score
from labeling.models import StepScorer
from labeling.queries.planner import note_written

BATCH_ROWS = 10_000
BATCH_STEPS = 500_000  # numbers held in memory

STAGE = """
    CREATE TEMP TABLE staged_score (
        line bigint, trace_id bigint, trace_hash bytea, steps real[], score double precision
    ) ON COMMIT DROP;
    CREATE TEMP TABLE found_score (
        line bigint, trace_id bigint, wanted int, steps real[], score double precision
    ) ON COMMIT DROP
"""
COPY = "COPY staged_score (line, trace_id, trace_hash, steps, score) FROM STDIN"
# LATERAL: two index look-ups for each row. As one join with OR, Postgres may read all traces.
FIND = """
    INSERT INTO found_score
    SELECT staged.line, trace.id, cardinality(trace.steps), staged.steps, staged.score
    FROM staged_score AS staged LEFT JOIN LATERAL (
        SELECT id, steps FROM labeling_trace
        WHERE id = staged.trace_id AND project_id = %(project)s AND NOT is_path
        UNION ALL
        SELECT id, steps FROM labeling_trace
        WHERE trace_hash = staged.trace_hash AND project_id = %(project)s AND NOT is_path
    ) AS trace ON TRUE
"""
MISFITS = """
    SELECT line, wanted, cardinality(steps) FROM found_score
    WHERE wanted IS DISTINCT FROM cardinality(steps) ORDER BY line
"""
TAKE = """
    INSERT INTO new_score (trace_id, steps, score, reason)
    SELECT DISTINCT ON (trace_id) trace_id, steps, score, '' FROM found_score
    WHERE wanted = cardinality(steps) ORDER BY trace_id, line
"""
CONTRADICTIONS = """
    SELECT found.line, known.steps FROM found_score AS found CROSS JOIN LATERAL (
        SELECT score.steps FROM labeling_score AS score
        WHERE score.scorer_id = %(scorer)s AND score.trace_id = found.trace_id LIMIT 1
    ) AS known
    WHERE found.wanted = cardinality(found.steps) AND known.steps IS DISTINCT FROM found.steps ORDER BY found.line
"""
EMPTY = "TRUNCATE staged_score, found_score, new_score"
DROP = "DROP TABLE staged_score, found_score, new_score"


class ScoreMerge:
    """Takes valid rows, and holds one batch of them in memory. Runs in one transaction."""

    def __init__(self, cursor: CursorWrapper, scorer: StepScorer, project_id: int) -> None:
        """Create the temporary tables, which last until `finish` or the transaction's end."""
        self.cursor, self.scorer = cursor, scorer
        self.about: dict[str, int | str | bool] = {
            "project": project_id,
            "scorer": scorer.pk,
            "scale": scorer.scale,
            "exact": True,
        }
        self.aggregation = scorer.aggregation
        self.rows: list[ScoreRow] = []
        self.steps = self.good = self.new = 0
        cursor.execute(STAGE)
        cursor.execute(MAKE_TABLE)

    def add(self, row: ScoreRow) -> bool:
        """Take a row. Returns whether the batch is full and must be written."""
        self.rows.append(row)
        self.steps += len(row.steps)
        return len(self.rows) >= BATCH_ROWS or self.steps >= BATCH_STEPS

    def write(self) -> list[Fault]:
        """Write the batch. Returns the faults of rows that fit no trace or its known scores."""
        if not self.rows:
            return []
        self._copy()
        self.cursor.execute(FIND, self.about)
        self.cursor.execute(MISFITS)
        faults = [_misfit(*row) for row in self.cursor.fetchall()]
        self.cursor.execute(TAKE)
        self.cursor.execute(ADD, self.about)
        self.new += self.cursor.rowcount
        self.cursor.execute(CONTRADICTIONS, self.about)
        faults += [_contradiction(*row) for row in self.cursor.fetchall()]
        self.good += len(self.rows) - len(faults)
        self.cursor.execute(EMPTY)
        self.rows.clear()
        self.steps = 0
        return faults

    def finish(self) -> list[Fault]:
        """Write the rest, and tell the planner how much there is."""
        faults = self.write()
        self.cursor.execute(DROP)
        note_written(self.cursor, "labeling_score", self.new)
        return faults

    def _copy(self) -> None:
        with self.cursor.copy(COPY) as copy:
            for values in self._values():
                copy.write_row(values)

    def _values(self) -> Iterator[tuple[object, ...]]:
        for line, trace_id, trace_hash, steps in self.rows:
            literal = f"{{{','.join(map(repr, steps))}}}"
            yield line, trace_id, trace_hash, literal, trace_score(steps, self.scorer.scale, self.aggregation)


def _misfit(line: int, wanted: int | None, given: int) -> Fault:
    if wanted is None:
        do = "Import the trace first, or leave the row out. Ids must be of this project, hashes of the exact steps."
        return Fault("unknown_trace", line, "", "no such trace in this project", do)
    do = "Give one number for each step of the trace."
    return Fault("other_step_count", line, "scores", f"{count_of(given, 'number')} for {count_of(wanted, 'step')}", do)


def _contradiction(line: int, known: list[float] | None) -> Fault:
    do = "Stored scores do not change. If the model gives other numbers, use another fingerprint and another name."
    said = "unscored" if known is None else ", ".join(f"{one:.4g}" for one in known[:8])
    return Fault("other_scores", line, "scores", f"the trace has other scores by this model: {said}", do)
