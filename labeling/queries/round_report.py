"""A round's report: how often people found an error, by arm, and how well the PRM knew where.

Figures about traces count each task once, by how it ended (`task_endings`). Rates of giving up and the mix of ratings
are over labels that count. Submissions, days and time are over all labels, since that work was done. Shares have
intervals over problems (`intervals`).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np
from django.db import connection
from django.db.models import Count, Q, QuerySet
from django.db.models.functions import TruncDate

from labeling.models import Label, Project, Round, StepLabel, Task
from labeling.protocol.submission import FINISH_REASONS
from labeling.queries import time_spent
from labeling.queries.haste import HastyLabels, hasty_by_round, project_floor_ms
from labeling.queries.overview import rating_mix
from labeling.queries.sql_slots import fill
from labeling.queries.task_endings import ENDINGS
from labeling.selection import WAYS
from labeling.statistics.intervals import Estimate, share, share_of_clusters

ARMS = ("convincing_wrong", "convincing_rest", *WAYS, "control", "random")
ASKED = ("source", "mode", "k", "ratio", "control_share")  # of a round's config, shown in its report
MOST_ROUNDS = 50
UNKNOWN = (None, None)  # both ends of an interval
# At or below this score, the PRM takes a step for wrong: P(step correct) of one half, or a log ratio of zero.
LOW = {"probability": 0.5, "log_ratio": 0.0}

OF_ROUND = fill(ENDINGS, which="task.round_id = %(round)s")
FINISHED_TASKS = f"""
    {OF_ROUND}
    SELECT task.reason, trace.outcome, verdict.reason, verdict.first_error, score.steps[verdict.first_error + 1], (
        SELECT min(step.place) - 1 FROM unnest(score.steps) WITH ORDINALITY AS step (value, place)
        WHERE step.value <= %(low)s), trace.problem_id
    FROM verdicts AS verdict JOIN labeling_task AS task ON task.id = verdict.task
    JOIN labeling_trace AS trace ON trace.id = task.trace_id
    LEFT JOIN labeling_score AS score ON score.scorer_id = %(scorer)s AND score.trace_id = task.trace_id
        AND verdict.reason = 'found_error'
"""


class FinishedTask(NamedTuple):
    """A finished task. `first_error` and the values after it, except `problem`, are set if an error was found; the
    scores, if the PRM scored the trace.
    """

    arm: str
    outcome: str
    verdict: str
    first_error: int | None
    score_there: float | None
    first_low: int | None  # None: the PRM takes no step for wrong
    problem: int


def report_of(round_: Round) -> dict[str, Any]:
    """Return the report frozen when the round was closed, or else the report as of now."""
    return {"time": None, "hasty": None, "intervals": {}, **(round_.report or round_report(round_))}


def reported_rounds(project: Project) -> list[tuple[Round, dict[str, Any]]]:
    """Return the newest rounds that were opened to labelers, oldest first, each with its report."""
    rounds = Round.objects.filter(project=project, imported=False, opened_at__isnull=False)
    newest = rounds.select_related("scorer", "project").order_by("-number")[:MOST_ROUNDS]
    return [(round_, report_of(round_)) for round_ in reversed(newest)]


def round_report(round_: Round) -> dict[str, Any]:
    """Return the round's figures as of now, as JSON values. Shares are None if there is nothing to divide by."""
    finished = finished_tasks(round_)
    labels = _submitted(round_)
    counted = labels_that_count(round_)
    ended = endings_by_problem(counted)
    reasons = sum(ended.values(), Counter[str]())
    selection = round_.selection or {}
    wrong = [task for task in finished if task.outcome == "wrong"]
    errors = [task for task in finished if task.verdict == "found_error"]
    scored = [task for task in errors if task.score_there is not None]
    time = time_spent.time_report(round_.project, round_)
    return {
        "round": _about(round_),
        "prm": {"id": round_.scorer.pk, "name": round_.scorer.name, "scale": round_.scorer.scale}
        if round_.scorer
        else None,
        "tasks": _by(Task.objects.filter(round=round_, kind__in=Task.IN_FIGURES), "reason"),
        "labels": labels.aggregate(
            submitted=Count("pk", filter=Q(surplus=False)), surplus=Count("pk", filter=Q(surplus=True))
        ),
        "finished": _by_arm_and_verdict(finished),
        "yield": {arm: _yield([task for task in wrong if task.arm == arm]) for arm in _arms(finished)},
        "false_alarms": _part((task.verdict == "solution") for task in wrong),
        "median_score": selection.get("median", {"selected": None, "pool": None, "control": None}),
        **_prm_against_humans(scored, _low(round_)),
        "dropped": selection.get("dropped", {}),
        "shortfall": selection.get("shortfall", 0),
        "give_up_rate": _share(reasons["give_up"], reasons.total()),
        "bad_problem_rate": _share(reasons["bad_problem"], reasons.total()),
        "intervals": {
            "false_alarms": asdict(_told(wrong, lambda task: task.verdict == "solution")),
            "prm_misses": asdict(_told(scored, lambda task: _missed(task, _low(round_)))),
            "exact": asdict(_told(scored, lambda task: _distance(task) == 0)),
            "within_1": asdict(_told(scored, lambda task: _distance(task) in (0, 1))),
            "give_up_rate": asdict(share_ended(ended, "give_up")),
            "bad_problem_rate": asdict(share_ended(ended, "bad_problem")),
        },
        "time": time,
        "hasty": _hasty(round_),
        "active_minutes_per_error": time["per_error"]["value"],
        "label_mix": rating_mix(StepLabel.objects.filter(label__in=counted)),
        "by_day": _by_day(labels.filter(surplus=False)),
    }


