"""Who gets which task: exact under any race, in order, and with the true reason when there is none."""

from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from labeling.actions import labels, rounds
from labeling.models import Label, Project, Task
from labeling.tests.factories import (
    make_member,
    make_project,
    make_round,
    make_submission,
    make_traces,
    open_round,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return make_project()


def test_a_claim_leases_one_place_and_a_second_claim_returns_the_same_label(project):
    round_ = make_round(project, traces=2)
    ada = make_member(project)
    first = labels.claim_next_label(ada, project).label
    again = labels.claim_next_label(ada, project).label
    assert first.pk == again.pk
    assert first.status == Label.Status.OPEN
    assert sum(round_.tasks.values_list("labels_wanted", flat=True)) == 1


def test_prefetching_leases_a_second_task_that_the_next_claim_opens(project):
    make_round(project, traces=3)
    ada = make_member(project)
    claim = labels.claim_next_label(ada, project, prefetch=True)
    assert claim.next.status == Label.Status.PREFETCHED
    labels.submit_label(claim.label, make_submission())
    after = labels.claim_next_label(ada, project, prefetch=True)
    assert after.label.pk == claim.next.pk
    assert after.label.status == Label.Status.OPEN
    assert after.next.pk not in (claim.label.pk, claim.next.pk)


def test_a_labeler_never_gets_a_task_twice_and_overlap_asks_other_people(project):
    make_round(project, traces=2, overlap=2)
    ada, ben = make_member(project), make_member(project)
    for labeler in (ada, ben):
        seen = [_label_one(labeler, project) for _ in range(2)]
        assert len(set(seen)) == 2
        assert labels.claim_next_label(labeler, project).label is None
    assert Task.objects.filter(labels_wanted__gt=0).count() == 0


def test_a_labeler_far_into_a_queue_that_wants_second_labels_still_gets_every_task_once(project):
    make_round(project, traces=130, overlap=2)
    ada, ben, cid = make_member(project), make_member(project), make_member(project)
    passed_over = Task.objects.order_by("order_key")[90].pk
    others = [_hold(person, project, passed_over) for person in (ben, cid)]
    served = [_label_one(ada, project) for _ in range(125)]
    labels.release_label(others[0], by=ben)  # far from the head of the queue, and before ada's latest work
    served += [_label_one(ada, project) for _ in range(5)]
    assert sorted(served) == sorted(Task.objects.values_list("pk", flat=True))
    assert labels.claim_next_label(ada, project).label is None


def test_a_round_of_higher_priority_is_served_first_and_each_in_its_seeded_order(project):
    low = make_round(project, traces=4, seed=7)
    urgent = open_round(project, priority=5, seed=8)
    ada = make_member(project)
    served = [_label_one(ada, project) for _ in range(8)]
    expected = [
        pk for round_ in (urgent, low) for pk in round_.tasks.order_by("order_key").values_list("pk", flat=True)
    ]
    assert served == expected


def test_the_same_seed_samples_the_same_traces_in_the_same_order(project):
    make_traces(project, 30)
    one, two = (open_round(project, source="sample", sample_size=7, seed=3) for _ in range(2))
    other = open_round(project, source="sample", sample_size=7, seed=4)
    order = [list(r.tasks.order_by("order_key").values_list("trace", flat=True)) for r in (one, two, other)]
    assert order[0] == order[1]
    assert set(order[0]) != set(order[2])


def test_a_paused_round_serves_nothing_until_it_is_resumed(project):
    round_ = make_round(project)
    ada = make_member(project)
    rounds.pause_round(round_, by=ada)
    assert labels.claim_next_label(ada, project).empty.code == "no_open_round"
    rounds.resume_round(round_, by=ada)
    assert labels.claim_next_label(ada, project).label is not None


def test_an_empty_screen_says_that_no_round_is_open(project):
    assert labels.claim_next_label(make_member(project), project).empty.code == "no_open_round"


def test_an_empty_screen_says_that_all_is_done_for_this_labeler(project):
    make_round(project)
    ada = make_member(project)
    _label_one(ada, project)
    assert labels.claim_next_label(ada, project).empty.code == "all_done_for_you"


def test_an_empty_screen_says_how_many_are_being_labeled_and_when_one_may_free_up(project):
    make_round(project, traces=2)
    for labeler in (make_member(project), make_member(project)):
        labels.claim_next_label(labeler, project)
    Label.objects.update(leased_until=timezone.now() + timedelta(minutes=6))
    empty = labels.claim_next_label(make_member(project), project).empty
    assert empty.code == "all_being_labeled"
    assert empty.detail == "2 left, but all are being labeled. The next may become free in about 6 minutes."
    assert 350 <= empty.next_free_in_seconds <= 360


def test_an_archived_project_serves_nothing(project):
    make_round(project)
    ada = make_member(project)
    Project.objects.update(status="archived")
    project.refresh_from_db()
    assert labels.claim_next_label(ada, project).empty.code == "project_archived"


def test_an_overdue_lease_is_taken_back_for_a_claimer_who_would_get_nothing(project):
    make_round(project)
    ada, ben = make_member(project), make_member(project)
    held = labels.claim_next_label(ada, project).label
    assert labels.claim_next_label(ben, project).label is None
    _run_out(held)
    taken = labels.claim_next_label(ben, project).label
    assert taken.task_id == held.task_id
    held.refresh_from_db()
    assert held.status == Label.Status.EXPIRED


def test_a_labeler_gets_their_own_expired_label_back_with_its_draft_while_the_place_is_free(project):
    make_round(project, traces=3)
    ada = make_member(project)
    held = labels.claim_next_label(ada, project).label
    labels.save_draft(held, draft={"ratings": [1]}, base_revision=0)
    _run_out(held)
    labels.expire_overdue_labels()
    back = labels.claim_next_label(ada, project).label
    assert back.pk == held.pk
    assert back.draft == {"ratings": [1]}
    assert sum(Task.objects.values_list("labels_wanted", flat=True)) == 2


def test_expiring_twice_gives_the_place_back_once(project):
    make_round(project)
    held = labels.claim_next_label(make_member(project), project).label
    _run_out(held)
    assert labels.expire_overdue_labels() == 1
    assert labels.expire_overdue_labels() == 0
    assert Task.objects.get().labels_wanted == 1


def test_the_last_tasks_of_a_round_are_found_at_once_too(project, django_assert_num_queries):
    make_round(project, traces=2)
    ada = make_member(project)
    for _ in range(2):
        with django_assert_num_queries(3):  # savepoint, the claim, its release
            label = labels.claim_next_label(ada, project).label
        labels.submit_label(label, make_submission())
    assert labels.claim_next_label(ada, project).empty.code == "all_done_for_you"


def test_a_claim_takes_a_fixed_number_of_queries_however_many_tasks_there_are(project, django_assert_num_queries):
    make_round(project, traces=200)
    ada = make_member(project)
    with django_assert_num_queries(3):  # savepoint, the claim, its release
        labels.claim_next_label(ada, project)


def _label_one(labeler, project) -> int:
    label = labels.claim_next_label(labeler, project).label
    return labels.submit_label(label, make_submission()).task_id


def _hold(labeler, project, task_id):
    """Let `labeler` hold this very task."""
    others = Task.objects.exclude(pk=task_id)
    others.update(labels_wanted=0)
    label = labels.claim_next_label(labeler, project).label
    others.update(labels_wanted=2)
    return label


def _run_out(label) -> None:
    Label.objects.filter(pk=label.pk).update(leased_until=timezone.now() - timedelta(seconds=1))


def test_the_planner_knows_of_a_large_round_from_its_first_claim_on() -> None:
    project = make_project()
    make_round(project, 1_200)
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples FROM pg_class WHERE relname = 'labeling_task'")
        assert cursor.fetchone()[0] >= 1_200


def test_tasks_ahead_are_shared_among_those_at_work_and_come_in_their_order() -> None:
    project = make_project()
    ada, bert = make_member(project), make_member(project)
    make_round(project, 12)
    alone = labels.claim_next_label(ada, project, ahead=5)
    assert alone.next
    assert len(alone.further) == 4
    shared = labels.claim_next_label(bert, project, ahead=5)
    assert len(shared.further) == 2  # half of the six remaining ones
    assert alone.leased is None  # five are ahead: the page requests them one by one
    order = [alone.next.pk, *alone.further]
    for pk in order:
        assert alone.label
        labels.submit_label(alone.label, make_submission())
        alone = labels.claim_next_label(ada, project, ahead=5)
        assert alone.label
        assert alone.label.pk == pk
        same = labels.claim_next_label(ada, project, ahead=5)
        assert (same.further, same.leased) == (alone.further, None)
    again = labels.reopen_label(Label.objects.filter(labeler=ada, status="submitted").latest("submitted_at"))
    back = labels.claim_next_label(ada, project, ahead=5)
    assert back.label
    assert back.next
    assert (back.label.pk, back.next.pk) == (again.pk, order[-1])
