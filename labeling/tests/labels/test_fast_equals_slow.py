"""The fast path answers and writes what the slow path does: random histories, played both ways, and compared.

`make test` always plays the same few histories. EXAMPLES=2000 in the environment plays that many new ones.
"""

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from labeling.tests.labels.played_project import Opened, Setting
from labeling.tests.labels.two_ways import History, Taken, both_ways

EXAMPLES = int(os.environ.get("EXAMPLES", "0"))
BOUNDS = settings(
    max_examples=EXAMPLES or 16,
    stateful_step_count=20,
    derandomize=not EXAMPLES,
    database=None,
    deadline=None,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)

opened = st.builds(
    Opened,
    overlap=st.integers(1, 2),
    priority=st.integers(0, 9),
    source=st.sampled_from(["", "first", "second"]),
    adapts=st.sampled_from([False, False, False, True]),
)
project_settings = st.builds(
    Setting,
    problems=st.integers(2, 6),
    gold=st.sampled_from([0, 0, 1, 2, 3]),
    session=st.sampled_from([0, 0, 2, 3]),
    people=st.integers(2, 3),
    rounds=st.one_of(st.tuples(opened), *[st.tuples(opened, opened)] * 3),
    screening=st.sampled_from([False] * 7 + [True]),
    salt=st.sampled_from("abcdefgh"),
)
people = st.integers(0, 2)
RIGHT = {"finish_reason": "solution", "ratings": [1, 1, 0]}
WRONG = {"finish_reason": "found_error", "ratings": [1, -1, None]}
CONFIRMED = [{"code": "solution_but_answer_wrong", "reason": "It is right."}]
ROUTINE: list[dict[str, Any]] = [
    RIGHT,
    WRONG,
    {**WRONG, "ratings": [-1, None, None], "noticed_at_step": 0},
    {**WRONG, "mistake": {"progress": "some", "explanation": "Lost a sign."}},
    {"finish_reason": "give_up", "ratings": [1, None, None], "finish_detail": {"text": "Too long."}},
    {"finish_reason": "bad_problem", "ratings": [None] * 3, "finish_detail": {"kind": "unclear", "text": "What?"}},
    {"ratings": [1, 0, 1], "confirmations": CONFIRMED},
    {"keep_carried": True},
    {"keep_carried": True},
]
WITH_ROWS_OF_ITS_OWN: list[dict[str, Any]] = [
    {**RIGHT, "comments": [{"step": 1, "text": "Why?"}]},
    {**RIGHT, "reports": [{"kind": "answer_wrong", "text": "No."}]},
    {**RIGHT, "rate_alternative": True},
]
REFUSED: list[dict[str, Any]] = [
    {**RIGHT, "ratings": [1, None, 1]},
    {**RIGHT, "ratings": [1, 1]},
    {**RIGHT, "ratings": [1, -1, None]},
    {"finish_reason": "give_up", "ratings": [None] * 3},
]
finished = st.one_of(*[st.sampled_from(ROUTINE)] * 5, st.sampled_from(WITH_ROWS_OF_ITS_OWN))
said = st.one_of(finished, finished, st.sampled_from(REFUSED))
which = st.one_of(st.none(), st.integers(0, 4))
any_label = st.integers(0, 4)
some_ahead = st.sampled_from([1, 5])  # the page requests five


def plays(*names: str, **how: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[str, dict[str, Any]]]:
    """Draw one of these plays, with drawn arguments."""
    return st.tuples(st.sampled_from(names), st.fixed_dictionaries(how))


DISTURBANCES = st.one_of(
    plays("send_again", "renew", "pause", "unpause", who=people),
    plays("send_elsewhere", who=people, said=said),
    plays("draft", who=people, which=which, behind=st.sampled_from([0, 0, 1])),
    plays("submit", who=people, which=which, said=said),
    plays("release", "reopen", who=people, which=which),
    plays("resume", who=people, which=any_label),
    plays("revise", who=people, which=any_label, said=said),
    plays("wait", minutes=st.sampled_from([1, 10, 20, 60 * 30])),
    plays("expire", "weigh", "new_guideline"),
    plays("pause_round", "resume_round", "resume_round", which=people),
    plays("close_round", which=people),
    plays("mark_bad", which=st.integers(0, 12)),
)


