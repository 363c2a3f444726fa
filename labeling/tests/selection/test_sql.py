"""The selection made in the database equals the reference implementation's over the whole pool."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeling.configs import TraceFilter
from labeling.models import Round, Trace
from labeling.queries import scored_pool, selection
from labeling.queries.scored_pool import Pool
from labeling.selection import Rules, Selection, piecewise, select
from labeling.tests.factories import make_project, open_round
from labeling.tests.selection.pools import (
    PoolTrace,
    candidates_of,
    make_pool,
    make_prm,
    make_problems,
    queued_keys,
    random_pool,
)

pytestmark = pytest.mark.django_db

rules = st.builds(
    Rules,
    mode=st.sampled_from(["per_problem", "global"]),
    k=st.integers(1, 12),
    seed=st.integers(0, 999),
    ratio=st.sampled_from([0.8, 0.8, 0.5, 0.0, 1.0]),
    per_problem_cap=st.one_of(st.none(), st.integers(1, 4)),
    budget=st.one_of(st.none(), st.integers(1, 30)),
    control_share=st.sampled_from([0.0, 0.1, 0.5]),
)
BY_THE_CHOICE = ("near_duplicate", "over_budget")  # other counts are about the pool


def expected(project, prm, chosen_rules) -> Selection:
    """Return the pure selection, with the drops that the selection itself makes."""
    whole = select(candidates_of(project, prm), chosen_rules, excluded=queued_keys(project))
    dropped = {why: n for why, n in whole.dropped.items() if why in BY_THE_CHOICE}
    return Selection(whole.chosen, dropped, whole.shortfall, whole.fell_back_to_random)


@given(
    st.integers(0, 10**9),
    rules,
    st.sampled_from([0, 0, 5]),
    st.sampled_from([1, piecewise.SLACK]),
    st.sampled_from([1, 1, 0.5, 0]),
    st.sampled_from([scored_pool.PAGE, 3]),
)
@settings(max_examples=60, deadline=None)
def test_the_choice_from_the_database_is_the_pure_choice_over_the_whole_pool(
    chance, chosen_rules, queued, slack, sketched, page
):
    chance = random.Random(chance)
    project, prm = make_project(), make_prm()
    make_pool(project, prm, random_pool(chance), sketched=lambda: chance.random() < sketched)
    if queued and Trace.objects.filter(project=project).exists():
        open_round(project, source="sample", sample_size=queued, seed=chance.randrange(99))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(piecewise, "SLACK", slack)
        patch.setattr(scored_pool, "PAGE", page)
        assert selection.choose(Pool(project, prm.pk), chosen_rules) == expected(project, prm, chosen_rules)


@pytest.mark.parametrize("mode", ["per_problem", "global"])
def test_problems_full_of_near_duplicates_are_read_as_deep_as_it_takes(mode):
    project, prm = make_project(), make_prm()
    same = " ".join(f"word{n}" for n in range(60))
    copies = [PoolTrace(n % 3, "wrong", -n / 1000, [f"{same} {n}"]) for n in range(300)]
    others = [PoolTrace(n % 3, "wrong", -5 - n, [f"Something else, {n}."]) for n in range(12)]
    make_pool(project, prm, copies + others)
    chosen_rules = Rules(mode, k=4 if mode == "per_problem" else 9, seed=1, ratio=1)
    found = selection.choose(Pool(project, prm.pk), chosen_rules)
    assert found == expected(project, prm, chosen_rules)
    assert found.dropped["near_duplicate"] == 297
    assert found.shortfall == 0


@pytest.mark.parametrize("mode", ["per_problem", "global"])
def test_only_the_texts_that_sketches_cannot_tell_apart_are_read(mode):
    project, prm = make_project(), make_prm()
    texts = [" ".join(f"word{n}x{place}" for place in range(80)) for n in range(60)]
    traces = make_pool(project, prm, [PoolTrace(n % 4, "wrong", -1 - n / 99, [text]) for n, text in enumerate(texts)])
    chosen_rules = Rules(mode, k=5 if mode == "per_problem" else 20, seed=0, ratio=1)
    assert texts_read(project, prm, chosen_rules) == set()
    (near,) = make_pool(project, prm, [PoolTrace(0, "wrong", -0.5, [texts[4] + " again"])], [traces[0].problem])
    assert texts_read(project, prm, chosen_rules) == {traces[4].pk, near.pk}


def texts_read(project, prm, chosen_rules) -> set[int]:
    """Return the traces whose texts are fetched for the selection, which equals the pure one."""
    read = set[int]()

    def texts_of(traces):
        read.update(traces)
        return fetch(traces)

    fetch = scored_pool.texts_of
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scored_pool, "texts_of", texts_of)
        assert selection.choose(Pool(project, prm.pk), chosen_rules) == expected(project, prm, chosen_rules)
    return read


def test_a_capped_choice_with_more_places_than_problems_can_fill_reads_no_more_than_the_best_of_each():
    project, prm = make_project(), make_prm()
    problems = make_problems(project, 10)
    spread = [PoolTrace(n % 10, "wrong" if n % 3 else "correct", -1 - n / 100) for n in range(900)]
    make_pool(project, prm, spread, problems)
    same = " ".join(f"word{n}" for n in range(60))
    make_pool(project, prm, [PoolTrace(0, "wrong", -n / 1000, [f"{same} {n}"]) for n in range(30)], problems)
    chosen_rules = Rules("global", k=50, seed=3, per_problem_cap=2)
    read = []
    with pytest.MonkeyPatch.context() as patch:
        best = scored_pool.best_of_project
        patch.setattr(scored_pool, "PAGE", 5)
        patch.setattr(scored_pool, "best_of_project", lambda *about: map(kept_in(read), best(*about)))
        best_of_each = scored_pool.best_of_problems
        patch.setattr(
            scored_pool, "best_of_problems", lambda *about, **limits: kept_in(read)(best_of_each(*about, **limits))
        )
        found = selection.choose(Pool(project, prm.pk), chosen_rules)
    assert found == expected(project, prm, chosen_rules)
    assert (len(found.chosen), found.shortfall, found.dropped) == (20, 30, {"near_duplicate": 29})
    assert len(read) < 300


def kept_in(everything):
    """Passes lists through and records their contents."""

    def keep(some):
        everything.extend(some)
        return some

    return keep


def test_an_unscored_pool_is_drawn_at_random_with_and_without_a_prm():
    project = make_project()
    make_pool(project, None, [PoolTrace(n % 5, "correct" if n % 4 else "wrong") for n in range(80)])
    for chosen_rules in (Rules("per_problem", k=3, seed=2, control_share=0.2), Rules("global", k=20, seed=2)):
        for prm in (None, make_prm()):
            found = selection.choose(Pool(project, prm and prm.pk), chosen_rules)
            assert found == expected(project, prm, chosen_rules)
            assert {choice.reason for choice in found.chosen} == {"random"}


@pytest.mark.django_db(transaction=True)  # batches are read ahead on separate connections
def test_many_pages_and_batches_give_what_one_gives(monkeypatch):
    project, prm = make_project(), make_prm()
    chance = random.Random(5)
    for _ in range(3):
        make_pool(project, prm, random_pool(chance))
    cases = [
        Rules("global", k=60, seed=3, control_share=0.2),
        Rules("global", k=60, seed=3, per_problem_cap=2),
        Rules("per_problem", k=5, seed=3, control_share=0.2),
    ]
    at_once = [selection.choose(Pool(project, prm.pk), case) for case in cases]
    monkeypatch.setattr("labeling.queries.scored_pool.PAGE", 3)
    monkeypatch.setattr("labeling.selection.piecewise.BATCH", 2)
    assert [selection.choose(Pool(project, prm.pk), case) for case in cases] == at_once


def test_only_train_problems_that_are_not_bad_and_traces_of_the_frozen_pool_are_chosen():
    project, prm = make_project(), make_prm()
    held_out, bad = make_problems(project, 1, split="held_out"), make_problems(project, 1, status="bad")
    inside = make_problems(project, 1)
    for problem in (held_out, bad, inside):
        make_pool(project, prm, [PoolTrace(0)] * 3, problem)
    last = Trace.objects.filter(project=project).latest("pk").pk
    make_pool(project, prm, [PoolTrace(0, score=-0.1)] * 3, inside)
    fitting = set(Trace.objects.filter(problem=inside[0], pk__lte=last).values_list("pk", flat=True))
    for mode in ("per_problem", "global"):
        found = selection.choose(Pool(project, prm.pk, last_trace_id=last), Rules(mode, 9, seed=0, control_share=0.2))
        assert {choice.id for choice in found.chosen} == fitting


@pytest.mark.parametrize("mode", ["per_problem", "global"])
@pytest.mark.parametrize("scored", [True, False])
def test_a_filter_on_traces_and_problems_narrows_the_choice(mode, scored):
    project, prm = make_project(), make_prm()
    easy, hard = make_problems(project, 2, level="easy"), make_problems(project, 2, level="hard")
    for problems in (easy, hard):
        make_pool(project, prm if scored else None, [PoolTrace(n % 2) for n in range(10)], problems)
    Trace.objects.filter(project=project, pk__in=list(Trace.objects.values_list("pk", flat=True)[::2])).update(
        generator="left"
    )
    fitting = set(
        Trace.objects.filter(project=project, generator="left", problem__level="hard").values_list("pk", flat=True)
    )
    asked = TraceFilter(generator="left", level="hard")
    found = selection.choose(Pool(project, prm.pk, asked), Rules(mode, k=20, seed=0, ratio=1))
    assert {choice.id for choice in found.chosen} == fitting
    assert fitting


def test_traces_of_a_cancelled_round_may_be_chosen_again_and_of_the_choosing_round_itself():
    project, prm = make_project(), make_prm()
    make_pool(project, prm, [PoolTrace(n) for n in range(4)])
    queued = open_round(project)
    chosen_rules = Rules("global", k=9, seed=0, ratio=1)
    assert selection.choose(Pool(project, prm.pk), chosen_rules).chosen == []
    assert len(selection.choose(Pool(project, prm.pk, but_round=queued.pk), chosen_rules).chosen) == 4
    Round.objects.filter(pk=queued.pk).update(status=Round.Status.CANCELLED)
    assert len(selection.choose(Pool(project, prm.pk), chosen_rules).chosen) == 4


def test_another_projects_and_another_prms_scores_are_left_alone():
    mine, other = make_project(), make_project()
    prm, rival = make_prm(), make_prm()
    traces = make_pool(mine, prm, [PoolTrace(n, score=-5.0) for n in range(3)])
    make_pool(other, prm, [PoolTrace(0)] * 5)
    make_pool(mine, rival, [PoolTrace(0)] * 5)
    for mode in ("per_problem", "global"):
        found = selection.choose(Pool(mine, prm.pk), Rules(mode, k=9, seed=0, ratio=1, control_share=0.1))
        assert {choice.id for choice in found.chosen} == {trace.pk for trace in traces}


def test_stop_is_asked_between_pieces_of_work_and_ends_the_choice():
    project, prm = make_project(), make_prm()
    make_pool(project, prm, [PoolTrace(n) for n in range(4)])

    def stop() -> None:
        raise InterruptedError

    for mode in ("per_problem", "global"):
        with pytest.raises(InterruptedError):
            selection.choose(Pool(project, prm.pk), Rules(mode, k=2, seed=0), stop=stop)
