"""What a choice looks like beside its pool: counts, drops by reason, and where the chosen ones' scores lie."""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from statistics import median_low
from typing import Any

from django.db.models import Window
from django.db.models.functions import RowNumber

from labeling.errors import RoundNotInStatus
from labeling.models import Round, Score, Task
from labeling.queries.pool_counts import ExactCounts, exact_counts
from labeling.queries.scored_pool import Pool
from labeling.selection import Choice, Selection

BINS = 20
SAMPLED = 4  # tasks shown of each reason
LOWEST = 0.01  # the quantile of the pool where the histogram begins; what lies below is counted in its first bin

# Both outcomes' indexes from one end, merged: what is skipped is walked over, not sorted.
AT_PLACE = """
    SELECT score FROM (({wrong}) UNION ALL ({correct})) AS score ORDER BY score {way} LIMIT 1 OFFSET %(place)s
"""
ONE_OUTCOME = """
    SELECT score.score FROM labeling_score AS score
    WHERE {scored} AND score.project_id = %(project)s AND score.outcome = '{outcome}'
        AND score.problem_id <> ALL(%(barred)s::bigint[])
    ORDER BY score.score {way}
"""
IN_BINS = """
    SELECT score.outcome, least(greatest(width_bucket(score.score, %(low)s, %(high)s, {bins}), 1), {bins}), count(*)
    FROM labeling_score AS score
    WHERE {scored} AND score.project_id = %(project)s AND score.outcome IN ('wrong', 'correct')
        AND score.problem_id <> ALL(%(barred)s::bigint[])
    GROUP BY 1, 2
"""


def summarise(pool: Pool, found: Selection, *, stop: Callable[[], None] = lambda: None) -> dict[str, Any]:
    """What `Round.selection` holds, but for the time it took. `stop` is called between queries and may raise.

    The histogram's edges are logs of scores: equal bins from the pool's 1 % quantile to its maximum; null where
    nothing is scored.
    """
    counts = exact_counts(pool)
    stop()
    candidates = counts.scored_candidates
    chosen = Counter(choice.reason for choice in found.chosen)
    dropped = {**counts.dropped(unscored=not found.fell_back_to_random), **found.dropped}
    median = _at_place(pool, (candidates - 1) // 2, candidates, stop) if candidates else None
    by_arm = _by_arm(found.chosen)
    return {
        "chosen": dict(chosen),
        "dropped": {why: n for why, n in dropped.items() if n},
        "shortfall": found.shortfall,
        "fell_back_to_random": found.fell_back_to_random,
        "pool": counts.shown(),
        "histogram": _histogram(pool, counts, by_arm, stop),
        "per_problem": _per_problem(found.chosen),
        "median": {"pool": finite(median)} | {arm: _median(scores) for arm, scores in by_arm.items()},
    }


def get_summary(round_: Round) -> dict[str, Any]:
    """`Round.selection`. Raises RoundNotInStatus where nothing is selected yet, or the round is a plain one."""
    if round_.selection is None:
        raise RoundNotInStatus(
            f"Round {round_.number} has no selection to show: workers have not come to it, or it is a plain round.",
            status=round_.status,
        )
    return round_.selection


def sample(round_: Round) -> tuple[Sequence[Task], dict[int, list[float | None] | None]]:
    """The best four tasks of each reason, with traces and problems; and by trace, the scores of its steps."""
    place = Window(RowNumber(), partition_by="reason", order_by="rank")
    best = Task.objects.filter(round=round_).annotate(place=place).filter(place__lte=SAMPLED)
    tasks = list(best.select_related("trace__problem").order_by("rank"))
    scores = Score.objects.filter(prm=round_.prm_id, trace__in=[task.trace_id for task in tasks])
    return tasks, {trace: numbers(steps) for trace, steps in scores.values_list("trace", "steps")}


def numbers(steps: Sequence[float] | None) -> list[float | None] | None:
    """Step scores as JSON can hold them."""
    return None if steps is None else [finite(step) for step in steps]


def finite(number: float | None) -> float | None:
    """The number as JSON can hold it: None for the logarithm of nothing."""
    return number if number is not None and math.isfinite(number) else None


def _by_arm(chosen: Sequence[Choice]) -> dict[str, list[float]]:
    """Scores of what was chosen by score, and of the control arm."""
    arms: dict[str, list[float]] = {"selected": [], "control": []}
    for choice in chosen:
        if choice.score is not None:
            arms["control" if choice.reason == "control" else "selected"].append(choice.score)
    return arms


def _median(scores: Sequence[float]) -> float | None:
    return finite(median_low(scores)) if scores else None


def _per_problem(chosen: Sequence[Choice]) -> list[list[int]]:
    """(How many were chosen of a problem, of how many problems)."""
    return sorted([number, problems] for number, problems in Counter(_problems(chosen).values()).items())


def _problems(chosen: Sequence[Choice]) -> Counter[int]:
    return Counter(choice.problem for choice in chosen)


def _histogram(
    pool: Pool, counts: ExactCounts, by_arm: dict[str, list[float]], stop: Callable[[], None]
) -> dict[str, Any] | None:
    scored = counts.scored_candidates
    if not scored:
        return None
    high = _at_place(pool, scored - 1, scored, stop)
    low = _at_place(pool, math.floor(LOWEST * scored), scored, stop)
    if not math.isfinite(high):
        return None
    if not math.isfinite(low) or low >= high:
        low = high - 1.0  # a log score lower: all that is finite lies at one place, or nearly nothing is finite
    edges = [low + (high - low) * place / BINS for place in range(BINS)] + [high]
    bins = {"pool_correct": [0] * BINS, "pool_wrong": [0] * BINS}
    rows = pool.sql.rows(IN_BINS.replace("{bins}", str(BINS)), low=low, high=high, barred=pool.barred)
    stop()
    for outcome, place, number in rows:
        bins[f"pool_{outcome}"][place - 1] += number
    arms = {arm: _in_bins(scores, edges) for arm, scores in by_arm.items()}
    return {"edges": edges, **bins, **arms}


def _in_bins(scores: Sequence[float], edges: Sequence[float]) -> list[int]:
    bins = [0] * BINS
    for score in scores:
        bins[min(max(bisect_right(edges, score) - 1, 0), BINS - 1)] += 1
    return bins


def _at_place(pool: Pool, place: int, of: int, stop: Callable[[], None]) -> float:
    """The score at a place of the scored candidates in ascending order, from 0, walking from the nearer end."""
    backwards = place > of // 2
    way = "DESC" if backwards else "ASC"
    halves = {
        outcome: ONE_OUTCOME.replace("{outcome}", outcome).replace("{way}", way) for outcome in ("wrong", "correct")
    }
    statement = AT_PLACE.replace("{way}", way)
    for outcome, half in halves.items():
        statement = statement.replace(f"{{{outcome}}}", half)
    rows = pool.sql.rows(statement, place=of - 1 - place if backwards else place, barred=pool.barred)
    stop()
    return float(rows[0][0])
