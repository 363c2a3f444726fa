"""The intended differences from the answers of version 0.2.0, a line each. Nothing else may differ."""

from typing import Any

from labeling.tests.upgrade import since_v0_1_0 as first
from labeling.tests.upgrade import time_and_cost
from labeling.tests.upgrade.differences import ANYTHING, Differences, Named, interval_of_today, time_of_all_versions
from labeling.tests.upgrade.known_answers import ANSWER_KNOWN, review_of_known_answer

ADDED = (
    *first.ADDED,  # keys that 0.2.0 already had are compared
    *(Named(r"/label_audits.*|/projects/\w+/label_audits.*", key) for key in ("kind", "same_trace")),
    Named(r"/projects/\w+/rounds", "next"),  # what follows a round
)
LEFT_OUT = (
    *first.NOTHING_TO_SETTLE,
    *ANSWER_KNOWN,
    *first.STEPS_OF_SWITCHES,
    Named(r"/projects/\w+/overview", "slots"),  # a closed round no longer wants the labels it lacks
    Named(r"/projects(/\w+)?", "labels_submitted"),  # the same count as on Home: people/test_home.py
    Named(r"/projects/\w+/rounds/pool", "expected"),  # the control arm is counted as it will be drawn
    Named(r"/projects/\w+/rounds/pool", "warnings"),
    Named(r"/projects/\w+/my_coaching", "rounds"),  # figures that would stay unchanged at a gold task
    Named(r"/labels/\d+(/earlier)?|/projects/\w+/my_labels", "task_id"),  # told gold from work
    *(Named(r"/labels/(113|128)/comparison", key) for key in ("status", "json")),  # its round has gold, and is open
    *first.OF_SCREENING,
    first.ONE_A_TRACE,
    Named(r"/projects/\w+/leases", "rated"),  # 0.2.0 answered 0 for a draft with two ratings; today they are counted
    Named(r"/rounds/\d+/progress", "means"),  # the words of a stage, for people
)


def neutral_row(row: dict[str, Any], switches: dict[str, str]) -> dict[str, Any]:
    """The switch `after_error` now follows the row's first error. If a -1 is not one, nothing behind it is cut off or
    filled in any more, which the old row does not tell.
    """
    changed = switches.get("after_error", "keep_unlabelled") != "keep_unlabelled" and -1 in row["step_labels"]
    if changed and row["first_error"] in (None, -1):
        row = {**row, "steps": ANYTHING, "step_labels": ANYTHING}
    return first.with_every_key(row)


SINCE_0_2_0 = Differences(
    added=ADDED,
    left_out=LEFT_OUT,
    objects=(
        (r".*/manifest", first.with_what_is_known),
        (r"/traces/\d+|/tasks/\d+(/review)?|/labels/\d+/comparison", first.with_kind_of_mistake),
        (r".*", first.label_of_a_round_with_gold),
        (r"/tasks/\d+/review", review_of_known_answer),
        (r".*", interval_of_today),
        (first.REVISED, time_of_all_versions),
        (first.AGREEMENT, first.share_of_pairs),
        (r"/projects/\w+/(overview|time|round_reports)|/rounds/\d+/report", time_and_cost.time_of_own_ratings),
        *first.RULED,
    ),
    rows={
        "neutral": neutral_row,
        "prm800k": lambda row, switches: first.with_time(row),
    },
    lines_added=first.LINES_ADDED,
    lines_of_today=first.LINES_OF_TODAY,
    columns_added=first.COLUMNS_ADDED,
)
