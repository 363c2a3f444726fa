"""The fast path answers and writes what the slow path does: random histories, played both ways, and compared.

The histories of `make check` are always the same few. EXAMPLES=2000 in the environment plays that many new ones.
"""

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from labeling.tests.labels.two_ways import History, Opened, Setting, Taken, both_ways

EXAMPLES = int(os.environ.get("EXAMPLES", "0"))
BOUNDS = settings(
    max_examples=EXAMPLES or 20,
    stateful_step_count=30,
    derandomize=not EXAMPLES,
    database=None,
    deadline=None,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)

opened = st.builds(
    Opened,
    overlap=st.integers(1, 2),
    priority=st.integers(0, 1),
    source=st.sampled_from(["", "first", "second"]),
    adapts=st.sampled_from([False, False, False, True]),
)
project_settings = st.builds(
    Setting,
    problems=st.integers(1, 3),
    gold=st.integers(0, 3),
    session=st.sampled_from([0, 0, 2, 3]),
    people=st.integers(2, 3),
    rounds=st.lists(opened, min_size=1, max_size=2).map(tuple),
    screening=st.sampled_from([False] * 7 + [True]),
    salt=st.sampled_from("abcdefgh"),
)
people = st.integers(0, 2)
often_the_open_one = st.one_of(st.none(), st.none(), st.integers(0, 4))
ROUTINE: list[dict[str, Any]] = [
    {"finish_reason": "solution"},
    {"finish_reason": "found_error", "ratings": [1, -1, None]},
    {"finish_reason": "found_error", "ratings": [-1, None, None], "noticed_at_step": 0},
    {"finish_reason": "give_up", "ratings": [1, None, None], "finish_detail": {"text": "Too long."}},
    {"finish_reason": "bad_problem", "ratings": [None] * 3, "finish_detail": {"kind": "unclear", "text": "What?"}},
    {"finish_reason": "found_error", "ratings": [1, -1, None], "mistake": {"progress": "some", "explanation": "Sign."}},
    {"ratings": [1, 0, 1], "confirmations": [{"code": "solution_but_answer_wrong", "reason": "It is right."}]},
    {"keep_carried": True, "confirmations": [{"code": "solution_but_answer_wrong", "reason": "It is right."}]},
]
SPECIAL: list[dict[str, Any]] = [
    {"ratings": [1, 0, 1], "comments": [{"step": 1, "text": "Why?"}]},
    {"ratings": [1, 0, 0], "reports": [{"kind": "answer_wrong", "text": "No."}]},
    {"ratings": [1, 0, 0], "rate_alternative": True},
    {"ratings": [1, None, 1]},
    {"ratings": [1, 1]},
    {"ratings": [1, -1, None], "finish_reason": "solution"},
    {"finish_reason": "give_up", "ratings": [None] * 3},
]
said = st.one_of(st.sampled_from(ROUTINE), st.sampled_from(ROUTINE), st.sampled_from(ROUTINE + SPECIAL))


class Labeling(RuleBasedStateMachine):
    """Two or three people label a project; now and then something happens to their leases, rounds or membership."""

    taken = Taken()
    history: History

    @initialize(setting=project_settings)
    def begin(self, setting: Setting) -> None:
        self.history = History(setting, self.taken)

    @rule(who=people, ahead=st.booleans())
    def claim(self, who: int, ahead: bool) -> None:
        self.history.play("claim", who=who, ahead=ahead)

    @rule(who=people, said=said, ahead=st.booleans())
    def label_one(self, who: int, said: dict[str, Any], ahead: bool) -> None:
        self.history.play("claim", who=who)
        if ahead:
            self.history.play("claim", who=who, ahead=True)
        self.history.play("submit", who=who, said=said)

    @rule(who=people, said=said, times=st.integers(1, 4))
    def label_on(self, who: int, said: dict[str, Any], times: int) -> None:
        for _ in range(times):
            self.history.play("claim", who=who)
            self.history.play("submit", who=who, said=said)

    @rule(who=people, said=said, which=often_the_open_one)
    def submit(self, who: int, said: dict[str, Any], which: int | None) -> None:
        self.history.play("submit", who=who, said=said, which=which)

    @rule(who=people)
    def send_again(self, who: int) -> None:
        self.history.play("send_again", who=who)

    @rule(who=people, said=said)
    def send_elsewhere(self, who: int, said: dict[str, Any]) -> None:
        self.history.play("send_elsewhere", who=who, said=said)

    @rule(who=people, which=often_the_open_one, behind=st.sampled_from([0, 0, 1]))
    def draft(self, who: int, which: int | None, behind: int) -> None:
        self.history.play("draft", who=who, which=which, behind=behind)

    @rule(minutes=st.sampled_from([1, 10, 20, 60 * 30]), expire=st.booleans())
    def wait(self, minutes: int, expire: bool) -> None:
        self.history.play("wait", minutes=minutes)
        if expire:
            self.history.play("expire")

    @rule(who=people, which=often_the_open_one, act=st.sampled_from(["release", "renew", "resume", "reopen"]))
    def turn(self, who: int, which: int | None, act: str) -> None:
        if act == "resume":
            self.history.play("resume", who=who, which=which or 0)
        elif act == "renew":
            self.history.play("renew", who=who)
        else:
            self.history.play(act, who=who, which=which)

    @rule(who=people, which=st.integers(0, 3), said=said)
    def revise(self, who: int, which: int, said: dict[str, Any]) -> None:
        self.history.play("revise", who=who, which=which, said=said)

    @rule(who=people, act=st.sampled_from(["pause", "unpause", "unpause"]))
    def membership(self, who: int, act: str) -> None:
        self.history.play(act, who=who)

    @rule(which=st.integers(0, 1), act=st.sampled_from(["pause_round", "resume_round", "resume_round", "close_round"]))
    def round(self, which: int, act: str) -> None:
        self.history.play(act, which=which)

    @rule(act=st.sampled_from(["weigh", "new_guideline", "mark_bad"]), which=st.integers(0, 12))
    def meanwhile(self, act: str, which: int) -> None:
        self.history.play(act, **({"which": which} if act == "mark_bad" else {}))

    def teardown(self) -> None:
        if not hasattr(self, "history"):
            return
        try:
            self.history.compare()
        finally:
            self.history.undo()


@pytest.mark.django_db
def test_random_histories_are_the_same_with_the_fast_path_and_without():
    Labeling.taken = taken = Taken()
    run_state_machine_as_test(Labeling, settings=BOUNDS)
    assert taken.claims_fast > taken.claims / 3, f"the fast path was hardly tried: {taken}"
    assert taken.submissions_fast > taken.submissions / 2, f"the fast path was hardly tried: {taken}"


def labeled(who: int, times: int = 1, **said: Any) -> list[tuple[str, dict[str, Any]]]:
    """The labeler claims and submits so often."""
    return [("claim", {"who": who}), ("submit", {"who": who, "said": {**ROUTINE[6], **said}})] * times


@pytest.mark.django_db
def test_gold_left_over_in_a_round_without_work_comes_before_the_next_rounds_work():
    first, second = Opened(source="first", priority=1), Opened(source="second")
    setting = Setting(gold=2, people=2, problems=3, rounds=(first, second))
    both_ways(setting, *labeled(0), *labeled(1, 12), *labeled(0, 6))


@pytest.mark.django_db
def test_the_trace_of_a_session_counts_in_the_gold_plan_of_its_own_round():
    setting = Setting(gold=2, session=3, problems=3, rounds=(Opened(source="second", priority=1), Opened(source="first")))
    both_ways(setting, *labeled(0, 12))
