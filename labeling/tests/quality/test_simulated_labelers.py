"""The labelers that bench/replay_labelers.py simulates behave as it says."""

from statistics import fmean, median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.simulated_labelers import Kind, Person, Truth, chance_right, difficulty, ratings_of, seconds_spent, verdict
from labeling.protocol.first_error import FIRST_ERROR, missing
from labeling.protocol.interface import NO_ERROR

SEED = 20
KINDS = [
    Kind("careful", "careful", 0.8),
    Kind("late", "late", 0.9),
    Kind("all positive", "all_positive"),
    Kind("random", "random"),
]
TRUTHS = [Truth(f"trace {n}", 2 + n % 9, n % (3 + n % 9) - 1) for n in range(4000)]


def said(kind: Kind, truths=TRUTHS, name: str = "Ada") -> list[int]:
    return [verdict(Person(name, kind), truth, SEED) for truth in truths]


@pytest.mark.parametrize("accuracy", [0.6, 0.75, 0.9, 0.95])
def test_a_careful_labeler_is_right_as_often_as_they_are_said_to_be(accuracy):
    verdicts = said(Kind("careful", "careful", accuracy))
    right = fmean(found == truth.first_error for found, truth in zip(verdicts, TRUTHS, strict=True))
    assert right == pytest.approx(accuracy, abs=0.025)


def test_who_is_always_or_never_right_is_so_on_every_trace():
    assert said(Kind("perfect", "careful", 1.0)) == [truth.first_error for truth in TRUTHS]
    never = said(Kind("never", "careful", 0.0))
    assert all(found != truth.first_error for found, truth in zip(never, TRUTHS, strict=True))


def test_a_late_labeler_finds_errors_after_they_were_made_and_knows_right_traces():
    broken = [truth for truth in TRUTHS if 0 <= truth.first_error < truth.steps - 1]
    late = said(Kind("late", "late", 1.0), broken)
    assert all(found > truth.first_error for found, truth in zip(late, broken, strict=True))
    right = [truth for truth in TRUTHS if truth.first_error == NO_ERROR]
    assert set(said(Kind("late", "late", 1.0), right)) == {NO_ERROR}


def test_who_rates_all_positive_finds_nothing_and_who_guesses_guesses_evenly():
    assert set(said(KINDS[2])) == {NO_ERROR}
    four_steps = [Truth(f"guess {n}", 4, n % 4) for n in range(4000)]
    guesses = said(KINDS[3], four_steps)
    assert all(guesses.count(step) == pytest.approx(800, rel=0.15) for step in range(-1, 4))


def test_hard_traces_are_hard_for_everybody_and_mistakes_resemble_each_other():
    ada, ben = (said(Kind("careful", "careful", 0.75), name=name) for name in ("Ada", "Ben"))
    both = [
        (one, other)
        for one, other, truth in zip(ada, ben, TRUTHS, strict=True)
        if truth.first_error not in (one, other)
    ]
    assert len(both) > 1.15 * 0.25**2 * len(TRUTHS)
    assert fmean(one == other for one, other in both) > 0.3


def test_the_chance_to_be_right_rises_with_the_ease_of_a_trace_and_averages_to_the_accuracy():
    eases = [difficulty(truth.trace, SEED) for truth in TRUTHS]
    assert chance_right(0.8, -1.0) < chance_right(0.8, 0.0) < chance_right(0.8, 1.0)
    assert fmean(chance_right(0.8, ease) for ease in eases) == pytest.approx(0.8, abs=0.01)


def test_time_is_spent_on_the_steps_that_were_read_at_the_persons_pace():
    hasty, usual = Kind("hasty", "careful", 0.85, seconds=0.8), Kind("usual", "careful", 0.85, seconds=8.0)
    for kind, most, least in ((hasty, 2.0, 0.0), (usual, 60.0, 2.0)):
        spent = [seconds_spent(Person("Ada", kind), truth, SEED) for truth in TRUTHS]
        paces = [seconds[0] for seconds in spent]
        assert median(paces) == pytest.approx(kind.seconds, rel=0.05)
        assert fmean(least <= pace < most for pace in paces) > 0.98
        read = [found + 1 if found >= 0 else truth.steps for found, truth in zip(said(kind), TRUTHS, strict=True)]
        assert [len(seconds) for seconds in spent] == read


@given(
    st.sampled_from(KINDS),
    st.integers(1, 30).flatmap(lambda n: st.tuples(st.just(n), st.integers(-1, n - 1))),
    st.text(),
)
def test_every_verdict_is_a_complete_label_of_its_trace_and_the_same_each_time(kind, trace, name):
    truth = Truth(name, *trace)
    found = verdict(Person(name, kind), truth, SEED)
    assert NO_ERROR <= found < truth.steps
    assert found == verdict(Person(name, kind), truth, SEED)
    ratings, reason = ratings_of(found, truth.steps), "solution" if found == NO_ERROR else "found_error"
    assert len(ratings) == truth.steps
    assert missing(ratings, reason) == []
    assert FIRST_ERROR.verdict(ratings, reason) == found
