"""A PRM evaluated on recorded first errors, with invented scores: no model reads anything."""

from collections.abc import Callable
from random import Random
from typing import Any

from labeling.actions import evaluations
from labeling.models import Evaluation, EvaluationSet, Problem, Project, Score, StepScorer, TrainingRun
from labeling.tests.factories import make_traces
from labeling.tests.selection.pools import make_prm

ScoreOf = Callable[[bool, Random], float]


def knowing(wrong: bool, chance: Random) -> float:
    """Return the score of a step by a PRM that is right more often than not."""
    return min(0.99, max(0.01, chance.gauss(0.4 if wrong else 0.75, 0.15)))


def timid(wrong: bool, chance: Random) -> float:
    """Return scores in the same order, but no step has a probability below 1/2 of being right."""
    return 0.5 + knowing(wrong, chance) / 2


def recorded_set(project: Project, *, errors: int, free: int, steps: int = 4) -> EvaluationSet:
    """Make this many held-out traces with a recorded first error, and this many without one."""
    traces = make_traces(project, errors + free, steps=steps, outcome="wrong")
    for place, trace in enumerate(traces):
        trace.recorded_first_error = place % steps if place < errors else -1
        trace.save()
    Problem.objects.filter(traces__in=traces).update(split="held_out")
    return evaluations.create_evaluation_set(project, by=None, name="Recorded", source="recorded")


def measured(made: EvaluationSet, score_of: ScoreOf, *, advised: float | None = None, **asked: Any) -> Evaluation:
    """Make a finished evaluation of a new PRM. `advised`: the threshold that training chose on validation labels."""
    project, prm = made.project, make_prm(project=made.project)
    if advised is not None:
        report = {"meta": {"threshold": {"value": advised, "f1_negative": 0.6, "f1_negative_at_half": 0.4}}}
        TrainingRun.objects.create(project=project, prm=prm, base="none", round_ids=[], report=report)
    give_scores(prm, made, score_of)
    found = evaluations.create_evaluation(project, by=None, scorer=prm, evaluation_set=made, best_of=0, **asked)
    done = evaluations.run_evaluation(found.pk, lambda *_: None)
    assert done is not None
    assert done.status == "succeeded", done.error
    return done


def give_scores(prm: StepScorer, made: EvaluationSet, score_of: ScoreOf) -> None:
    """Give every trace of a set its scores."""
    chance = Random(7)
    Score.objects.bulk_create(
        Score(
            scorer=prm,
            trace=item.trace,
            project_id=made.project_id,
            problem_id=item.problem_id,
            outcome=item.outcome,
            draw=item.trace_id,
            steps=[score_of(step == item.first_error, chance) for step in range(len(item.trace.steps))],
            score=-1.0,
        )
        for item in made.items.select_related("trace").order_by("trace_id")
    )
