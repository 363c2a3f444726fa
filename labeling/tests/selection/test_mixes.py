"""Selection methods besides convincing wrong answers: their laws, and the same choice by the database."""

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeling.actions.step_scores import NewScore, add_scores
from labeling.models import Score
from labeling.queries import scored_pool, selection, unsure_scores
from labeling.queries.scored_pool import Pool
from labeling.selection import WAYS, Candidate, Mix, Rules, Selection, entropy, select, texts
from labeling.selection.mixes import apart
from labeling.tests.factories import make_project
from labeling.tests.selection.pools import (
    PoolTrace,
    candidates_of,
    give_scores,
    make_pool,
    make_prm,
    queued_keys,
    random_pool,
)

BY_THE_CHOICE = ("near_duplicate", "over_budget")
shares = st.sampled_from([0.0, 0.0, 0.1, 0.2])
mixes = st.builds(Mix, **dict.fromkeys(WAYS, shares))
rules = st.builds(
    Rules,
    mode=st.just("global"),
    k=st.integers(1, 25),
    seed=st.integers(0, 99),
    ratio=st.sampled_from([0.8, 0.0, 1.0]),
    per_problem_cap=st.none() | st.integers(1, 4),
    budget=st.none() | st.integers(1, 30),
    control_share=st.sampled_from([0.1, 0.3]),
    mix=mixes,
)
numbers = st.none() | st.floats(0, 1)
candidates = st.lists(
    st.builds(
        Candidate,
        id=st.integers(1, 10_000),
        problem=st.integers(1, 6),
        outcome=st.sampled_from(["wrong", "wrong", "correct", "ungraded"]),
        score=st.none() | st.floats(-50, 0),
        sketch=st.just(b""),
        key=st.integers(0, 60).map(lambda n: b"%08d" % n),
        text=st.lists(st.sampled_from("abcdefg"), max_size=12).map(" ".join),
        entropy=numbers,
        spread=numbers,
        other=st.none() | st.floats(-50, 0),
    ),
    max_size=60,
    unique_by=lambda candidate: candidate.id,
)


@given(candidates, rules, st.randoms())
@settings(max_examples=40, deadline=None)
def test_a_mix_is_the_same_whatever_the_order_of_rows_and_gives_every_way_no_more_than_its_share(pool, asked, shuffler):
    shuffled = list(pool)
    shuffler.shuffle(shuffled)
    found = select(pool, asked, named=["a b c"])
    assert found == select(shuffled, asked, named=["a b c"])
    ids = [choice.id for choice in found.chosen]
    assert len(ids) == len(set(ids))
    quotas = asked.mix.quotas(asked.quota)
    by_way = {way: [one for one in found.chosen if one.reason == way] for way in WAYS}
    assert all(len(by_way[way]) <= quotas.get(way, 0) for way in WAYS)
    chosen = [choice for choice in found.chosen if choice.reason != "control"]
    assert len(chosen) <= asked.k
    cap = asked.per_problem_cap or len(pool)
    assert all(sum(one.problem == problem for one in chosen) <= cap for problem in range(1, 7))
    if asked.budget is None:
        assert found.shortfall == asked.k - len(chosen)


@given(candidates, rules)
@settings(max_examples=40, deadline=None)
def test_who_is_chosen_as_unsure_is_no_less_unsure_than_who_comes_after(pool, asked):
    known = {one.id: one for one in pool}
    found = select(pool, asked, named=["a b c"]).chosen
    for way, value in (("unsure", "entropy"), ("wavering", "spread")):
        values = [getattr(known[one.id], value) for one in found if one.reason == way]
        assert None not in values
        assert values == sorted(values, reverse=True)


def test_a_mix_is_of_the_whole_pool_and_never_of_more_than_all_places():
    with pytest.raises(ValueError, match="whole pool"):
        Rules("per_problem", k=3, seed=0, mix=Mix(unsure=0.5))
    with pytest.raises(ValueError, match="together at most 1"):
        Mix(unsure=0.7, typical=0.4)
    assert Mix(unsure=0.5, typical=0.5).quotas(5) == {"unsure": 3, "typical": 2}
    assert Rules("global", k=5, seed=0, mix=Mix(unsure=0.5, typical=0.5)).convincing == 0


def test_two_scorers_are_apart_by_their_orders_and_not_by_their_scales():
    scores = {1: (-9.0, 0.1), 2: (-1.0, 0.2), 3: (-0.1, 0.3), 4: (-0.1, 0.05)}
    assert apart(scores) == {1: pytest.approx(1 / 3), 2: pytest.approx(1 / 3), 3: pytest.approx(1 / 3), 4: 2 / 3}


