"""A round closed during a submission: the label counts and is in the report, or is surplus and is not."""

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from labeling.actions import labels, rounds
from labeling.models import Label, Round
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round, make_submission

pytestmark = pytest.mark.django_db(transaction=True)


def beside(first: Callable[[], object], then: Callable[[], object]) -> None:
    """Start `then` on another connection while the transaction of `first` is open; it must finish after it."""

    def do_and_close() -> None:
        then()
        connection.close()

    other = threading.Thread(target=do_and_close)
    with transaction.atomic():
        first()
        other.start()
        other.join(1)
        assert other.is_alive(), "it does not wait"
    other.join()


def open_label() -> tuple[Label, Round]:
    project = make_project()
    round_ = make_round(project, overlap=2)
    label = labels.claim_next_label(make_member(project), project).label
    assert label is not None
    return label, round_


def test_a_submission_that_is_under_way_is_in_the_report_of_the_round() -> None:
    label, round_ = open_label()
    beside(lambda: labels.submit_label(label, make_submission()), lambda: rounds.close_round(round_, by=None))
    label.refresh_from_db()
    round_.refresh_from_db()
    assert (round_.status, label.status, label.surplus) == ("closed", "submitted", False)
    assert round_.report is not None
    assert round_.report["labels"] == {"submitted": 1, "surplus": 0}


def test_a_submission_that_waits_for_the_close_is_surplus() -> None:
    label, round_ = open_label()
    beside(lambda: rounds.close_round(round_, by=None), lambda: labels.submit_label(label, make_submission()))
    label.refresh_from_db()
    round_.refresh_from_db()
    assert (round_.status, label.status, label.surplus) == ("closed", "submitted", True)
    assert round_.report is not None
    assert round_.report["labels"] == {"submitted": 0, "surplus": 0}


def test_what_was_submitted_and_is_open_again_counts_when_its_round_is_closed_meanwhile() -> None:
    label, round_ = open_label()
    labels.submit_label(label, make_submission())
    labels.reopen_label(label)
    rounds.close_round(round_, by=None)
    label.refresh_from_db()
    assert (label.status, label.surplus) == ("open", False)


def test_a_surplus_label_says_whether_its_slot_was_taken_or_its_round_closed() -> None:
    project = make_project()
    round_ = make_round(project)
    first = labels.claim_next_label(make_member(project), project).label
    assert first is not None
    Label.objects.filter(pk=first.pk).update(leased_until=timezone.now() - timedelta(seconds=1))
    labels.expire_overdue_labels()
    taken = labels.claim_next_label(make_member(project), project).label
    assert taken is not None
    labels.submit_label(taken, make_submission())
    labels.submit_label(first, make_submission())
    late = Label.objects.create(
        project=project,
        task=first.task,
        labeler=make_member(project),
        status="open",
        leased_until=timezone.now() + timedelta(minutes=5),
    )
    rounds.close_round(round_, by=None)
    labels.submit_label(late, make_submission())
    shown = Browser(make_member(project, "researcher")).call("GET", f"/api/tasks/{first.task_id}/review")["task"]
    assert {label["id"]: label["surplus_because"] for label in shown["labels"]} == {
        taken.pk: None,
        first.pk: "slot_taken",
        late.pk: "round_closed",
    }


def test_of_a_closed_round_what_was_leased_ahead_is_resumed_only_where_it_was_begun() -> None:
    project = make_project()
    round_ = make_round(project, traces=3)
    ada = make_member(project)
    claim = labels.claim_next_label(ada, project, prefetch=True)
    assert claim.label is not None
    assert claim.next is not None
    rounds.close_round(round_, by=None)
    labels.submit_label(claim.label, make_submission())
    page, ahead = Browser(ada), claim.next
    assert page.call("POST", f"/api/labels/{ahead.pk}/resume", status=409)["code"] == "label_not_open"
    assert page.call("POST", f"/api/projects/{project.slug}/labels/claim", {})["label"] is None
    ahead.refresh_from_db()
    assert (ahead.status, ahead.surplus) == ("expired", False)

    page.call("PUT", f"/api/labels/{ahead.pk}/draft", {"draft": {"ratings": [1]}, "base_revision": 0})
    assert page.call("POST", f"/api/labels/{ahead.pk}/resume")["surplus"], "what was typed is gone on with"


def test_what_was_begun_offline_of_a_closed_round_is_kept_though_nothing_was_saved() -> None:
    project = make_project()
    round_ = make_round(project, traces=2)
    ada = make_member(project)
    ahead = labels.claim_next_label(ada, project, prefetch=True).next
    assert ahead is not None
    rounds.close_round(round_, by=None)
    sent = labels.submit_label(Label.objects.get(pk=ahead.pk), make_submission())
    assert (sent.status, sent.surplus) == ("submitted", True)
