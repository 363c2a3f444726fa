"""The intended differences from the answers of version 0.1.0, a line each. Nothing else may differ."""

import re
from collections.abc import Callable
from typing import Any

from labeling.tests.upgrade.differences import (
    ANYTHING,
    Differences,
    Named,
    Renamed,
    interval_of_today,
    time_of_all_versions,
)
from labeling.tests.upgrade.known_answers import ANSWER_KNOWN, review_of_known_answer
from labeling.tests.upgrade.time_and_cost import cost_by_ruling, time_of_own_ratings, time_of_timed_labels


def verdict_counts(row: dict[str, Any], switches: dict[str, str]) -> dict[str, Any]:
    """The first error of a neutral row is now its label's verdict: none for bad_problem and give_up, "no error" (-1)
    for a confirmed solution. Ratings stay as typed. The row of an alternative is still about that alternative.

    If `neutral` counts as negative, a row's ratings do not tell the verdict. A 0 may then be the first error, as
    before, and only the absence of a verdict is compared. If a -1 is no first error any more, the steps that the switch
    `after_error` cut off or filled in behind it are back as they were typed, which the old row does not tell.
    """
    if "alternative_at_step" in row["label"]:
        return {**row, "verdict": None}
    finish, neutral = row["label"]["finish_reason"], switches.get("neutral", "")
    changed = switches.get("after_error", "keep_unlabelled") != "keep_unlabelled" and -1 in row["step_labels"]
    if changed and finish != "found_error":
        row = {**row, "steps": ANYTHING, "step_labels": ANYTHING}
    if finish in ("bad_problem", "give_up"):
        return {**row, "first_error": None, "verdict": None}
    if neutral == "negative":
        confirmed = finish == "solution" and row["first_error"] != -1  # or a 0: the ratings look the same here
        return {**row, "first_error": ANYTHING if confirmed else row["first_error"], "verdict": ANYTHING}
    verdict = row["first_error"] if finish == "found_error" else -1
    return {**row, "first_error": verdict, "verdict": verdict}


def with_every_key(row: dict[str, Any]) -> dict[str, Any]:
    """A neutral row has every key of the format, null or empty if there is no value. A time is never missing."""
    nothing: dict[str, Any] = {"alternative_at_step": None, "run": None, "comments": [], "reports": []}
    label = {**nothing, "calculations": [], "ruling": ANYTHING, **row["label"]}
    label["finish_detail"] = {"kind": None, "text": None} | label["finish_detail"]
    if label["mistake"]:
        said = dict.fromkeys(("kind", "scheme", "scheme_version", "code", "clause", "corrected_step"))
        label["mistake"] = {**said, "explanations": [], **label["mistake"]}
    label = time_of_all_versions(label)
    label["total_ms"] = ANYTHING if label["total_ms"] is None else label["total_ms"]
    return {
        "subject": None,
        "level": None,
        "licence": None,
        "split": "train",
        "ground_truth_answers": [],
        "typed_steps": None,
        "step_sources": ANYTHING,
        **row,
        "label": label,
    }


def with_time(row: dict[str, Any]) -> dict[str, Any]:
    """A PRM800K row of a label sent without its time has the server's time."""
    label = row["label"]
    return {**row, "label": {**label, "total_time": ANYTHING}} if label["total_time"] is None else row


def verdict_of_label(label: dict[str, Any]) -> dict[str, Any]:
    """A label has its verdict (as above) in place of its first rating of -1."""
    if not {"first_error", "finish_reason"} <= label.keys():
        return label
    verdict = {"found_error": label["first_error"], "solution": -1}.get(label["finish_reason"])
    return {**{key: value for key, value in label.items() if key != "first_error"}, "verdict": verdict}


def warning_of_the_quota(said: dict[str, Any]) -> dict[str, Any]:
    """The warning about a selection that falls short speaks of the quota, not of places."""
    if said.get("code") != "places_short":
        return said
    return {**said, "code": "shortfall", "text": said["text"].replace(" places would", " of the quota would")}


def ending_by_ruling(said: dict[str, Any]) -> dict[str, Any]:
    """A ruling decides how its task ended: selection/test_report.py. Two rounds have one."""
    if "false_alarms" not in said or said["round"]["id"] not in (2, 9):
        return said
    return {**said, **dict.fromkeys(("finished", "yield", "false_alarms", "active_minutes_per_error"), ANYTHING)}


def label_of_a_round_with_gold(said: dict[str, Any]) -> dict[str, Any]:
    """It can be compared once the round is closed; until then it can be revised, settled or not."""
    round_ = said.get("round")
    if not isinstance(round_, dict) or round_.get("name") != "Work with gold" or "can_revise_until" not in said:
        return said
    return {**said, "can_revise_until": ANYTHING} | ({"can_compare": False} if "can_compare" in said else {})


