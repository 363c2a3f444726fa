"""A disputed trace gets one more labeler at a time, until enough agree or a reviewer has to settle it."""

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from labeling.actions import labels
from labeling.errors import InvalidFields, LabelNotOpen, ReopenTooLate, ReviseTooLate
from labeling.models import Label, Task
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round, make_submission, make_traces
from labeling.tests.settling.disagreeing import (
    RIGHT,
    WRONG_AT_1,
    WRONG_AT_2,
    adaptive_round,
    say,
    state_of,
    the_task,
)

one_by_one = pytest.mark.django_db
really_at_once = pytest.mark.django_db(transaction=True)


@one_by_one
def test_two_who_agree_settle_the_trace_with_their_verdict():
    round_, (ada, ben, *_) = adaptive_round()
    say(ada, round_.project, WRONG_AT_1)
    assert state_of(round_) == ("", None, 1)
    say(ben, round_.project, [0, -1, None])
    assert state_of(round_) == ("agreed", 1, 0)
    assert the_task(round_).settled_at is not None


@one_by_one
def test_two_who_differ_bring_in_one_more_until_two_agree_on_the_first_error():
    round_, (ada, ben, cem, dora, *_) = adaptive_round()
    for person, ratings in ((ada, WRONG_AT_1), (ben, RIGHT), (cem, WRONG_AT_2)):
        say(person, round_.project, ratings)
    assert state_of(round_) == ("", None, 1)
    say(dora, round_.project, RIGHT)
    assert state_of(round_) == ("agreed", -1, 0)


@one_by_one
def test_where_nobody_can_reach_the_needed_number_any_more_the_trace_waits_for_a_reviewer():
    round_, (ada, ben, cem, *_) = adaptive_round(most=3, needed=3)
    say(ada, round_.project, WRONG_AT_1)
    say(ben, round_.project, RIGHT)
    assert state_of(round_) == ("no_consensus", None, 0)
    assert labels.claim_next_label(cem, round_.project).label is None


@one_by_one
def test_who_gives_up_uses_a_place_but_is_no_vote_and_a_bad_problem_is_one():
    round_, (ada, ben, cem, *_) = adaptive_round()
    bad = {"finish_reason": "bad_problem", "finish_detail": {"kind": "vague", "text": "Which one?"}}
    say(ada, round_.project, [None] * 3, finish_reason="give_up", finish_detail={"text": "Too hard."})
    say(ben, round_.project, [None] * 3, **bad)
    assert state_of(round_) == ("", None, 1)
    say(cem, round_.project, [None] * 3, **bad)
    assert state_of(round_) == ("agreed", None, 0)


@one_by_one
def test_a_fixed_overlap_is_never_settled_by_the_machine_and_gold_asks_for_nobody_more():
    project = make_project()
    fixed = make_round(project, overlap=2)
    for ratings in (RIGHT, WRONG_AT_1):
        say(make_member(project), project, ratings)
    assert state_of(fixed) == ("", None, 0)
    gold, people = adaptive_round()
    held = [labels.claim_next_label(person, gold.project).label for person in people[:2]]
    Task.objects.filter(round=gold).update(kind="gold")
    for label, ratings in zip(held, (RIGHT, WRONG_AT_1), strict=True):
        labels.submit_label(Label.objects.get(pk=label.pk), make_submission(ratings))
    assert state_of(gold) == ("", None, 0)


@one_by_one
def test_a_surplus_label_is_no_vote():
    round_, (ada, ben, cem, *_) = adaptive_round()
    late = labels.claim_next_label(ada, round_.project).label
    Label.objects.filter(pk=late.pk).update(leased_until=timezone.now() - timedelta(seconds=1))
    labels.expire_overdue_labels()
    say(ben, round_.project, RIGHT)
    say(cem, round_.project, RIGHT)
    late.refresh_from_db()
    assert labels.submit_label(late, make_submission(WRONG_AT_1)).surplus
    assert state_of(round_) == ("agreed", -1, 0)


@one_by_one
def test_taking_a_submission_back_takes_the_settlement_back_and_walking_away_restores_it():
    round_, (ada, ben, *_) = adaptive_round()
    say(ada, round_.project, RIGHT)
    last = say(ben, round_.project, RIGHT)
    labels.reopen_label(last)
    assert state_of(round_) == ("", None, 0)
    Label.objects.filter(pk=last.pk).update(leased_until=timezone.now() - timedelta(seconds=1))
    labels.expire_overdue_labels()
    assert state_of(round_) == ("agreed", -1, 0)


