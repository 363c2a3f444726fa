"""Reads for the workers of a round: which traces of its pool still need grading or scoring."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from django.db.models import Count, Exists, OuterRef, QuerySet

from labeling.configs import TraceFilter
from labeling.formats.run_texts import units_read
from labeling.grading import GRADER_VERSION
from labeling.models import Problem, Project, Round, Score, StepScorer, Trace
from labeling.queries.rounds import round_pool


class TraceToScore(NamedTuple):
    """A trace and its steps, as the step scorer reads them."""

    trace_id: int
    steps: list[str]


def pool_of(round_: Round) -> QuerySet[Trace]:
    """The traces that a staged round chooses from, as it froze them."""
    config = round_.staged_config
    return round_pool(round_.project, filter=config.filter, last_trace_id=config.frozen.last_trace_id)


def traces_to_grade(round_: Round) -> QuerySet[Trace]:
    """The traces of a round's pool that have no outcome and that this grader has not looked at.

    The filter's outcome applies to the pool after grading. Existing outcomes are left to a grading of the project,
    which shows what it would change.
    """
    config = round_.staged_config
    unknown = replace(config.filter, outcome=None)
    pool = round_pool(round_.project, filter=unknown, last_trace_id=config.frozen.last_trace_id)
    return pool.filter(outcome=Trace.Outcome.UNGRADED).exclude(grader_version=GRADER_VERSION)


def project_pool(project: Project) -> QuerySet[Trace]:
    """All traces of a project that a round could choose from."""
    return round_pool(project, filter=TraceFilter())


def problems_with_traces(pool: QuerySet[Trace], first: int, last: int) -> list[int]:
    """Return the problems from id `first` to `last` that have traces in the pool."""
    rows = pool.filter(problem__gte=first, problem__lte=last).order_by("problem_id")
    return list(rows.values_list("problem_id", flat=True).distinct())


def count_unscored(pool: QuerySet[Trace], scorer: StepScorer, first: int, last: int) -> int:
    """Return how many of the pool's traces, of problems in an id range, this PRM has not seen."""
    return _unseen(pool.filter(problem__gte=first, problem__lte=last), scorer).count()


def problem_text(problem_id: int) -> str:
    """Return the text that a PRM reads before the steps."""
    return Problem.objects.values_list("text", flat=True).get(pk=problem_id)


def unscored(pool: QuerySet[Trace], scorer: StepScorer, problem_id: int, most: int) -> list[TraceToScore]:
    """Return up to `most` traces of a problem that this PRM has not seen, by id."""
    rows = _unseen(pool.filter(problem=problem_id), scorer).order_by("pk").values_list("pk", "steps")[:most]
    return _as_read([TraceToScore(*row) for row in rows], scorer)


def rough_among_best(pool: QuerySet[Trace], scorer: StepScorer, problem_id: int, keep: int) -> list[TraceToScore]:
    """Return those of a problem's `keep` best traces whose score is not exact, best first."""
    scores = Score.objects.filter(scorer=scorer, problem=problem_id, score__isnull=False, trace__in=pool)
    best = scores.order_by("-score", "trace_id").values_list("trace_id", "trace__steps", "exact")[:keep]
    return _as_read([TraceToScore(trace_id, steps) for trace_id, steps, exact in best if not exact], scorer)


def problems_to_score(project: Project, scorer: StepScorer) -> Sequence[int]:
    """Return the problems of a project that have traces this PRM has not seen."""
    rows = _unseen(project_pool(project), scorer).order_by("problem_id")
    return list(rows.values_list("problem_id", flat=True).distinct())


def problems_left(traces: QuerySet[Trace], scorer: StepScorer) -> dict[int, int]:
    """Return, by problem, how many of these traces this PRM has not seen. One query."""
    counted = _unseen(traces, scorer).values_list("problem_id").annotate(Count("pk"))
    return dict(counted.order_by("problem_id"))


def _as_read(traces: list[TraceToScore], scorer: StepScorer) -> list[TraceToScore]:
    """Add to runs of agents what was observed between their units, for a scorer that learned from it; one run in memory
    at a time.
    """
    observed = scorer.spec.get("observed")
    if not observed:
        return traces
    runs = Trace.objects.filter(pk__in=[trace.trace_id for trace in traces], typed_steps__isnull=False)
    of_runs = set(runs.values_list("pk", flat=True))
    return [_with_seen(trace, observed) if trace.trace_id in of_runs else trace for trace in traces]


def _with_seen(trace: TraceToScore, observed: int) -> TraceToScore:
    problem, typed = Trace.objects.values_list("problem__text", "typed_steps").get(pk=trace.trace_id)
    return trace._replace(steps=[unit.text for unit in units_read(problem, typed or [], trace.steps, observed)])


def _unseen(traces: QuerySet[Trace], scorer: StepScorer) -> QuerySet[Trace]:
    return traces.filter(~Exists(Score.objects.filter(scorer=scorer, trace=OuterRef("pk"))))
