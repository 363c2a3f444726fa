"""The laws of selection, and cases of the published algorithm worked by hand."""

import hashlib
import itertools
import math
import random
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeling.selection import (
    NEAR_DUPLICATE,
    Candidate,
    ChosenTexts,
    Rules,
    control_start,
    draw_of,
    may_be_near,
    read_sketch,
    select,
    shingles,
    similarity,
    sketches,
    sketches_of,
    wrong_quota,
)


def make(id, problem=1, outcome="wrong", score=-1.0, key=None, text=""):
    return Candidate(id, problem, outcome, score, key=key or hashlib.sha256(b"%d" % id).digest(), text=text)


candidates = st.lists(
    st.builds(
        Candidate,
        id=st.integers(1, 10_000),
        problem=st.integers(1, 6),
        outcome=st.sampled_from(["wrong", "wrong", "correct", "ungraded"]),
        score=st.one_of(st.none(), st.just(math.nan), st.floats(-50, 0)),
        sketch=st.just(b""),  # computed from the text: hypothesis would draw one of another text
        key=st.integers(0, 60).map(lambda n: hashlib.sha256(b"%d" % n).digest()),
        text=st.lists(st.sampled_from("abcdefg"), max_size=12).map(" ".join),
    ),
    max_size=60,
    unique_by=lambda candidate: candidate.id,
)
rules = st.builds(
    Rules,
    mode=st.sampled_from(["per_problem", "global"]),
    k=st.integers(1, 12),
    seed=st.integers(0, 99),
    ratio=st.floats(0, 1),
    per_problem_cap=st.one_of(st.none(), st.integers(1, 4)),
    budget=st.one_of(st.none(), st.integers(1, 30)),
    control_share=st.sampled_from([0.0, 0.1, 0.3]),
)


@given(candidates, rules, st.randoms())
def test_the_same_seed_gives_the_same_ids_whatever_the_order_of_rows(pool, chosen_rules, shuffler):
    shuffled = list(pool)
    shuffler.shuffle(shuffled)
    assert select(pool, chosen_rules) == select(shuffled, chosen_rules)


@given(candidates, rules)
def test_no_trace_and_no_text_is_chosen_twice(pool, chosen_rules):
    chosen = [choice.id for choice in select(pool, chosen_rules).chosen]
    assert len(chosen) == len(set(chosen))
    keys = {candidate.id: candidate.key for candidate in pool}
    assert len({keys[id] for id in chosen}) == len(chosen)


@given(candidates, rules)
def test_budget_cap_and_quota_hold(pool, chosen_rules):
    chosen = select(pool, chosen_rules).chosen
    by_score = [choice for choice in chosen if choice.reason != "control"]
    assert chosen_rules.budget is None or len(chosen) <= chosen_rules.budget
    limit = chosen_rules.per_problem_cap or math.inf
    if chosen_rules.mode == "per_problem":
        limit = min(limit, chosen_rules.k)
    for problem in range(1, 7):
        assert sum(choice.problem == problem for choice in by_score) <= limit
    if chosen_rules.mode == "global":
        assert len(by_score) <= chosen_rules.k
        wrong = sum(choice.reason == "convincing_wrong" for choice in by_score)
        assert wrong <= wrong_quota(chosen_rules.ratio, chosen_rules.k)


@given(candidates, rules)
def test_every_candidate_is_chosen_dropped_for_a_reason_or_passed_over(pool, chosen_rules):
    selection = select(pool, chosen_rules)
    assert len(selection.chosen) + sum(selection.dropped.values()) <= len(pool) + selection.dropped.get(
        "over_budget", 0
    )
    outcomes = {candidate.id: candidate.outcome for candidate in pool}
    assert "ungraded" not in {outcomes[choice.id] for choice in selection.chosen}


@given(candidates, rules)
def test_excluded_texts_are_never_chosen(pool, chosen_rules):
    excluded = frozenset(candidate.key for candidate in pool[::2])
    chosen = {choice.id for choice in select(pool, chosen_rules, excluded=excluded).chosen}
    assert all(candidate.key not in excluded for candidate in pool if candidate.id in chosen)


@given(candidates, rules)
def test_of_one_problem_never_two_near_duplicates_are_chosen(pool, chosen_rules):
    texts = {candidate.id: candidate.text for candidate in pool}
    chosen = [choice for choice in select(pool, chosen_rules).chosen if texts[choice.id]]
    for one, other in itertools.combinations(chosen, 2):
        if one.problem == other.problem:
            assert similarity(shingles(texts[one.id]), shingles(texts[other.id])) < NEAR_DUPLICATE


