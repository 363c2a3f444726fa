"""Screening, labeler quality and their error rates; intervals; consensus."""

import json
import math
import random
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench import labeler_quality as bench
from labeling.protocol.first_error import FIRST_ERROR
from labeling.protocol.verdicts import NO_ERROR, passes
from labeling.quality.sequential_test import (
    QualityRules,
    Screening,
    action_for,
    evaluate_labeler,
    rolling_agreement,
    screening_state,
    simulate,
)
from labeling.statistics.intervals import (
    of_totals,
    of_weights,
    percentiles,
    resampled_counts,
    resampled_totals,
    share,
    wilson,
)

RULES = QualityRules()
HASTY = QualityRules(wrong_pause=0.9, wrong_coach=0.9, wrong_clear=0.9)


def attempt(passed, of=30):
    return [True] * passed + [False] * (of - passed)


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [  # R: prop.test(x, n, correct = FALSE)$conf.int; Newcombe 1998, table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (29, 29, 0.8830, 1.0),
    ],
)
def test_wilson_by_published_cases(successes, n, low, high):
    assert wilson(successes, n) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


@given(st.integers(0, 500), st.integers(1, 500))
def test_wilson_holds_the_share_and_mirrors(successes, more):
    n = successes + more
    low, high = wilson(successes, n)
    assert 0 <= low <= successes / n <= high <= 1
    assert (1 - high, 1 - low) == (pytest.approx(wilson(more, n)[0]), pytest.approx(wilson(more, n)[1]))


def test_nothing_seen_is_no_share():
    assert wilson(0, 0) == (0.0, 1.0)
    assert share(0, 0).value is None
    with pytest.raises(ValueError, match="between 0 and n"):
        wilson(3, 2)


def test_the_same_seed_draws_the_same_units_and_every_draw_is_complete():
    first, again, other = (np.concatenate(list(resampled_counts(7, 50, seed))) for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()
    assert (first.sum(axis=1) == 7).all()


def test_blocks_do_not_change_what_is_drawn_in_all(monkeypatch):
    parts = np.arange(12.0).reshape(6, 2)
    whole = of_totals(parts, lambda sums: sums[..., 0] / sums[..., 1], n=6)
    monkeypatch.setattr("labeling.statistics.intervals.BLOCK", 30)
    assert of_totals(parts, lambda sums: sums[..., 0] / sums[..., 1], n=6) == whole


def test_the_bootstrap_of_a_mean_is_as_wide_as_theory_says():
    values = np.random.default_rng(3).normal(size=400)
    parts = np.stack([values, np.ones(400)], axis=1)
    found = of_totals(parts, lambda sums: sums[..., 0] / sums[..., 1], n=400, resamples=4000)
    assert found.high - found.low == pytest.approx(2 * 1.96 * values.std() / 20, rel=0.06)
    by_weights = of_weights(lambda w: float(np.average(values, weights=w)), np.arange(400), resamples=4000)
    assert (by_weights.low, by_weights.high) == (pytest.approx(found.low), pytest.approx(found.high))


def test_units_that_are_alike_are_drawn_as_often_as_if_each_were_drawn(monkeypatch):
    parts = np.repeat(np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0], [3.0, 1.0, 0.0]]), [250, 100, 50], axis=0)
    by_kind = resampled_totals(parts, resamples=4000, seed=4)
    monkeypatch.setattr("labeling.statistics.intervals.ALIKE", 1000)
    by_unit = resampled_totals(parts, resamples=4000, seed=4)
    assert (by_kind != by_unit).any()
    for drawn in (by_kind, by_unit):  # the mean and the covariance of 400 draws
        assert drawn.mean(axis=0) == pytest.approx(parts.sum(axis=0), rel=0.01)
        assert np.cov(drawn.T) == pytest.approx(400 * np.cov(parts.T, bias=True), rel=0.15, abs=8)


def test_the_ends_of_an_interval_are_those_of_numpy():
    values = np.random.default_rng(8).normal(size=313)
    assert percentiles(values) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])))


