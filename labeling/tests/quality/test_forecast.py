"""A forecast says no more than its days and labels support; outcomes fall within its intervals as often as stated."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from labeling.statistics.forecast import LONGEST, days_of_labels, scaled, time_of_labels
from labeling.statistics.intervals import FEWEST_CLUSTERS

DAYS = st.lists(st.integers(0, 60), min_size=1, max_size=20)
TIMES = st.lists(st.lists(st.floats(1, 600), min_size=1, max_size=4), min_size=1, max_size=20)


def parts_of(problems: list[list[float]]) -> np.ndarray:
    return np.array([[sum(one), len(one), sum(ms * ms for ms in one)] for one in problems])


@settings(max_examples=40, deadline=None)
@given(DAYS, st.integers(0, 400), st.integers(0, 400))
def test_more_labels_never_take_fewer_days_and_ends_stand_about_the_value(days: list[int], few: int, more: int) -> None:
    one, other = days_of_labels(days, few), days_of_labels(days, few + more)
    if sum(days) == 0 and few:
        assert one.value is None
        return
    assert one.value is not None
    if other.value is not None:
        assert one.value <= other.value
    for found in (one, other):
        if found.low is None or found.high is None:
            assert found.no_interval is not None or found.value is None
        else:
            assert found.low <= found.value < found.high or found.low < found.value <= found.high  # type: ignore[operator]
            assert sum(day > 0 for day in days) >= FEWEST_CLUSTERS
    if one.low is not None and other.low is not None:
        assert one.low <= other.low
        assert one.high <= other.high  # type: ignore[operator]


@settings(max_examples=40, deadline=None)
@given(TIMES, st.integers(1, 500))
def test_time_grows_with_the_labels_and_its_unit_and_is_wider_than_that_of_the_mean(
    problems: list[list[float]], labels: int
) -> None:
    parts = parts_of(problems)
    one, twice = time_of_labels(parts, labels), time_of_labels(parts, 2 * labels)
    assert one.value is not None
    assert twice.value is not None
    assert abs(twice.value - 2 * one.value) < 1e-6 * twice.value
    assert one.n == sum(len(problem) for problem in problems)
    if len(problems) < FEWEST_CLUSTERS:
        assert (one.low, one.high, one.no_interval) == (None, None, "few_clusters")
    if one.low is not None and twice.low is not None and one.high is not None and twice.high is not None:
        assert 0 <= one.low < one.value < one.high
        assert (twice.high - twice.low) / twice.value <= (one.high - one.low) / one.value + 1e-9, "a sum evens out"
    hours = scaled(one, 1 / 60)
    assert hours.value == one.value * (1 / 60)
    assert hours.no_interval == one.no_interval


def test_nothing_to_do_takes_no_time_and_nothing_seen_says_nothing() -> None:
    assert (days_of_labels([3, 4], 0).value, time_of_labels(np.zeros((0, 3)), 0).value) == (0, 0)
    assert days_of_labels([], 5).value is None
    assert days_of_labels([0, 0, 0], 5).value is None
    assert time_of_labels(np.zeros((0, 3)), 5).value is None
    slow = days_of_labels([1, 0, 1, 0, 1, 0, 1, 1], LONGEST)
    assert (slow.low, slow.high, slow.no_interval) == (None, None, "often_undefined")


def test_what_comes_true_lies_in_the_intervals_about_as_often_as_they_say() -> None:
    chance = np.random.default_rng(7)
    time_held = days_held = 0
    for trial in range(200):
        parts = parts_of([list(chance.gamma(2, 60, size=2)) for _ in range(40)])
        expected = time_of_labels(parts, 60)
        truth = float(chance.gamma(2, 60, size=60).sum())
        assert expected.low is not None
        assert expected.high is not None
        time_held += expected.low <= truth <= expected.high
        days = chance.poisson(20, size=14) * (chance.random(14) < 0.7)
        days_expected = days_of_labels([int(day) for day in days], 150, seed=trial)
        to_come = np.cumsum(chance.poisson(20, size=500) * (chance.random(500) < 0.7))
        took = int(np.searchsorted(to_come, 150) + 1)
        assert days_expected.low is not None
        assert days_expected.high is not None
        days_held += days_expected.low <= took <= days_expected.high
    assert time_held >= 180
    assert days_held >= 176