@given(candidates, rules)
def test_whoever_is_chosen_by_score_is_no_less_convincing_than_whoever_is_passed_over(pool, chosen_rules):
    selection = select(pool, chosen_rules)
    if selection.fell_back_to_random or chosen_rules.budget or chosen_rules.mode == "per_problem":
        return
    chosen = [choice for choice in selection.chosen if choice.reason == "convincing_wrong"]
    scores = [choice.score for choice in chosen]
    assert scores == sorted(scores, reverse=True)


def test_four_of_five_places_go_to_the_most_convincing_wrong_answers():
    pool = [make(n, score=-n) for n in range(1, 8)] + [
        make(n + 10, outcome="correct", score=-n / 10) for n in range(1, 4)
    ]
    chosen = select(pool, Rules("per_problem", k=5, seed=0)).chosen
    assert [(choice.id, choice.reason) for choice in chosen] == [
        (1, "convincing_wrong"),
        (2, "convincing_wrong"),
        (3, "convincing_wrong"),
        (4, "convincing_wrong"),
        (11, "convincing_rest"),
    ]


def test_the_rest_may_be_wrong_answers_too():
    chosen = select([make(n, score=-n) for n in range(1, 8)], Rules("global", k=5, seed=0)).chosen
    assert [choice.reason for choice in chosen] == ["convincing_wrong"] * 4 + ["convincing_rest"]


@pytest.mark.parametrize(
    ("ratio", "k", "quota"), [(0.8, 5, 4), (0.8, 4, 3), (0.5, 5, 3), (0.5, 1, 1), (0.0, 9, 0), (1.0, 9, 9)]
)
def test_half_a_place_is_rounded_up(ratio, k, quota):
    assert wrong_quota(ratio, k) == quota


def test_places_for_wrong_answers_that_do_not_exist_stay_empty_and_are_said():
    pool = [make(1), *(make(n, outcome="correct") for n in range(2, 9))]
    selection = select(pool, Rules("per_problem", k=5, seed=0))
    assert [choice.reason for choice in selection.chosen].count("convincing_rest") == 1
    assert selection.shortfall == 3


def test_of_exact_duplicates_the_lowest_id_wins():
    selection = select([make(9, key=b"x", score=-0.1), make(3, key=b"x", score=-5.0)], Rules("global", k=5, seed=0))
    assert [choice.id for choice in selection.chosen] == [3]
    assert selection.dropped == {"exact_duplicate": 1}


def test_near_duplicates_of_one_problem_are_dropped_and_of_two_problems_kept():
    text = " ".join(f"word{n}" for n in range(100))
    near = text.replace("word99", "other")
    assert similarity(shingles(text), shingles(near)) >= 0.9
    pool = [make(1, text=text), make(2, text=near, score=-2.0), make(3, problem=2, text=text)]
    selection = select(pool, Rules("global", k=9, seed=0, ratio=1))
    assert sorted(choice.id for choice in selection.chosen) == [1, 3]
    assert selection.dropped == {"near_duplicate": 1}


def test_a_near_duplicate_of_a_trace_that_is_not_chosen_is_not_dropped():
    text = " ".join(f"word{n}" for n in range(100))
    pool = [
        make(1, outcome="correct", text=text),  # more convincing, but the quota is for wrong answers
        make(2, score=-2.0, text=text.replace("word99", "other")),
    ]
    selection = select(pool, Rules("global", k=1, seed=0, ratio=1))
    assert [choice.id for choice in selection.chosen] == [2]
    assert selection.dropped == {}


texts_nearly_the_same = st.lists(st.lists(st.sampled_from("abcdefghijkl"), max_size=60), max_size=6)


@pytest.mark.parametrize("word_hash", [zlib.crc32, lambda word: len(word) % 2, lambda word: word[:1] == b"a"])
@given(texts_nearly_the_same, st.data())
def test_sketches_find_the_same_near_duplicates_as_comparing_all_shingles_however_much_hashes_collide(
    word_hash, texts, data
):
    words = [list(text) for text in texts]
    for text in texts:  # near duplicates rarely occur by chance: make some by small edits
        edited = list(text)
        for _ in range(data.draw(st.integers(0, 2))):
            place = data.draw(st.integers(0, len(edited)))
            edited[place : place + data.draw(st.integers(0, 1))] = [data.draw(st.sampled_from("axyz"))]
        words.append(edited)
    chosen, kept = ChosenTexts(), []
    all_texts = [" ".join(one) for one in words]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sketches, "crc32", word_hash)
        stored = sketches_of(all_texts)
    for text, sketch in zip(all_texts, stored, strict=True):
        near = bool(text) and any(similarity(shingles(text), shingles(other)) >= NEAR_DUPLICATE for other in kept)
        assert chosen.add_unless_near(text, read_sketch(sketch), str) is not near
        if text and not near:
            kept.append(text)


