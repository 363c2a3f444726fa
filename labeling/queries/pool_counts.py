"""Exact counts, by kind, of the traces in a round's pool, for what is frozen with the round."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, QuerySet

from labeling.models import Score, Task, Trace
from labeling.queries.rounds import round_pool
from labeling.queries.scored_pool import Pool

# One index lookup per problem: left to choose, Postgres may read all traces.
PROBLEMS = """
    SELECT count(*) FROM unnest(%(problems)s::bigint[]) AS problem (id) CROSS JOIN LATERAL (
        SELECT FROM labeling_trace AS trace
        WHERE trace.problem_id = problem.id AND trace.id <= %(last)s {fitting} LIMIT 1) AS found
"""
UNGRADED = Trace.Outcome.UNGRADED.value


@dataclass(frozen=True)
class ExactCounts:
    """Traces of a pool by outcome: all, those on a queue, those with a score, those with both; and the problems."""

    problems: int
    traces: Counter[str]
    queued: Counter[str]
    scored: Counter[str]
    scored_and_queued: Counter[str]

    @property
    def scored_candidates(self) -> int:
        """The traces that are graded, scored and on no queue."""
        return _graded(self.scored) - _graded(self.scored_and_queued)

    def dropped(self, *, unscored: bool) -> dict[str, int]:
        """Return what is left out before the choice, each trace for its first reason; `unscored` adds that reason."""
        graded = _graded(self.traces) - _graded(self.queued)
        return {
            "already_labeled_or_queued": self.queued.total(),
            "ungraded": self.traces[UNGRADED] - self.queued[UNGRADED],
            "unscored": graded - self.scored_candidates if unscored else 0,
        }

    def shown(self) -> dict[str, int]:
        """Return the pool's numbers as shown to people."""
        return {
            "problems": self.problems,
            "traces": self.traces.total(),
            **{outcome: self.traces[outcome] for outcome in Trace.Outcome.values},
            "unscored": self.traces.total() - self.scored.total(),
            "queued": self.queued.total(),
        }


def exact_counts(pool: Pool) -> ExactCounts:
    """Count the whole pool. Reads only indexes, unless the filter has conditions on traces; 10 million take seconds."""
    traces, scores = _traces(pool), _scores(pool)
    tasks = Task.objects.filter(round__in=pool.sql.values["rounds"])
    queued = _fitting(pool).filter(pk__in=tasks.values("trace"))
    scores_of_queued = Score.objects.filter(scorer=pool.scorer_id, trace__in=queued, score__isnull=False)
    return ExactCounts(
        problems=_problems(pool),
        traces=traces,
        queued=_by_outcome(queued),
        scored=scores,
        scored_and_queued=_by_outcome(scores_of_queued) if pool.scorer_id else Counter(),
    )


def _graded(counts: Counter[str]) -> int:
    return counts.total() - counts[UNGRADED]


def _fitting(pool: Pool) -> QuerySet[Trace]:
    return round_pool(pool.project, filter=pool.filter, last_trace_id=pool.last_trace_id)


def _problems(pool: Pool) -> int:
    fitting = pool.sql.fitting("trace.id")
    return int(pool.sql.rows(PROBLEMS, {"fitting": fitting}, problems=pool.problems)[0][0])


def _traces(pool: Pool) -> Counter[str]:
    """Count all traces minus those of problems the filter excludes: these are few, and the index has no problems."""
    if pool.filters_traces:
        return _by_outcome(_fitting(pool))
    traces = Trace.objects.filter(project=pool.project)
    if pool.last_trace_id is not None:
        traces = traces.filter(pk__lte=pool.last_trace_id)
    return _by_outcome(traces) - _by_outcome(traces.filter(problem__in=pool.barred))


def _scores(pool: Pool) -> Counter[str]:
    if pool.scorer_id is None:
        return Counter()
    scores = Score.objects.filter(scorer=pool.scorer_id, project=pool.project, score__isnull=False)
    if pool.last_trace_id is not None:
        scores = scores.filter(trace__lte=pool.last_trace_id)
    if pool.filters_traces:
        return _by_outcome(scores.filter(trace__in=_fitting(pool)))
    return _by_outcome(scores) - _by_outcome(scores.filter(problem__in=pool.barred))


def _by_outcome(rows: QuerySet[Any]) -> Counter[str]:
    return Counter(dict(rows.order_by().values_list("outcome").annotate(number=Count("*"))))
