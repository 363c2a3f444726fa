"""The labels that figures about labelers are made of, as pieces of SQL: ordinary work, made here, that stands."""

from labeling.queries.haste import MS, SECONDS_A_STEP, STEPS
from labeling.queries.labels import PROBLEM_OF_LABEL
from labeling.queries.sql_slots import fill

# Steps that came filled in took no reading, so they do not count against the time; earlier versions took theirs.
LABELS = f"""
    WITH work AS (
        SELECT label.id, label.task_id, label.labeler_id, label.finish_reason, {MS} AS active_ms,
            label.submitted_at, label.verdict, {STEPS} AS steps, {PROBLEM_OF_LABEL} AS problem_id
        FROM labeling_label label JOIN labeling_task task ON task.id = label.task_id
        JOIN labeling_round round ON round.id = task.round_id
        WHERE label.project_id = %(project)s AND label.status = 'submitted' AND task.kind IN {{kinds}}
        AND NOT round.imported {{narrowed}}
    )
"""
SECONDS_OF = fill(SECONDS_A_STEP, ms="{label}.active_ms", steps="{label}.steps")  # of a row of these
WORK = fill(LABELS, kinds="('work')", narrowed="")
# What people see of their own counts gold like the rest: a figure that stays at a submission would tell which it was.
OWN_LABELS = fill(LABELS, kinds="('work', 'gold')", narrowed="")
# Those of a round and of a period, as `chosen`; `work` are those of the round whenever they were submitted.
CHOSEN = (
    fill(LABELS, kinds="('work')", narrowed="AND (%(round)s::bigint IS NULL OR round.id = %(round)s)")
    + """, chosen AS NOT MATERIALIZED (
        SELECT * FROM work WHERE (%(since)s::timestamptz IS NULL OR submitted_at >= %(since)s)
        AND (%(until)s::timestamptz IS NULL OR submitted_at < %(until)s)
    )
"""
)