# Addresses: a pattern and its replacement, as for re.sub. The first match counts.
# Example: (r"/triages\b", "/label_audits")
ADDRESSES: tuple[tuple[str, str], ...] = (
    (r"/triage_items/", "/label_audit_items/"),
    (r"/triages\b", "/label_audits"),
    (r"/standings\b", "/labeler_quality"),
    (r"/my_standing\b", "/my_quality"),
)

# Keys. Example: Renamed(r"/triages/.*", "surprise", "surprisal")
KEYS: tuple[Renamed, ...] = (
    Renamed(r"/triage.*|/projects/\w+/triages.*", "surprise", "surprisal"),
    Renamed(r"/triage.*|/projects/\w+/triages.*", "surprising_step", "least_likely_step"),
    Renamed(r"/triage.*|/projects/\w+/triages.*", "place", "position"),
    Renamed(r"/triage.*", "triage", "label_audit"),
    Renamed(r"/projects/\w+/overview", "places", "slots"),
    Renamed(r".*", "kept_back", "in_evaluation_split"),
    Renamed(r".*", "problems_kept_back", "problems_in_evaluation_split"),
    Renamed(r"(?!.*/audit).*", "made_wrong_steps", "synthetic_errors"),
    Renamed(r".*", "places_short", "shortfall"),
)

# Values that name a thing, such as a status. Example: Renamed(r"/.*/audit", "triage.create", "label_audit.create")
VALUES: tuple[Renamed, ...] = ()

# Headings of CSV files, like keys. Example: Renamed(r"/triages/.*\.csv", "surprise", "surprisal")
HEADINGS: tuple[Renamed, ...] = (
    Renamed(r"/triages/.*\.csv", "surprise_nats", "surprisal_nats"),
    Renamed(r"/triages/.*\.csv", "surprising_step", "least_likely_step"),
)

