"""A selection compared with its pool: counts, drops by reason, and how the scores are distributed."""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median_low
from typing import Any

from django.db.models import Window
from django.db.models.functions import RowNumber

from labeling.errors import RoundNotInStatus
from labeling.models import Round, Score, Task
from labeling.queries.pool_counts import exact_counts
from labeling.queries.scored_pool import Pool
from labeling.queries.sql_slots import fill
from labeling.selection import Choice, Selection

BINS = 20
FINE = 50  # finer bins in each, so that finding a position in the pool walks over only a thousandth of it
SAMPLED = 4  # tasks shown per reason
LOWEST = 0.01  # the pool's quantile where the histogram begins; anything below is counted in its first bin

# Both outcomes' indexes from one end, merged: skipped rows are walked over, not sorted.
AT_PLACE = """
    SELECT score FROM (({wrong}) UNION ALL ({correct})) AS score ORDER BY score {way} LIMIT 1 OFFSET %(place)s
"""
ONE_OUTCOME = """
    SELECT score.score FROM labeling_score AS score
    WHERE {scored} AND score.project_id = %(project)s AND score.outcome = '{outcome}'
        AND score.score >= %(low)s AND score.score < %(high)s AND score.problem_id <> ALL(%(barred)s::bigint[])
    ORDER BY score.score {way}
"""
# One index range per bin: nothing is sorted or hashed.
IN_BINS = """
    SELECT counted.outcome, bin.place, found.number
    FROM unnest(%(low)s::float8[], %(high)s::float8[]) WITH ORDINALITY AS bin (low, high, place)
    CROSS JOIN unnest(ARRAY['wrong', 'correct']) AS counted (outcome)
    CROSS JOIN LATERAL (
        SELECT count(*) AS number FROM labeling_score AS score
        WHERE {scored_or_queued} AND score.project_id = %(project)s AND score.outcome = counted.outcome
            AND score.score >= bin.low AND score.score < bin.high AND score.problem_id <> ALL(%(barred)s::bigint[])
    ) AS found
"""
# Queued traces are few compared with the pool. Checking each trace of the pool would cost more than everything else.
QUEUED_ONES = """
    SELECT score.outcome, score.score FROM labeling_score AS score
    WHERE {scored_or_queued} AND score.outcome IN ('wrong', 'correct') AND score.problem_id <> ALL(%(barred)s::bigint[])
        AND score.trace_id IN ({queued})
"""
# These would be candidates if the scorer had not learned from them.
LEARNED_ONES = """
    SELECT score.trace_id FROM labeling_score AS score
    WHERE {scored_or_queued} AND score.outcome <> 'ungraded' AND score.problem_id <> ALL(%(barred)s::bigint[])
        AND score.trace_id = ANY(%(learned)s::bigint[]) AND score.trace_id NOT IN ({queued})
"""
EVERYTHING = {"low": -math.inf, "high": math.nan}  # in Postgres, no number is greater than NaN


def summarise(pool: Pool, found: Selection, *, stop: Callable[[], None] = lambda: None) -> dict[str, Any]:
    """Return what `Round.selection` holds, except the time it took. `stop` is called between queries and may raise.

    What was chosen and what was dropped add up to the pool. The histogram's edges are logs of scores: equal bins from
    the pool's 1 % quantile to its maximum; null if nothing is scored.
    """
    counts = exact_counts(pool)
    stop()
    candidates = counts.scored_candidates
    chosen = Counter(choice.reason for choice in found.chosen)
    dropped = {**counts.dropped(unscored=not found.fell_back_to_random), **found.dropped}
    dropped["prm_learned_from"] = len(pool.sql.rows(LEARNED_ONES, barred=pool.barred)) if pool.learned else 0
    dropped["passed_over"] = max(0, counts.traces.total() - len(found.chosen) - sum(dropped.values()))
    bins = _bins(pool, candidates, stop) if candidates else None
    median = _median_of_pool(pool, bins) if candidates else None
    stop()
    by_arm = _by_arm(found.chosen)
    return {
        "chosen": dict(chosen),
        "dropped": {why: n for why, n in dropped.items() if n},
        "shortfall": found.shortfall,
        "fell_back_to_random": found.fell_back_to_random,
        "pool": counts.shown(),
        "histogram": bins and bins.shown(by_arm),
        "per_problem": _per_problem(found.chosen),
        "median": {"pool": finite(median)} | {arm: _median(scores) for arm, scores in by_arm.items()},
    }


def get_summary(round_: Round) -> dict[str, Any]:
    """Return `Round.selection`. Raises RoundNotInStatus if nothing is selected yet or the round is a plain one."""
    if round_.selection is None:
        raise RoundNotInStatus(
            f"Round {round_.number} has no selection to show: workers have not made one yet, or it is a plain round.",
            status=round_.status,
        )
    return round_.selection


def sample(round_: Round) -> tuple[Sequence[Task], dict[int, list[float | None] | None]]:
    """Return the best four tasks of each reason, with traces and problems, and the scores of each trace's steps."""
    place = Window(RowNumber(), partition_by="reason", order_by="rank")
    best = Task.objects.filter(round=round_).annotate(place=place).filter(place__lte=SAMPLED)
    tasks = list(best.select_related("trace__problem").defer("trace__typed_steps").order_by("rank"))
    scores = Score.objects.filter(scorer=round_.scorer_id, trace__in=[task.trace_id for task in tasks])
    return tasks, {trace: numbers(steps) for trace, steps in scores.values_list("trace", "steps")}


