"""How long labelers take for a step: the median over their labels, its interval, and whether their newest differ.

Each label is one value: its active time per step that it rates. A label without a time is left out. The database sorts
the values and returns the few at which an interval ends; `statistics.intervals` says which ones those are.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from django.db import connection

from labeling.quality.haste import WINDOW
from labeling.queries.labeler_work import CHOSEN, SECONDS_OF
from labeling.queries.sql_slots import fill
from labeling.statistics.intervals import Estimate, median, median_of, median_ranks, unknown

Change = Literal["faster", "slower"]
CHANGES: tuple[Change, ...] = get_args(Change)
# A value's place in the order is passed as a share of all: rank 3 of 20 as 2.5 / 20.
PACES = f"""
    {CHOSEN}, timed AS (
        SELECT labeler_id, {fill(SECONDS_OF, label="chosen")}::float8 AS seconds,
            row_number() OVER (PARTITION BY labeler_id ORDER BY submitted_at DESC, id DESC) <= {WINDOW} AS newest
        FROM chosen WHERE steps > 0 AND active_ms > 0 AND labeler_id = ANY(%(people)s::bigint[])
    )
    SELECT labeler_id, percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds),
        percentile_disc(ARRAY[its.low, its.high]) WITHIN GROUP (ORDER BY seconds),
        percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) FILTER (WHERE NOT newest),
        percentile_disc(ARRAY[its.rest_low, its.rest_high]) WITHIN GROUP (ORDER BY seconds) FILTER (WHERE NOT newest),
        array_agg(seconds) FILTER (WHERE newest)
    FROM timed JOIN unnest(%(people)s::bigint[], %(low)s::float8[], %(high)s::float8[], %(rest_low)s::float8[],
        %(rest_high)s::float8[]) AS its(labeler, low, high, rest_low, rest_high) ON its.labeler = labeler_id
    GROUP BY labeler_id, its.low, its.high, its.rest_low, its.rest_high
"""


class Pace(NamedTuple):
    """Seconds per step. `newest` covers the WINDOW newest labels; None if too few others are there to compare them
    with. `change` says how these compare with all others if the two intervals have nothing in common.
    """

    median: Estimate
    newest: Estimate | None = None
    change: Change | None = None

    def as_json(self) -> dict[str, Any]:
        """Return it in the form the API uses."""
        return {
            "median": asdict(self.median),
            "newest": asdict(self.newest) if self.newest else None,
            "change": self.change,
        }


def paces(timed: Mapping[int, int], asked: Mapping[str, Any]) -> dict[int, Pace]:
    """Return each labeler's pace, by id. `timed` gives their numbers of timed labels with a rated step in what is
    `asked` (project, round, since and until, as `labeler_work.CHOSEN` takes them). One query.
    """
    places = [(*_places(n), *_places(n - WINDOW)) for n in timed.values()]
    names = ("low", "high", "rest_low", "rest_high")
    columns = {name: [row[at] for row in places] for at, name in enumerate(names)}
    with connection.cursor() as cursor:
        cursor.execute(PACES, {**asked, **columns, "people": list(timed)})
        found = {person: _pace(timed[person], *row) for person, *row in cursor.fetchall()}
    return {person: found.get(person, Pace(unknown(0))) for person in timed}


def _places(n: int) -> tuple[float | None, float | None]:
    """Return where among n values the ends of the median's interval are, as shares for `percentile_disc`."""
    ranks = median_ranks(n)
    return (None, None) if ranks is None else ((ranks[0] - 0.5) / n, (ranks[1] - 0.5) / n)


def _pace(
    n: int, value: float, ends: list[float], rest: float | None, rest_ends: list[float] | None, newest: list[float]
) -> Pace:
    overall = median_of(value, (ends[0], ends[1]), n)
    if median_ranks(n - WINDOW) is None or rest_ends is None:
        return Pace(overall)
    others = median_of(rest, (rest_ends[0], rest_ends[1]), n - WINDOW)
    latest = median(np.array(newest))
    return Pace(overall, latest, _change(latest, others))


def _change(latest: Estimate, others: Estimate) -> Change | None:
    """Return what the two intervals say. A median without an interval, as all values are alike, is taken as exact."""
    low, high = _span(latest)
    least, most = _span(others)
    if high < least:
        return "faster"
    return "slower" if low > most else None


def _span(found: Estimate) -> tuple[float, float]:
    value = found.value or 0.0
    return value if found.low is None else found.low, value if found.high is None else found.high
