"""When labels will be done, how long they take and what they cost, based on the project's newest labels.

Hasty labels count in no rate, because nobody read for them. For labels from other tools the time is unknown, so
imported rounds do not count.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict
from datetime import date, timedelta
from typing import Any

import numpy as np
from django.db import connection
from django.utils import timezone

from labeling.models import Project, Round
from labeling.queries.gold import active_gold
from labeling.queries.haste import HASTY, JUDGED, project_floor_ms
from labeling.queries.rounds import round_counts
from labeling.statistics.forecast import days_of_labels, scaled, time_of_labels
from labeling.statistics.intervals import Estimate, Floats

NEWEST = 2_000  # labels whose time is used
DAYS = 14  # that are used, up to yesterday
HOUR_MS = 3_600_000

TIMES = f"""
    WITH newest AS (
        SELECT label.problem_id, label.active_ms {JUDGED} AND NOT {HASTY} AND label.active_ms > 0
        ORDER BY label.submitted_at DESC LIMIT {NEWEST}
    )
    SELECT sum(active_ms)::float8, count(*)::float8, sum(active_ms::float8 * active_ms) FROM newest GROUP BY problem_id
    ORDER BY problem_id
"""
BY_DAY = f"""
    SELECT (label.submitted_at AT TIME ZONE 'UTC')::date, count(*) FILTER (WHERE NOT {HASTY}),
        count(*) FILTER (WHERE {HASTY})
    {JUDGED} AND label.submitted_at >= %(since)s GROUP BY 1 ORDER BY 1
"""


def labels_waiting(project: Project, rounds: Sequence[Round] | None = None) -> int:
    """Return how many labels all open rounds, or these rounds, still want, including those in progress."""
    if rounds is None:
        rounds = list(Round.objects.filter(project=project, status=Round.Status.LABELING, imported=False))
    return sum(counts["labels_wanted"] + counts["open"] for counts in round_counts(rounds).values())


def forecast(project: Project, labels: int | None = None, today: date | None = None) -> dict[str, Any]:
    """Return the forecast for the labels open rounds want (None), or for `labels` more made after them."""
    today = today or timezone.now().date()
    waiting = labels_waiting(project)
    wanted, ahead = (waiting, 0) if labels is None else (labels, waiting)
    about = {"project": project.pk, "floor": project_floor_ms(project)}
    parts = np.array(_rows(TIMES, about), dtype=np.float64).reshape(-1, 3)
    days = _days(project, about, today)
    hours = scaled(time_of_labels(parts, wanted), 1 / HOUR_MS)
    until = days_of_labels(_seen(days, today), ahead + wanted)
    money = None if project.hourly_rate is None else scaled(hours, float(project.hourly_rate))
    return {
        "labels": wanted,
        "ahead": ahead,
        "hours": asdict(hours),
        "days": asdict(until),
        "cost": None if money is None else asdict(money),
        "currency": project.currency,
        "hourly_rate": None if project.hourly_rate is None else str(project.hourly_rate),
        "minutes_a_label": asdict(_one_label(parts)),
        "done": {end: _after(today, value) for end, value in asdict(until).items() if end in ("value", "low", "high")},
        "by_day": days,
        "gold_on_top": min(project.gold_per_round, active_gold(project).count()),
    }


def _one_label(parts: Floats) -> Estimate:
    """Return the mean minutes per label, for the sentence that says what the hours are based on."""
    seen = float(parts[:, 1].sum()) if len(parts) else 0.0
    mean = float(parts[:, 0].sum()) / seen / 60_000 if seen else None
    return Estimate(mean, None, None, int(seen), len(parts), "no_method" if seen else None)


def _days(project: Project, about: dict[str, Any], today: date) -> list[dict[str, Any]]:
    """Return the days used and today, from the first one with a label, including days without labels."""
    since = today - timedelta(days=DAYS)
    found = {day: (labels, hasty) for day, labels, hasty in _rows(BY_DAY, {**about, "since": since})}
    if not found:
        return []
    first = min(found)
    days = [first + timedelta(days=place) for place in range((today - first).days + 1)]
    return [{"day": day, **dict(zip(("labels", "hasty"), found.get(day, (0, 0)), strict=True))} for day in days]


def _seen(days: Sequence[dict[str, Any]], today: date) -> list[int]:
    """Return the number of labels of each complete day, so without today."""
    return [one["labels"] for one in days if one["day"] < today]


def _after(today: date, days: float | None) -> date | None:
    """Return the day on which the last label is made. A day that has begun counts as a day."""
    return None if days is None or days > 36_500 else today + timedelta(days=max(0, math.ceil(days) - 1))


def _rows(statement: str, about: dict[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, about)
        return list(cursor.fetchall())
