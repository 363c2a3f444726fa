"""How many labels an export leaves out, and why."""

from array import array
from typing import Any

from django.db import connection

from labeling.models import Project
from labeling.queries.exports import ADJUDICATED, excluded_labels, label_ids

Json = dict[str, Any]
# Of labels that were not chosen: those of tasks of which another one was, and those of tasks that gave none.
WHY_NOT_CHOSEN = f"""
    {ADJUDICATED}
    SELECT count(*) FILTER (WHERE stands.task_id IS NOT NULL) AS one_a_task,
        count(*) FILTER (WHERE stands.task_id IS NULL) AS unsettled
    FROM labeling_label AS label LEFT JOIN chosen AS stands ON stands.task_id = label.task_id AND stands.id IS NOT NULL
    WHERE label.id = ANY(%(gone)s::bigint[])
"""


def left_out(project: Project, filters: Json, switches: Json, kept: "array[int]") -> dict[str, int]:
    """How many labels a switch keeps out of an export that has `kept`, by its name, and how many somebody left out by
    hand (`excluded`); what keeps none out is not named. Of one label a task there are two reasons (WHY_NOT_CHOSEN).
    """
    found = {"excluded": excluded_labels(project, filters, switches)}
    for name in ("gold", "surplus", "hasty", "imported", "measured"):
        if switches.get(name) == "exclude":
            found[name] = len(label_ids(project, filters, {**switches, name: "include"})) - len(kept)
    if switches.get("aggregate") == "adjudicated":
        found |= _not_chosen(project, set(label_ids(project, filters, {**switches, "aggregate": "each"})) - set(kept))
    return {name: count for name, count in found.items() if count}


def _not_chosen(project: Project, gone: set[int]) -> dict[str, int]:
    with connection.cursor() as cursor:
        cursor.execute(WHY_NOT_CHOSEN, {"project": project.pk, "gone": sorted(gone)})
        return dict(zip(("one_a_task", "unsettled"), cursor.fetchone(), strict=True))