def test_texts_of_a_thousand_words_are_told_apart_by_their_sketches_alone():
    chance = random.Random(1)
    texts = [
        " ".join(f"word{int(99 * chance.random() ** 2)}" for _ in range(chance.randint(6, 900))) for _ in range(60)
    ]
    found = [read_sketch(sketch) for sketch in sketches_of(texts)]
    assert not any(may_be_near(one, other) for one, other in itertools.combinations(found, 2))


def test_a_sketch_is_the_same_for_ever_and_whatever_it_is_made_with():
    text = "Let x = 3.\nThen 2x + 1 = 7, so the answer is 7."
    (alone,), among = sketches_of([text]), sketches_of(["", "a b", text, "one\u00a0two"])
    assert alone.hex() == "0000000b0601240000810000000000000100000000000000000000040000000200000800"
    assert among[2] == alone
    assert [read_sketch(sketch).most for sketch in among] == [0, 1, 11, 1]
    assert sketches_of([]) == []


def test_an_unscored_pool_falls_back_to_random_and_says_so():
    pool = [make(n, score=None) for n in range(50)]
    one, same, other = (select(pool, Rules("global", k=5, seed=seed)) for seed in (1, 1, 2))
    assert one.fell_back_to_random
    assert {choice.reason for choice in one.chosen} == {"random"}
    assert one == same
    assert {c.id for c in one.chosen} != {c.id for c in other.chosen}


def test_ungraded_traces_are_never_selected_and_never_called_wrong():
    selection = select([make(1, outcome="ungraded"), make(2)], Rules("global", k=5, seed=0))
    assert [choice.id for choice in selection.chosen] == [2]
    assert selection.dropped == {"ungraded": 1}


def test_the_control_arm_is_a_random_share_drawn_before_the_rest():
    pool = [make(n, score=-n / 100) for n in range(1000)]
    selection = select(pool, Rules("global", k=100, seed=3, control_share=0.2))
    control = [choice.score for choice in selection.chosen if choice.reason == "control"]
    assert len(control) == 20
    assert -7 < sum(control) / 20 < -3  # the pool's mean is -5; the most convincing hundred are above -1


def test_the_control_arm_goes_round_the_circle_of_draws():
    seed = next(seed for seed in range(99) if control_start(seed) > 1 << 61)  # few draws are beyond the start
    pool = [make(n) for n in range(100)]
    behind = sorted(draw_of(candidate.key) for candidate in pool if draw_of(candidate.key) >= control_start(seed))
    before = sorted(draw_of(candidate.key) for candidate in pool if draw_of(candidate.key) < control_start(seed))
    selection = select(pool, Rules("global", k=100, seed=seed, control_share=0.5))
    draws = {candidate.id: draw_of(candidate.key) for candidate in pool}
    control = [draws[choice.id] for choice in selection.chosen if choice.reason == "control"]
    assert control == (behind + before)[:50]
    assert 0 < len(behind) < 50


def test_a_cap_counts_what_is_chosen_by_score_and_lets_wrong_answers_below_correct_ones_through():
    correct = [make(n, outcome="correct", score=-n / 100) for n in range(1, 9)]
    wrong = [make(n + 10, score=-n) for n in range(1, 9)]
    other = [make(n + 20, problem=2, score=-10 - n) for n in range(1, 9)]
    chosen = select(correct + wrong + other, Rules("global", k=5, seed=0, per_problem_cap=2)).chosen
    assert [choice.id for choice in chosen] == [11, 12, 21, 22]


def test_a_budget_cuts_the_rest_first_and_the_control_arm_never():
    pool = [make(n, score=-n, outcome="wrong" if n % 2 else "correct") for n in range(1, 41)]
    selection = select(pool, Rules("global", k=10, seed=1, budget=8, control_share=0.25))
    assert [choice.reason for choice in selection.chosen] == ["control"] * 2 + ["convincing_wrong"] * 6
    assert selection.dropped == {"over_budget": 4}


@pytest.mark.parametrize("budget", [None, 21, 20, 3])
def test_places_are_empty_for_want_of_traces_until_the_budget_is_reached(budget):
    pool = [make(n, score=-n) for n in range(1, 21)]
    selection = select(pool, Rules("global", k=50, seed=1, budget=budget))
    assert selection.shortfall == (30 if budget is None or budget > 20 else 0)


def test_long_traces_keep_their_order_in_log_space():
    weak, strong = 500 * math.log(0.2), 500 * math.log(0.3)
    pool = [make(1, score=weak), make(2, score=strong)]
    random.shuffle(pool)
    assert [choice.id for choice in select(pool, Rules("global", k=2, seed=0, ratio=1)).chosen] == [2, 1]
