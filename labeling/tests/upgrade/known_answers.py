"""Intended differences for tasks whose right answer is known: gold, screening, imported quality control.

They wait for no ruling, and get none: gold/test_reviewed_gold.py.
"""

from typing import Any

from labeling.tests.upgrade.differences import Named

OF_RATINGS = ("contradiction", "bad_problem", "flagged")
ANSWER_KNOWN = (
    *(Named(r"/projects/(geometry|records)/reviews/counts", key) for key in (*OF_RATINGS, "tasks")),
    Named(r"/projects/(geometry|records)/reviews", "results"),
    # The old versions did not know which tasks are imported quality control.
    *(Named(r"/tasks/(15[2-9]|1[6-9]\d|[2-9]\d\d)/review", key) for key in ("can_settle", "waiting")),
)


def review_of_known_answer(said: dict[str, Any]) -> dict[str, Any]:
    """A review of gold or of a screening: only what was said about the trace waits, as before."""
    task = said.get("task")
    if not isinstance(task, dict) or "can_settle" not in said or task.get("kind") == "work":
        return said
    return {**said, "can_settle": False, "waiting": [kind for kind in said["waiting"] if kind not in OF_RATINGS]}
