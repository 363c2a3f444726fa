"""A problem's tree: its laws over random traces, and the counts on branches, recounted from the traces."""

import itertools
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.metrics.trace_tree import Branch, TreeTrace, Voice, branches_of
from labeling.metrics.tree_facts import Outcomes, answers_of, dispute_of, facts_of, first_dispute, outcomes_of
from labeling.protocol.carry_over import normalised_step
from labeling.statistics.intervals import FEWEST_CLUSTERS

# Two spellings of one step, and others, so that prefixes are often shared and traces end within others.
texts = st.sampled_from([r"So $\dfrac12$.", r"So  \(\frac{1}{2}\).", "So x.", "So y."])
ratings = st.lists(st.sampled_from([-1, 0, 1, None]), max_size=5)
voices = st.builds(
    Voice, name=st.sampled_from(["", "", "1", "2"]), ratings=ratings, first_error=st.sampled_from([None, -1, 0, 1, 2])
)
one_trace = st.builds(
    TreeTrace,
    id=st.just(0),
    steps=st.lists(texts, min_size=1, max_size=4),
    outcome=st.sampled_from(["correct", "wrong", "ungraded"]),
    answer=st.sampled_from(["0.5", r"\frac12", "2", "", None]),
    scores=st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=5),
    voices=st.lists(voices, max_size=3),
    rollouts=st.dictionaries(
        st.sampled_from(["8", "9"]),
        st.lists(st.one_of(st.none(), st.sampled_from([(0, 0), (1, 4), (4, 4)])), max_size=5),
    ),
)
pools = st.lists(one_trace, max_size=7).map(
    lambda traces: [replace(trace, id=number) for number, trace in enumerate(traces, start=1)]
)


def way_of(branches: list[Branch], number: int | None) -> Iterator[Branch]:
    """Return the path from the root to that branch."""
    if number is not None:
        yield from way_of(branches, branches[number].parent)
        yield branches[number]


def prefix(trace: TreeTrace, steps: int) -> list[str]:
    return [normalised_step(text) for text in trace.steps[:steps]]


@given(pools)
def test_two_traces_share_a_branch_exactly_where_all_their_steps_up_to_there_are_the_same(
    traces: list[TreeTrace],
) -> None:
    branches = branches_of(traces)
    at = {
        (trace.id, step): one.number for one in branches for trace in one.traces for step in range(one.start, one.end)
    }
    for one, other in itertools.combinations(traces, 2):
        for step in range(min(len(one.steps), len(other.steps))):
            same = prefix(one, step + 1) == prefix(other, step + 1)
            assert (at[one.id, step] == at[other.id, step]) == same
    assert len(at) == sum(len(trace.steps) for trace in traces)


@given(pools)
def test_every_trace_ends_once_and_its_way_holds_each_of_its_steps_once(traces: list[TreeTrace]) -> None:
    branches = branches_of(traces)
    ends = [(trace.id, one.number) for one in branches for trace in one.ending]
    assert sorted(trace for trace, _ in ends) == [trace.id for trace in traces]
    steps = {trace.id: len(trace.steps) for trace in traces}
    for trace, number in ends:
        way = list(way_of(branches, number))
        assert [step for one in way for step in range(one.start, one.end)] == list(range(steps[trace]))


@given(pools)
def test_a_branch_ends_only_where_traces_part_or_end_and_comes_before_what_goes_on_from_it(
    traces: list[TreeTrace],
) -> None:
    branches = branches_of(traces)
    for one in branches:
        further = [other for other in branches if other.parent == one.number]
        assert one.length >= 1
        assert one.ending or len(further) > 1
        assert all(other.number > one.number for other in further)
        sizes = [len(other.traces) for other in further]
        assert sizes == sorted(sizes, reverse=True)
        assert len(one.traces) == len(one.ending) + sum(sizes)