@one_by_one
def test_a_label_may_be_revised_until_the_trace_is_settled_and_what_it_says_then_counts():
    round_, (ada, ben, cem, *_) = adaptive_round(most=3, needed=2)
    first = say(ada, round_.project, WRONG_AT_1)
    say(ben, round_.project, RIGHT)
    revision = labels.revise_label(first, make_submission(WRONG_AT_2))
    assert state_of(round_) == ("", None, 1)
    say(cem, round_.project, WRONG_AT_2)
    assert state_of(round_) == ("agreed", 2, 0)
    with pytest.raises(ReviseTooLate):
        labels.revise_label(revision, make_submission(RIGHT))


@one_by_one
def test_what_a_reviewer_settled_stays_whatever_a_labeler_does():
    round_, (ada, ben, *_) = adaptive_round(most=2)
    say(ada, round_.project, WRONG_AT_1)
    last = say(ben, round_.project, RIGHT)
    Task.objects.filter(round=round_).update(settlement="ruled", settled_at=timezone.now(), verdict=2)
    with pytest.raises(ReopenTooLate):
        labels.reopen_label(last)
    assert state_of(round_) == ("ruled", 2, 0)


@one_by_one
@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"overlap": 3, "overlap_most": 2, "overlap_needed": 2}, "overlap_most"),
        ({"overlap": 2, "overlap_most": 3, "overlap_needed": 4}, "overlap_needed"),
        ({"overlap": 2, "overlap_most": 3}, "overlap_needed"),
    ],
)
def test_an_overlap_that_cannot_work_is_refused_with_its_field(asked, field):
    project = make_project()
    make_traces(project)
    admin = Browser(make_member(project, "admin"))
    answer = admin.call("POST", f"/api/projects/{project.slug}/rounds", {"source": "all", **asked}, status=400)
    assert list(answer["fields"]) == [field]
    settings = {f"default_{name}": value for name, value in asked.items()}
    answer = admin.call("PATCH", f"/api/projects/{project.slug}", settings, status=400)
    assert list(answer["fields"]) == [f"default_{field}"]


@one_by_one
def test_a_round_that_says_nothing_takes_the_projects_overlap_and_a_bare_number_is_fixed():
    project = make_project(default_overlap=3, default_overlap_most=5, default_overlap_needed=3)
    inherited, fixed = make_round(project), make_round(project, overlap=4)
    assert (inherited.overlap, inherited.overlap_most, inherited.overlap_needed) == (3, 5, 3)
    assert (fixed.overlap, fixed.overlap_most, fixed.overlap_needed) == (4, 0, 0)
    with pytest.raises(InvalidFields):
        make_round(project, overlap=6, overlap_most=5, overlap_needed=3)


@really_at_once
def test_labelers_who_submit_fast_ask_for_exactly_one_more():
    round_, people = adaptive_round(traces=12, overlap=3, most=5, needed=3)
    project = round_.project
    for _ in range(12):
        held = [(labels.claim_next_label(person, project).label, person) for person in people[:3]]
        task = held[0][0].task_id
        sent = [
            (label, make_submission(ratings))
            for (label, _), ratings in zip(held, (RIGHT, WRONG_AT_1, WRONG_AT_2), strict=True)
        ]
        assert {label.task_id for label, _ in sent} == {task}
        _at_once([work for work in sent for _ in range(3)])  # each is delivered three times
        assert Task.objects.values_list("labels_wanted", "settlement").get(pk=task) == (1, "")
    assert Label.objects.filter(status="submitted").count() == 36


def _at_once(sent) -> None:
    """Submit each in a thread with its own connection; re-raise any error."""
    faults: list[BaseException] = []
    start = threading.Barrier(len(sent))

    def run(label, submission):
        start.wait()
        try:
            labels.submit_label(Label.objects.select_related("project", "labeler").get(pk=label.pk), submission)
        except LabelNotOpen:
            return
        except BaseException as fault:  # noqa: BLE001  carried to the test's own thread
            faults.append(fault)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=work) for work in sent]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]
