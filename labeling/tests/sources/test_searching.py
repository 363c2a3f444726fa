"""The laws of searching by rollouts, on completers with known rates."""

import math
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.protocol.interface import NO_ERROR
from labeling.sources.consensus import consensus
from labeling.sources.marks import Hits, Marked, first_without_hit, is_monotone, mark_of
from labeling.sources.rollouts import search_of
from labeling.sources.search import SEARCHES, adaptive, bisect, rollouts_at_most
from labeling.sources.tree import Rollout, exploration, grow, value


def run(search, hits_after):
    """Run a search; `hits_after(steps, n)` gives the hits. Return its result, and the requested prefixes in order."""
    asked, found = [], None
    try:
        while True:
            wanted = search.send(found)
            asked.append(wanted)
            found = Hits(*hits_after(wanted.steps, wanted.n))
    except StopIteration as end:
        return end.value, asked


def certain(error: int | None):
    """A completer that always succeeds before the error's step (counted from 0), and never after it."""
    return lambda steps, n: (n if error is None or steps <= error else 0, n)


def test_eight_steps_with_the_error_at_the_seventh_are_probed_at_4_6_and_7():
    marked, asked = run(bisect(8, 4, 0.5, False), certain(6))
    assert [one.steps for one in asked] == [0, 4, 6, 7]  # 0: whether the completer can solve it at all
    assert marked.first_error == 6
    assert marked.evidence["probes"][1:] == [[4, 4, 4], [6, 4, 4], [7, 0, 4]]


@given(st.integers(1, 64), st.data())
def test_a_monotone_chain_is_found_in_log2_of_its_length(steps, data):
    error = data.draw(st.integers(0, steps - 1))
    for search in (bisect, adaptive):
        marked, asked = run(search(steps, 4, 0.5, False), certain(error))
        assert (marked.first_error, marked.why) == (error, "")
        assert marked.evidence["monotone"]
        if search is bisect:
            assert len(asked) - 1 <= math.ceil(math.log2(steps)) if steps > 1 else len(asked) == 1
            assert sum(one.n for one in asked) <= rollouts_at_most("bisect", steps, 4, solved=False)


@given(st.lists(st.booleans(), min_size=2, max_size=20))
def test_where_later_steps_recover_a_boundary_is_found_and_the_hits_are_kept_as_they_were(hit):
    hit[0], hit[-1] = True, False
    marked, _ = run(bisect(len(hit) - 1, 2, 0.5, False), lambda steps, n: (n * hit[steps], n))
    step = marked.first_error
    assert hit[step]
    assert not hit[step + 1]
    plain, _ = run(SEARCHES["everywhere"](len(hit) - 1, 2, 0.5, False), lambda steps, n: (n * hit[steps], n))
    assert plain.evidence["hits"] == [2 * one for one in hit]
    assert plain.evidence["monotone"] == (hit == sorted(hit, reverse=True))


@pytest.mark.parametrize("strategy", ["everywhere", "bisect", "adaptive", "tree"])
@given(steps=st.integers(1, 12))
def test_a_problem_that_is_never_solved_and_a_trace_that_is_right_have_no_wrong_step(strategy, steps):
    texts = [f"s{place}" for place in range(steps)]
    never = (None, "unsolvable")
    for solved, right, said in ((False, False, never), (None, False, never), (True, True, (NO_ERROR, ""))):
        marked = drive(search_of(strategy, texts, 4, 0.5, solved=solved, budget=40), lambda _, right=right: right)
        assert (marked.first_error, marked.why) == said


def drive(search, right):
    """Run a trace's search; `right(prefix)` says whether a rollout from there succeeds, or None."""
    found = None
    try:
        while True:
            wanted = search.send(found)
            found = [[Rollout(("x",), right(one.prefix), 1) for _ in range(one.n)] for one in wanted]
    except StopIteration as end:
        return end.value


@given(st.integers(0, 60), st.integers(1, 60), st.floats(0.05, 0.95))
def test_a_hard_mark_is_given_only_where_the_interval_leaves_the_threshold_out(hits, n, threshold):
    mark = mark_of(Hits(min(hits, n), n), n, threshold)
    assert mark.hard == (True if mark.low > threshold else False if mark.high < threshold else None)
    assert mark.low <= mark.soft <= mark.high
    assert mark_of(Hits(0, n), 2 * n + 1).soft is None  # fewer than half of the requested ones were graded


def test_ungraded_rollouts_are_no_misses_and_make_a_verdict_unknown():
    assert first_without_hit([Hits(3, 8), Hits(0, 3), Hits(0, 8)], 8) == (None, "unknown")
    assert first_without_hit([Hits(3, 8), Hits(1, 4), Hits(0, 8)], 8) == (1, "")
    marked, _ = run(bisect(4, 8, 0.5, False), lambda steps, n: (2, 2) if steps == 2 else (n, n))
    assert (marked.first_error, marked.why) == (None, "unknown")
    assert is_monotone([Hits(1, 2), None, Hits(0, 2)])


def test_q_and_u_are_those_of_the_paper():
    assert value(0.5, 500) == pytest.approx(0.5**0.5 * 0.9)
    assert exploration(3, 16) == pytest.approx(0.125 * 4 / 4)


@given(st.integers(2, 10), st.data(), st.integers(4, 60))
def test_a_tree_keeps_to_its_budget_and_takes_no_rollout_twice(steps, data, budget):
    error = data.draw(st.integers(0, steps - 1))
    chance = random.Random(data.draw(st.integers(0, 1000)))
    trace = [f"s{place}" for place in range(steps)]
    used, found = 0, None
    search = grow(trace, 4, budget, solved=False)
    try:
        while True:
            wanted = search.send(found)
            used += wanted.n
            dead = wanted.prefix[: error + 1] == tuple(trace[: error + 1])
            found = [
                Rollout(tuple(f"r{chance.random()}" for _ in range(3)), not dead and chance.random() < 0.5, 20)
                for _ in range(wanted.n)
            ]
    except StopIteration as end:
        tree = end.value
    assert used <= budget
    for node in tree.values():
        assert node.visits == len(node.taken)
        assert all(node.rollouts[place].right is False for place in node.taken)
        assert node.hits.n == sum(not one.given for one in node.rollouts)


@given(st.lists(st.one_of(st.none(), st.integers(-1, 3)), min_size=2, max_size=5))
def test_a_consensus_keeps_a_first_error_only_by_its_rule(firsts):
    said = {f"s{place}": Marked([0.5] * 4, first) for place, first in enumerate(firsts)}
    agreed = consensus("agree", said, 4)
    assert agreed.first_error == (firsts[0] if len(set(firsts)) == 1 else None)
    most: Sequence[int] = [one for one in firsts if one is not None and 2 * firsts.count(one) > len(firsts)]
    assert consensus("majority", said, 4).first_error == (most[0] if most else None)
    named = [one for one in firsts if one not in (None, NO_ERROR)]
    weakest = consensus("weakest", said, 4).first_error
    assert weakest == (min(named) if named else NO_ERROR if None not in firsts else None)
    if agreed.first_error is None:
        assert agreed.why
