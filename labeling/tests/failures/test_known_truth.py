"""With simulated selectors of a known bias, each figure finds the simulated truth."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from labeling.metrics.failures.collapse import collapse
from labeling.metrics.failures.confidence import false_confidence
from labeling.metrics.failures.drift import GoldTry, drift
from labeling.metrics.failures.figure import Figure, Scored, Seen
from labeling.metrics.failures.gaming import gaming
from labeling.metrics.failures.hidden import hidden_reasoning
from labeling.metrics.failures.transfer import transfer
from labeling.metrics.failures.trust import Looked, over_trust
from labeling.protocol.verdicts import NO_ERROR

STEPS = 6


def seen(number: int, chance: Random, **known: Any) -> Seen:
    """Return a trace of six steps with an error in three of four; its selector sees it, except for noise."""
    first = chance.randrange(STEPS) if chance.random() < 0.75 else NO_ERROR
    row = Seen(number, number // 2, 1, True, "control", "wrong", first, STEPS, rated=STEPS)
    row = row._replace(**known)
    return row if row.steps is not None else row._replace(steps=scores(row.first_error, chance), score=-1.0)


def scores(first: int, chance: Random, sees: float = 1.0) -> list[float]:
    """0.8 before the error and 0.2 at it, with some noise, as often as it sees one."""
    blind = chance.random() >= sees
    return [min(1, max(0, (0.2 if step == first and not blind else 0.8) + chance.gauss(0, 0.05))) for step in range(6)]


def many(count: int, seed: int = 1, **known: Any) -> list[Seen]:
    chance = Random(seed)
    return [seen(number, chance, **known) for number in range(count)]


def named(figures: list[Figure], name: str, of: str = "") -> Figure:
    [found] = [one for one in figures if one.name == name and (not of or one.of == of)]
    return found


def holds(found: Figure, low: float, high: float) -> bool:
    """Return whether the interval exists and is within these bounds."""
    one = found.found
    assert one.low is not None, found
    assert one.high is not None, found
    return low <= one.low < one.high <= high


def test_a_gamed_selector_yields_less_while_its_scores_rise() -> None:
    chance = Random(2)
    rows = [
        seen(n, chance, arm="selected", round=1 + n % 2, score=-1.0 + n % 2,
             first_error=0 if chance.random() < (0.4 if n % 2 else 0.8) else NO_ERROR)
        for n in range(400)
    ]  # fmt: skip
    pool = [Scored(n, n, "correct", chance.random() - n % 7, [0.9] * (2 + n % 7), chance.random()) for n in range(300)]
    found = gaming(rows, pool)
    assert holds(named(found, "yield", "round 1"), 0.7, 0.9)
    assert holds(named(found, "yield_change"), -0.55, -0.2)
    assert named(found, "score_change").why != "", "scores that are alike within a round have no interval"
    assert holds(named(found, "score_by_style"), -0.25, 0.25)
    assert holds(named(found, "score_by_length"), -1, -0.9)


def test_a_judge_of_answers_is_told_from_a_judge_of_steps() -> None:
    chance = Random(3)
    ends = [Scored(n, n, "wrong", -1.0, [0.9] * 5 + [0.1 if chance.random() < 0.9 else 0.95], 0.1) for n in range(300)]
    rows = many(300)
    assert holds(named(collapse([], ends), "lowest_last"), 0.8, 0.97)
    assert holds(named(collapse([], ends), "lowest_last_over_chance"), 0.6, 0.85)
    assert holds(named(collapse(rows, []), "lowest_last_error_earlier"), 0, 0.1)
    bad = [row._replace(steps=[0.9] * 5 + [0.1 if n % 10 else 0.95]) for n, row in enumerate(rows)]
    assert holds(named(collapse(bad, []), "lowest_last_error_earlier"), 0.8, 0.97)
    assert holds(named(collapse(bad, []), "lowest_last_over_people"), 0.6, 0.85)


def test_what_it_overrates_is_what_it_chose() -> None:
    chance = Random(4)
    rows = [
        row._replace(arm=arm, trace=n, problem=n, steps=scores(row.first_error, chance, sees))
        for arm, sees, seed in (("selected", 0.0, 5), ("control", 1.0, 6))
        for n, row in enumerate(many(200, seed))
    ]
    found = false_confidence(rows, probabilities=True)
    assert holds(named(found, "missed", "control"), 0, 0.05)
    assert named(found, "missed", "selected").found.value == 1
    assert holds(named(found, "overconfidence_apart"), 0.05, 0.25)
    assert named(false_confidence(rows, probabilities=False), "missed", "control").why


def test_it_knows_its_own_subject_and_not_the_other() -> None:
    chance = Random(7)
    rows = [
        row._replace(subject=subject, problem=(subject, n // 2), steps=scores(row.first_error, chance, sees))
        for subject, sees in (("algebra", 1.0), ("law", 0.0))
        for n, row in enumerate(many(200, 8))
    ]
    learned = {"subject": frozenset({"algebra"}), "generator": frozenset[str](), "protocol": frozenset[str]()}
    found = transfer(rows, learned)
    assert holds(named(found, "auc_other", "subject"), 0.35, 0.65)
    assert holds(named(found, "auc_apart", "subject"), -0.65, -0.35)
    assert named(transfer(rows, None), "auc_apart", "subject").why == "it is unknown what this model learned from"
    own = [row._replace(learned=True) for row in rows]
    assert named(transfer(own, learned), "auc_other", "subject").found.value is None, "it knows these by heart"


def test_drift_is_the_change_from_the_first_round_to_the_last() -> None:
    chance = Random(9)
    rows = [
        seen(n, chance, round=1 + n % 2, first_error=0 if chance.random() < (0.9 if n % 2 else 0.5) else NO_ERROR)
        for n in range(400)
    ]
    gold = [GoldTry(1 + n % 2, n % 12, chance.random() < (0.6 if n % 2 else 0.95)) for n in range(400)]
    found = drift(rows, gold)
    assert holds(named(found, "labeler_errors_found_change"), 0.25, 0.55)
    assert holds(named(found, "grader_false_alarms_change"), -0.55, -0.25)
    assert holds(named(found, "gold_passed_change"), -0.5, -0.2)
    assert named(drift(rows[::2], gold[::2]), "gold_passed_change").why == "these are from a single round"


def test_answers_that_hide_their_reasoning_are_counted_among_what_no_score_chose() -> None:
    chance = Random(10)
    rows = [
        seen(n, chance, outcome="correct", first_error=0 if n % 10 < 3 else NO_ERROR, neutral=2, after_error=(n % 2, 8))
        for n in range(300)
    ]
    chosen = [row._replace(arm="selected", first_error=0) for row in rows]
    found = hidden_reasoning([*rows, *chosen])
    assert holds(named(found, "right_with_error"), 0.2, 0.4)
    assert holds(named(found, "reached_after_error"), 0.35, 0.65)
    assert named(found, "idle_steps").found.value == pytest.approx(1 / 3)
    assert named(found, "wrong_without_error").why
    assert holds(named(over_trust([Looked(n, n, n % 4 == 0) for n in range(100)]), "changed_after_scores"), 0.15, 0.36)


PARTS: list[Callable[[list[Seen]], list[Figure]]] = [
    lambda rows: gaming(rows, [Scored(r.trace, r.problem, "correct", -1.0, r.steps or [], 0.1) for r in rows]),
    lambda rows: collapse(rows, [Scored(r.trace, r.problem, "correct", -1.0, r.steps or [], 0.1) for r in rows]),
    lambda rows: false_confidence(rows, probabilities=True),
    lambda rows: transfer(rows, {kind: frozenset({"a"}) for kind in ("subject", "generator", "protocol")}),
    lambda rows: drift(rows, [GoldTry(row.round, 1, True) for row in rows]),
    hidden_reasoning,
    lambda rows: over_trust([Looked(row.trace, row.problem, False) for row in rows]),
]


@pytest.mark.parametrize("labels", [0, 1, 5, 9])
def test_what_few_labels_cannot_carry_is_not_shown_and_says_what_it_needs(labels: int) -> None:
    for part in PARTS:
        for one in part(many(labels)):
            if one.found.value is None:
                assert one.why, one
                assert one.needs, one
                assert one.found.low is None, one
            else:
                assert one.found.low is not None, one
                assert one.found.high is not None, one
                assert one.found.low < one.found.high, one
                assert one.found.clusters is not None, one
                assert one.found.clusters >= 5, one
