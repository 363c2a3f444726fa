"""SQL for the labels that figures about labelers are made of: ordinary work, made here, that stands."""

from labeling.queries.haste import MS, SECONDS_A_STEP, STEPS
from labeling.queries.labels import PROBLEM_OF_LABEL
from labeling.queries.sql_slots import fill

# Carried-over steps took no reading, so they do not count against the time, which includes that of earlier versions.
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
SECONDS_OF = fill(SECONDS_A_STEP, ms="{label}.active_ms", steps="{label}.steps")  # of a row of LABELS
WORK = fill(LABELS, kinds="('work')", narrowed="")
# A labeler's own figures count gold like the rest: a figure unchanged by a submission would reveal which one was gold.
OWN_LABELS = fill(LABELS, kinds="('work', 'gold')", narrowed="")
# `chosen` has the labels of a round and a period; `work` those of the round, whenever they were submitted.
CHOSEN = (
    fill(LABELS, kinds="('work')", narrowed="AND (%(round)s::bigint IS NULL OR round.id = %(round)s)")
    + """, chosen AS NOT MATERIALIZED (
        SELECT * FROM work WHERE (%(since)s::timestamptz IS NULL OR submitted_at >= %(since)s)
        AND (%(until)s::timestamptz IS NULL OR submitted_at < %(until)s)
    )
"""
)
