"""The interval of a median ends at two of the values, whatever their distribution; n/a if few values are known."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.statistics.intervals import LEVEL, median, median_of, median_ranks


@pytest.mark.parametrize(
    ("n", "ranks"),
    # Conover, Practical Nonparametric Statistics, 1999, table A3, p = 1/2; R: qbinom(0.025, n, 0.5)
    [
        (6, (1, 6)),
        (9, (2, 8)),
        (10, (2, 9)),
        (15, (4, 12)),
        (20, (6, 15)),
        (25, (8, 18)),
        (50, (18, 33)),
        (100, (40, 61)),
    ],
)
def test_the_ranks_are_the_published_ones(n: int, ranks: tuple[int, int]) -> None:
    assert median_ranks(n) == ranks


@given(st.integers(6, 1_500))
def test_the_two_ranks_are_the_closest_that_hold_the_median_often_enough(n: int) -> None:
    ranks = median_ranks(n)
    assert ranks is not None
    low, high = ranks
    assert low + high == n + 1
    covered = sum(comb(n, k) for k in range(low, high))
    within = sum(comb(n, k) for k in range(low + 1, high - 1))
    assert covered * 100 >= 2**n * round(LEVEL * 100) > within * 100


def test_the_ranks_of_very_many_values_are_those_of_the_normal_law() -> None:
    for n in (10_000, 100_000, 1_000_000):
        ranks = median_ranks(n)
        assert ranks is not None
        assert ranks[0] == pytest.approx(n / 2 - 0.98 * n**0.5, abs=1.5)


def test_a_median_lies_in_its_interval_as_often_as_it_says_whatever_the_values_are_drawn_from() -> None:
    generator = np.random.default_rng(7)
    for n in (6, 12, 40):
        drawn = generator.lognormal(mean=np.log(20), sigma=1.2, size=(4_000, n))  # seconds; the median is 20
        found = [median(row) for row in drawn]
        held = np.mean([one.low <= 20 <= one.high for one in found if one.low is not None and one.high is not None])
        assert held > LEVEL - 0.01, n


def test_few_values_and_values_that_are_all_alike_have_a_median_and_no_interval() -> None:
    assert median(np.array([])).value is None
    for n in (1, 4, 5):
        few = median(np.arange(float(n)))
        assert (few.value, few.low, few.clusters, few.no_interval) == ((n - 1) / 2, None, n, "few_clusters")
    six = median(np.array([9.0, 1.0, 7.0, 3.0, 5.0, 2.0]))
    assert (six.value, six.low, six.high, six.no_interval) == (4, 1, 9, None)
    alike = median(np.full(30, 2.0))
    assert (alike.value, alike.low, alike.high, alike.no_interval) == (2, None, None, "all_alike")
    assert median_of(None, (None, None), 0).value is None
