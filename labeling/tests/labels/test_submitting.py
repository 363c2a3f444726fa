"""What happens to a labeler's work: stored exactly once, never lost, correctable for a while."""

import json
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from django.db import transaction
from django.utils import timezone

from labeling.actions import labels, rounds
from labeling.errors import (
    ConfirmationNeeded,
    DraftConflict,
    LabelNotOpen,
    ReopenTooLate,
    ReviseTooLate,
    SubmissionIncomplete,
    SubmissionMismatch,
)
from labeling.models import Guideline, Label, StepLabel, Task, Trace
from labeling.queries import overview
from labeling.queries.label_comparison import UNDO
from labeling.queries.labels import get_own_label_shown
from labeling.tests.factories import make_member, make_project, make_round, make_submission

pytestmark = pytest.mark.django_db
SHARED_UNDO = json.loads((Path(__file__).parent.parent / "undo_cases.json").read_text())


@pytest.fixture
def project():
    return make_project()


@pytest.fixture
def ada(project):
    return make_member(project)


@pytest.fixture
def label(project, ada):
    make_round(project, traces=3)
    return labels.claim_next_label(ada, project).label


def test_a_submission_becomes_a_row_per_rated_step_and_none_after_the_error(label):
    labels.submit_label(label, make_submission([1, -1, None], noticed_at_step=2))
    assert list(label.step_labels.order_by("step_index").values_list("step_index", "rating")) == [(0, 1), (1, -1)]
    label.refresh_from_db()
    assert (label.status, label.finish_reason, label.noticed_at_step) == ("submitted", "found_error", 2)


def test_the_same_submission_sent_twice_is_taken_once(label):
    submission = make_submission()
    first = labels.submit_label(label, submission)
    again = labels.submit_label(label, submission)
    assert first.pk == again.pk
    assert StepLabel.objects.count() == 3


def test_another_submission_of_a_submitted_label_is_refused(label):
    labels.submit_label(label, make_submission())
    with pytest.raises(LabelNotOpen):
        labels.submit_label(label, make_submission())


def test_an_incomplete_submission_says_what_is_missing_and_writes_nothing(label):
    with pytest.raises(SubmissionIncomplete) as refusal, transaction.atomic():
        labels.submit_label(label, make_submission([1, None, 1]))
    assert refusal.value.extra["missing"] == [{"code": "unrated_step", "step": 1}]
    assert StepLabel.objects.count() == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"ratings": [1, 1]},
        {"noticed_at_step": 3},
        {"comments": [{"step": 3, "text": "?"}]},
        {"alternatives": [{"completion": 999, "rating": 1, "flagged": False}]},
    ],
)
def test_a_submission_that_does_not_fit_the_trace_is_refused(label, wrong):
    with pytest.raises(SubmissionMismatch):
        labels.submit_label(label, make_submission(**wrong))


def test_a_solution_of_a_wrong_trace_needs_a_reasoned_confirmation(label):
    Trace.objects.update(outcome="wrong")
    label = get_own_label_shown(label.labeler, label.pk)
    with pytest.raises(ConfirmationNeeded) as refusal:
        labels.submit_label(label, make_submission())
    assert refusal.value.extra["contradictions"] == [{"code": "solution_but_answer_wrong", "step": 2}]
    reason = [{"code": "solution_but_answer_wrong", "reason": "The recorded answer has a typo."}]
    taken = labels.submit_label(label, make_submission(confirmations=reason))
    assert taken.confirmations == reason


def test_submitting_opens_the_label_that_was_leased_ahead(project, ada, label):
    ahead = labels.claim_next_label(ada, project, prefetch=True).next
    labels.submit_label(label, make_submission())
    ahead.refresh_from_db()
    assert ahead.status == Label.Status.OPEN


def test_a_label_leased_ahead_can_be_submitted_before_the_open_one(project, ada, label):
    ahead = labels.claim_next_label(ada, project, prefetch=True).next
    assert labels.submit_label(ahead, make_submission()).status == Label.Status.SUBMITTED
    label.refresh_from_db()
    assert label.status == Label.Status.OPEN


@pytest.mark.parametrize("lost", ["expired", "released"])
def test_a_submission_after_the_lease_is_kept_and_counted_while_the_place_is_free(label, ada, lost):
    _lose(label, ada, lost)
    assert Task.objects.get(pk=label.task_id).labels_wanted == 1
    taken = labels.submit_label(label, make_submission())
    assert not taken.surplus
    assert Task.objects.get(pk=label.task_id).labels_wanted == 0


@pytest.mark.parametrize("lost", ["expired", "released"])
def test_a_submission_after_the_lease_is_kept_as_surplus_when_the_place_is_taken(project, label, ada, lost):
    _lose(label, ada, lost)
    Task.objects.exclude(pk=label.task_id).update(labels_wanted=0)
    other = labels.claim_next_label(make_member(project), project).label
    assert other.task_id == label.task_id
    taken = labels.submit_label(label, make_submission())
    assert (taken.status, taken.surplus) == ("submitted", True)
    assert not labels.submit_label(other, make_submission()).surplus


