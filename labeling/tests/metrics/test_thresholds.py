"""Each threshold's figures, and average precision: compared with scikit-learn and by counting, and their laws."""

import json
import math
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from labeling.metrics.evaluation import evaluate, rated_steps
from labeling.metrics.steps import AveragePrecision, average_precision, average_precision_gain
from labeling.metrics.thresholds import FEWEST, MOST, operating_points, telling_thresholds, threshold_curve
from labeling.metrics.traces import EvaluatedTrace, processbench_f1, sum_of, targets_of
from labeling.protocol.verdicts import NO_ERROR

# So that ties occur, and two scores with no number between them.
FEW_SCORES = st.sampled_from([0.0, 0.1, math.nextafter(0.1, 1), 0.25, 0.5, 0.9, 0.95])
rated = st.lists(st.tuples(st.booleans(), st.one_of(FEW_SCORES, st.just(1.0)), st.integers(1, 5)), max_size=40)


@st.composite
def labeled_traces(draw):
    """Draw traces with at least one wrong step among them."""
    found = []
    for problem in range(draw(st.integers(1, 8))):
        count = draw(st.integers(1, 6))
        scores = draw(st.lists(FEW_SCORES, min_size=count, max_size=count))
        found.append(trace(scores, draw(st.one_of(st.none(), st.integers(NO_ERROR, count - 1))), problem))
    assume(any(target is False for one in found for target in one.targets))
    return found


def trace(scores, first_error, problem=0):
    return EvaluatedTrace(problem, scores, targets_of(first_error, len(scores)), first_error, "wrong")


def points_of(traces):
    return operating_points(traces, telling_thresholds(rated_steps(traces)))


def many_traces(count, score_of, seed=5):
    """Traces of six steps; every other one has an error somewhere. `score_of(wrong, chance)` is a step's score."""
    chance = np.random.default_rng(seed)
    found = []
    for number in range(count):
        error = int(chance.integers(0, 6)) if number % 2 else NO_ERROR
        found.append(trace([score_of(step == error, chance) for step in range(6)], error, number // 2))
    return found


def knowing(wrong, chance):
    return float(np.clip((0.35 if wrong else 0.75) + chance.normal(0, 0.15), 0, 1))


@settings(max_examples=60)
@given(rated)
def test_average_precision_of_wrong_steps_is_that_of_scikit_learn(rows):
    targets, scores, weights = (np.array([row[place] for row in rows]) for place in range(3))
    own = AveragePrecision(targets.astype(bool), scores.astype(float))(weights.astype(float))
    if len(set(targets.tolist())) < 2:
        assert own is None
    else:
        assert own == pytest.approx(average_precision_score(~targets, -scores, sample_weight=weights))


@settings(max_examples=60)
@given(rated, st.data())
def test_steps_that_are_not_drawn_count_as_if_they_were_not_there(rows, data):
    targets, scores, _ = (np.array([row[place] for row in rows]) for place in range(3))
    drawn = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows))), dtype=float)
    targets, scores, left = targets.astype(bool), scores.astype(float), drawn > 0
    all_of_them = AveragePrecision(targets, scores)(drawn)
    some = AveragePrecision(targets[left], scores[left])(drawn[left])
    assert all_of_them == (None if some is None else pytest.approx(some))


@settings(max_examples=60)
@given(labeled_traces(), st.floats(0.01, 0.99))
def test_each_point_is_what_counting_steps_and_traces_at_its_threshold_gives(traces, asked):
    steps, points = rated_steps(traces), operating_points(traces, np.array([0.1, asked, 0.5]))
    for point in points:
        below = steps.scores < point.threshold
        judged, found = int(below.sum()), int((below & ~steps.targets).sum())
        assert (point.judged_wrong, point.found) == (judged, found)
        assert point.precision == (found / judged if judged else None)
        assert point.recall == found / int((~steps.targets).sum())
        figures = evaluate(traces, threshold=point.threshold, resamples=2).metrics
        assert point.f1_negative == pytest.approx(figures["f1_negative"].value)
        by_trace = float(processbench_f1(sum_of(traces, point.threshold)))
        assert point.processbench_f1 == (None if math.isnan(by_trace) else pytest.approx(by_trace))


@settings(max_examples=60)
@given(labeled_traces())
def test_the_higher_the_threshold_the_more_is_judged_wrong_and_steps_of_one_score_are_judged_alike(traces):
    steps, points = rated_steps(traces), points_of(traces)
    levels = np.unique(steps.scores)
    assert len(points) == len(levels)
    for point, level in zip(points, levels, strict=True):
        assert level < point.threshold <= 1
        assert point.judged_wrong == int((steps.scores <= level).sum())
    for one, after in zip(points, points[1:], strict=False):
        assert one.threshold < after.threshold
        assert one.judged_wrong < after.judged_wrong
        assert one.recall <= after.recall
    assert points[-1].recall == 1