@given(pools, st.randoms())
def test_the_order_in_which_traces_come_changes_nothing(traces: list[TreeTrace], chance: object) -> None:
    mixed = list(traces)
    chance.shuffle(mixed)  # type: ignore[attr-defined]  # a random.Random
    assert branches_of(mixed) == branches_of(traces)


@given(pools)
def test_what_is_counted_at_a_step_is_what_its_traces_say_of_it(traces: list[TreeTrace]) -> None:
    for one in facts_of(branches_of(traces)):
        through = one.branch.traces
        assert one.outcomes == outcomes_of(through)
        assert sum(one.outcomes) == len(through)
        for step in one.steps:
            people = [voice for trace in through for voice in trace.voices if voice.is_person]
            rated = [voice.ratings[step.place] for voice in people if len(voice.ratings) > step.place]
            assert step.people[:3] == (rated.count(-1), rated.count(0), rated.count(1))
            assert step.people.first_errors == sum(voice.first_error == step.place for voice in people)
            scores = [trace.scores[step.place] for trace in through if len(trace.scores) > step.place]
            known = [score for score in scores if score is not None]
            assert (step.score.n if step.score else 0) == len(known)
            if step.score:
                assert step.score.least == min(known)
                assert step.score.mean == pytest.approx(sum(known) / len(known))
            assert sum(said.n for said in step.rollouts) == sum(
                counted[1]
                for trace in through
                for after in trace.rollouts.values()
                for counted in after[step.place : step.place + 1]
                if counted is not None
            )


@given(pools)
def test_of_disputed_steps_on_one_way_just_the_first_is_marked(traces: list[TreeTrace]) -> None:
    branches = branches_of(traces)
    facts = facts_of(branches)
    for number in range(len(branches)):
        way = [step for one in way_of(branches, number) for step in facts[one.number].steps]
        disputed = [step for step in way if step.dispute]
        assert [step for step in way if step.first] == disputed[:1]
    found = first_dispute(facts)
    every = [step.place for one in facts for step in one.steps if step.dispute]
    assert (found[1] if found else None) == min(every, default=None)


def test_people_dispute_a_step_by_different_ratings_and_a_source_by_the_other_side() -> None:
    [said] = facts_of(branches_of([TreeTrace(1, ["a", "b"], voices=[Voice("7", first_error=1)])]))
    before, at = (step.sources for step in said.steps)
    assert dispute_of({1}, before) == ""
    assert dispute_of({0}, at) == dispute_of({-1}, before) == "people_and_sources"
    assert dispute_of({0, 1}, ()) == dispute_of({-1, 1}, at) == "people"
    assert dispute_of(set(), at) == ""  # nobody looked


def test_equal_answers_are_one_and_as_the_oldest_trace_writes_it() -> None:
    written = ["0.5", r"\frac12", "2", None]
    traces = [TreeTrace(number, ["a"], "wrong", answer) for number, answer in enumerate(written, start=1)]
    found = [(one.answer, one.traces) for one in answers_of(traces)]
    assert found == [("0.5", [1, 2]), ("2", [3]), (None, [4])]


def test_a_right_answer_stands_before_any_number_of_wrong_ones() -> None:
    graded = [("7", "wrong"), ("7", "wrong"), ("5", "correct"), ("6", "wrong"), ("8", "ungraded"), ("8", "ungraded")]
    traces = [TreeTrace(number, ["a"], outcome, answer) for number, (answer, outcome) in enumerate(graded, start=1)]
    assert [one.answer for one in answers_of(traces)] == ["5", "7", "8", "6"]


def test_a_share_of_few_graded_traces_has_no_interval_and_of_none_no_value() -> None:
    few = Outcomes(FEWEST_CLUSTERS - 1, 0, 100).right_share
    assert (few.value, few.low, few.no_interval) == (1.0, None, "few_clusters")
    assert Outcomes(0, 0, 9).right_share.value is None
    enough = Outcomes(FEWEST_CLUSTERS, 0, 0).right_share
    assert enough.low is not None
    assert enough.low < 1.0 == enough.high