def test_closing_a_round_keeps_what_is_still_submitted_as_surplus(project, label, ada):
    rounds.close_round(label.task.round, by=ada)
    assert labels.submit_label(label, make_submission()).surplus
    assert labels.claim_next_label(ada, project).empty.code == "no_open_round"


def test_a_draft_is_kept_and_renews_the_lease(label):
    Label.objects.update(leased_until=timezone.now() + timedelta(seconds=1))
    labels.save_draft(label, draft={"ratings": [1, None, None]}, base_revision=0)
    label.refresh_from_db()
    assert label.draft == {"ratings": [1, None, None]}
    assert label.leased_until > timezone.now() + timedelta(minutes=14)


def test_a_draft_based_on_old_work_is_refused_with_the_newer_work(label):
    labels.save_draft(label, draft={"from": "tab 1"}, base_revision=0)
    with pytest.raises(DraftConflict) as refusal:
        labels.save_draft(label, draft={"from": "tab 2"}, base_revision=0)
    assert refusal.value.extra == {"draft": {"from": "tab 1"}, "draft_revision": 1}


def test_a_draft_of_an_expired_label_is_kept_without_taking_the_place_again(label, ada):
    _lose(label, ada, "expired")
    labels.save_draft(label, draft={"ratings": [1]}, base_revision=0)
    label.refresh_from_db()
    assert (label.status, label.draft) == ("expired", {"ratings": [1]})
    assert Task.objects.get(pk=label.task_id).labels_wanted == 1


def test_undo_across_submission_opens_the_label_with_its_draft_and_keeps_the_next_one(project, ada, label):
    labels.save_draft(label, draft={"ratings": [1, 1, 1]}, base_revision=0)
    labels.submit_label(label, make_submission())
    following = labels.claim_next_label(ada, project, prefetch=True)
    labels.save_draft(following.label, draft={"ratings": [0]}, base_revision=0)
    reopened = labels.reopen_label(label)
    assert (reopened.status, reopened.draft) == ("open", {"ratings": [1, 1, 1]})
    following.label.refresh_from_db()
    assert (following.label.status, following.label.draft) == ("prefetched", {"ratings": [0]})
    labels.submit_label(reopened, make_submission([1, -1, None]))
    assert label.step_labels.count() == 2
    following.label.refresh_from_db()
    assert following.label.status == "open"
    assert Label.objects.filter(labeler=ada).count() == 3, "two were leased ahead of the first"
    assert sum(Task.objects.values_list("labels_wanted", flat=True)) == 0


@pytest.mark.parametrize("case", SHARED_UNDO["cases"], ids=lambda case: f"after {case['after_seconds']} s")
def test_a_submission_can_be_undone_for_as_long_as_the_page_offers_it(label, case):
    assert SHARED_UNDO["seconds"] == UNDO.total_seconds()
    labels.submit_label(label, make_submission())
    Label.objects.update(submitted_at=timezone.now() - timedelta(seconds=case["after_seconds"]))
    if case["taken_back"]:
        assert labels.reopen_label(label).status == "open"
        return
    with pytest.raises(ReopenTooLate, match=f"More than {SHARED_UNDO['seconds']} seconds"):
        labels.reopen_label(label)


def test_a_submission_cannot_be_undone_once_its_round_is_closed(label):
    labels.submit_label(label, make_submission())
    rounds.close_round(label.task.round, by=None)
    with pytest.raises(ReopenTooLate, match="closed"):
        labels.reopen_label(label)
    label.refresh_from_db()
    assert (label.status, label.surplus) == ("submitted", False)


def test_a_label_reopened_and_then_left_alone_is_submitted_again_when_its_lease_ends(label):
    labels.submit_label(label, make_submission())
    labels.reopen_label(label)
    Label.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    labels.expire_overdue_labels()
    label.refresh_from_db()
    assert label.status == "submitted"
    assert label.step_labels.count() == 3
    assert Task.objects.get(pk=label.task_id).labels_wanted == 0


def test_an_expired_label_is_resumed_as_surplus_when_its_place_is_taken(project, label, ada):
    _lose(label, ada, "expired")
    Task.objects.exclude(pk=label.task_id).update(labels_wanted=0)
    labels.claim_next_label(make_member(project), project)
    resumed = labels.resume_label(label)
    assert (resumed.status, resumed.surplus) == ("open", True)


def test_resuming_an_expired_label_puts_the_open_one_back_ahead(project, label, ada):
    _lose(label, ada, "released")
    other = labels.claim_next_label(ada, project).label
    assert labels.resume_label(label).status == "open"
    other.refresh_from_db()
    assert other.status == "prefetched"


