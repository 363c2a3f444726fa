"""How many labels an export leaves out, and why."""

from array import array
from typing import Any

import numpy as np
from django.db import connection

from labeling.models import Project
from labeling.queries.exports import ADJUDICATED, IMPORTED_PEOPLE, MEASURED_PROBLEMS, fitting_ids
from labeling.queries.haste import HASTY, project_floor_ms
from labeling.queries.sql_slots import fill

Json = dict[str, Any]
# The labels each switch is about.
SWITCHES = {
    "gold": "task.kind <> 'work'",
    "surplus": "label.surplus",
    "hasty": HASTY,
    "aided": "label.edited_after_reveal",
    "imported": f"label.labeler_id IN ({IMPORTED_PEOPLE})",
    "measured": f"trace.problem_id IN ({MEASURED_PROBLEMS})",
}
# Labels that are not in an export, counted by the first reason that applies to each.
WHY = """
    {chosen}
    SELECT CASE {switched} WHEN label.excluded THEN 'excluded' {not_chosen} END, count(*)
    FROM labeling_label AS label JOIN labeling_task AS task ON task.id = label.task_id
    JOIN labeling_trace AS trace ON trace.id = task.trace_id
    WHERE label.id = ANY(%(gone)s::bigint[]) GROUP BY 1
"""
# For an export with one label per task: another label was chosen, or the task gave none.
NOT_CHOSEN = """
    WHEN EXISTS (SELECT FROM chosen WHERE chosen.task_id = label.task_id AND chosen.id IS NOT NULL) THEN 'one_a_task'
    ELSE 'unsettled'
"""
REASONS = ("excluded", *SWITCHES, "one_a_task", "unsettled")


def left_out(project: Project, filters: Json, switches: Json, kept: "array[int]") -> dict[str, int]:
    """Count, by reason, the labels that match the filters but are not in an export that has `kept`.

    The reason is a switch, by its name; `excluded` for labels left out by hand; or, in an export with one label per
    task, that the label was not chosen. Each label counts once, for the first of these that applies. Reasons without
    labels are omitted. Two queries.
    """
    fitting = fitting_ids(project, filters)
    gone = np.setdiff1d(np.frombuffer(fitting, np.int64), np.frombuffer(kept, np.int64), assume_unique=True)
    if not len(gone):
        return {}
    one_a_task = switches.get("aggregate") == "adjudicated"
    switched = [f"WHEN {about} THEN '{name}'" for name, about in SWITCHES.items() if switches.get(name) == "exclude"]
    why = fill(
        WHY,
        chosen=ADJUDICATED if one_a_task else "",
        switched=" ".join(switched),
        not_chosen=NOT_CHOSEN if one_a_task else "",
    )
    floor = project_floor_ms(project) if switches.get("hasty") == "exclude" else 0
    with connection.cursor() as cursor:
        cursor.execute(why, {"project": project.pk, "gone": gone.tolist(), "floor": floor})
        counts = dict(cursor.fetchall())
    return {name: counts[name] for name in REASONS if name in counts}
