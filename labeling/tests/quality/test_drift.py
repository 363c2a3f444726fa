"""Drift is the line's slope as a share per week; it has an interval only with enough days."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from labeling.statistics.drift import drift_a_week
from labeling.statistics.intervals import FEWEST_CLUSTERS

DAYS = st.dictionaries(st.integers(0, 60), st.lists(st.floats(0.5, 300), min_size=1, max_size=6), max_size=12)


def summed(days: dict[int, list[float]]) -> list[tuple[int, int, float]]:
    return [(day, len(times), sum(math.log(time) for time in times)) for day, times in sorted(days.items())]


def test_a_labeler_who_becomes_a_tenth_slower_every_week_is_told_so() -> None:
    days = {day: [20 * 1.1 ** (day / 7) * wobble for wobble in (0.8, 1.25)] for day in range(0, 40, 3)}
    found = drift_a_week(summed(days))
    assert found.value is not None
    assert math.isclose(found.value, 0.1, abs_tol=1e-9)
    assert found.n == 2 * len(days)


def test_one_day_says_nothing_of_a_drift_and_four_give_no_interval() -> None:
    assert drift_a_week([]).value is None
    assert drift_a_week(summed({3: [10, 20]})).value is None
    few = drift_a_week(summed({0: [10], 1: [12], 2: [9], 3: [30]}))
    assert (few.low, few.no_interval, few.clusters) == (None, "few_clusters", 4)


@settings(max_examples=40, deadline=None)
@given(DAYS, st.integers(1, 50))
def test_neither_the_first_day_nor_the_unit_of_time_changes_it(days: dict[int, list[float]], scale: int) -> None:
    found = drift_a_week(summed(days))
    other = drift_a_week(summed({day + 9: [time * scale for time in times] for day, times in days.items()}))
    assert (found.value is None) == (other.value is None)
    if found.value is not None and other.value is not None:
        assert math.isclose(found.value, other.value, rel_tol=1e-6, abs_tol=1e-6)
    if found.low is not None and found.high is not None:
        assert len(days) >= FEWEST_CLUSTERS
        assert found.low < found.high
