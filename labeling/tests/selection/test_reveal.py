"""The PRM's scores are shown to a labeler only after they have given their own view, and this is recorded."""

import pytest

from labeling.actions import rounds
from labeling.actions.label_reveal import reveal_scores
from labeling.actions.labels import claim_next_label, reopen_label, revise_label, submit_label
from labeling.configs import TraceFilter
from labeling.errors import PermissionDenied
from labeling.models import AuditEvent, Label, Project, Score
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round, make_submission, open_round
from labeling.tests.selection.pools import PoolTrace, give_scores, make_pool, make_prm, ready_round

pytestmark = pytest.mark.django_db


def open_label(**settings) -> Label:
    """A labeler's open label on a trace of three steps that a PRM scored."""
    project, prm = make_project(**{"reveal_scores": True, **settings}), make_prm()
    make_pool(project, prm, [PoolTrace(0, steps=["One.", "Two.", "Three."])])
    rounds.publish_round(ready_round(project, prm), by=None)
    label = claim_next_label(make_member(project), project).label
    assert label is not None
    return label


def submitted_label(**settings) -> Label:
    return submit_label(open_label(**settings), make_submission([1, 1, 0]))


def test_after_submission_the_scores_are_shown_and_that_is_kept_once():
    label = submitted_label()
    browser = Browser(label.labeler)
    answer = browser.send("POST", f"/api/labels/{label.pk}/reveal")
    assert answer.status_code == 200
    (score,) = answer.json()["scores"]
    assert len(score["steps"]) == 3
    label.refresh_from_db()
    first = label.scores_revealed_at
    assert first is not None
    assert browser.send("POST", f"/api/labels/{label.pk}/reveal").json() == answer.json()
    label.refresh_from_db()
    assert label.scores_revealed_at == first
    assert AuditEvent.objects.filter(action="label.reveal_scores").count() == 1
    assert label.edited_after_reveal is False


def test_a_model_s_view_is_offered_of_the_traces_a_model_scored_and_no_other():
    label = submitted_label()
    project, browser = label.project, Browser(label.labeler)
    [unscored] = make_pool(project, None, [PoolTrace(0, steps=["Four.", "Five.", "Six."])])
    open_round(project, source="filter", filter=TraceFilter(ids=(unscored.pk,)))
    other = submit_label(claim_next_label(label.labeler, project).label, make_submission([1, 1, 0]))

    def offered() -> dict[int, bool]:
        rows = browser.call("GET", f"/api/projects/{project.slug}/my_labels")["results"]
        return {row["id"]: row["can_reveal"] for row in rows}

    assert offered() == {label.pk: True, other.pk: False}
    assert browser.call("POST", f"/api/labels/{other.pk}/reveal")["scores"] == []
    Score.objects.filter(trace=label.task.trace_id).update(steps=None, score=None, reason="Too long.")
    assert offered() == {label.pk: False, other.pk: False}, "that it gave no score says nothing of the trace"
    (left_out,) = browser.call("POST", f"/api/labels/{label.pk}/reveal")["scores"]
    assert left_out["reason"] == "Too long."
    assert set(Label.objects.values_list("scores_revealed_at", flat=True)) == {None}, "nothing was seen"
    Score.objects.update(steps=[0.5, 0.5, 0.5], score=-1.0)
    assert offered()[label.pk] is True
    Project.objects.update(reveal_scores=False)
    assert offered() == {label.pk: False, other.pk: False}


def test_before_submission_nothing_is_shown():
    label = open_label()
    answer = Browser(label.labeler).send("POST", f"/api/labels/{label.pk}/reveal")
    assert (answer.status_code, answer.json()["code"]) == (403, "permission_denied")
    label.refresh_from_db()
    assert label.scores_revealed_at is None


def test_a_project_that_does_not_allow_it_shows_nothing():
    label = submitted_label(reveal_scores=False)
    with pytest.raises(PermissionDenied):
        reveal_scores(label)


def test_a_revision_after_the_reveal_is_marked_and_one_before_is_not():
    label = submitted_label()
    before = revise_label(label, make_submission([1, 0, 0]))
    assert before.edited_after_reveal is False
    reveal_scores(before)
    after = revise_label(before, make_submission([1, -1, None]))
    once_more = revise_label(after, make_submission([1, 1, -1]))
    stored = dict(Label.objects.values_list("pk", "edited_after_reveal"))
    assert stored == {label.pk: False, before.pk: False, after.pk: True, once_more.pk: True}


def test_a_submission_taken_back_after_the_reveal_is_marked_when_it_is_sent_again():
    label = submitted_label()
    reveal_scores(label)
    again = submit_label(reopen_label(label), make_submission([1, -1, None]))
    assert Label.objects.get(pk=again.pk).edited_after_reveal is True


def test_researchers_see_the_mark():
    label = submitted_label()
    reveal_scores(label)
    revise_label(label, make_submission([1, -1, None]))
    browser = Browser(make_member(label.project, "researcher"))
    (task,) = browser.get(f"/api/traces/{label.task.trace_id}").json()["tasks"]
    assert [one["edited_after_reveal"] for one in task["labels"]] == [False, True]
    assert None not in [one["scores_revealed_at"] for one in task["labels"]]


def test_only_the_rounds_own_prm_speaks_where_it_has_one():
    label = submitted_label()
    trace = label.task.trace
    give_scores(make_prm(), [(trace, -3.0)])
    assert [score.scorer_id for score in reveal_scores(label)[0]] == [label.task.round.scorer_id]


def test_where_nothing_was_scored_nothing_is_marked():
    project = make_project(reveal_scores=True)
    make_round(project)
    label = submit_label(claim_next_label(make_member(project), project).label, make_submission())
    scores, checks, marks = reveal_scores(label)
    assert not scores
    assert checks == [[]] * len(checks)
    label.refresh_from_db()
    assert label.scores_revealed_at is None
