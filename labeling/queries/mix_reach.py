"""Which of a mix's ways of choosing can find any traces, reported before a round is prepared.

A way chooses among the traces for which its scorers report something. Only a stacked head reports how far its heads
waver, and scorers can disagree only where both have scored.
"""

from typing import NamedTuple

from labeling.models import Project, Score, StepScorer
from labeling.queries.rounds import round_pool
from labeling.queries.scored_pool import Pool
from labeling.selection import Rules, Way

STACKED = "stacked_head"  # the family whose heads, fitted on resampled problems, waver


class Reach(NamedTuple):
    """How many traces of the pool a way has information on, at most, and why there are no more."""

    traces: int
    why: str


def short_ways(pool: Pool, rules: Rules, scorer: StepScorer | None) -> dict[Way, Reach]:
    """Return the ways that cannot fill their share, and why. At most three queries; none if the mix has neither way."""
    found: dict[Way, Reach] = {}
    quotas = rules.mix.quotas(rules.quota)
    if "wavering" in quotas and scorer is not None and not _may_waver(pool.project, scorer):
        why = f"{scorer.name} does not report how far its heads waver. Only a stacked head does."
        found["wavering"] = Reach(0, why)
    if "disagreement" in quotas:
        known = _scored_by(pool, rules.mix.other or 0, quotas["disagreement"])
        if known < quotas["disagreement"]:
            other = StepScorer.objects.filter(pk=rules.mix.other or 0).values_list("name", flat=True).first()
            found["disagreement"] = Reach(known, f"{other or 'The other scorer'} has scored {_traces(known)} that fit.")
    return found


def _may_waver(project: Project, scorer: StepScorer) -> bool:
    """Whether the scorer reported it for a trace here, or is a stacked head that has scored nothing here yet."""
    scores = Score.objects.filter(scorer=scorer, project=project)
    if scores.filter(spread__isnull=False).exists():
        return True
    return scorer.spec.get("family") == STACKED and not scores.filter(score__isnull=False).exists()


def _scored_by(pool: Pool, other: int, most: int) -> int:
    """Return how many traces of the pool the scorer has scored; counting stops at `most`."""
    fitting = round_pool(pool.project, filter=pool.filter, last_trace_id=pool.last_trace_id)
    scores = Score.objects.filter(scorer=other, project=pool.project, score__isnull=False, trace__in=fitting)
    return scores.order_by()[:most].count()


def _traces(count: int) -> str:
    return {0: "none of the traces", 1: "only 1 of the traces"}.get(count, f"only {count:,} of the traces")
