"""Agreement compared with the published implementations, with cases worked by hand, and on real ratings."""

import itertools
import json
import math
import random
import warnings
from dataclasses import replace

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from labeling.protocol.first_error import FIRST_ERROR
from labeling.statistics.agreement import (
    agreement,
    agreement_on,
    alpha_of_coincidences,
    cohens_kappa,
    pair_agreements,
)
from labeling.statistics.intervals import FEWEST_CLUSTERS
from labeling.statistics.label_pairs import Labeled, PairwiseLabels, coincidences_of
from labeling.tests.imports.files import SHARED_DATA

unit_counts = st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=20).map(
    lambda rows: np.array(rows, dtype=float)
)
REASONS = st.sampled_from(["found_error", "solution", "bad_problem", "give_up"])


def labeled(trace, labeler, ratings, reason):
    return Labeled(trace, labeler, ratings, reason, FIRST_ERROR.verdict(ratings, reason))


@st.composite
def some_labels(draw):
    """Up to four labelers over up to five traces of four steps, as the labeling page lets them finish."""
    labels = []
    for trace, labeler in draw(st.sets(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=2)):
        reason = draw(REASONS)
        ratings = draw(st.lists(st.sampled_from([0, 1]), min_size=4, max_size=4))
        if reason == "found_error":
            at = draw(st.integers(0, 3))
            ratings[at:] = [-1, *[None] * (3 - at)]
        labels.append(labeled(trace, labeler, ratings, reason))
    return labels


def solution(trace, labeler, *ratings):
    return labeled(trace, labeler, ratings, "solution")


def error_at(trace, labeler, step, steps=6):
    return labeled(trace, labeler, [1] * step + [-1] + [None] * (steps - step - 1), "found_error")


def published_alpha(counts):
    """Return the package's alpha; None if it is undefined."""
    pairable = counts[counts.sum(axis=1) >= 2]
    if len(pairable) == 0 or np.count_nonzero(pairable.sum(axis=0)) < 2:
        return None
    return float(krippendorff.alpha(value_counts=pairable, level_of_measurement="ordinal"))


@settings(max_examples=50)
@given(unit_counts)
def test_alpha_from_coincidences_is_the_alpha_of_the_package(counts):
    own = float(alpha_of_coincidences(coincidences_of(counts).sum(axis=0)))
    published = published_alpha(counts)
    assert math.isnan(own) if published is None else own == pytest.approx(published, abs=1e-9)


def test_alpha_is_that_of_krippendorffs_own_example_cut_to_three_values():
    # Canonical reliability data (four observers, twelve units), with the values 3, 4 and 5 merged.
    first = [1, 2, 3, 3, 2, 1, 3, 1, 2, None, None, None]
    second = [1, 2, 3, 3, 2, 2, 3, 1, 2, 3, None, 3]
    third = [None, 3, 3, 3, 2, 3, 3, 2, 2, 3, 1, None]
    fourth = [1, 2, 3, 3, 2, 3, 3, 1, 2, 3, 1, None]
    table = [first, second, third, fourth]
    labels = [
        labeled("all", place, [None if value is None else value - 2 for value in row], "solution")
        for place, row in enumerate(table)
    ]
    published = krippendorff.alpha(np.array(table, dtype=float), level_of_measurement="ordinal")
    found = agreement(labels).alpha
    assert found.value == pytest.approx(published)
    assert found.n == 11  # the last unit has one value, which has no pair


def test_alpha_by_hand():
    # Two labelers, three steps: (1, 1), (1, 0), (-1, -1). Six values: two -1, one 0, three 1.
    # Blocks' middles: 1, 2.5, 4.5. Observed: the pair (1, 0) twice at distance (4.5 - 2.5)^2 = 4, so 8.
    # Expected: 2 * (2*1*1.5^2 + 2*3*3.5^2 + 1*3*2^2) / (6 - 1) = 2 * (4.5 + 73.5 + 12) / 5 = 36. Alpha = 1 - 8 / 36.
    labels = [labeled(1, "a", [1, 1, -1], "found_error"), labeled(1, "b", [1, 0, -1], "found_error")]
    assert agreement(labels).alpha.value == pytest.approx(1 - 8 / 36)


def test_where_everybody_gives_one_rating_throughout_alpha_and_kappa_are_not_defined():
    labels = [solution(trace, who, 1, 1, 1) for trace in range(3) for who in "ab"]
    found = agreement(labels)
    assert (found.alpha.value, found.alpha.low, found.alpha.high, found.alpha.n) == (None, None, None, 9)
    (pair,) = pair_agreements(labels)
    assert pair.kappa_ratings.value is pair.kappa_has_error.value is None
    assert found.exact.value == 1.0


def test_labels_that_never_meet_have_no_agreement():
    found = agreement([solution(1, "a", 1), solution(2, "b", 1)])
    assert (found.traces, found.alpha.value, found.exact.value, found.finish_reasons) == (0, None, None, {})
    assert pair_agreements([solution(1, "a", 1), solution(2, "b", 1)]) == []


