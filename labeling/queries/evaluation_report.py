"""An evaluation's metrics as JSON, each next to what position and length alone would score on the same traces.

The baseline is fitted out of fold on the set's own problems, so it knows more about them than a PRM that never saw
them: a PRM that beats it has read the text.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

import numpy as np

from labeling.grading.answer_key import answer_key
from labeling.metrics.baseline import out_of_fold
from labeling.metrics.best_of_n import AGGREGATIONS, Candidates, curves, sizes_up_to
from labeling.metrics.comparison import LOWER_IS_BETTER, Scored, ahead, compare
from labeling.metrics.evaluation import Evaluation as Metrics
from labeling.metrics.evaluation import evaluate, evaluate_by
from labeling.metrics.length import by_length, rank_correlation
from labeling.metrics.thresholds import threshold_curve
from labeling.metrics.traces import EvaluatedTrace, targets_of
from labeling.models import Evaluation
from labeling.queries.evaluations import Candidate, Item, candidates_of, items_of
from labeling.queries.training import advised_threshold
from labeling.statistics.intervals import Estimate, unknown

Json = dict[str, Any]

GROUPED = ("subject", "level", "generator")
MOST_GROUPS = 12
GROUP_RESAMPLES = 300
BASELINE_THRESHOLD = 0.5  # a step with a lower score counts as judged wrong
# How the PRM compares, by which side is ahead.
STANDINGS: Mapping[str | None, str] = {"left": "better", "right": "worse", "undecided": "undecided"}
FEWEST_CANDIDATES = 4  # per problem, for best-of-N
VOTES = ("product", "min")
MOST_OF_BASELINE = 48  # thresholds of the baseline's curve, which is only drawn next to the PRM's


def evaluation_report(evaluation: Evaluation) -> Json:
    """Return everything an evaluation's page shows. Two queries, and one for the training of its PRM."""
    items = items_of(evaluation)
    scored = [item for item in items if item.steps is not None]
    traces = [evaluated(item, item.steps or []) for item in scored]
    baseline = baseline_of(scored, traces)
    found = evaluate(traces, threshold=evaluation.threshold)
    gains = compare(Scored(traces, evaluation.threshold), Scored(baseline, BASELINE_THRESHOLD)) if traces else {}
    gain = gains.get("auc", unknown(0))
    return {
        "traces": len(traces),
        "problems": found.problems,
        "said_wrong": found.said_wrong,
        "unscored": dict(Counter(item.reason or "not scored" for item in items if item.steps is None)),
        "figures": metrics_beside(found, baseline, gains),
        "gain": asdict(gain),
        "beats_baseline": None if gain.low is None else gain.low > 0,
        "thresholds": thresholds(evaluation, traces, baseline),
        "reliability": [{**asdict(one), "right": asdict(one.right)} for one in found.reliability],
        "groups": {name: groups(scored, traces, name, evaluation.threshold) for name in GROUPED},
        "best_of_n": best_of_n(candidates_of(evaluation)),
        "length": length(scored),
    }


def evaluated(item: Item, scores: Sequence[float]) -> EvaluatedTrace:
    """Return an item as the metrics take it: by its single ratings if it has any, otherwise by its first error."""
    steps = len(scores)
    targets = targets_of(item.first_error, steps)
    if item.ratings is not None:
        rated = [None if rating is None else rating >= 0 for rating in item.ratings[:steps]]
        targets = [*rated, *[None] * (steps - len(rated))]
    return EvaluatedTrace(item.problem_id, scores, targets, item.first_error, item.outcome)


def differences(left: Evaluation, right: Evaluation) -> list[Json]:
    """Return how much higher each metric is for the left one, and which is ahead, over the traces both scored."""
    of_right = {item.trace_id: item.steps for item in items_of(right)}
    both = [item for item in items_of(left) if item.steps is not None and of_right.get(item.trace_id) is not None]
    one = Scored([evaluated(item, item.steps or []) for item in both], left.threshold)
    other = Scored([evaluated(item, of_right[item.trace_id] or []) for item in both], right.threshold)
    found = compare(one, other, resamples=GROUP_RESAMPLES)
    return [{"name": name, **asdict(metric), "ahead": ahead(name, metric)} for name, metric in found.items()]


def baseline_of(items: Sequence[Item], traces: Sequence[EvaluatedTrace]) -> list[EvaluatedTrace]:
    """Return the same traces with scores from position and length alone, out of fold by problem."""
    numbers = {problem: number for number, problem in enumerate(dict.fromkeys(item.problem_id for item in items))}
    steps = [
        (place, characters, target or False, target is not None, numbers[item.problem_id])
        for item, trace in zip(items, traces, strict=True)
        for place, (characters, target) in enumerate(zip(item.characters, trace.targets, strict=True))
    ]
    if not steps:
        return []
    places, characters, targets, rated, problems = (np.array(column) for column in zip(*steps, strict=True))
    said = iter(out_of_fold(places, characters, targets, rated, problems).tolist())
    return [
        EvaluatedTrace(one.problem, [next(said) for _ in one.scores], one.targets, one.first_error, one.outcome)
        for one in traces
    ]


