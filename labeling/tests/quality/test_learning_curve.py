"""What more labels would buy is the line's rise; few models, or too many labels at once, say nothing for sure."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeling.statistics.learning_curve import Learned, gain_of_more, student


def models(*labels: int, slope: float = 0.05, noise: float = 0.0, seed: int = 0) -> list[Learned]:
    """Along a line over the logarithm, with intervals of 0.04."""
    drawn = np.random.default_rng(seed).normal(0, noise, len(labels))
    values = [0.5 + slope * math.log(one) + float(off) for one, off in zip(labels, drawn, strict=True)]
    return [Learned(one, value, value - 0.02, value + 0.02) for one, value in zip(labels, values, strict=True)]


def test_more_labels_buy_what_the_line_rises_by() -> None:
    found = gain_of_more(models(50, 100, 200, 400, 800), 800)
    assert found.value == pytest.approx(0.05 * math.log(2))
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.05 * math.log(2) < found.high


def test_four_models_give_no_interval_one_number_of_labels_nothing_and_neither_does_a_far_guess() -> None:
    few = gain_of_more(models(50, 100, 200, 400), 100)
    assert (few.low, few.no_interval, few.clusters) == (None, "few_clusters", 4)
    assert gain_of_more([], 100).value is None
    assert gain_of_more(models(100, 100), 100).value is None
    assert gain_of_more(models(50, 100, 200), 1_000).value is None


def test_students_point_is_the_tables() -> None:
    for freedom, point in {3: 3.182, 5: 2.571, 10: 2.228, 30: 2.042}.items():
        assert student(freedom) == pytest.approx(point, abs=0.03)


def test_the_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    truth = 0.05 * math.log(2)
    held = 0
    for seed in range(400):
        found = gain_of_more(models(50, 100, 200, 300, 400, 800, noise=0.02 / 1.96, seed=seed), 800)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth <= found.high
    assert 372 <= held <= 400


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(10, 900), min_size=2, max_size=9), st.integers(1, 900), st.floats(-0.1, 0.1))
def test_fewer_labels_never_buy_more_of_a_rise(labels: list[int], more: int, slope: float) -> None:
    one, other = (gain_of_more(models(*labels, slope=slope), number) for number in (more, 2 * more))
    if one.value is not None and other.value is not None:
        assert abs(one.value) <= abs(other.value) + 1e-9
        assert one.value * slope >= -1e-9
