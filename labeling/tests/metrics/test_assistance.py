"""An assisted round's figures match the habits of simulated labelers."""

from random import Random

import pytest

from labeling.metrics.assistance import AssistedRoundLabel, Compared, beside_marks, misled
from labeling.protocol.verdicts import NO_ERROR

STEPS = 6
# The machine is wrong about three traces in ten. Labelers alone are right about eight in ten and take 60 s; next to
# marks they save 20 s, and in four of ten they repeat the mark without looking themselves.
WRONG, RIGHT, SECONDS, SAVED, ANCHORED = 0.3, 0.8, 60.0, 20.0, 0.4


def round_of(traces: int, seed: int = 1, anchored: float = ANCHORED) -> list[AssistedRoundLabel]:
    chance = Random(seed)
    return [said(number, chance, anchored) for number in range(traces)]


def said(number: int, chance: Random, anchored: float) -> AssistedRoundLabel:
    truth = chance.randrange(NO_ERROR, STEPS)
    others = [one for one in range(NO_ERROR, STEPS) if one != truth]
    machine = chance.choice(others) if chance.random() < WRONG else truth
    assisted = chance.random() < 0.5
    own = truth if chance.random() < RIGHT else chance.choice(others)
    verdict = machine if assisted and chance.random() < anchored else own
    seconds = chance.gauss(SECONDS - SAVED * assisted, 10)
    about = {"seen": assisted, "edited": assisted, "was_blind": False, "before": None, "finished_otherwise": True}
    return AssistedRoundLabel(
        number, number // 2, assisted, verdict, round(1000 * seconds), machine=machine, truth=truth, **about
    )


def named(labels: list[AssistedRoundLabel]) -> dict[str, Compared]:
    return {one.name: one for one in beside_marks(labels)}


def test_seconds_saved_and_anchoring_are_those_of_the_simulated_labelers() -> None:
    by_chance = (1 - RIGHT) / STEPS  # they name the machine's wrong step on their own
    expected = {
        "seconds_beside": SECONDS - SAVED,
        "seconds_blind": SECONDS,
        "seconds_saved": SAVED,
        "right_beside": ANCHORED * (1 - WRONG) + (1 - ANCHORED) * RIGHT,
        "right_blind": RIGHT,
        "right_difference": ANCHORED * (1 - WRONG - RIGHT),
        "followed_wrong_marks_beside": ANCHORED + (1 - ANCHORED) * by_chance,
        "followed_wrong_marks_blind": by_chance,
        "followed_wrong_marks_difference": ANCHORED * (1 - by_chance),
    }
    held = dict.fromkeys(expected, 0)
    for seed in range(20):
        found = named(round_of(800, seed))
        for name, truth in expected.items():
            one = found[name].found
            assert one.low is not None
            assert one.high is not None
            held[name] += one.low <= truth <= one.high
    assert min(held.values()) >= 16, held  # of 20 intervals at 95 %


def test_a_label_that_came_without_times_is_no_label_of_no_seconds() -> None:
    timed = round_of(400)
    assert (
        named([*timed, *(one._replace(active_ms=0) for one in timed)])["seconds_saved"] == named(timed)["seconds_saved"]
    )
    found = named([one._replace(active_ms=0) for one in timed])["seconds_beside"]
    assert (found.found.value, found.found.n) == (None, 0)
    assert "no recorded times" in found.why


def test_labelers_who_do_not_look_are_found_not_to_follow() -> None:
    found = named(round_of(800, anchored=0.0))["followed_wrong_marks_difference"].found
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0 < found.high


def test_the_traces_behind_anchoring_are_those_where_a_wrong_mark_was_seen_and_said_again() -> None:
    labels = round_of(100)
    for trace in misled(labels):
        label = labels[trace]
        assert label.assisted
        assert label.verdict == label.machine != label.truth
    assert misled(labels)


@pytest.mark.parametrize(
    ("change", "name", "why"),
    [
        ({"assisted": True}, "seconds_saved", "one of the two arms"),
        ({"truth": None}, "right_difference", "nothing shows what is true"),
        ({"machine": None}, "agreed_with_the_machine_beside", "one of the two arms"),
    ],
)
def test_what_the_labels_cannot_carry_has_no_value_and_says_why(change: dict, name: str, why: str) -> None:
    found = named([one._replace(**change) for one in round_of(40)])[name]
    assert found.found.value is None
    assert why in found.why


def test_a_machine_that_is_never_wrong_cannot_be_followed_astray() -> None:
    found = named([one._replace(machine=one.truth) for one in round_of(40)])["followed_wrong_marks_beside"]
    assert found.found.value is None
    assert "not known to be wrong" in found.why
