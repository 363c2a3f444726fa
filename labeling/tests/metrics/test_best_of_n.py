"""Best-of-N curves: compared with counting every subset and with the published formula, and their laws."""

import json
import math
from collections import Counter, defaultdict
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeling.grading.answer_key import answer_key
from labeling.metrics.best_of_n import (
    AGGREGATIONS,
    Candidates,
    best_of_n,
    curves,
    oracle,
    rank_probabilities,
    sizes_up_to,
    subsets,
    vote,
)
from labeling.tests.imports.files import SHARED_DATA

pools = st.lists(
    st.tuples(st.booleans(), st.sampled_from([0.1, 0.5, 0.5, 0.9]), st.sampled_from(["4", "5", "6", None])),
    min_size=1,
    max_size=8,
)


def counted(pool, size, winner):
    """Return the mean over all subsets of the chance that `winner` picks a right one."""
    found = [winner([pool[place] for place in chosen]) for chosen in combinations(range(len(pool)), size)]
    return sum(found) / len(found)


@given(st.integers(1, 40), st.data())
def test_the_probability_of_a_rank_is_the_published_formula(traces, data):
    size = data.draw(st.integers(1, traces))
    expected = [math.comb(traces - rank, size - 1) / math.comb(traces, size) for rank in range(1, traces + 1)]
    assert rank_probabilities(traces, size) == pytest.approx(expected)


def test_ranks_of_two_thousand_traces_do_not_overflow():
    for size in (1, 700, 1860):
        found = rank_probabilities(1860, size)
        assert found.sum() == pytest.approx(1)
        assert found[0] == pytest.approx(size / 1860)


@settings(max_examples=40)
@given(pools, st.data())
def test_the_expectations_are_those_over_all_subsets(pool, data):
    size = data.draw(st.integers(1, len(pool)))
    correct, scores, answers = ([row[column] for row in pool] for column in range(3))

    def best(chosen):
        top = [row[0] for row in chosen if row[1] == max(row[1] for row in chosen)]
        return sum(top) / len(top)

    def most_votes(chosen, weigh=lambda _: 1.0):
        votes = defaultdict(float)
        for row in chosen:
            if row[2] is not None:
                votes[row[2]] += weigh(row)
        winners = [answer for answer, weight in votes.items() if weight > max(votes.values()) - 1e-9]
        rights = [np.mean([row[0] for row in pool if row[2] == answer]) for answer in winners]
        return sum(rights) / len(rights) if rights else 0.0

    every = subsets(len(pool), size, seed=0)
    assert best_of_n(correct, scores, size) == pytest.approx(counted(pool, size, best))
    assert oracle(correct, size) == pytest.approx(counted(pool, size, lambda chosen: any(row[0] for row in chosen)))
    assert vote(correct, answers, [1.0] * len(pool), every) == pytest.approx(counted(pool, size, most_votes))
    weighed = counted(pool, size, lambda chosen: most_votes(chosen, lambda row: row[1]))
    assert vote(correct, answers, scores, every) == pytest.approx(weighed)


@settings(max_examples=40)
@given(pools, st.data())
def test_no_pick_beats_the_oracle_and_one_trace_is_a_random_pick(pool, data):
    size = data.draw(st.integers(1, len(pool)))
    correct, scores = [row[0] for row in pool], [row[1] for row in pool]
    assert best_of_n(correct, scores, size) <= oracle(correct, size) + 1e-12
    assert best_of_n(correct, [float(one) for one in correct], size) == pytest.approx(oracle(correct, size))
    assert best_of_n(correct, scores, 1) == pytest.approx(np.mean(correct))
    assert best_of_n(correct, [0.5] * len(pool), size) == pytest.approx(np.mean(correct))


def test_a_sample_of_subsets_is_near_all_of_them_and_the_same_for_the_same_seed():
    correct, answers = [True] * 5 + [False] * 7, ["4"] * 5 + ["5", "5", "5", "6", "6", "7", "8"]
    everything = subsets(12, 6, seed=0, most=1000)
    sampled = subsets(12, 6, seed=1, most=800)
    assert len(everything) == math.comb(12, 6)
    assert len(sampled) == 800
    assert (sampled == subsets(12, 6, seed=1, most=800)).all()
    assert all(len(set(row)) == 6 for row in sampled.tolist())
    exact, near = (vote(correct, answers, [1.0] * 12, draws) for draws in (everything, sampled))
    assert near == pytest.approx(exact, abs=0.05)


