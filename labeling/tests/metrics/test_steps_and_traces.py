"""Step and trace figures, calibration and the baseline: compared with scikit-learn and by hand, and their laws."""

import json
import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, brier_score_loss, f1_score, log_loss, roc_auc_score
from sklearn.preprocessing import StandardScaler

from labeling.metrics import calibration, steps, traces
from labeling.metrics.baseline import RIDGE, features, fit_baseline
from labeling.metrics.evaluation import evaluate, evaluate_by, rated_steps
from labeling.metrics.steps import Auc, Steps, auc, auc_gain, auc_given_position
from labeling.metrics.traces import EvaluatedTrace, best_threshold, predicted_first_error, sum_of, targets_of
from labeling.protocol.verdicts import NO_ERROR
from labeling.tests.imports.files import SHARED_DATA

FEW_SCORES = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.5000001, 0.9, 1.0])  # so that ties occur
rated = st.lists(st.tuples(st.booleans(), FEW_SCORES, st.integers(0, 3), st.integers(1, 5)), min_size=1, max_size=40)


@st.composite
def evaluated(draw):
    count = draw(st.integers(1, 6))
    scores = draw(st.lists(FEW_SCORES, min_size=count, max_size=count))
    first_error = draw(st.one_of(st.none(), st.integers(NO_ERROR, count - 1)))
    outcome = draw(st.sampled_from(["correct", "wrong", "ungraded"]))
    return EvaluatedTrace(draw(st.integers(0, 4)), scores, targets_of(first_error, count), first_error, outcome)


def columns(rows):
    targets, scores, positions, weights = zip(*rows, strict=True)
    return np.array(targets), np.array(scores), np.array(positions), np.array(weights, dtype=float)


def trace(scores, first_error, *, problem=0, outcome="wrong"):
    return EvaluatedTrace(problem, scores, targets_of(first_error, len(scores)), first_error, outcome)


@settings(max_examples=40)
@given(rated)
def test_a_weighted_auc_is_that_of_scikit_learn(rows):
    targets, scores, _, weights = columns(rows)
    own = Auc(targets, scores)(weights)
    if targets.all() or not targets.any():
        assert own is None
    else:
        assert own == pytest.approx(roc_auc_score(targets, scores, sample_weight=weights))


@settings(max_examples=40)
@given(rated)
def test_auc_given_position_compares_pairs_at_one_position_only(rows):
    targets, scores, positions, weights = columns(rows)
    won = pairs = 0.0
    for right in np.flatnonzero(targets):
        for wrong in np.flatnonzero(~targets & (positions == positions[right])):
            pair = weights[right] * weights[wrong]
            pairs += pair
            won += pair * ((scores[right] > scores[wrong]) + (scores[right] == scores[wrong]) / 2)
    own = Auc(targets, scores, positions)(weights)
    assert own is None if pairs == 0 else own == pytest.approx(won / pairs)


@settings(max_examples=40)
@given(rated)
def test_reversing_the_scores_mirrors_the_auc(rows):
    targets, scores, positions, weights = columns(rows)
    for strata in (None, positions):
        one, other = Auc(targets, scores, strata)(weights), Auc(targets, -scores, strata)(weights)
        assert (one is other is None) or one + other == pytest.approx(1)