def thresholds(evaluation: Evaluation, traces: Sequence[EvaluatedTrace], baseline: Sequence[EvaluatedTrace]) -> Json:
    """Return what each threshold would give, including the one in use and the one the PRM's training chose. For
    position and length alone, return precision by recall. About a hundred points at most, whatever the size of the set.
    """
    asked = [evaluation.threshold, advised_threshold(evaluation.scorer)]
    found = threshold_curve(traces, asked=[one for one in asked if one is not None])
    plain = threshold_curve(baseline, most=MOST_OF_BASELINE)
    beside = [{"recall": one.recall, "precision": one.precision} for one in plain.points]
    return {**asdict(found), "baseline": beside}


def metrics_beside(found: Metrics, baseline: Sequence[EvaluatedTrace], gains: Mapping[str, Estimate]) -> list[Json]:
    """Return each metric with its interval, the baseline's value, how much higher the metric is, and what that says of
    the PRM: better or worse if the whole interval of the difference says so, undecided if it contains 0, else None.
    """
    plain = evaluate(baseline, threshold=BASELINE_THRESHOLD, resamples=GROUP_RESAMPLES)
    return [
        {
            "name": name,
            **asdict(metric),
            "baseline": plain.metrics[name].value,
            "gain": asdict(gains.get(name, unknown(0))),
            "standing": STANDINGS.get(ahead(name, gains.get(name, unknown(0)))),
            "lower_is_better": name in LOWER_IS_BETTER,
        }
        for name, metric in found.metrics.items()
    ]


def groups(items: Sequence[Item], traces: Sequence[EvaluatedTrace], name: str, threshold: float) -> list[Json]:
    """Return metrics of the largest groups by subject, level or generator; empty if all traces are in one group."""
    of_each = [getattr(item, name) or "" for item in items]
    largest = [group for group, _ in Counter(of_each).most_common(MOST_GROUPS)]
    if len(largest) < 2:
        return []
    chosen = [place for place, group in enumerate(of_each) if group in largest]
    by_group = evaluate_by(
        [traces[place] for place in chosen],
        [of_each[place] for place in chosen],
        threshold=threshold,
        resamples=GROUP_RESAMPLES,
    )
    shown = ("auc", "first_error_accuracy", "processbench_f1")
    return [
        {
            "group": group,
            "traces": by_group[group].traces,
            "problems": by_group[group].problems,
            **{metric: asdict(by_group[group].metrics[metric]) for metric in shown},
        }
        for group in sorted(largest)
    ]


def best_of_n(candidates: Sequence[Candidate]) -> Json | None:
    """Return curves over n for every selection method; None if fewer than two problems have enough graded traces."""
    by_problem = {problem: list(found) for problem, found in groupby(candidates, key=lambda one: one.problem_id)}
    enough = {problem: found for problem, found in by_problem.items() if len(found) >= FEWEST_CANDIDATES}
    if len(enough) < 2:
        return None
    fewest = min(len(found) for found in enough.values())
    sizes = sizes_up_to(fewest)
    with_orm = all(trace.by_orm for traces in enough.values() for trace in traces)
    found = curves([_candidates(traces, with_orm) for traces in enough.values()], sizes)
    return {
        "problems": len(enough),
        "traces": sum(len(traces) for traces in enough.values()),
        "sizes": sizes,
        "curves": {name: [asdict(one) for one in curve] for name, curve in found.items()},
    }


def _candidates(traces: Sequence[Candidate], with_orm: bool) -> Candidates:
    scores: Mapping[str, list[float]] = {
        f"prm_{name}": [pick(trace.steps) for trace in traces] for name, pick in AGGREGATIONS.items()
    }
    if with_orm:  # an outcome model judges at the last step
        scores = {**scores, "orm": [(trace.by_orm or [0.0])[-1] for trace in traces]}
    votes = {
        f"vote_{name}": [np.exp(one) if name == "product" else one for one in scores[f"prm_{name}"]] for name in VOTES
    }
    return Candidates(
        [trace.outcome == "correct" for trace in traces],
        [answer_key(trace.final_answer) if trace.final_answer else None for trace in traces],
        scores,
        votes,
    )


def length(items: Sequence[Item]) -> Json:
    """Return how far the trace score follows the number of steps."""
    scored = [item for item in items if item.score is not None]
    scores = np.array([item.score for item in scored], dtype=np.float64)
    steps = np.array([len(item.steps or ()) for item in scored], dtype=np.int64)
    correct = np.array([item.outcome == "correct" for item in scored], dtype=np.bool_)
    return {
        "correlation": rank_correlation(scores, steps),
        "bins": [asdict(one) for one in by_length(scores, steps, correct)],
    }
