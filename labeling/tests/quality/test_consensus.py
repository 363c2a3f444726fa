"""Adaptive overlap: who is asked, when it is enough, when it is hopeless."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeling.protocol.verdicts import NO_ERROR
from labeling.quality.consensus import NO_CONSENSUS, Decision, Overlap, decide

PROCESSBENCH = Overlap(base=3, needed=3, most=5)
overlaps = st.tuples(st.integers(1, 7), st.integers(1, 7), st.integers(1, 7)).map(
    lambda three: Overlap(min(three[0], three[2]), min(three[1], three[2]), three[2])
)
verdicts = st.lists(st.one_of(st.none(), st.integers(NO_ERROR, 3)), max_size=9)


@pytest.mark.parametrize(
    ("given_so_far", "expected"),
    [
        ([], Decision("ask", ask=3)),
        ([2, 2], Decision("ask", ask=1)),
        ([2, 2, 2], Decision("settled", 2)),
        ([2, 2, 4], Decision("ask", ask=1)),
        ([2, 2, 4, 2], Decision("settled", 2)),
        ([2, 2, 4, 4], Decision("ask", ask=1)),
        ([2, 4, 4, 2, 4], Decision("settled", 4)),
        ([2, 2, 4, 4, NO_ERROR], NO_CONSENSUS),
        ([1, 2, 3], Decision("ask", ask=1)),
        ([1, 2, 3, 4], NO_CONSENSUS),  # a fifth cannot make three
        ([None, 2, 2], Decision("ask", ask=1)),  # labelers who gave up have no vote
        ([None, None, None, 2, 2], NO_CONSENSUS),
        ([NO_ERROR] * 3, Decision("settled", NO_ERROR)),
        (["bad_problem", "bad_problem", 1, "bad_problem"], Decision("settled", "bad_problem")),
    ],
)
def test_the_rule_of_processbench(given_so_far, expected):
    assert decide(given_so_far, PROCESSBENCH) == expected


def test_labelers_who_agree_at_the_base_settle_it_although_more_votes_are_needed_after_a_dispute():
    overlap = Overlap(base=2, needed=3, most=5)
    assert decide([1, 1], overlap) == Decision("settled", 1)
    assert decide([1, 2], overlap) == Decision("ask", ask=1)
    assert decide([1, 2, 1], overlap) == Decision("ask", ask=1)
    assert decide([1, 2, 1, 1], overlap) == Decision("settled", 1)


def test_one_labeler_a_trace_is_always_settled_unless_they_gave_up():
    assert decide([3], Overlap(1, 1, 1)) == Decision("settled", 3)
    assert decide([None], Overlap(1, 1, 1)) == NO_CONSENSUS
    assert decide([None], Overlap(1, 1, 2)) == Decision("ask", ask=1)


@given(verdicts, overlaps, st.randoms())
def test_who_came_first_decides_nothing(given_so_far, overlap, shuffler):
    shuffled = list(given_so_far)
    shuffler.shuffle(shuffled)
    assert decide(given_so_far, overlap) == decide(shuffled, overlap)


@given(verdicts, overlaps)
def test_what_is_settled_was_voted_for_by_most(given_so_far, overlap):
    decision = decide(given_so_far, overlap)
    if decision.state == "settled":
        votes = [verdict for verdict in given_so_far if verdict is not None]
        assert votes.count(decision.verdict) >= overlap.needed or set(votes) == {decision.verdict}
        assert all(
            votes.count(decision.verdict) > votes.count(other) for other in set(votes) if other != decision.verdict
        )


@settings(max_examples=50)
@given(st.data(), overlaps)
def test_asking_ends_within_the_maximum(data, overlap):
    so_far = []
    while (decision := decide(so_far, overlap)).state == "ask":
        assert decision.ask >= 1
        assert len(so_far) + decision.ask <= overlap.most
        so_far.append(data.draw(st.one_of(st.none(), st.integers(NO_ERROR, 2))))
    assert len(so_far) <= overlap.most


@settings(max_examples=50)
@given(st.data(), overlaps)
def test_no_trace_is_given_up_while_the_places_left_could_settle_it(data, overlap):
    so_far = []
    while (decision := decide(so_far, overlap)).state == "ask":
        so_far.append(data.draw(st.one_of(st.none(), st.integers(NO_ERROR, 2))))
    if decision == NO_CONSENSUS and len(so_far) < overlap.most:
        left = overlap.most - len(so_far)
        votes = [verdict for verdict in so_far if verdict is not None]
        assert all(votes.count(verdict) + left < overlap.needed for verdict in set(votes))


def test_an_overlap_that_cannot_be_reached_is_refused():
    with pytest.raises(ValueError, match="between 1 and most"):
        Overlap(base=3, needed=6, most=5)
    with pytest.raises(ValueError, match="between 1 and most"):
        Overlap(base=0)


@pytest.mark.parametrize("accuracy", [0.7, 0.8, 0.9])
def test_adapting_settles_more_traces_rightly_with_fewer_labels_than_always_asking_three(accuracy):
    adaptive, fixed = (
        outcomes(overlap, accuracy)
        for overlap in (Overlap(base=2, needed=2, most=5), Overlap(base=3, needed=2, most=3))
    )
    assert adaptive["labels"] < fixed["labels"]
    assert adaptive["right"] > fixed["right"]
    assert adaptive["right"] / (adaptive["right"] + adaptive["wrong"]) > 0.93


def outcomes(overlap, accuracy, traces=4000, steps=8):
    """Return the outcomes of traces whose labelers find the first error with `accuracy`, or else give any other
    verdict.
    """
    chance = random.Random(6)
    count = Counter()
    for _ in range(traces):
        truth, so_far = chance.randrange(NO_ERROR, steps), []
        others = [verdict for verdict in range(NO_ERROR, steps) if verdict != truth]
        while (decision := decide(so_far, overlap)).state == "ask":
            so_far.append(truth if chance.random() < accuracy else chance.choice(others))
        count["labels"] += len(so_far)
        count["right" if decision.verdict == truth else "wrong" if decision.state == "settled" else "open"] += 1
    return count
