"""What happened to the place of lost gold: the same as would have happened if it were work.

Lost work goes to the next labeler who has not had it, as long as its task wants labels. Lost gold goes to nobody, but
what comes back, or counts, after an absence must not let a labeler tell the two apart (docs/quality.md). So the gold
is treated as work that was in the queue right before what its labeler would have been given instead.
"""

from labeling.models import Label
from labeling.queries.prepared_sql import execute_prepared, one_line

BEFORE_ALL = -(2**63)  # the smallest bigint
THE_LOST = """
    SELECT label.id, label.labeler_id, label.project_id, label.leased_until, task.round_id
    FROM labeling_label label JOIN labeling_task task ON task.id = label.task_id WHERE label.id = %(label)s
"""
# The work the labeler had before it; only the 50 labels before it are looked at.
BEFORE = f"""
    SELECT id, order_key FROM (
        SELECT had.id, had.order_key, latest.id AS newest FROM (
            SELECT id, task_id FROM labeling_label WHERE labeler_id = lost.labeler_id AND id < lost.id
            ORDER BY id DESC LIMIT 50) latest
        JOIN labeling_task had ON had.id = latest.task_id AND had.round_id = lost.round_id AND had.kind = 'work'
        UNION ALL SELECT 0, {BEFORE_ALL}, 0) known
    ORDER BY newest DESC LIMIT 1
"""
# How many of one person's labels before the lost one, or since, are looked at.
FEW = 20
# The first task behind it that still wanted a label of theirs then, and how many it wants in all: among the tasks that
# want one now, and those given to somebody since.
PLACE = f"""
    SELECT id, order_key, slots FROM (
        SELECT task.id, task.order_key, task.labels_wanted + taken.by_now AS slots, taken.before AS taken_before
        FROM (
            (SELECT id FROM labeling_task free
                WHERE free.round_id = lost.round_id AND free.labels_wanted > 0
                    AND (free.order_key, free.id) > (work_before.order_key, work_before.id)
                ORDER BY free.order_key, free.id LIMIT {FEW})
            UNION
            SELECT given.task_id FROM labeling_membership anybody, LATERAL (
                (SELECT task_id FROM labeling_label
                    WHERE labeler_id = anybody.user_id AND id > lost.id ORDER BY id LIMIT {FEW})
                UNION ALL
                (SELECT task_id FROM labeling_label
                    WHERE labeler_id = anybody.user_id AND id > lost.id ORDER BY id DESC LIMIT {FEW})) given
            WHERE anybody.project_id = lost.project_id) known,
        LATERAL (SELECT * FROM labeling_task WHERE labeling_task.id = known.id LIMIT 1) task,
        LATERAL (
            SELECT count(*) AS by_now, count(*) FILTER (WHERE standing.id < lost.id) AS before
            FROM labeling_label standing WHERE standing.task_id = task.id AND NOT standing.surplus
                AND standing.status IN ('open', 'prefetched', 'submitted')) taken
        WHERE task.round_id = lost.round_id AND task.kind = 'work'
            AND (task.order_key, task.id) > (work_before.order_key, work_before.id)
            AND NOT EXISTS (SELECT FROM labeling_label own
                WHERE own.task_id = task.id AND own.labeler_id = lost.labeler_id AND own.id < lost.id)) behind
    WHERE taken_before < slots ORDER BY order_key, id LIMIT 1
"""
# Anyone given that work, or work behind it, would have been given the lost one first while it had a place for them.
# When each person came by for the first time (as label ids ascend), and whether it was after the label was lost.
PASSED = f"""
    SELECT min(came.id) AS first, coalesce(bool_or(came.claimed_at > lost.leased_until), false) AS since
    FROM (
        (SELECT id, task_id, claimed_at FROM labeling_label
            WHERE labeler_id = other.user_id AND status <> 'ruling' AND id < lost.id ORDER BY id DESC LIMIT {FEW})
        UNION ALL
        (SELECT id, task_id, claimed_at FROM labeling_label
            WHERE labeler_id = other.user_id AND status <> 'ruling' AND id > lost.id ORDER BY id LIMIT {FEW})
        UNION ALL
        (SELECT id, task_id, claimed_at FROM labeling_label
            WHERE labeler_id = other.user_id AND status <> 'ruling' AND id > lost.id ORDER BY id DESC LIMIT {FEW})) came
    JOIN labeling_task theirs ON theirs.id = came.task_id
    WHERE theirs.round_id = lost.round_id AND theirs.kind = 'work'
        AND (theirs.order_key, theirs.id) >= (place.order_key, place.id)
    HAVING count(*) > 0
"""
# The first to come took the places other than the labeler's own, until that one was free, too.
PLACE_GONE = one_line(f"""
    SELECT count(*) FILTER (WHERE nth < slots OR since) >= slots FROM (
        SELECT place.slots, passed.since, rank() OVER (ORDER BY passed.first) AS nth
        FROM ({THE_LOST}) lost, LATERAL ({BEFORE}) work_before, LATERAL ({PLACE}) place
        JOIN labeling_membership other ON true,
        LATERAL ({PASSED}) passed
        WHERE other.project_id = lost.project_id AND other.user_id <> lost.labeler_id) everybody
    GROUP BY slots
""")
# If nothing was behind it: anyone who worked in the round and then had nothing left would have been given it.
AT_THE_END = one_line(f"""
    SELECT NOT EXISTS (SELECT FROM ({THE_LOST}) lost, LATERAL ({BEFORE}) work_before, LATERAL ({PLACE}) place)
        AND EXISTS (
            SELECT FROM ({THE_LOST}) lost
            JOIN labeling_label later ON later.project_id = lost.project_id AND later.labeler_id <> lost.labeler_id
                AND later.submitted_at > lost.leased_until
            JOIN labeling_task theirs ON theirs.id = later.task_id AND theirs.round_id = lost.round_id)
""")


def gold_slot_is_gone(label: Label) -> bool:
    """Return whether others would have taken the place of this lost label by now."""
    named = {"label": label.pk}
    return label.leased_until is None or any(
        gone for statement in (PLACE_GONE, AT_THE_END) for [gone] in execute_prepared(statement, named)
    )