def test_a_revision_takes_the_labels_place_and_keeps_the_old_version(project, label, ada):
    span = {"step": 0, "start": 0, "end": 1000}
    Label.objects.update(claimed_at=timezone.now() - timedelta(minutes=1))
    labels.submit_label(label, make_submission(spans=[span]))
    revision = labels.revise_label(
        label, make_submission([1, 1, -1], spans=[span, span | {"start": 5000, "end": 7000}])
    )
    label.refresh_from_db()
    assert (label.status, revision.status, revision.supersedes_id) == ("superseded", "submitted", label.pk)
    assert label.step_labels.count() == revision.step_labels.count() == 3
    assert overview.labeler_stats(ada, project)["submitted"] == 1
    assert overview.labeler_stats(ada, project)["active_ms"] == 3000


def test_a_revision_sent_twice_is_taken_once(label):
    labels.submit_label(label, make_submission())
    revision = make_submission([1, 1, -1])
    assert labels.revise_label(label, revision).pk == labels.revise_label(label, revision).pk


def test_a_revision_under_a_key_of_another_label_is_refused_and_changes_nothing(project, label, ada):
    used = make_submission([1, 1, -1])
    labels.submit_label(label, used)
    other = labels.submit_label(labels.claim_next_label(ada, project).label, make_submission())
    with pytest.raises(LabelNotOpen, match="already used for another label"):
        labels.revise_label(other, used)
    assert list(Label.objects.order_by("pk").values_list("status", flat=True)) == ["submitted", "submitted"]


def test_a_label_cannot_be_revised_after_the_window_or_once_the_round_is_closed(label, ada):
    labels.submit_label(label, make_submission())
    rounds.close_round(label.task.round, by=ada)
    with pytest.raises(ReviseTooLate):
        labels.revise_label(label, make_submission())
    label.task.round.__class__.objects.update(status="labeling")
    Label.objects.update(submitted_at=timezone.now() - timedelta(hours=25))
    with pytest.raises(ReviseTooLate):
        labels.revise_label(label, make_submission())


def test_a_refused_revision_names_every_reason_there_may_be_and_not_which_it_is(label, ada):
    labels.submit_label(label, make_submission())
    tasks, round_ = Task.objects.filter(pk=label.task_id), label.task.round

    def refused() -> str:
        with pytest.raises(ReviseTooLate) as found:
            labels.revise_label(label, make_submission())
        return found.value.detail

    tasks.update(settlement="ruled", settled_at=timezone.now(), verdict=2)
    settled = refused()
    tasks.update(settlement="", settled_at=None, verdict=None)
    rounds.close_round(round_, by=ada)
    closed = refused()
    type(round_).objects.update(status="labeling")
    Label.objects.update(submitted_at=timezone.now() - timedelta(hours=25))
    assert {settled, closed, refused()} == {settled}
    for reason in (
        "the time for revisions is over",
        "its round is closed",
        "its task is settled",
        "a next step was drawn",
    ):
        assert reason in settled


def test_the_guideline_version_in_force_is_stamped_on_the_label(project, ada):
    make_round(project)
    Guideline.objects.create(project=project, version=1, body="Old.")
    current = Guideline.objects.create(project=project, version=2, body="New.")
    assert labels.claim_next_label(ada, project).label.guideline == current


def test_active_time_is_never_more_than_the_labels_own_time(label):
    submission = make_submission(spans=[{"step": 0, "start": 0, "end": 10_000_000}])
    taken = labels.submit_label(label, submission)
    assert taken.active_ms <= 6_000


def test_the_labeler_and_the_admin_see_the_same_active_time(project, label, ada):
    Label.objects.update(claimed_at=timezone.now() - timedelta(minutes=5))
    label.refresh_from_db()
    spans = [{"step": 0, "start": 0, "end": 4000}, {"step": None, "start": 4000, "end": 5500}]
    labels.submit_label(label, make_submission(spans=spans))
    assert overview.labeler_stats(ada, project)["active_ms"] == 5500
    assert overview.project_overview(project)["labelers"][0]["active_ms"] == 5500
    assert overview.project_overview(project)["by_day"][0]["active_ms"] == 5500
    assert label.step_labels.get(step_index=0).active_ms == 4000


def test_comments_and_reports_are_kept_with_their_step(label):
    labels.submit_label(
        label,
        make_submission(
            comments=[{"step": 1, "text": "Why?"}],
            reports=[{"kind": "split_badly", "step": 2, "text": "Two steps in one."}],
        ),
    )
    assert label.comments.get().text == "Why?"
    assert label.reports.get().step_index == 2


def test_a_key_used_for_one_label_cannot_submit_another(project, ada, label):
    key = uuid4()
    labels.submit_label(label, make_submission(idempotency_key=key))
    following = labels.claim_next_label(ada, project).label
    with pytest.raises(LabelNotOpen):
        labels.submit_label(following, make_submission(idempotency_key=key))
    following.refresh_from_db()
    assert (following.status, StepLabel.objects.count()) == ("open", 3)


def _lose(label, labeler, how: str) -> None:
    if how == "released":
        labels.release_label(label, by=labeler)
    else:
        Label.objects.filter(pk=label.pk).update(leased_until=timezone.now() - timedelta(seconds=1))
        labels.expire_overdue_labels()
    label.refresh_from_db()