def numbers(steps: Sequence[float] | None) -> list[float | None] | None:
    """Return step scores in a form that JSON can hold."""
    return None if steps is None else [finite(step) for step in steps]


def finite(number: float | None) -> float | None:
    """Return the number in a form that JSON can hold: None for the logarithm of zero."""
    return number if number is not None and math.isfinite(number) else None


def _by_arm(chosen: Sequence[Choice]) -> dict[str, list[float]]:
    """Return the scores of what was chosen by score, and of the control arm."""
    arms: dict[str, list[float]] = {"selected": [], "control": []}
    for choice in chosen:
        if choice.score is not None:
            arms["control" if choice.reason == "control" else "selected"].append(choice.score)
    return arms


def _median(scores: Sequence[float]) -> float | None:
    return finite(median_low(scores)) if scores else None


def _per_problem(chosen: Sequence[Choice]) -> list[list[int]]:
    """Return pairs of (traces chosen of a problem, number of such problems)."""
    return sorted([number, problems] for number, problems in Counter(_problems(chosen).values()).items())


def _problems(chosen: Sequence[Choice]) -> Counter[int]:
    return Counter(choice.problem for choice in chosen)


@dataclass(frozen=True)
class _Bins:
    """Candidates by score in BINS * FINE equal bins; those beyond the edges are in the outermost ones."""

    edges: list[float]
    counts: dict[str, list[int]]  # by outcome

    def shown(self, by_arm: dict[str, list[float]]) -> dict[str, Any]:
        """Return the histogram: each arm next to the pool."""
        edges = self.edges[::FINE]
        pool = {
            f"pool_{outcome}": [sum(fine[place : place + FINE]) for place in range(0, len(fine), FINE)]
            for outcome, fine in self.counts.items()
        }
        return {"edges": edges, **pool, **{arm: _in_bins(scores, edges) for arm, scores in by_arm.items()}}

    def holding(self, place: int) -> tuple[float, float, int]:
        """Return the bin of the candidate at `place` in ascending order, as [low, high), and how many are below it."""
        below = 0
        for low, high, *counts in zip(*_ranges(self.edges), *self.counts.values(), strict=True):
            if place < below + sum(counts):
                return low, high, below
            below += sum(counts)
        raise ValueError(f"there is no position {place} among {below}")


def _bins(pool: Pool, candidates: int, stop: Callable[[], None]) -> _Bins | None:
    high = _walk(pool, 0, "DESC", **EVERYTHING)
    low = _walk(pool, math.floor(LOWEST * candidates), "ASC", **EVERYTHING)
    stop()
    if high is None or not math.isfinite(high):
        return None
    if low is None or not math.isfinite(low) or low >= high:
        low = high - 1.0  # a log score lower: all finite scores are equal, or almost none is finite
    number = BINS * FINE
    edges = [low + (high - low) * place / number for place in range(number)] + [high]
    lows, highs = _ranges(edges)
    about = {"low": lows, "high": highs, "barred": pool.barred}
    counts = {"correct": [0] * number, "wrong": [0] * number}
    for outcome, place, found in pool.sql.rows(IN_BINS, **about):
        counts[outcome][place - 1] += found
    stop()
    for outcome, score in pool.sql.rows(QUEUED_ONES, barred=pool.barred):
        counts[outcome][_bin_of(score, edges)] -= 1
    return _Bins(edges, counts)


def _ranges(edges: Sequence[float]) -> tuple[list[float], list[float]]:
    """Return where bins begin and end; the outermost ones are unbounded."""
    return [EVERYTHING["low"], *edges[1:-1]], [*edges[1:-1], EVERYTHING["high"]]


def _in_bins(scores: Sequence[float], edges: Sequence[float]) -> list[int]:
    bins = [0] * (len(edges) - 1)
    for score in scores:
        bins[_bin_of(score, edges)] += 1
    return bins


def _bin_of(score: float, edges: Sequence[float]) -> int:
    return min(max(bisect_right(edges, score) - 1, 0), len(edges) - 2)


def _median_of_pool(pool: Pool, bins: _Bins | None) -> float | None:
    """Return the pool's median, the lower one of two. Without bins, no score is finite, so there is no median."""
    number = sum(map(sum, bins.counts.values())) if bins else 0
    if bins is None or not number:
        return None
    place = (number - 1) // 2
    low, high, below = bins.holding(place)
    return _walk(pool, place - below, "ASC", low=low, high=high)


def _walk(pool: Pool, steps: int, way: str, *, low: float, high: float) -> float | None:
    """Return the score this many candidates from one end of [low, high); None if there are fewer."""
    halves = {
        outcome: fill(ONE_OUTCOME, outcome=outcome, way=way, scored=pool.sql.scored) for outcome in ("wrong", "correct")
    }
    rows = pool.sql.rows(AT_PLACE, {"way": way, **halves}, place=steps, low=low, high=high, barred=pool.barred)
    return float(rows[0][0]) if rows else None