def finished_tasks(round_: Round) -> list[FinishedTask]:
    """Return the round's finished tasks. One query."""
    with connection.cursor() as cursor:
        cursor.execute(FINISHED_TASKS, {"round": round_.pk, "scorer": round_.scorer_id, "low": _low(round_)})
        return [FinishedTask(*row) for row in cursor.fetchall()]


def labels_that_count(round_: Round) -> QuerySet[Label]:
    """The labels that say something about the round's traces: neither surplus nor left out by hand."""
    return _submitted(round_).filter(surplus=False, excluded=False)


def _submitted(round_: Round) -> QuerySet[Label]:
    return Label.objects.filter(task__round=round_, task__kind__in=Task.IN_FIGURES, status=Label.Status.SUBMITTED)


def endings_by_problem(labels: QuerySet[Label]) -> dict[int, Counter[str]]:
    """Count how labels ended, by problem, ordered by problem id."""
    found: dict[int, Counter[str]] = {}
    ended = labels.order_by("task__trace__problem").values_list("task__trace__problem", "finish_reason")
    for problem, reason, count in ended.annotate(Count("pk")):
        found.setdefault(problem, Counter())[reason] += count
    return found


def share_by_problem(parts: Iterable[tuple[int, int]]) -> Estimate:
    """Return a share over problems from one (part, whole) pair per problem."""
    counts = np.array(list(parts), dtype=np.float64).reshape(-1, 2)
    return share_of_clusters(counts[:, 0], counts[:, 1], n=int(counts[:, 1].sum()))


def share_ended(ended: dict[int, Counter[str]], reason: str) -> Estimate:
    """Return the share of these labels that ended this way."""
    return share_by_problem((counts[reason], counts.total()) for counts in ended.values())


