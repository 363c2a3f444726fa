"""Active time and what it costs: per trace, step and confirmed error; problem sessions against shuffled work.

Time is all that people spent on ordinary work, including earlier versions of revised labels, surplus labels and those
left out by hand. A trace is finished when a label on it counts. Its error is confirmed when its verdict is an error, by
the same verdict as in round reports, so that the cost of an error is the same in both.

For a label without active time (programs may omit it), the time it took is unknown: its steps, and its trace, are in no
rate (`untimed_labels`).

Intervals are bootstrap intervals over problems, because traces of one problem resemble each other.
"""

from dataclasses import asdict
from typing import Any

import numpy as np
from django.db import connection

from labeling.models import Project, Round
from labeling.queries.haste import MS, STEPS
from labeling.queries.sql_slots import fill
from labeling.queries.task_endings import ENDINGS
from labeling.statistics.intervals import Estimate, Floats, holding, kept, of_totals, unknown

MINUTE_MS = 60_000
# If there are more problems than this, several are drawn together: just as accurate, and much faster.
MOST_UNITS = 1_000

OF_WORK = """
    label.project_id = %(project)s AND task.kind = 'work'
        AND task.round_id IN (SELECT id FROM labeling_round WHERE project_id = %(project)s AND NOT imported
            AND (%(round)s::bigint IS NULL OR id = %(round)s))
"""
ALL_TIMED = "spent.timed = spent.labels"  # a trace's time is known if each of its labels has a time
# One row per problem: time, and the steps it covers; for traces whose labels all have times, their time, number and
# errors; then everything, timed or not: traces, steps, errors, labels; and timed labels.
SPENT = f"""
    {fill(ENDINGS, which=OF_WORK)}, spent AS (
        SELECT label.task_id AS task, sum(label.active_ms) AS ms,
            coalesce(sum({STEPS}) FILTER (WHERE label.status = 'submitted'), 0) AS steps,
            coalesce(sum({STEPS}) FILTER (WHERE label.status = 'submitted' AND {MS} > 0), 0) AS timed_steps,
            count(*) FILTER (WHERE label.status = 'submitted') AS labels,
            count(*) FILTER (WHERE label.status = 'submitted' AND {MS} > 0) AS timed
        FROM labeling_label label JOIN labeling_task task ON task.id = label.task_id
        WHERE label.status IN ('submitted', 'superseded') AND {OF_WORK}
        GROUP BY label.task_id
    )
    SELECT sum(spent.ms), sum(spent.timed_steps), coalesce(sum(spent.ms) FILTER (WHERE {ALL_TIMED}), 0),
        count(verdicts.task) FILTER (WHERE {ALL_TIMED}),
        count(*) FILTER (WHERE verdicts.reason = 'found_error' AND {ALL_TIMED}),
        count(verdicts.task), sum(spent.steps), count(*) FILTER (WHERE verdicts.reason = 'found_error'),
        sum(spent.labels), sum(spent.timed)
    FROM spent LEFT JOIN verdicts ON verdicts.task = spent.task JOIN labeling_task task ON task.id = spent.task
    JOIN labeling_trace trace ON trace.id = task.trace_id GROUP BY trace.problem_id ORDER BY trace.problem_id
"""
# A label belongs to a session if the labeler's previous label, in the order of claims, was of the same problem.
IN_A_ROW = """
    SELECT coalesce(sum(active_ms) FILTER (WHERE again), 0), count(*) FILTER (WHERE again),
        coalesce(sum(active_ms) FILTER (WHERE NOT again), 0), count(*) FILTER (WHERE NOT again)
    FROM (
        SELECT label.problem_id AS problem, label.active_ms, task.kind, coalesce(
            label.problem_id = lag(label.problem_id) OVER (PARTITION BY label.labeler_id
            ORDER BY label.claimed_at, label.id), false) AS again
        FROM labeling_label label JOIN labeling_task task ON task.id = label.task_id
        WHERE label.project_id = %(project)s AND label.problem_id IS NOT NULL AND label.supersedes_id IS NULL
        AND label.status IN ('submitted', 'superseded')) AS own
    WHERE kind = 'work' AND active_ms > 0 GROUP BY problem ORDER BY problem
"""


