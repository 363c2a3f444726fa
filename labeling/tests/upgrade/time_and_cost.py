"""Intended differences in the time that labels took, and in what they cost."""

from typing import Any

from labeling.tests.upgrade.differences import ANYTHING


def time_of_own_ratings(said: dict[str, Any]) -> dict[str, Any]:
    """Times count only steps that somebody rated: ratings carried over took no time and are left out."""
    if not {"per_step", "active_ms"} & said.keys():
        return said
    return {key: ANYTHING if key in ("per_step", "steps") else value for key, value in said.items()}


def time_of_timed_labels(said: dict[str, Any]) -> dict[str, Any]:
    """Labels sent without active time are in no rate: labels/test_time_spent.py. Project loop has two such labels."""
    rates = ("per_trace", "per_step", "per_error", "active_minutes_per_error", "in_session", "shuffled", "ratio")
    of_time = {"per_trace", "in_session", "active_minutes_per_error"} & said.keys()
    return {key: ANYTHING if key in rates else value for key, value in said.items()} if of_time else said


def cost_by_ruling(said: dict[str, Any]) -> dict[str, Any]:
    """A ruling decides whether its task ended in an error, and so what an error cost. If no labeler's time was
    recorded, the cost is unknown: labels/test_time_spent.py.
    """
    if said.get("active_minutes_per_error") == 0:
        return {**said, "active_minutes_per_error": None}
    if "confirmed_errors" not in said:
        return said
    money = said["money"] and {**said["money"], "per_error": ANYTHING}
    return {**said, "confirmed_errors": ANYTHING, "per_error": ANYTHING, "money": money}
