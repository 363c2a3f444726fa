"""Many concurrent labelers on real Postgres: no task exceeds its overlap, and no label is lost."""

import contextlib
import random
import threading
import time
from collections import Counter
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from labeling.actions import labels
from labeling.actions.api_tokens import create_token
from labeling.actions.forgetting import forget_person
from labeling.actions.label_changes import change_labels
from labeling.actions.labeler_quality import pause_member
from labeling.actions.reviews import settle_task
from labeling.actions.switching_off import end_access
from labeling.errors import LabelNotOpen, LastAdmin, NoLabelsChanged, PermissionDenied
from labeling.models import ApiToken, Label, StepLabel, Task, User
from labeling.queries.held_labels import HELD
from labeling.tests.factories import make_member, make_project, make_round, make_submission

pytestmark = pytest.mark.django_db(transaction=True)


def switch_off(person):
    """Deactivate a person as a SCIM provider or an admin of the site does."""
    person.is_active = False
    person.save(update_fields=["is_active"])
    end_access(person, by=None, why="switched by SCIM")


def test_fifty_claimers_over_two_hundred_tasks_never_overclaim_a_task():
    project = make_project()
    make_round(project, traces=200, overlap=2)
    people = [make_member(project) for _ in range(50)]

    def work(person):
        while (label := labels.claim_next_label(person, project).label) is not None:
            labels.submit_label(label, make_submission())

    _at_once(work, people)
    per_task = Counter(Label.objects.filter(status="submitted").values_list("task", flat=True))
    assert set(per_task.values()) == {2}
    assert len(per_task) == 200
    assert not Task.objects.filter(labels_wanted__gt=0).exists()
    assert StepLabel.objects.count() == 200 * 2 * 3


def test_leases_that_end_and_are_released_at_random_lose_no_label_and_give_out_no_place_twice():
    project = make_project()
    make_round(project, traces=200)
    people = [make_member(project) for _ in range(50)]
    chaos = random.Random(5)
    sent: list[int] = []

    def work(person):
        for _ in range(12):
            claim = labels.claim_next_label(person, project, prefetch=chaos.random() < 0.5)
            label = claim.label
            if label is None:
                return
            fate = chaos.random()
            if fate < 0.2:
                Label.objects.filter(pk=label.pk).update(leased_until=timezone.now() - timedelta(seconds=1))
                labels.expire_overdue_labels()
            elif fate < 0.3:
                _release(label, person)
                continue
            labels.submit_label(label, make_submission())
            sent.append(label.pk)

    _at_once(work, people)
    submitted = Label.objects.filter(status="submitted")
    assert sorted(submitted.values_list("pk", flat=True)) == sorted(sent)
    counted = Counter(submitted.filter(surplus=False).values_list("task", flat=True))
    held = Counter(
        Label.objects.filter(status__in=["open", "prefetched"], surplus=False).values_list("task", flat=True)
    )
    for task in Task.objects.all():
        assert counted[task.pk] + held[task.pk] + task.labels_wanted == 1, task.pk


def test_a_claim_that_waited_while_its_labeler_was_paused_leases_nothing():
    project = make_project()
    make_round(project, traces=4)
    ada, admin = make_member(project), make_member(project, "admin")
    member = project.memberships.get(user=ada)
    held = labels.claim_next_label(ada, project).label
    pausing = threading.Event()
    claims = []

    def work(who):
        if who == "admin":
            with transaction.atomic():
                pause_member(admin, project, member.pk, reason="")
                pausing.set()
                _wait_until_somebody_waits()
        else:
            pausing.wait()
            claims.append(labels.claim_next_label(ada, project, prefetch=True))

    _at_once(work, ["admin", "ada"])
    assert (claims[0].label, claims[0].next) == (held, None)
    assert list(Label.objects.filter(labeler=ada)) == [held]


@pytest.mark.parametrize("ends", [forget_person, switch_off])
@pytest.mark.parametrize("act", ["claim", "resume", "token"])
def test_whoever_is_forgotten_or_switched_off_while_their_program_writes_holds_nothing_afterwards(ends, act):
    project = make_project()
    make_round(project, traces=4)
    ada = make_member(project)
    lost = labels.claim_next_label(ada, project).label
    labels.release_label(lost, by=ada)
    ending, refused = threading.Event(), []
    acts = {
        "claim": lambda: labels.claim_next_label(ada, project, prefetch=True),
        "resume": lambda: labels.resume_label(lost),
        "token": lambda: create_token(ada, "nightly"),
    }

    def work(who):
        if who == "admin":
            with transaction.atomic():
                ends(User.objects.get(pk=ada.pk))
                ending.set()
                _wait_until_somebody_waits()
        else:
            ending.wait()
            with pytest.raises(PermissionDenied) as told:
                acts[act]()
            refused.append(str(told.value))

    _at_once(work, ["admin", "ada"])
    assert "switched off" in refused[0]
    assert not Label.objects.filter(status__in=HELD).exists()
    assert not ApiToken.objects.filter(revoked_at=None).exists()
    with pytest.raises(PermissionDenied):  # their request began before, and gets to it after
        acts[act]()
    assert not Label.objects.filter(status__in=HELD).exists()