# Keys that the old version did not have. Example: Named(r"/rounds/\d+", "protocol")
ADDED: tuple[Named, ...] = (
    *(Named(r"/projects/\w+/rounds/pool", key) for key in ("advice", "fitting_k")),
    Named(r"/projects(/\w+)?", "taken_out_at"),
    *(Named(r"/projects/\w+/traces", key) for key in ("first_error", "labels_differ", "score")),
    Named(r"/projects/\w+/reviews/counts", "asked_for"),
    *(
        Named(r"/projects/\w+/training_runs/preview", key)
        for key in ("left_out", "right_answers", "wrong_answers", "refused_outcomes")
    ),
    *(Named(r"/session.*|/invitations/.*", key) for key in ("sign_in", "leave_to")),
    *(Named(r"/labels.*|/projects/\w+/labels/claim|/tasks.*", key) for key in ("machine", "marks")),
    *(Named(r"/rounds.*|/projects/\w+/(rounds.*|overview)", key) for key in ("machine", "by_machine")),
    *(Named(r".*", key) for key in ("clauses", "corrected_step", "explanations", "suggestions")),
    Named(r"/labels.*|/projects(/\w+)?|/projects/\w+/labels/claim", "after_error"),
    Named(r"/labels.*|/tasks.*|/traces/.*|/projects/\w+/labels.*", "clause"),
    Named(r".*", "protocol"),
    Named(r"/projects/\w+/audit", "words"),
    Named(r"/projects/\w+/rounds/preview", "held_out"),
    Named(r"/rounds/\d+/progress", "held_up"),
    Named(r"/rounds.*|/projects/\w+/(rounds.*|overview)", "working"),
    Named(r"/rounds.*|/projects/\w+/(rounds.*|overview)", "with_workers"),
    Named(r"/rounds.*", "title"),
    Named(r"/rounds.*", "means"),
    Named(r"/rounds.*", "doing"),
    Named(r"/rounds.*", "whole"),
    *(Named(r"/traces/\d+|/tasks/\d+(/review)?", key) for key in ("ruling", "surplus_because")),
    Named(r"/labels/\d+/earlier", "verdict"),
    Named(r"/imports/\d+|/projects/\w+/imports", "attempts"),
    Named(r"/tokens", "read_only"),
    Named(r"/tokens", "expires_at"),
    Named(r"/labels/\d+/earlier", "id"),
    Named(r"/labels/\d+", "label_id"),
    Named(r".*", "can_reveal"),
    Named(r"/projects/\w+/my_labels", "hasty"),
    Named(r".*", "accepted_answers"),
    Named(r"/imports.*|/projects/\w+/imports", "labels_of"),
    Named(r"/imports.*|/projects/\w+/imports", "split"),
    *(Named(r"/imports.*|/projects/\w+/imports", key) for key in ("marks_of", "mapping", "can_map", "marks")),
    Named(r"/imports.*|/projects/\w+/imports", "recorded"),
    Named(r".*/?exports.*", "without_rows"),  # in manifests too
    Named(r"/triages.*|/projects/\w+/triages.*", "kind"),
    Named(r"/labels/\d+/feedback", "typed_steps"),
    Named(r"/training_runs/\d+", "learning_curve"),
    Named(r"/projects/\w+/my_stats", "hasty"),
    Named(r"/projects/\w+/(my_stats|labelers/\d+)", "judged"),
    Named(r"/imports/\d+|/projects/\w+/imports", "silent_seconds"),
    Named(r"/projects/\w+/(my_stats|my_progress)", "floor_ms"),
    Named(r"/training_runs/\d+", "doing"),  # null if the run is over
    # A training's figures have intervals; older ones say why they have none.
    *(Named(r"(/projects/\w+)?/training_runs.*", name) for name in ("low", "high", "no_interval")),
    Named(r"/rounds/\d+/figures", "worth"),
    Named(r"/import_formats", "leaves"),
    Named(r"/import_formats", "marks_by"),
    Named(r"/traces/\d+", "recorded_verdicts"),
    Named(r"/projects/\w+/(overview|agreement)", "kind"),
    Named(r".*/?training_runs/(options|\d+)", "sources"),  # machines that teach along with people
    Named(r"(?!.*(/rounds|/imports|/overview)).*", "imported"),  # a switch of exports and training
    Named(r".*/manifest", "measured"),  # a switch of exports: problems of evaluation sets
    Named(r".*/manifest", "aided"),  # another: labels given with a view of a machine
    Named(r".*", "left_out"),
    Named(r".*", "hasty"),
    Named(r"/notices/choices", "hasty_labels"),
    Named(r"/notices/choices", "screening"),
    Named(r"/tasks/\d+/review", "answer_known"),
    Named(r".*", "clusters"),  # how many an interval is based on, and why there is none
    Named(r".*", "no_interval"),
    Named(r".*", "learned_known"),
    Named(r".*/triages.*", "same_trace"),
    Named(r".*", "advised_threshold"),
    Named(r".*", "said_wrong"),
    Named(r".*/evaluations.*", "thresholds"),
    Named(r".*/evaluations.*", "gain"),
    Named(r".*/evaluations.*", "standing"),
    Named(r"/projects/\w+/evaluations/compare", "differences"),
    Named(r"/projects/\w+/prms", "learned_from"),
    Named(r"/projects/\w+/prms", "site_wide"),
    Named(r"/projects/\w+/prms", "kind"),
    Named(r"/projects/\w+/(prms|selector)", "baseline_not_beaten"),
    Named(r".*", "learned_from"),
    Named(r".*", "origin_known"),
    Named(r"/projects/\w+/overview", "missing_figures"),
    Named(r"/labels/\d+(/(reopen|resume))?|/projects/\w+/labels/claim", "finished_at"),
    Named(r"/projects/\w+/my_coaching", "differences"),
    Named(r"/projects/\w+/my_coaching", "label_id"),
    Named(r"/projects/\w+/my_(quality|standing)|/projects/\w+/screening/retry", "begun"),
    Named(r"/projects/\w+/my_(quality|standing)|/projects/\w+/screening/retry", "results"),
    *(Named(r"/labels/\d+/feedback", key) for key in ("ratings", "answer", "objection")),
    Named(r".*/gold.*", "objections"),
    Named(r".*", "calculations"),  # of a submission
    Named(r"/projects/\w+/labels/claim", "further"),
    Named(r"/labels/\d+(/(reopen|resume))?|/projects/\w+/labels/claim", "typed_steps"),
    Named(r"/tasks.*|/traces/.*|/projects/\w+/(traces|tasks).*|/labels/\d+/comparison", "typed_steps"),
    Named(r".*", "run_marks"),  # of a submission
    Named(r"/traces/\d+|/tasks/\d+(/review)?|/labels/\d+/comparison", "recorded_marks"),
    Named(r".*", "acceptable_decisive"),  # of gold
    Named(r".*", "is_run"),
    Named(r".*/gold.*|/projects/\w+/(labeler_quality|standings)|.*/members/.*", "decisive"),
    Named(r"/traces/\d+", "marks"),  # of a recorded verdict
    Named(r"/projects(/\w+)?", "rated_unit"),
    Named(r"/projects/\w+/agreement", "decisive_error"),
    Named(r"/imports.*|/projects/\w+/imports", "redacted"),
    Named(r"/projects/\w+/.*|/rounds/\d+/report", "as_of"),
    Named(r"/projects/\w+/round_reports|/rounds/\d+/report", "intervals"),
    Named(r"/traces/\d+|/tasks/\d+(/review)?", "excluded"),  # of a label
    Named(r"/projects/\w+/training_runs/preview", "refused"),
    Named(r"/rounds.*|/projects/\w+/overview", "next"),
    Named(r"/projects(/\w+)?", "trains_at_close"),
    *(Named(r"/projects/\w+/invitations", key) for key in ("username", "undelivered")),
    Named(r"/notices/choices", "invited"),
    Named(r"/notices/choices", "digest"),
    Named(r"/projects/\w+/webhooks", "format"),
    Named(r"/rounds.*|/projects/\w+/(rounds|overview)", "training"),
    Named(r"/training_runs/.*|/projects/\w+/training_runs", "at_close_of"),
    *(Named(r"/projects/\w+/labelers", key) for key in ("pace", "floor_ms", "rounds")),
    *(Named(r"/projects/\w+/(time|round_reports)|/rounds/\d+/report", f"{of}_labels") for of in ("timed", "untimed")),
    Named(r"/projects/\w+/overview", "timed_labels"),
)