def test_steps_of_one_trace_do_not_count_as_independent():
    values = np.repeat(np.random.default_rng(3).normal(size=40), 10)
    alone = of_weights(lambda w: float(np.average(values, weights=w)), np.arange(400))
    together = of_weights(lambda w: float(np.average(values, weights=w)), np.repeat(np.arange(40), 10))
    assert together.high - together.low > 2.5 * (alone.high - alone.low)


def test_a_figure_undefined_in_many_resamples_has_no_interval():
    assert percentiles(np.array([0.5] * 90 + [math.nan] * 10)) == (None, None)
    assert percentiles(np.array([0.5] * 99 + [math.nan])) == (0.5, 0.5)


def test_23_of_30_are_admitted_and_22_are_not():
    assert Screening().needed == 23
    assert screening_state([attempt(23)], Screening()) == "admitted"
    assert screening_state([attempt(22)], Screening()) == "retry"


@pytest.mark.parametrize(("tasks", "least", "needed"), [(10, 0.7, 7), (30, 0.75, 23), (20, 0.75, 15), (3, 1.0, 3)])
def test_the_pass_mark_is_the_least_count_that_reaches_the_share(tasks, least, needed):
    assert Screening(tasks=tasks, share=least).needed == needed


def test_a_failed_attempt_may_be_repeated_once_and_no_more():
    assert screening_state([attempt(22), []], Screening()) == "going"
    assert screening_state([attempt(22), attempt(23)], Screening()) == "admitted"
    assert screening_state([attempt(22), attempt(22)], Screening()) == "rejected"
    assert screening_state([attempt(22)], Screening(retries=0)) == "rejected"
    with pytest.raises(ValueError, match="More results or attempts"):
        screening_state([attempt(22)] * 3, Screening())


def test_an_attempt_is_judged_only_when_it_is_finished():
    assert screening_state([], Screening()) == "going"
    assert screening_state([[True] * 29], Screening()) == "going"
    assert screening_state([[False] * 29], Screening()) == "going"


def test_giving_up_fails_and_any_acceptable_step_passes():
    assert not passes(FIRST_ERROR.verdict([None, None], "give_up"), {NO_ERROR, 0, 1})
    assert not passes(FIRST_ERROR.verdict([1, 1], "bad_problem"), {NO_ERROR})
    assert passes(FIRST_ERROR.verdict([1, -1, None], "found_error"), {1, 2})
    assert not passes(FIRST_ERROR.verdict([-1, None, None], "found_error"), {1, 2})
    assert passes(FIRST_ERROR.verdict([1, 0, 1], "solution"), {NO_ERROR})
    assert not passes(FIRST_ERROR.verdict([1, 0, 1], "solution"), {2})


@given(st.integers(0, 120), st.integers(0, 60), st.sampled_from([RULES, HASTY]))
def test_no_decision_stands_beside_an_interval_that_contradicts_it(passed, failed, rules):
    low, high = wilson(passed, passed + failed)
    action = action_for(passed, passed + failed, rules)
    assert action != "pause" or high < rules.bar
    assert action != "clear" or low > rules.bar
    assert action != "coach" or high < rules.good


def test_rules_that_would_decide_on_a_hunch_are_held_back_by_the_interval():
    assert action_for(0, 1, HASTY) == "coach"  # one failure: the ratio says pause, the interval reaches to 79 %
    assert action_for(1, 1, HASTY) == "watch"
    assert action_for(0, 4, HASTY) == "pause"


@given(st.integers(0, 80), st.integers(0, 80))
def test_one_more_pass_never_makes_a_standing_worse(passed, failed):
    order = ["pause", "coach", "watch", "clear"]
    before = order.index(action_for(passed, passed + failed, RULES))
    if before > 0:  # a pause ends the run
        assert order.index(action_for(passed + 1, passed + failed + 1, RULES)) >= before


def test_a_pause_stays_whatever_comes_after_it():
    assert evaluate_labeler([False] * 6, RULES).action == "pause"
    assert evaluate_labeler([False] * 6 + [True] * 50, RULES).action == "pause"