def time_report(project: Project, round_: Round | None = None) -> dict[str, Any]:
    """Return the report of a project or one of its rounds, in active minutes; money is None if no rate is set."""
    parts = _parts(SPENT, 10, project, round_)
    ms, *_, traces, steps, errors, labels, timed = (float(total) for total in parts.sum(axis=0))
    minutes = {
        "per_trace": _minutes_per(parts[:, [2, 3]]),
        "per_step": _minutes_per(parts[:, [0, 1]]),
        "per_error": _minutes_per(parts[:, [2, 4]]),
    }
    return {
        "minutes": ms / MINUTE_MS,
        "traces": int(traces),
        "steps": int(steps),
        "confirmed_errors": int(errors),
        "timed_labels": int(timed),
        "untimed_labels": int(labels - timed),
        **{name: asdict(estimate) for name, estimate in minutes.items()},
        "money": _money(project, ms / MINUTE_MS, minutes),
    }


def session_report(project: Project) -> dict[str, Any]:
    """Return active minutes per trace if the previous trace was of the same problem, if it was not, and their ratio."""
    parts = _parts(IN_A_ROW, 4, project)
    following = int(parts[:, 1].sum())
    return {
        "in_session": asdict(_minutes_per(parts[:, [0, 1]])),
        "shuffled": asdict(_minutes_per(parts[:, [2, 3]])),
        "ratio": asdict(of_totals(parts, _ratio, n=following, clusters=holding(parts[:, 1], parts[:, 3]))),
    }


def table(report: dict[str, Any], sessions: dict[str, Any] | None = None) -> list[tuple[Any, ...]]:
    """Return the report as rows of (figure, of what, value, low, high, n), without a header row."""
    rows: list[tuple[Any, ...]] = [("active minutes", "", report["minutes"], None, None, None)]
    if "timed_labels" in report:  # missing in older reports
        rows += [("labels", of, report[f"{of}_labels"], None, None, None) for of in ("timed", "untimed")]
    rows += [_row("active minutes", name, report[name]) for name in ("per_trace", "per_step", "per_error")]
    money = report["money"]
    if money:
        rows.append((f"cost in {money['currency']}", "", money["total"], None, None, None))
        rows += [
            (f"cost in {money['currency']}", name, money[name], None, None, report[name]["n"])
            for name in ("per_trace", "per_step", "per_error")
        ]
    if sessions:
        rows += [_row("active minutes per trace", name, sessions[name]) for name in ("in_session", "shuffled")]
        rows.append(_row("active minutes per trace", "in_session / shuffled", sessions["ratio"]))
    return rows


def _row(figure: str, of: str, estimate: dict[str, Any]) -> tuple[Any, ...]:
    estimate = kept(estimate)
    return (figure, of, estimate["value"], estimate["low"], estimate["high"], estimate["n"])


def _parts(sql: str, sums: int, project: Project, round_: Round | None = None) -> Floats:
    """Return one row of this many sums per problem; if there are very many problems, per group of problems."""
    with connection.cursor() as cursor:
        cursor.execute(sql, {"project": project.pk, "round": round_.pk if round_ else None})
        parts = np.array(cursor.fetchall(), dtype=np.float64).reshape(-1, sums)
    if len(parts) <= MOST_UNITS:
        return parts
    folded = np.zeros((MOST_UNITS, sums))
    np.add.at(folded, np.arange(len(parts)) % MOST_UNITS, parts)
    return folded


def _minutes_per(parts: Floats) -> Estimate:
    """Return minutes per unit, from columns of milliseconds and units. Undefined if no time was recorded."""
    n = int(parts[:, 1].sum())
    if not parts[:, 0].any():
        return unknown(n)
    clusters = holding(parts[:, 1])
    return of_totals(parts, lambda sums: _divided(sums[..., 0] / MINUTE_MS, sums[..., 1]), n=n, clusters=clusters)


def _ratio(sums: Floats) -> Floats:
    return _divided(_divided(sums[..., 0], sums[..., 1]), _divided(sums[..., 2], sums[..., 3]))


def _divided(part: Floats, of: Floats) -> Floats:
    """Divide; NaN where there is nothing to divide by."""
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Floats = np.where(np.asarray(of) > 0, np.asarray(part) / of, np.nan)
    return result


def _money(project: Project, minutes: float, per: dict[str, Estimate]) -> dict[str, Any] | None:
    if project.hourly_rate is None:
        return None
    rate = float(project.hourly_rate) / 60
    return {
        "currency": project.currency,
        "hourly_rate": str(project.hourly_rate),
        "total": minutes * rate,
        **{name: None if one.value is None else one.value * rate for name, one in per.items()},
    }