@settings(max_examples=60)
@given(labeled_traces())
def test_average_precision_is_the_area_under_the_stairs_of_the_curve(traces):
    points, steps = points_of(traces), rated_steps(traces)
    gained = np.diff([one.recall for one in points], prepend=0.0)
    area = sum(gain * one.precision for gain, one in zip(gained, points, strict=True) if one.precision is not None)
    own = average_precision(steps, resamples=2).value
    assert own is None or own == pytest.approx(area)
    assert (own is None) == (not steps.targets.any())


@pytest.mark.parametrize("said", [0.0, 0.3, 0.99])
def test_a_prm_that_says_the_same_of_every_step_has_the_precision_of_a_coin(said):
    traces = many_traces(60, lambda _wrong, _chance: said)
    curve, steps = threshold_curve(traces), rated_steps(traces)
    [point] = curve.points
    assert (point.precision, point.recall) == (curve.base_rate, 1)
    assert average_precision(steps, resamples=2).value == pytest.approx(curve.base_rate)
    assert average_precision_gain(steps, np.full(len(steps.scores), 0.5), resamples=20).value == 0


def test_a_step_that_is_said_to_be_right_for_certain_is_judged_wrong_at_no_threshold():
    traces = many_traces(60, lambda _wrong, _chance: 1.0)
    assert threshold_curve(traces).points == []
    [point] = threshold_curve(traces, asked=[0.5]).points
    assert (point.judged_wrong, point.precision, point.recall, point.f1_negative) == (0, None, 0, 0)


def test_a_prm_that_knows_has_a_threshold_without_a_mistake():
    curve = threshold_curve(many_traces(60, lambda wrong, _chance: 0.2 if wrong else 0.8))
    best = curve.points[0]
    assert (best.threshold, best.precision, best.recall, best.f1_negative, best.processbench_f1) == (0.5, 1, 1, 1, 1)
    assert curve.points[-1].precision == curve.base_rate
    steps = rated_steps(many_traces(60, lambda wrong, _chance: 0.2 if wrong else 0.8))
    assert average_precision(steps, resamples=2).value == 1


def test_a_curve_is_as_long_for_a_large_set_as_for_a_small_one_and_leaves_no_gap():
    traces = many_traces(4_000, knowing)
    curve = threshold_curve(traces, asked=[0.5, 0.123456])
    assert len(curve.points) <= MOST + 2
    assert {0.5, 0.123456} <= {one.threshold for one in curve.points}
    assert curve.steps == len(rated_steps(traces).targets) > 15_000
    strides = np.diff([0.0, *(one.recall for one in curve.points)])
    assert strides.max() < 0.03
    assert np.diff([0, *(one.judged_wrong / curve.steps for one in curve.points)]).max() < 0.03
    assert len(json.dumps(asdict(curve))) < 25_000
    assert curve.points == threshold_curve(traces, asked=[0.5, 0.123456]).points


@pytest.mark.parametrize("errors", [0, 1, FEWEST - 1, FEWEST])
def test_of_few_wrong_steps_there_is_no_curve_but_how_many_there_are(errors):
    traces = [trace([0.9, 0.8, 0.3], 2 if number < errors else NO_ERROR, number) for number in range(40)]
    curve = threshold_curve(traces)
    assert (curve.steps, curve.wrong) == (120, errors)
    assert bool(curve.points) == (errors >= FEWEST)
    nothing = threshold_curve([trace([0.5], None)])
    assert (nothing.steps, nothing.wrong, nothing.base_rate, nothing.points) == (0, 0, None, [])


def test_average_precision_has_an_interval_over_problems_and_none_where_few_hold_a_wrong_step():
    many = average_precision(rated_steps(many_traces(120, knowing)), resamples=200)
    assert many.low < many.value < many.high
    assert many.clusters == 60
    few = average_precision(rated_steps(many_traces(8, knowing)), resamples=200)
    assert (few.low, few.clusters, few.no_interval) == (None, 4, "few_clusters")
    assert few.value is not None


def test_intervals_of_average_precision_hold_the_truth_about_as_often_as_they_say():
    truth = average_precision(rated_steps(many_traces(40_000, knowing, seed=1)), resamples=1).value
    held = 0
    for seed in range(100):
        found = average_precision(rated_steps(many_traces(120, knowing, seed=100 + seed)), resamples=200)
        held += found.low <= truth <= found.high
    assert held >= 88