def table(report: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return the report as rows of (figure, of what, value, low, high, n), with a header row."""
    rows: list[tuple[Any, ...]] = [("figure", "of", "value", "low", "high", "n")]
    # The database returns a frozen report with its keys in another order.
    rows += [("tasks", arm, report["tasks"][arm], None, None, None) for arm in _in_order(report["tasks"])]
    for arm in _in_order(report["finished"]):
        verdicts = report["finished"][arm]
        rows += [(f"finished: {verdict}", arm, verdicts[verdict], None, None, None) for verdict in FINISH_REASONS]
    for arm in _in_order(report["yield"]):
        found = report["yield"][arm]
        rows.append(("yield", arm, found["share"], found["low"], found["high"], found["n"]))
    if report["hasty"]:
        hasty = report["hasty"]
        rows.append(("hasty labels", "", hasty["value"], hasty["low"], hasty["high"], hasty["n"]))
    ends = {name: (one["low"], one["high"]) for name, one in report["intervals"].items()}  # missing in older reports
    for name in ("false_alarms", "prm_misses"):
        rows.append((name, "", report[name]["share"], *ends.get(name, UNKNOWN), report[name]["of"]))
    place = report["localisation"]
    of = {"exact": place["n"], "within_1": place["n"], "mean_distance": place["n"] - place["no_low_step"]}
    rows += [(f"localisation: {name}", "", place[name], *ends.get(name, UNKNOWN), n) for name, n in of.items()]
    rows.append(("localisation: no_low_step", "", place["no_low_step"], None, None, place["n"]))
    rows += [("median log score", of, value, None, None, None) for of, value in sorted(report["median_score"].items())]
    rows += [("dropped", why, number, None, None, None) for why, number in sorted(report["dropped"].items())]
    for name in ("shortfall", "give_up_rate", "bad_problem_rate", "active_minutes_per_error"):
        rows.append((name, "", report[name], *ends.get(name, UNKNOWN), None))
    rows += [("labels", kind, number, None, None, None) for kind, number in sorted(report["labels"].items())]
    mix = sorted(report["label_mix"].items(), key=lambda rated: int(rated[0]))
    rows += [("steps rated", rating, number, None, None, None) for rating, number in mix]
    if report["time"]:
        rows += time_spent.table(report["time"])
    return rows + [("labels on", day, number, None, None, None) for day, number in report["by_day"]]


def _about(round_: Round) -> dict[str, Any]:
    asked = dict.fromkeys(ASKED) | {name: value for name, value in round_.config.items() if name in ASKED}
    return {"id": round_.pk, "number": round_.number, "name": round_.name, "overlap": round_.overlap, **asked}


def _arms(finished: Sequence[FinishedTask]) -> list[str]:
    return _in_order(task.arm for task in finished)


def _in_order(arms: Iterable[str]) -> list[str]:
    """Return the arms in a fixed order, followed by a plain round's reasons."""
    found = set(arms)
    return [arm for arm in ARMS if arm in found] + sorted(found - set(ARMS))


def _by_arm_and_verdict(finished: Sequence[FinishedTask]) -> dict[str, dict[str, int]]:
    counts = Counter((task.arm, task.verdict) for task in finished)
    return {arm: {verdict: counts[arm, verdict] for verdict in FINISH_REASONS} for arm in _arms(finished)}


def _yield(tasks: Sequence[FinishedTask]) -> dict[str, Any]:
    """Return in how many of these wrong-answer tasks an error was found."""
    found = sum(task.verdict == "found_error" for task in tasks)
    told = asdict(_told(tasks, lambda task: task.verdict == "found_error"))
    return {"found": found, "share": told.pop("value"), **told}


def _told(tasks: Sequence[FinishedTask], whether: Callable[[FinishedTask], bool]) -> Estimate:
    """Return the share of tasks for which this is true, with an interval over problems, whose traces are alike."""
    problems: dict[int, list[bool]] = {}
    for task in tasks:
        problems.setdefault(task.problem, []).append(whether(task))
    return share_by_problem((sum(flags), len(flags)) for flags in problems.values())


def _low(round_: Round) -> float:
    """Return the highest score at which the round's PRM takes a step for wrong."""
    return LOW.get(round_.scorer.scale if round_.scorer else "", 0.5)


def _prm_against_humans(scored: Sequence[FinishedTask], low: float) -> dict[str, Any]:
    """Compare the PRM with people. Misses: it takes the step of people's first error for right. Localisation: where its
    own first low step is.
    """
    far = [_distance(task) for task in scored]
    found = [distance for distance in far if distance is not None]
    return {
        "prm_misses": _part(_missed(task, low) for task in scored),
        "localisation": {
            "n": len(scored),
            "exact": _share(found.count(0), len(scored)),
            "within_1": _share(found.count(0) + found.count(1), len(scored)),
            "mean_distance": _share(sum(found), len(found)),
            "no_low_step": far.count(None),
        },
    }


def _missed(task: FinishedTask, low: float) -> bool:
    return task.score_there is not None and task.score_there > low


def _distance(task: FinishedTask) -> int | None:
    """Return the steps between the PRM's first low step and the human's first error; None if there is no low step."""
    if task.first_low is None or task.first_error is None:
        return None
    return abs(task.first_low - task.first_error)


def _hasty(round_: Round) -> dict[str, Any]:
    """Return how many of the round's labels took less active time than reading needs, by the project's floor."""
    floor = project_floor_ms(round_.project)
    [found] = hasty_by_round(round_.project, floor, round_) or [HastyLabels(round_.pk, 0, 0)]
    return {"floor_ms": floor, **asdict(share(found.hasty, found.judged)), "hasty": found.hasty}


def _part(flags: Iterable[bool]) -> dict[str, Any]:
    counted = Counter(flags)
    return {"n": counted[True], "of": counted.total(), "share": _share(counted[True], counted.total())}


def _share(part: float, of: int) -> float | None:
    return part / of if of else None


def _by(rows: Any, column: str) -> dict[str, int]:
    return dict(rows.order_by(column).values_list(column).annotate(Count("pk")))


def _by_day(labels: Any) -> list[list[Any]]:
    days = labels.annotate(day=TruncDate("submitted_at")).values_list("day").annotate(Count("pk")).order_by("day")
    return [[day.isoformat(), number] for day, number in days]
