"""How tasks ended, for every figure that counts a trace once.

A task is finished when a label on it counts (submitted, not surplus, not left out). Its verdict is a reviewer's ruling,
else the reason that most of its labels finished with; in a tie, the one that claims less, in the order give_up,
bad_problem, solution, found_error. Its first error is the ruling's, else the lower median of those its labels found.
"""

from labeling.queries.labels import CLAIMS_LESS, NOT_EXCLUDED

# `{which}` narrows the tasks.
ENDINGS = f"""
    WITH counted AS (
        SELECT task.id AS task, label.finish_reason AS reason,
            CASE WHEN label.verdict >= 0 THEN label.verdict END AS first_error
        FROM labeling_task AS task JOIN labeling_label AS label ON label.task_id = task.id
        WHERE {{which}} AND task.kind IN ('work', 'imported_qc') AND label.status = 'submitted'
            AND NOT label.surplus AND {NOT_EXCLUDED}
    ), verdicts AS (
        SELECT DISTINCT ON (task) task, reason, first_error FROM (
            SELECT task, reason, false AS ruling, count(*) AS votes,
                percentile_disc(0.5) WITHIN GROUP (ORDER BY first_error) AS first_error
            FROM counted GROUP BY task, reason
            UNION ALL
            SELECT task_id, finish_reason, true, 1, CASE WHEN verdict >= 0 THEN verdict END FROM labeling_label
            WHERE status = 'ruling' AND task_id IN (SELECT task FROM counted)) AS by_reason
        ORDER BY task, ruling DESC, votes DESC, {CLAIMS_LESS}
    )
"""
