"""Computes missing scores for an evaluation: a PRM reads its set's traces problem by problem, as in a round."""

from collections.abc import Callable

from django.db.models import QuerySet

from labeling.models import StepScorer, Trace
from labeling.queries.scores import problems_left
from worker.model_faults import model_faults
from worker.scoring_chunks import load, score_problem


@model_faults()
def score_traces(prm: StepScorer, traces: QuerySet[Trace], progress: Callable[[int], None]) -> None:
    """Score the traces that the PRM has not seen. `progress` receives how many have a row, and may raise.

    Raises ModelUnusable if the PRM cannot be used.
    """
    left = problems_left(traces, prm)
    done = traces.count() - sum(left.values())
    if not left:
        return
    loaded = load(prm)
    for problem_id in left:
        progress(done)
        done += score_problem(loaded, traces, problem_id, 0, lambda: None)