def test_five_hundred_steps_of_a_fifth_rank_below_as_many_of_three_tenths():
    assert AGGREGATIONS["product"]([0.2] * 500) < AGGREGATIONS["product"]([0.3] * 500)
    assert AGGREGATIONS["product"]([0.0, 1.0]) > AGGREGATIONS["product"]([0.0, 0.0])
    steps = [0.9, 0.2, 0.7]
    assert {name: round(of(steps), 6) for name, of in AGGREGATIONS.items()} == {
        "product": round(math.log(0.9 * 0.2 * 0.7), 6),
        "min": 0.2,
        "mean": 0.6,
        "last": 0.7,
    }


def problem(correct, score):
    return Candidates(correct, ["a" if one else "b" for one in correct], {"PRM": score}, {"PRM vote": score})


def test_curves_have_a_band_over_problems_and_name_every_way_to_pick():
    generator = np.random.default_rng(4)
    problems = []
    for _ in range(60):
        correct = (generator.random(16) < generator.random()).tolist()
        problems.append(problem(correct, [0.3 * one + 0.7 * float(generator.random()) for one in correct]))
    sizes = sizes_up_to(16)
    found = curves(problems, sizes)
    assert sizes == [1, 2, 4, 8, 16]
    assert set(found) == {"oracle", "random", "majority", "PRM", "PRM vote"}
    for points in found.values():
        assert all(point.low <= point.value <= point.high and point.n == 60 for point in points)
    at_sixteen = {name: points[-1].value for name, points in found.items()}
    assert at_sixteen["random"] < at_sixteen["PRM"] < at_sixteen["oracle"]
    assert found["PRM"][0].value == pytest.approx(found["random"][0].value)
    oracles = [point.value for point in found["oracle"]]
    assert oracles == sorted(oracles)
    assert found == curves(problems, sizes)


def test_what_cannot_be_drawn_or_compared_is_refused():
    with pytest.raises(ValueError, match="Every size"):
        curves([problem([True], [0.5])], [2])
    with pytest.raises(ValueError, match="same scores"):
        curves([problem([True], [0.5]), Candidates([True], ["a"], {"ORM": [0.1]})], [1])
    with pytest.raises(ValueError, match="not a number"):
        problem([True], [math.nan])
    with pytest.raises(ValueError, match="weigh 0 or more"):
        Candidates([True], ["a"], {}, {"vote": [-1.0]})
    with pytest.raises(ValueError, match="the same name"):
        Candidates([True], ["a"], {"majority": [1.0]})
    with pytest.raises(ValueError, match="one answer"):
        Candidates([True], [], {})
    assert curves([], [1]) == {}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("40000", "$40,\\!000$"),
        ("0.25", "\\frac14"),
        ("x=5", "5"),
        ("\\boxed{12}", "12."),
        ("5 km", "5000 meters"),
        ("\\frac{\\sqrt{3}}{2}", "$\\dfrac{\\sqrt3}{2}$"),
        ("x = y + 1", "y+1"),
    ],
)
def test_equal_answers_are_one_vote(one, other):
    assert answer_key(one) == answer_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("5 meters", "5 cm"), ("(2,1)", "(1,2)"), ("[1,2]", "(1,2)"), ("5", "-5"), ("1/3", "0.33"), ("A", "B")],
)
def test_different_answers_are_two_votes(one, other):
    assert answer_key(one) != answer_key(other)


def test_no_answer_has_no_vote():
    assert answer_key(None) is answer_key("") is answer_key(" $$ ") is None


@pytest.mark.parametrize(("name", "fewest"), [("gsm8k_openai", 600), ("tot_game24", 20)])
def test_on_real_samples_one_key_of_a_problem_has_one_outcome(name, fewest):
    file = SHARED_DATA / f"{name}.jsonl"
    if not file.exists():
        pytest.skip("needs the shared data (STEPMARK_SHARED_DATA)")
    outcomes = defaultdict(Counter)
    sizes = Counter()
    for row in map(json.loads, file.read_text().splitlines()):
        sizes[row["problem"]] += 1
        key = answer_key(row["final_answer"])
        if key is not None and row["final_answer_correct"] is not None:
            outcomes[row["problem"], key][row["final_answer_correct"]] += 1
    assert len(sizes) >= fewest
    both = [key for key, found in outcomes.items() if len(found) > 1]
    assert len(both) <= 0.002 * len(outcomes), both[:5]