def test_after_clearing_a_new_run_begins_so_that_a_fall_is_seen():
    good = [True] * 200
    fallen = next(n for n in range(1, 60) if evaluate_labeler(good + [True, False] * n, RULES).action == "pause")
    alone = next(n for n in range(1, 60) if evaluate_labeler([True, False] * n, RULES).action == "pause")
    assert fallen <= alone + 13  # at most the passes since the last clearing are in the way


def test_a_few_results_decide_nothing():
    assert evaluate_labeler([], RULES).action == "watch"
    assert evaluate_labeler([], RULES).agreement.value is None
    assert {evaluate_labeler([passed] * 2, RULES).action for passed in (True, False)} == {"watch"}


def test_simulated_labelers_get_the_decisions_one_would_want():
    good, bar, poor = (simulate(accuracy, RULES, seed=8) for accuracy in (0.90, 0.75, 0.60))
    assert good.cleared[-1] > 0.85
    assert good.paused[-1] < 0.01
    assert bar.paused[-1] < RULES.wrong_pause
    assert bar.cleared[-1] < RULES.wrong_clear
    assert bar.coached[-1] > 0.8
    assert poor.paused[-1] > 0.75
    assert poor.cleared[-1] < 0.01
    assert poor.coached[0] > 0.85  # within one round of 20


def test_however_long_one_looks_the_promised_error_rates_hold():
    endless = [simulate(accuracy, RULES, looks=(300,), labelers=4000, seed=2) for accuracy in (0.75, 0.90)]
    assert endless[0].paused[0] <= RULES.wrong_pause
    assert endless[0].cleared[0] <= RULES.wrong_clear
    assert endless[1].coached[0] <= RULES.wrong_coach


def test_looking_again_and_again_at_a_plain_interval_would_pause_far_more_often_than_it_says():
    chance = random.Random(4)
    paused = 0
    for _ in range(400):
        history = [chance.random() < 0.75 for _ in range(600)]
        passed = np.cumsum(history)
        paused += any(wilson(int(passed[n - 1]), n)[1] < 0.75 for n in range(1, 601))
    assert paused / 400 > 0.15 > 0.05


@settings(max_examples=8)
@given(st.floats(0.05, 0.95), st.integers(0, 99))
def test_a_simulation_plays_the_rule_itself(accuracy, seed):
    looks, people = 40, 30
    histories = np.random.default_rng(seed).random((people, looks)) < accuracy
    ended = []
    for history in histories.tolist():
        actions = [evaluate_labeler(history[: n + 1], RULES).action for n in range(looks)]
        ended.append(next((action for action in actions if action in ("pause", "clear")), None))
    found = simulate(accuracy, RULES, looks=(looks,), labelers=people, seed=seed)
    assert found.paused[0] == pytest.approx(ended.count("pause") / people)
    assert found.cleared[0] == pytest.approx(ended.count("clear") / people)


def test_the_shown_agreement_is_of_the_last_tasks():
    found = rolling_agreement([False] * 50 + [True] * 30 + [False] * 10, window=40)
    assert (found.value, found.n) == (0.75, 40)
    assert rolling_agreement([], window=40).value is None


def test_the_figures_in_the_docs_are_those_that_were_measured_and_can_be_measured_again():
    found = json.loads(bench.RESULT.read_text())
    assert "\n".join(bench.figures(found)) in bench.PAGE.read_text()
    assert found["rules"] == asdict(RULES)
    poor = next(run for run in found["runs"] if run["accuracy"] == 0.60)
    again = simulate(0.60, RULES, looks=bench.LOOKS, labelers=found["labelers"], seed=found["seed"])
    assert list(again.paused) == poor["paused"]
    assert found["screening"]["admitted"][-1] == {"accuracy": 0.3, **bench.admitted(0.3, Screening())}


def test_rules_out_of_order_are_refused():
    with pytest.raises(ValueError, match="in this order"):
        QualityRules(poor=0.8)
    with pytest.raises(ValueError, match="Error rates"):
        QualityRules(wrong_pause=0)
    with pytest.raises(ValueError, match="tasks is at least 1"):
        Screening(tasks=0)