def test_a_score_that_only_counts_steps_has_an_auc_but_none_given_position():
    generator = np.random.default_rng(1)
    positions = generator.integers(0, 10, 3000)
    targets = generator.random(3000) > positions / 12
    only_counts = Steps(targets, 1 - positions / 10, positions, np.arange(3000) // 6)
    assert auc(only_counts, resamples=50).low > 0.7
    assert auc_given_position(only_counts, resamples=50).value == 0.5
    none = auc_gain(only_counts, 1 - positions / 10, resamples=50)
    assert (none.value, none.low, none.no_interval) == (0, None, "all_alike")
    assert auc_gain(only_counts, generator.random(3000), resamples=50).low > 0.15


def test_no_rated_steps_no_figure():
    nothing = rated_steps([trace([0.5], None)])
    assert auc(nothing).value is None
    found = evaluate([trace([0.5, 0.4], None)], resamples=5).metrics
    assert {name for name, figure in found.items() if figure.value is not None} == {"lowest_last_share"}


@settings(max_examples=40)
@given(rated, st.sampled_from([0.3, 0.5]))
def test_accuracy_and_f1_are_those_of_scikit_learn(rows, threshold):
    targets, scores, _, _ = columns(rows)
    cells = steps.confusion(targets, scores, threshold)
    judged = scores >= threshold
    assert float(steps.accuracy(cells)) == pytest.approx(accuracy_score(targets, judged))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn warns if F1 is not defined
        negative = f1_score(targets, judged, pos_label=False, zero_division=np.nan)
        macro = f1_score(targets, judged, average=None, labels=[False, True], zero_division=np.nan).mean()
    assert float(steps.f1_negative(cells)) == pytest.approx(negative, nan_ok=True)
    assert float(steps.macro_f1(cells)) == pytest.approx(macro, nan_ok=True)


def test_targets_stop_at_the_first_error():
    assert targets_of(2, 4) == [True, True, False, None]
    assert targets_of(NO_ERROR, 2) == [True, True]
    assert targets_of(None, 2) == [None, None]


def test_the_first_step_below_the_threshold_is_the_predicted_error():
    assert predicted_first_error([0.9, 0.5, 0.49, 0.1]) == 2
    assert predicted_first_error([0.9, 0.5]) == NO_ERROR
    assert predicted_first_error([0.9, 0.5], threshold=0.6) == 1


def test_processbench_by_hand():
    labeled = [
        trace([0.9, 0.2, 0.9], 1),  # found
        trace([0.9, 0.9, 0.2], 1),  # too late
        trace([0.9, 0.9, 0.9], 2, outcome="correct"),  # not seen: lucky, not caught
        trace([0.1, 0.9, 0.9], 2, outcome="correct"),  # too early, but not let pass
        trace([0.9, 0.9], NO_ERROR, outcome="correct"),
        trace([0.9, 0.1], NO_ERROR, outcome="correct"),
        trace([0.1], None),
    ]
    sums = sum_of(labeled, 0.5)
    assert float(traces.accuracy_on_erroneous(sums)) == 1 / 4
    assert float(traces.accuracy_on_error_free(sums)) == 1 / 2
    assert float(traces.processbench_f1(sums)) == pytest.approx(1 / 3)  # 2 * 1/4 * 1/2 / (3/4)
    assert float(traces.first_error_accuracy(sums)) == 2 / 6
    assert float(traces.lucky_caught_share(sums)) == 1 / 2
    assert float(traces.lowest_last_share(sums)) == 2 / 6  # the one-step trace has no other step to be lower than


def test_no_harmonic_mean_of_one_kind_alone_and_zero_where_both_are_zero():
    assert math.isnan(float(traces.processbench_f1(sum_of([trace([0.9], NO_ERROR)], 0.5))))
    assert float(traces.processbench_f1(sum_of([trace([0.1], NO_ERROR), trace([0.9], 0)], 0.5))) == 0


def test_a_tie_for_the_lowest_score_is_no_sign_of_collapse():
    assert not traces.lowest_at_the_end([0.5, 0.9, 0.5])
    assert traces.lowest_at_the_end([0.5, 0.9, 0.4])


@settings(max_examples=40)
@given(st.lists(evaluated(), min_size=1, max_size=8))
def test_the_chosen_threshold_is_no_worse_than_the_usual_one(labeled):
    chosen = float(traces.processbench_f1(sum_of(labeled, best_threshold(labeled))))
    usual = float(traces.processbench_f1(sum_of(labeled, 0.5)))
    assert math.isnan(usual) or chosen >= usual


@settings(max_examples=40)
@given(rated)
def test_brier_and_reliability_are_those_of_scikit_learn(rows):
    targets, scores, _, _ = columns(rows)
    assert calibration.brier(targets, scores) == pytest.approx(brier_score_loss(targets, scores, pos_label=True))
    shares, means = calibration_curve(targets, scores, n_bins=10, pos_label=True)
    filled = [one for one in calibration.reliability(targets, scores) if one.score is not None]
    # scikit-learn puts a score on the border into the lower bin, because its bins are closed above.
    if not np.isin(scores, [0.1, 0.5, 0.9]).any():
        assert [one.right.value for one in filled] == pytest.approx(list(shares))
        assert [one.score for one in filled] == pytest.approx(list(means))
    assert sum(one.right.n for one in filled) == len(scores)


def test_calibration_error_by_hand():
    targets = np.array([True, True, False, True, False])
    scores = np.array([0.9, 0.95, 0.92, 0.3, 0.3])
    # Two bins: three steps at 0.9233 on average, 2/3 right; two at 0.3, half right.
    expected = (3 * abs((0.9 + 0.95 + 0.92) / 3 - 2 / 3) + 2 * abs(0.3 - 0.5)) / 5
    assert calibration.expected_calibration_error(targets, scores) == pytest.approx(expected)
    assert calibration.expected_calibration_error(np.array([], dtype=bool), np.array([])) is None
    assert calibration.brier(np.array([], dtype=bool), np.array([])) is None


def test_scores_that_say_what_they_mean_have_hardly_an_error_and_overconfident_ones_are_cooled():
    generator = np.random.default_rng(2)
    honest = generator.random(20_000)
    targets = generator.random(20_000) < honest
    assert calibration.expected_calibration_error(targets, honest) < 0.02
    assert calibration.best_temperature(targets, honest) == pytest.approx(1, abs=0.05)
    boastful = calibration.tempered(honest, 1 / 3)
    assert calibration.expected_calibration_error(targets, boastful) > 0.08
    temperature = calibration.best_temperature(targets, boastful)
    assert temperature == pytest.approx(3, rel=0.05)
    cooled = calibration.tempered(boastful, temperature)
    assert calibration.expected_calibration_error(targets, cooled) < 0.02
    assert log_loss(targets, cooled) < log_loss(targets, boastful)
    assert Auc(targets, cooled)(np.ones(20_000)) == pytest.approx(Auc(targets, boastful)(np.ones(20_000)))


def test_one_class_has_no_temperature_and_no_baseline():
    assert calibration.best_temperature(np.array([True]), np.array([0.3])) is None
    assert fit_baseline(np.array([0, 1]), np.array([5, 9]), np.array([True, True])) is None


@settings(max_examples=8)
@given(st.integers(0, 999), st.integers(5, 200))
def test_the_baseline_is_the_logistic_regression_of_scikit_learn(seed, count):
    generator = np.random.default_rng(seed)
    positions, characters = generator.integers(0, 20, count), generator.integers(1, 900, count)
    targets = generator.random(count) < 0.3 + 0.02 * positions
    fitted = fit_baseline(positions, characters, targets)
    if fitted is None:
        assert len(set(targets.tolist())) == 1
        return
    standard = StandardScaler().fit_transform(features(positions, characters))
    published = LogisticRegression(C=1 / RIDGE, tol=1e-10, max_iter=2000).fit(standard, targets)
    assert fitted.scores(positions, characters) == pytest.approx(published.predict_proba(standard)[:, 1], abs=1e-4)


@settings(max_examples=15)
@given(st.lists(evaluated(), min_size=1, max_size=8))
def test_every_figure_of_an_evaluation_keeps_its_bounds_and_counts(labeled):
    found = evaluate(labeled, resamples=10)
    for name, figure in found.metrics.items():
        assert figure.value is None or 0 <= figure.value <= 1, name
        assert figure.low is None or figure.low <= figure.high
    assert found.metrics["auc"].n == sum(target is not None for one in labeled for target in one.targets)
    assert found.metrics["first_error_accuracy"].n == sum(one.first_error is not None for one in labeled)
    assert found.traces == len(labeled)


def test_groups_are_evaluated_apart():
    labeled = [trace([0.9, 0.1], 1), trace([0.9, 0.1], NO_ERROR), trace([0.9, 0.1], 0)]
    found = evaluate_by(labeled, ["algebra", "algebra", "geometry"], resamples=5)
    assert found["algebra"].metrics["first_error_accuracy"].value == 1 / 2
    assert found["geometry"].metrics["first_error_accuracy"].value == 0
    assert (found["algebra"].traces, found["geometry"].traces) == (2, 1)


@pytest.mark.parametrize("scores", [[math.nan], [1.5], [-0.1], []])
def test_what_is_no_probability_is_refused(scores):
    with pytest.raises(ValueError, match="A score must be a probability|at least one step"):
        trace(scores, NO_ERROR)


def test_on_real_first_errors_position_and_length_say_something_and_little_given_position():
    file = SHARED_DATA / "processbench_math.jsonl"
    if not file.exists():
        pytest.skip("needs the shared data (STEPMARK_SHARED_DATA)")
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    halves = {half: [row for row in rows if (sum(row["problem"].encode()) % 2 == 0) == half] for half in (True, False)}
    fitted = fit_baseline(*step_columns(halves[True]))
    positions, characters, targets = step_columns(halves[False])
    scores = fitted.scores(positions, characters)
    problems = np.concatenate([[number] * len(rated_of(row)) for number, row in enumerate(halves[False])])
    held_out = Steps(targets, scores, positions, problems)
    plain, given_position = auc(held_out, resamples=200), auc_given_position(held_out, resamples=200)
    assert 0.55 < plain.value < 0.85
    assert given_position.value < plain.value
    assert plain.low < plain.value < plain.high


def rated_of(row):
    return [one for one in targets_of(row["first_error"], len(row["steps"])) if one is not None]


def step_columns(rows):
    """Positions, characters and targets of the rated steps."""
    found = [
        (position, len(row["steps"][position]), target) for row in rows for position, target in enumerate(rated_of(row))
    ]
    positions, characters, targets = zip(*found, strict=True)
    return np.array(positions), np.array(characters), np.array(targets)