@settings(max_examples=40)
@given(st.lists(st.integers(0, 40), min_size=9, max_size=9))
def test_kappa_is_that_of_scikit_learn(cells):
    matrix = np.array(cells).reshape(3, 3)
    one, other = np.repeat(np.indices((3, 3)).reshape(2, 9), matrix.ravel(), axis=1)
    own = float(cohens_kappa(matrix.ravel().astype(float)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn warns if kappa is not defined
        published = cohen_kappa_score(one, other, labels=[0, 1, 2]) if len(one) else math.nan
    assert own == pytest.approx(published, abs=1e-9, nan_ok=True)


def test_kappa_by_hand():
    # Cohen's two by two: 20 both yes, 15 both no, 5 and 10 apart: (35/50 - 1/2) / (1 - 1/2) = 0.4.
    assert float(cohens_kappa(np.array([20.0, 5, 10, 15]))) == pytest.approx(0.4)


def test_first_errors_by_hand():
    labels = [
        *(error_at("same", who, 2) for who in "ab"),
        *(error_at("next", who, step) for who, step in [("a", 2), ("b", 3)]),
        *(error_at("far", who, step) for who, step in [("a", 1), ("b", 5)]),
        *(solution("none", who, 1, 1, 1, 1, 1, 1) for who in "ab"),
        error_at("one of two", "a", 0),
        solution("one of two", "b", 1, 1, 1, 1, 1, 1),
        error_at("gave up", "a", 0),
        labeled("gave up", "b", [None] * 6, "give_up"),
    ]
    found = agreement(labels)
    assert (found.traces, found.exact.n, found.distance.n) == (6, 5, 3)
    assert found.exact.value == pytest.approx(2 / 5)
    assert found.within_one.value == pytest.approx(3 / 5)
    assert found.has_error.value == pytest.approx(4 / 5)
    assert found.distance.value == pytest.approx((0 + 1 + 4) / 3)
    assert found.finish_reasons == {
        ("found_error", "found_error"): 3,
        ("solution", "solution"): 1,
        ("found_error", "solution"): 1,
        ("found_error", "give_up"): 1,
    }
    assert found.exact.low < found.exact.value < found.exact.high


def test_each_pair_of_labels_counts_once_however_many_labeled_the_trace():
    disputed = [error_at("disputed", who, who) for who in range(5)]
    agreed = [error_at("agreed", who, 2) for who in range(2)]
    found = agreement(disputed + agreed)
    assert (found.exact.value, found.exact.n) == (pytest.approx(1 / 11), 11)
    assert (found.distance.value, found.distance.n) == (pytest.approx(20 / 11), 11)


def test_the_traces_of_one_problem_are_one_cluster_of_every_interval():
    labels = [
        replace(error_at(trace, who, 1 if who == "a" or trace % 3 else 4), problem=trace // 2)
        for trace in range(24)
        for who in "ab"
    ]
    found = agreement(labels, resamples=50)
    [pair] = pair_agreements(labels, resamples=50)
    assert (found.traces, found.exact.n) == (24, 24)
    for figures in (found, pair.agreement):
        assert {getattr(figures, name).clusters for name in ("alpha", "exact", "distance")} == {12}
    assert pair.kappa_ratings.clusters == 12
    assert agreement(labels[:16], resamples=50).exact.no_interval == "few_clusters", "eight traces of four problems"


def test_a_pair_keeps_who_said_what():
    labels = [
        solution(1, "eve", 1, 1),
        error_at(1, "ada", 1, steps=2),
        solution(2, "eve", 0, 1),
        solution(2, "ada", 0, 0),
        error_at(3, "ada", 0, steps=2),
        error_at(3, "eve", 0, steps=2),
    ]
    (pair,) = pair_agreements(labels)
    assert (pair.one, pair.other) == ("ada", "eve")
    assert pair.finish_reasons == {
        ("found_error", "solution"): 1,
        ("solution", "solution"): 1,
        ("found_error", "found_error"): 1,
    }
    assert pair.kappa_ratings.value == pytest.approx(cohen_kappa_score([1, -1, 0, 0, -1], [1, 1, 0, 1, -1]))
    assert pair.kappa_has_error.value == pytest.approx(cohen_kappa_score([1, 0, 1], [0, 0, 1]))


@settings(max_examples=60)
@given(some_labels())
def test_the_figures_are_those_of_the_packages_and_of_the_definitions_applied_to_each_pair(labels):
    found = agreement(labels, resamples=1)
    people = sorted({label.labeler for label in labels})
    table = np.full((len(people), 5 * 4), np.nan)
    for label in labels:
        for step, rating in enumerate(label.ratings):
            table[people.index(label.labeler), label.trace * 4 + step] = np.nan if rating is None else rating
    twice = table[:, (~np.isnan(table)).sum(axis=0) >= 2]
    assert found.alpha.n == twice.shape[1]
    if len(np.unique(twice[~np.isnan(twice)])) > 1:
        published = krippendorff.alpha(twice, value_domain=[-1, 0, 1], level_of_measurement="ordinal")
        assert found.alpha.value == pytest.approx(published)
    exact, near = [], []
    for trace in range(5):
        said = [label.verdict for label in labels if label.trace == trace and label.verdict is not None]
        pairs = list(itertools.combinations(said, 2))
        if pairs:
            exact += [one == other for one, other in pairs]
            near += [one == other or (-1 not in (one, other) and abs(one - other) == 1) for one, other in pairs]
    assert found.exact.value == (pytest.approx(np.mean(exact)) if exact else None)
    assert found.within_one.value == (pytest.approx(np.mean(near)) if near else None)


@settings(max_examples=40)
@given(some_labels(), st.sets(st.integers(0, 4)))
def test_the_figures_of_some_traces_are_those_of_their_labels_alone(labels, chosen):
    together = PairwiseLabels(labels)
    places = [place for place, trace in enumerate(together.traces) if trace in chosen]
    part = agreement_on(together, np.array(places, dtype=int), resamples=20)
    assert part == agreement([label for label in labels if label.trace in chosen], resamples=20)


def test_two_labels_of_one_labeler_on_a_trace_are_refused():
    with pytest.raises(ValueError, match="two labels"):
        agreement([solution(1, "a", 1), solution(1, "a", 0)])


@settings(max_examples=40)
@given(some_labels(), st.randoms())
def test_neither_the_order_of_labels_nor_the_names_of_labelers_change_a_figure(labels, shuffler):
    shuffled = [
        labeled(label.trace, f"labeler {label.labeler}", label.ratings, label.finish_reason) for label in labels
    ]
    shuffler.shuffle(shuffled)
    # The traces drawn depend on their order, so the ends of intervals may move a little.
    one, other = agreement(labels, resamples=20), agreement(shuffled, resamples=20)
    for name in ("alpha", "exact", "within_one", "has_error", "distance"):
        first, second = getattr(one, name), getattr(other, name)
        assert first.n == second.n
        assert first.value == (None if second.value is None else pytest.approx(second.value))
    assert one.finish_reasons == other.finish_reasons


@settings(max_examples=40)
@given(some_labels())
def test_figures_keep_their_bounds(labels):
    found = agreement(labels, resamples=20)
    for estimate in (found.exact, found.within_one, found.has_error):
        if estimate.value is not None and estimate.clusters >= FEWEST_CLUSTERS:
            assert 0 <= estimate.low < estimate.high <= 1
        else:
            assert estimate.low is estimate.high is None
    if found.exact.value is not None:
        assert found.exact.value <= found.within_one.value + 1e-9 <= found.has_error.value + 2e-9
    assert found.alpha.value is None or found.alpha.value <= 1 + 1e-9


def test_the_interval_holds_the_true_figure_about_as_often_as_it_says():
    # Two labelers agree on the first error of a trace with probability 0.7; 100 worlds of 60 traces each.
    chance = random.Random(5)
    held = 0
    for world in range(100):
        labels = [
            label
            for trace in range(60)
            for label in (error_at(trace, "a", 1), error_at(trace, "b", 1 if chance.random() < 0.7 else 4))
        ]
        exact = agreement(labels, resamples=200, seed=world).exact
        held += exact.low <= 0.7 <= exact.high
    assert 0.88 <= held / 100 <= 0.99


def real_ratings():
    file = SHARED_DATA / "prm800k_val.jsonl"
    if not file.exists():
        pytest.skip("needs the shared data (STEPMARK_SHARED_DATA)")
    return [json.loads(line) for line in file.read_text().splitlines()]


def reason(row):
    return "found_error" if row["first_error"] >= 0 else "solution"


def test_on_real_ratings_a_second_labeler_with_planted_noise_agrees_as_much_as_was_planted():
    rows = real_ratings()
    chance = random.Random(11)
    wanted = [row for row in rows if row["step_labels"] and row["first_error"] is not None]
    flipped = {row_number for row_number, _ in enumerate(wanted) if chance.random() < 0.2}
    labels = []
    for number, row in enumerate(wanted):
        labels.append(labeled(number, "first", row["step_labels"], reason(row)))
        if number in flipped:  # the second labeler sees the opposite of the first at once, or no error at all
            second = [1] * len(row["steps"]) if row["first_error"] == 0 else [-1]
            labels.append(labeled(number, "second", second, "solution" if row["first_error"] == 0 else "found_error"))
        else:
            labels.append(labeled(number, "second", row["step_labels"], reason(row)))
    found = agreement(labels)
    assert found.traces == len(wanted) > 500
    assert found.exact.value == pytest.approx(1 - len(flipped) / len(wanted))
    assert found.exact.low < found.exact.value < found.exact.high
    both = [
        (first, second)
        for one, other in zip(labels[::2], labels[1::2], strict=True)
        for first, second in zip(one.ratings, other.ratings, strict=False)
        if None not in (first, second)
    ]
    assert found.alpha.n == len(both)
    published = krippendorff.alpha(np.array(both, dtype=float).T, level_of_measurement="ordinal")
    assert found.alpha.value == pytest.approx(published)
    (pair,) = pair_agreements(labels)
    assert pair.kappa_ratings.value == pytest.approx(cohen_kappa_score(*zip(*both, strict=True)))
