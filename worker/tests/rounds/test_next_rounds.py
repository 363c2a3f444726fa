"""The next round: prepared once enough of the previous one is labeled, published by a person, never twice."""

from collections import Counter

import pytest

from labeling.actions import round_schedules, rounds
from labeling.actions.labels import claim_next_label, submit_label
from labeling.actions.round_stages import move_on
from labeling.actions.step_scorer_promotions import promote_prm
from labeling.errors import NotScheduled, RoundNotInStatus
from labeling.models import AuditEvent, Project, Round, RoundChunk, StepScorer, Task, User
from labeling.selection import Mix
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round, make_submission
from labeling.tests.selection.pools import (
    PoolTrace,
    finish_selecting,
    give_scores,
    make_pool,
    make_prm,
    ready_round,
    selecting_round,
)
from worker.tasks import sweep

pytestmark = pytest.mark.django_db


@pytest.fixture
def published() -> Round:
    """A round of ten labels over a pool of thirty traces, scheduled at 90 percent."""
    project, prm = make_project(), make_prm()
    make_pool(project, prm, [PoolTrace(n % 10, score=-0.1 - n / 10, steps=["a", "b", "c"]) for n in range(30)])
    round_ = ready_round(project, prm, k=1, ratio=1.0, seed=7)
    rounds.publish_round(round_, by=None)
    return round_


def label(round_: Round, count: int) -> None:
    """Have one person label this many of its tasks."""
    person = make_member(round_.project)
    for _ in range(count):
        submit_label(claim_next_label(person, round_.project).label, make_submission([1, 1, -1]))


def researcher_of(project: Project) -> User:
    return make_member(project, "researcher")


def test_the_next_round_is_prepared_at_its_percentage_and_waits_for_a_person(published: Round):
    assert published.task_count == 10
    ada = Browser(researcher_of(published.project))
    answer = ada.call("PUT", f"/api/rounds/{published.pk}/next", {"at": 90})
    assert answer["next"]["at"] == 90
    label(published, 8)
    sweep()
    assert Round.objects.count() == 1
    label(published, 1)
    sweep()
    following = Round.objects.latest("pk")
    said = ada.call("GET", f"/api/rounds/{published.pk}")["next"]
    assert (said["round"], said["error"]) == (following.pk, "")
    assert following.status in ("grading", "scoring", "selecting")
    assert following.opened_at is None
    assert not Task.objects.filter(round=following).exists()
    assert (following.number, following.seed, following.scorer) == (2, 8, published.scorer)
    assert following.staged_config.k == 1
    assert AuditEvent.objects.filter(action="round.publish").count() == 1


def test_however_often_the_clock_strikes_one_round_follows(published: Round):
    round_schedules.schedule_next(published, by=researcher_of(published.project), at=50)
    label(published, 10)
    assert [round_schedules.sweep_schedules() for _ in range(3)] == [1, 0, 0]
    assert round_schedules.begin_next(published) is False
    assert Round.objects.count() == 2
    with pytest.raises(NotScheduled, match="already prepared"):
        round_schedules.schedule_next(published, by=researcher_of(published.project), at=60)


def test_what_was_promoted_meanwhile_chooses_the_next(published: Round):
    project, better = published.project, make_prm("better")
    promote_prm(project, better, by=make_member(project, "admin"))
    round_schedules.schedule_next(published, by=researcher_of(project), at=10)
    label(published, 1)
    round_schedules.sweep_schedules()
    assert Round.objects.latest("pk").scorer == better


def test_the_next_round_chooses_in_the_same_ways_as_this_one():
    project, prm, other = make_project(), make_prm(), make_prm("other")
    traces = make_pool(project, prm, [PoolTrace(n, score=-0.1 - n / 10, steps=[f"{n}.", "b", "c"]) for n in range(30)])
    give_scores(other, [(trace, -n / 7 % 2) for n, trace in enumerate(traces)])
    mix = Mix(unsure=0.2, disagreement=0.2, like=0.2, other=other.pk, like_traces=(traces[3].pk,))
    round_ = ready_round(project, prm, mode="global", k=10, control_share=0.2, mix=mix)
    rounds.publish_round(round_, by=None)
    round_schedules.schedule_next(round_, by=researcher_of(project), at=10)
    label(round_, 2)
    round_schedules.sweep_schedules()
    following = Round.objects.latest("pk")
    assert following.staged_config.mix == mix
    while move_on(following.pk) != "selecting":  # everything is scored
        RoundChunk.objects.filter(round=following).update(status="done")
    finish_selecting(Round.objects.get(pk=following.pk))
    chosen = Counter(Task.objects.filter(round=following).values_list("reason", flat=True))
    assert [chosen[way] for way in ("unsure", "disagreement", "like", "control")] == [2, 2, 2, 2]


def test_what_stands_in_the_way_is_told_and_tried_again(published: Round):
    project = published.project
    other = selecting_round(project, published.scorer)
    round_schedules.schedule_next(published, by=researcher_of(project), at=10)
    label(published, 1)
    assert round_schedules.sweep_schedules() == 0
    published.refresh_from_db()
    assert "Round 2 of this project is" in published.next_error
    rounds.cancel_round(other, by=None)
    assert round_schedules.sweep_schedules() == 1
    published.refresh_from_db()
    assert published.next_error == ""


def test_a_round_whose_settings_this_version_cannot_read_says_so_and_holds_up_no_other(published: Round):
    other, prm = make_project(), make_prm("other")
    make_pool(other, prm, [PoolTrace(n % 10, score=-0.1 - n / 10, steps=["a", "b", "c"]) for n in range(30)])
    readable = ready_round(other, prm, k=1, ratio=1.0, seed=7)
    rounds.publish_round(readable, by=None)
    for round_ in (published, readable):
        round_schedules.schedule_next(round_, by=researcher_of(round_.project), at=10)
        label(round_, 1)
    Round.objects.filter(pk=published.pk).update(config=published.config | {"of_tomorrow": 1})
    assert round_schedules.sweep_schedules() == 1
    published.refresh_from_db()
    assert "config.of_tomorrow: there is no such setting" in published.next_error
    readable.refresh_from_db()
    assert readable.next_round is not None


def test_a_schedule_can_be_taken_back_and_ends_with_its_round(published: Round):
    ada = researcher_of(published.project)
    round_schedules.schedule_next(published, by=ada, at=10)
    round_schedules.schedule_next(published, by=ada, at=None)
    label(published, 2)
    assert round_schedules.sweep_schedules() == 0
    round_schedules.schedule_next(published, by=ada, at=90)
    rounds.close_round(published, by=None)
    assert round_schedules.sweep_schedules() == 0
    with pytest.raises(RoundNotInStatus):
        round_schedules.schedule_next(published, by=ada, at=10)


def test_a_plain_round_would_be_served_unseen_so_none_follows_by_itself():
    round_ = make_round(make_project())
    answer = Browser(researcher_of(round_.project)).send("PUT", f"/api/rounds/{round_.pk}/next", b'{"at": 90}')
    assert (answer.status_code, answer.json()["code"]) == (409, "not_scheduled")
    assert StepScorer.objects.count() == 0