def test_typical_traces_come_one_of_each_kind_first_and_the_largest_kind_before_the_others():
    kinds = {
        "add": [f"We add {n} and {n + 1}, which makes {2 * n + 1}." for n in range(12)],
        "case": [f"Suppose that x is negative; then case {n} contradicts the claim." for n in range(6)],
        "draw": [f"Draw the triangle ABC with the circle through point {n} on its side." for n in range(3)],
    }
    said = [(kind, text) for kind, of_kind in kinds.items() for text in of_kind]
    random.Random(1).shuffle(said)
    order = texts.typical_first(texts.readings_of([text for _kind, text in said]), 3, seed=0)
    assert sorted(order) == list(range(21))
    assert [said[place][0] for place in order[:3]] == ["add", "case", "draw"]


def test_traces_like_a_named_one_are_those_that_go_about_it_in_the_same_way_with_other_numbers():
    said = [
        "We add 3 and 4, which makes 7.",
        "Draw the circle through A.",
        "We add 30 and 12, which makes 42.",
        "By induction on n.",
    ]
    rows = texts.readings_of([*said, "We add 8 and 9, which makes 17."])
    assert set(texts.alike_first(rows[:4], rows[4:])[:2]) == {0, 2}


def expected(project, prm, other, asked, named) -> Selection:
    whole = select(candidates_of(project, prm, other), asked, excluded=queued_keys(project), named=named)
    dropped = {why: n for why, n in whole.dropped.items() if why in BY_THE_CHOICE}
    return Selection(whole.chosen, dropped, whole.shortfall, whole.fell_back_to_random)


@pytest.mark.django_db
@given(st.integers(0, 10**9), rules, st.sampled_from([scored_pool.PAGE, 3]), st.sampled_from([texts.MOST, 9]))
@settings(max_examples=20, deadline=None)
def test_a_mix_chosen_from_the_database_is_the_pure_choice_over_the_whole_pool(chance, asked, page, most):
    chance = random.Random(chance)
    project, prm, other = make_project(), make_prm(), make_prm()
    traces = make_pool(project, prm, random_pool(chance))
    known = [one for one in traces if chance.random() < 0.8]
    give_scores(other, [(one, round(chance.uniform(-3, 0), 1)) for one in known])
    for trace in traces:
        if chance.random() < 0.5:
            spread = round(chance.uniform(0, 0.3), 2)
            Score.objects.filter(scorer=prm, trace=trace).update(spread=spread)
    unsure_scores.fill_entropy(project, prm.pk)
    named = tuple(one.pk for one in traces[:2])
    mix = Mix(**{way: asked.mix.share(way) for way in WAYS}, other=other.pk, like_traces=named)
    asked = Rules(**{**vars(asked), "mix": mix})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scored_pool, "PAGE", page)
        patch.setattr(texts, "MOST", most)
        said = list(scored_pool.texts_of(named).values())
        assert selection.choose(Pool(project, prm.pk), asked) == expected(project, prm, other, asked, said)


@pytest.mark.django_db
def test_scores_are_written_with_their_entropy_and_older_ones_get_it_when_a_round_asks():
    project, prm = make_project(), make_prm()
    pool = make_pool(project, None, [PoolTrace(0, "wrong", None, [f"One {n}.", "Two."]) for n in range(3)])
    said = [[0.5, 1.0], [0.9, 0.2], [1.0, 0.0]]
    rows = [NewScore(trace.pk, steps, -1.0, "", spread=0.25) for trace, steps in zip(pool, said, strict=True)]
    add_scores(prm, rows, exact=True)
    written = dict(Score.objects.filter(scorer=prm).values_list("trace_id", "entropy"))
    assert written == {
        trace.pk: pytest.approx(entropy(steps), abs=1e-6) for trace, steps in zip(pool, said, strict=True)
    }
    assert set(Score.objects.values_list("spread", flat=True)) == {0.25}
    Score.objects.update(entropy=None)
    asked = Rules("global", k=2, seed=0, control_share=0.0, mix=Mix(unsure=1.0))
    found = selection.choose(Pool(project, prm.pk), asked).chosen
    assert [(one.id, one.reason) for one in found] == [(pool[1].pk, "unsure"), (pool[0].pk, "unsure")]
    assert unsure_scores.fill_entropy(project, prm.pk) == 0


@pytest.mark.django_db
def test_a_first_round_without_a_prm_takes_typical_traces_beside_a_random_arm():
    project = make_project()
    make_pool(project, None, [PoolTrace(n % 5, "wrong", None, [f"Way {n % 4} of {'abcd'[n % 4]}."]) for n in range(40)])
    asked = Rules("global", k=10, seed=1, control_share=0.2, mix=Mix(typical=0.4))
    found = selection.choose(Pool(project, None), asked)
    assert found == expected(project, None, None, asked, [])
    reasons = [one.reason for one in found.chosen]
    assert reasons.count("typical") == 4
    assert set(reasons) == {"control", "typical", "random"}


def test_twenty_thousand_texts_stop_when_they_are_told_to():
    asked = time.monotonic()

    def stop() -> None:
        if time.monotonic() - asked > 0.01:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        texts.readings_of(["a b c " * 40] * 20_000, stop=stop)
    assert time.monotonic() - asked < 10