# Answers in a screening no longer count as labels: gold/test_screening.py. Other projects screen nobody.
OF_SCREENING = (
    Named(r"/projects/geometry/members", "labels_submitted"),
    *(Named(r"/projects/geometry/overview", key) for key in ("by_day", "labelers")),
    *(Named(r"/projects/geometry/my_stats", key) for key in ("labels", "submitted", "steps_rated", "rating_counts")),
)
# A label audit can choose one label of a trace with several: settling/test_label_audits.py.
ONE_A_TRACE = Named(r"/projects/(loop|records)/(triages|label_audits)/preview", "candidates")
# Keys that no longer exist, or whose values may be anything.
# In a closed round no task waits for labels that differ: settling/test_reviews.py.
NOTHING_TO_SETTLE = (
    *(Named(r"/projects/loop/reviews/counts", key) for key in ("disagreement", "tasks")),
    Named(r"/projects/loop/reviews", "results"),
    Named(r"/tasks/(128|131)/review", "waiting"),
)
# These figures count steps as the switches leave them: training/test_training_examples.py.
STEPS_OF_SWITCHES = tuple(
    Named(r"/projects/\w+/training_runs/preview", key) for key in ("learned", "problems", "steps", "wrong_steps")
)
LEFT_OUT: tuple[Named, ...] = (
    *NOTHING_TO_SETTLE,
    *ANSWER_KNOWN,
    *STEPS_OF_SWITCHES,
    Named(r"/projects/\w+/overview", "slots"),  # a closed round no longer wants the labels it lacks
    Named(r"/projects/\w+/rounds", "next"),  # where the next page is; and what follows a round
    Named(r".*", "stepmark_build"),  # the version, unless an operator says otherwise
    Named(r"/projects(/\w+)?", "labels_submitted"),  # the same count as on Home: people/test_home.py
    # It counts verdicts now, not first ratings of -1: labels/test_verdicts.py.
    Named(r"/projects/\w+/overview", "first_error_histogram"),
    # Imported quality control is now recognised, and listed under its own kind.
    Named(r"/projects/records/tasks.*", "kind"),
    Named(r"/projects/records/tasks", "results"),
    Named(r"/tasks/(15[2-9]|1[6-9]\d|[2-9]\d\d)(/review)?", "kind"),
    # Labelers get no ids of tasks, and of a completion only its number in the trace: the ids told gold from work.
    Named(r"/labels/\d+(/earlier)?|/projects/\w+/my_labels", "task_id"),
    Named(r"/labels/\d+", "alternatives"),
    # Nor do they get own figures that stay unchanged at a gold task, or settlements while a round with gold is open.
    Named(r"/projects/\w+/my_coaching", "rounds"),
    *(Named(r"/labels/(115|124)/comparison", key) for key in ("status", "json")),
    Named(r"/projects/\w+/evaluations/compare", "auc_difference"),  # now the difference of every figure
    Named(r".*/evaluations.*", "better"),  # it compared two numbers; `standing` uses an interval
    # The control arm is counted as it will be drawn, and it may be unknown what a PRM learned from.
    Named(r"/projects/\w+/rounds/pool", "expected"),
    Named(r"/projects/\w+/rounds/pool", "warnings"),
    # Imported labelers are separate from people.
    Named(r"/projects/loop/overview", "median_active_ms"),  # of all versions of a label together
    Named(r"/projects/records/overview", "by_day"),
    Named(r"/projects/records/overview", "labelers"),
    *OF_SCREENING,
    ONE_A_TRACE,
)


