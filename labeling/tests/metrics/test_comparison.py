"""Two PRMs compared on the same traces: what can be said about their difference."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeling.metrics.comparison import LOWER_IS_BETTER, Scored, ahead, compare
from labeling.metrics.evaluation import evaluate
from labeling.metrics.traces import EvaluatedTrace, targets_of
from labeling.protocol.verdicts import NO_ERROR
from labeling.statistics.intervals import change_of_clusters, share_of_clusters, wilson

TRUTHS = [NO_ERROR, 0, 1, 2, NO_ERROR]
JUDGMENTS = {"accuracy", "f1_negative", "macro_f1", "accuracy_on_erroneous", "first_error_accuracy", "processbench_f1"}


def scored(count, score_of, threshold=0.5):
    """Create traces of three steps, each with its own problem; `score_of(trace, step, first error)` is a step's
    score.
    """
    truths = [TRUTHS[number % len(TRUTHS)] for number in range(count)]
    traces = [
        EvaluatedTrace(n, [score_of(n, step, error) for step in range(3)], targets_of(error, 3), error, "wrong")
        for n, error in enumerate(truths)
    ]
    return Scored(traces, threshold)


def noisy(seed):
    chance = np.random.default_rng(seed)
    return lambda _number, step, error: float(np.clip((0.3 if step == error else 0.7) + chance.normal(0, 0.15), 0, 1))


def above_one_half(trace):
    """The same order of steps, but none of them is called wrong."""
    return EvaluatedTrace(trace.problem, [0.5 + s / 2 for s in trace.scores], trace.targets, trace.first_error, "wrong")


def test_a_prm_that_never_says_wrong_loses_by_every_figure_of_judgments_though_it_ranks_steps_as_well():
    good = scored(60, noisy(1))
    timid = Scored([above_one_half(trace) for trace in good.traces], 0.5)
    found = compare(timid, good, resamples=200)
    said = {name: ahead(name, one) for name, one in found.items()}
    assert {name for name in JUDGMENTS if said[name] == "right"} == JUDGMENTS
    assert (found["auc"].value, found["auc"].low, found["auc"].no_interval, said["auc"]) == (
        0,
        None,
        "all_alike",
        "undecided",
    )
    assert found["processbench_f1"].high < 0
    assert (found["ece"].no_interval, said["ece"]) == ("no_method", None)
    assert evaluate(timid.traces, resamples=5).said_wrong == 0
    assert evaluate(good.traces, resamples=5).said_wrong > 20
    perfect = compare(scored(60, lambda n, step, error: float(step != error)), timid, resamples=50)
    assert (perfect["f1_negative"].no_interval, ahead("f1_negative", perfect["f1_negative"])) == ("all_alike", "left")
    # With a suitable threshold, it is exactly the same PRM.
    again = compare(Scored(timid.traces, 0.75), good, resamples=50)
    assert all(again[name].value == pytest.approx(0) for name in JUDGMENTS)


@settings(max_examples=12)
@given(st.integers(0, 999), st.integers(6, 40))
def test_a_difference_is_that_of_the_figures_and_turns_round_with_its_sides(seed, count):
    one, other = scored(count, noisy(seed)), scored(count, noisy(seed + 1), threshold=0.6)
    found, turned = compare(one, other, resamples=40), compare(other, one, resamples=40)
    apart = [evaluate(each.traces, threshold=each.threshold, resamples=2).metrics for each in (one, other)]
    assert found.keys() == apart[0].keys()
    for name, difference in found.items():
        left, right = apart[0][name].value, apart[1][name].value
        assert difference.value == (None if left is None else pytest.approx(left - right))
        if difference.low is None:
            continue
        assert (turned[name].low, turned[name].high) == (
            pytest.approx(-difference.high),
            pytest.approx(-difference.low),
        )
        turn = {"left": "right", "right": "left", "undecided": "undecided"}
        assert ahead(name, turned[name]) == turn[ahead(name, difference)]
        if ahead(name, difference) == "left":
            assert (difference.value < 0) == (name in LOWER_IS_BETTER)


def test_the_page_says_of_the_same_figures_that_lower_is_better() -> None:
    shared = json.loads((Path(__file__).parent.parent / "figure_cases.json").read_text())
    assert shared["lower_is_better"] == sorted(LOWER_IS_BETTER)


def test_shares_of_clusters_are_wilsons_alone_and_wider_where_traces_of_a_problem_are_alike():
    right = np.array([1.0, 0, 1, 1, 0, 1, 1, 0, 1, 1])
    alone = share_of_clusters(right, np.ones(10), n=10)
    assert (alone.low, alone.high) == pytest.approx(wilson(7, 10), abs=0.02)
    alike = share_of_clusters(right * 20, np.full(10, 20.0), n=200)
    assert alike.high - alike.low == pytest.approx(alone.high - alone.low, abs=0.03)
    apart = share_of_clusters(np.full(10, 14.0), np.full(10, 20.0), n=200)
    assert apart.high - apart.low < alike.high - alike.low
    none = share_of_clusters(np.zeros(17), np.ones(17), n=17)
    assert (none.value, none.low, none.high) == (0, 0, pytest.approx(0.184, abs=1e-3))
    few = share_of_clusters(np.array([20.0, 0]), np.array([20.0, 5]), n=25)
    assert (few.value, few.low, few.no_interval, few.clusters) == (0.8, None, "few_clusters", 2)


def test_intervals_of_clustered_shares_and_of_changes_hold_the_truth_about_as_often_as_they_say():
    chance = np.random.default_rng(7)
    held = held_change = 0
    for _ in range(400):
        rate = chance.beta(4, 2, size=30)  # 30 problems of 5 traces, alike within a problem; 2/3 right in all
        one, other = (chance.binomial(1, rate[:, None], size=(30, 5)) for _ in range(2))
        found = share_of_clusters(one.sum(axis=1).astype(float), np.full(30, 5.0), n=150)
        held += found.low <= 2 / 3 <= found.high
        up, down = (np.maximum(sign * (one - other), 0).sum(axis=1).astype(float) for sign in (1, -1))
        change = change_of_clusters(up, down, np.full(30, 5.0), n=150)
        held_change += change.low <= 0 <= change.high
    assert 0.92 <= held / 400 <= 0.98
    assert 0.92 <= held_change / 400 <= 0.98