class Labeling(RuleBasedStateMachine):
    """Two or three people label a project; sometimes an event affects their leases, rounds or membership."""

    taken = Taken()
    history: History

    @initialize(setting=project_settings, times=st.integers(0, 3))
    def begin(self, setting: Setting, times: int) -> None:
        self.history = History(setting, self.taken)
        for who in range(setting.people):
            self.label(who, RIGHT, times)

    @rule(who=people, said=finished, times=st.integers(1, 3))
    def label(self, who: int, said: dict[str, Any], times: int) -> None:
        for _ in range(times):
            self.history.play("claim", who=who)
            self.history.play("submit", who=who, said=said)

    @rule(who=people, said=finished, times=st.integers(1, 3), ahead=some_ahead)
    def label_with_some_ahead(self, who: int, said: dict[str, Any], times: int, ahead: int) -> None:
        self.history.play("claim", who=who)
        for _ in range(times):
            self.history.play("claim", who=who, ahead=ahead)
            self.history.play("submit", who=who, said=said)

    @rule(who=people, ahead=st.one_of(st.just(0), some_ahead))
    def claim(self, who: int, ahead: int) -> None:
        self.history.play("claim", who=who, ahead=ahead)

    @rule(disturbance=DISTURBANCES)
    def disturb(self, disturbance: tuple[str, dict[str, Any]]) -> None:
        name, how = disturbance
        self.history.play(name, **how)

    @rule(who=people, said=finished, disturbance=DISTURBANCES)
    def be_disturbed(self, who: int, said: dict[str, Any], disturbance: tuple[str, dict[str, Any]]) -> None:
        self.history.play("claim", who=who)
        self.disturb(disturbance)
        self.history.play("submit", who=who, said=said)

    @rule(minutes=st.sampled_from([10, 20]), who=people)
    def lose_a_lease_and_go_on(self, minutes: int, who: int) -> None:
        self.history.play("wait", minutes=minutes)
        self.history.play("expire")
        self.history.play("claim", who=who)

    def teardown(self) -> None:
        if not hasattr(self, "history"):
            return
        try:
            self.history.compare()
        finally:
            self.history.undo()


@pytest.mark.django_db
@pytest.mark.slow
@pytest.mark.timeout(900)  # two whole projects are played, sixteen times: five minutes on a loaded machine
def test_random_histories_are_the_same_with_the_fast_path_and_without():
    Labeling.taken = taken = Taken()
    run_state_machine_as_test(Labeling, settings=BOUNDS)
    assert taken.claims_fast > taken.claims / 2, f"the fast path was hardly tried: {taken}"
    assert taken.submissions_fast > taken.submissions / 2, f"the fast path was hardly tried: {taken}"


Plays = list[tuple[str, dict[str, Any]]]


def labeled(who: int, times: int = 1) -> Plays:
    """Return plays in which the labeler claims and submits this many times."""
    return [("claim", {"who": who}), ("submit", {"who": who, "said": RIGHT})] * times


HALVES = Opened(source="second", priority=1), Opened(source="first")


@pytest.mark.django_db
def test_gold_left_over_in_a_round_without_work_comes_before_the_next_rounds_work():
    setting = Setting(gold=2, problems=3, rounds=HALVES)
    in_the_second: Plays = [("pause_round", {"which": 0}), *labeled(0), ("resume_round", {"which": 0})]
    both_ways(setting, *in_the_second, *labeled(1, 5), *labeled(0, 3))


@pytest.mark.django_db
def test_the_trace_of_a_session_counts_in_the_gold_plan_of_its_own_round():
    setting = Setting(gold=2, session=3, problems=3, rounds=HALVES)
    both_ways(setting, *labeled(0, 12))


@pytest.mark.django_db
def test_the_round_of_higher_priority_is_served_first():
    served = both_ways(Setting(rounds=(Opened(), Opened(priority=1))), *labeled(0, 3))
    numbers = {step.answer[0][1][1][1] for step in served if step.done.startswith("claim")}
    assert numbers == {2}


@pytest.mark.django_db
def test_a_submission_to_a_round_that_was_closed_meanwhile_is_surplus():
    claimed, submitted = labeled(0)
    assert both_ways(Setting(), claimed, ("close_round", {"which": 0}), submitted)[-1].answer["surplus"]