def with_what_is_known(said: dict[str, Any]) -> dict[str, Any]:
    """A manifest now names the roles and PRMs that the product knows, where an old one had "unknown" or none."""
    if said.get("prm_versions") == []:
        said = {**said, "prm_versions": ANYTHING}
    roles = {"policy_model", "prm", "human_label_source"} & said.keys()
    return {**said, **{name: ANYTHING for name in roles if said[name] == "unknown"}}


def with_kind_of_mistake(said: dict[str, Any]) -> dict[str, Any]:
    """A label's mistake has a kind, which old labels leave open."""
    return {**said, "kind": ""} if {"progress", "explanation"} <= set(said) else said


def share_of_pairs(said: dict[str, Any]) -> dict[str, Any]:
    """Agreement on first errors is a share of the pairs, not a mean over traces: settling/test_agreement_api.py."""
    figures = {"exact", "within_one", "has_error", "distance"} & said.keys()
    return {**said, **{name: {**said[name], "value": ANYTHING} for name in figures}}


AGREEMENT = r"/projects/\w+/agreement"
REVISED = r"/projects/\w+/(labelers|my_labels)|/tasks/\d+(/review)?"
# Objects at any depth: in answers of `where`, today's form of an object of the old version. For a change of meaning,
# such as that of `first_error` with `finish_reason`. Example: (r"/projects/\w+/my_labels", verdict_of_summary)
RULED = (
    (r"/projects/\w+/round_reports|/rounds/\d+/report", ending_by_ruling),
    (r"/projects/\w+/(overview|time|round_reports)|/rounds/\d+/report", cost_by_ruling),
    (r"/projects/\w+/(time|round_reports)|/rounds/\d+/report", time_of_timed_labels),
)
OBJECTS: tuple[tuple[str, Callable[[dict[str, Any]], dict[str, Any]]], ...] = (
    (r".*/manifest", with_what_is_known),
    (r"/traces/\d+|/tasks/\d+(/review)?|/labels/\d+/comparison", with_kind_of_mistake),
    (r".*", verdict_of_label),
    (r".*", warning_of_the_quota),
    (r".*", label_of_a_round_with_gold),
    (r"/tasks/\d+/review", review_of_known_answer),
    (r".*", interval_of_today),
    (REVISED, time_of_all_versions),
    (AGREEMENT, share_of_pairs),
    (r"/projects/\w+/(overview|time|round_reports)|/rounds/\d+/report", time_of_own_ratings),
    *RULED,
)

# Rows of exports: by format, today's form of a row of the old version. Example: {"neutral": verdict_counts}
ROWS: dict[str, Callable[[dict[str, Any], dict[str, str]], dict[str, Any]]] = {
    "neutral": lambda row, switches: with_every_key(verdict_counts(row, switches)),
    "prm800k": lambda row, switches: with_time(row),
}

# The beginnings of lines of CSV files that the old version did not have.
LINES_ADDED = ("hasty", "all,,decisive_error", "labels,timed,", "labels,untimed,")

# Columns of CSV files after those of the old version.
COLUMNS_ADDED: tuple[Named, ...] = tuple(
    Named(r"/projects/\w+/labelers\.csv", name)
    for name in (
        *(f"seconds a step {part}" for part in ("low", "high", "n")),
        *(f"newest {part}" for part in ("seconds a step", "low", "high", "n", "change")),
    )
)

# Lines of CSV files with today's figures: `time_of_own_ratings`, `time_of_timed_labels`, `ending_by_ruling`,
# `share_of_pairs`.
LINES_OF_TODAY = re.compile(
    r"(active minutes|cost in \w+),per_(trace|step|error),|active minutes per trace,"
    r"|finished: (found_error|solution),(filter|all),|yield,all,|(false_alarms|active_minutes_per_error),"
    r"|(all|subject|level|pair),[^,]*,(exact|within_one|has_error|distance),"
)

SINCE_0_1_0 = Differences(
    addresses=ADDRESSES,
    keys=KEYS,
    values=VALUES,
    headings=HEADINGS,
    added=ADDED,
    left_out=LEFT_OUT,
    objects=OBJECTS,
    rows=ROWS,
    lines_added=LINES_ADDED,
    lines_of_today=LINES_OF_TODAY,
    columns_added=COLUMNS_ADDED,
)