@pytest.mark.parametrize("superusers", [False, True], ids=["of a project", "of the site"])
def test_of_the_last_two_admins_forgotten_at_once_one_stays(superusers):
    project = make_project()
    role = "annotator" if superusers else "admin"
    people = [make_member(project, role, is_superuser=superusers) for _ in range(2)]
    first, refused = threading.Event(), []

    def work(person):
        if person == people[0]:
            with transaction.atomic():
                forget_person(person)
                first.set()
                _wait_until_somebody_waits()
        else:
            first.wait()
            with pytest.raises(LastAdmin) as told:
                forget_person(person)
            refused.append(str(told.value))

    _at_once(work, people)
    assert "is the last admin" in refused[0]
    assert User.objects.filter(is_active=True).get() == people[1]


def test_a_task_that_is_settled_while_it_is_asked_for_again_stays_settled():
    project = make_project()
    make_round(project)
    reviewer = make_member(project, "researcher")
    label = labels.submit_label(labels.claim_next_label(make_member(project), project).label, make_submission())
    ruling = threading.Event()

    def work(what):
        if what == "settle":
            with transaction.atomic():
                settle_task(label.task, by=reviewer, ratings=[1, 1, 1], finish_reason="solution")
                ruling.set()
                _wait_until_somebody_waits()
        else:
            ruling.wait()
            with pytest.raises(NoLabelsChanged):
                change_labels(project, by=reviewer, kind="relabel", ids=[label.pk])

    _at_once(work, ["settle", "ask again"])
    assert Task.objects.get().labels_wanted == 0


def test_two_tabs_of_one_labeler_hold_one_open_and_one_prefetched_label():
    project = make_project()
    make_round(project, traces=40)
    ada = make_member(project)
    claims: list[tuple[int, int]] = []

    def work(person):
        claim = labels.claim_next_label(person, project, prefetch=True)
        claims.append((claim.label.pk, claim.next.pk))

    _at_once(work, [ada] * 8)
    assert len(set(claims)) == 1
    assert Label.objects.count() == 2


def test_one_submission_sent_by_eight_tabs_at_once_is_taken_once():
    project = make_project()
    make_round(project)
    label = labels.claim_next_label(make_member(project), project).label
    submission = make_submission()
    _at_once(lambda _: labels.submit_label(label, submission), range(8))
    assert StepLabel.objects.count() == 3


def test_eight_sweeps_at_once_give_each_place_back_once():
    project = make_project()
    make_round(project, traces=20)
    for _ in range(20):
        labels.claim_next_label(make_member(project), project)
    Label.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    _at_once(lambda _: labels.expire_overdue_labels(), range(8))
    assert set(Task.objects.values_list("labels_wanted", flat=True)) == {1}


def test_resuming_submitting_and_sweeping_lost_labels_at_once_never_wait_for_each_other():
    project = make_project()
    make_round(project, traces=12, overlap=6)
    people = [make_member(project) for _ in range(6)]
    lost = {person: labels.claim_next_label(person, project).label for person in people}
    chaos = random.Random(11)

    def work(person):
        for _ in range(15):
            Label.objects.filter(labeler=person, status__in=["open", "prefetched"]).update(
                leased_until=timezone.now() - timedelta(seconds=1)
            )
            labels.expire_overdue_labels()
            labels.claim_next_label(person, project, prefetch=True)
            with contextlib.suppress(LabelNotOpen):
                labels.resume_label(lost[person])
            if chaos.random() < 0.2:
                mine = Label.objects.filter(labeler=person, status="expired").select_related("labeler", "project")
                for label in mine[:1]:
                    labels.submit_label(label, make_submission())

    _at_once(work, people)
    for task in Task.objects.all():
        held = task.labels.filter(status__in=["open", "prefetched", "submitted"], surplus=False).count()
        assert held + task.labels_wanted == 6, task.pk


def _wait_until_somebody_waits() -> None:
    """Wait until another connection waits for a lock."""
    waits = 0
    while not waits:
        time.sleep(0.01)
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            [waits] = cursor.fetchone()


def _release(label, person) -> None:
    try:
        labels.release_label(label, by=person)
    except LabelNotOpen:  # another thread's sweep was first
        return


def _at_once(work, arguments) -> None:
    """Run `work` in one thread per argument, each with its own connection; re-raise any error."""
    faults: list[BaseException] = []
    start = threading.Barrier(len(arguments))

    def run(argument):
        start.wait()
        try:
            work(argument)
        except BaseException as fault:  # noqa: BLE001  carried to the test's own thread
            faults.append(fault)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[argument]) for argument in arguments]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]
