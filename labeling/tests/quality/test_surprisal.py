"""Laws of surprisal, and of the difference between two shares."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.quality.surprisal import FLOOR, Surprisal, surprisal_of
from labeling.statistics.intervals import Estimate, difference, share

chances = st.floats(0, 1)
ratings = st.lists(st.sampled_from([-1, 0, 1]), min_size=1, max_size=8)
steps = st.lists(st.tuples(st.sampled_from([-1, 0, 1, None]), st.one_of(st.none(), chances)), max_size=12)


def of(pairs, **how) -> Surprisal | None:
    """The surprisal of (rating, probability) pairs."""
    return surprisal_of([rating for rating, _ in pairs], [p for _, p in pairs], **how)


def test_a_label_surprises_as_much_as_its_least_likely_rating():
    found = surprisal_of([1, 1, -1], [0.9, 0.2, 0.1])
    assert found.step == 1
    assert found.nats == pytest.approx(-math.log(0.2))
    assert surprisal_of([1, -1, None], [0.9, 0.6, 0.001]).step == 1  # nobody rated the last step
    assert surprisal_of([None, None], [0.1, 0.1]) is None
    assert surprisal_of([1, 1], [None, 0.5]) == (math.log(2), 1)


def test_a_neutral_step_is_what_the_record_of_the_prm_says():
    assert surprisal_of([0], [0.9]).nats == pytest.approx(-math.log(0.9))
    assert surprisal_of([0], [0.9], neutral="negative").nats == pytest.approx(-math.log(1 - 0.9))


@given(steps)
def test_a_surprise_is_finite_never_negative_and_at_a_rated_step(pairs):
    found = of(pairs)
    rated = [step for step, (rating, p) in enumerate(pairs) if rating is not None and p is not None]
    assert (found is None) == (not rated)
    if found:
        assert 0 <= found.nats <= -math.log(FLOOR)
        assert found.step in rated


@given(steps, st.sampled_from([-1, 0, 1]), chances)
def test_one_more_rating_never_lowers_a_surprise(pairs, rating, p):
    before, after = of(pairs), of([*pairs, (rating, p)])
    assert before is None or before.nats <= after.nats


@given(steps, chances)
def test_what_is_not_rated_changes_nothing(pairs, p):
    assert of(pairs) == of([*pairs, (None, p)])


@given(ratings, st.data())
def test_contradicting_the_model_surprises_more_than_agreeing(given_ratings, data):
    sure = [data.draw(st.floats(0.51, 1)) for _ in given_ratings]
    agreed = surprisal_of([1 for _ in sure], sure)
    against = surprisal_of([-1 for _ in sure], sure)
    assert agreed.nats < math.log(2) < against.nats


def test_the_difference_of_two_shares_is_newcombes():
    # Newcombe 1998, table II, row (b): 9/10 minus 3/10, method 10.
    found = difference(share(9, 10), share(3, 10))
    assert (found.value, found.n) == (pytest.approx(0.6), 20)
    assert (round(found.low, 4), round(found.high, 4)) == (0.1705, 0.8090)
    assert difference(share(9, 10), share(0, 0)) == Estimate(None, None, None, 10)


@given(st.integers(1, 40), st.integers(1, 40), st.data())
def test_a_difference_turned_round_is_its_mirror_image_and_holds_its_value(n, m, data):
    one, other = share(data.draw(st.integers(0, n)), n), share(data.draw(st.integers(0, m)), m)
    found, mirrored = difference(one, other), difference(other, one)
    assert -1 <= found.low <= found.value <= found.high <= 1
    assert (found.low, found.high) == (pytest.approx(-mirrored.high), pytest.approx(-mirrored.low))
