"""A reviewer settles what labelers could not, answers them one by one, and takes bad problems off the queue."""

from datetime import timedelta

import pytest
from django.utils import timezone

from labeling.actions import gradings, labels, rounds
from labeling.actions.exports import create_export, file_path, run_export
from labeling.actions.gold import make_gold
from labeling.actions.label_changes import change_labels, undo_label_change
from labeling.grading import Grade
from labeling.grading.grader import grade
from labeling.models import AuditEvent, Gold, Label, Problem, ReviewDecision, StepLabel, StepReply, Task, Trace
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

pytestmark = pytest.mark.django_db


def disputed(**settings):
    """A round with one task that two labelers could not settle, its labelers, and a reviewer's browser."""
    round_, people = adaptive_round(overlap=2, most=2, needed=2, **settings)
    for person, ratings in zip(people, (RIGHT, WRONG_AT_1), strict=False):
        say(person, round_.project, ratings)
    return round_, people, Browser(make_member(round_.project, "researcher"))


def kinds(browser, round_) -> dict[str, int]:
    """Return how many tasks wait, by kind, without kinds that have none."""
    counts = browser.call("GET", f"/api/projects/{round_.project.slug}/reviews/counts")["kinds"]
    return {kind: n for kind, n in counts.items() if n}


RULING = {"ratings": [1, 0, -1], "finish_reason": "found_error", "note": "The unit is lost."}


def test_a_ruling_settles_the_task_and_leaves_every_label_as_it_was():
    round_, (ada, *_), reviewer = disputed()
    task = the_task(round_)
    before = list(Label.objects.order_by("pk").values())
    step_labels = list(StepLabel.objects.order_by("pk").values())
    assert kinds(reviewer, round_) == {"no_consensus": 1}
    shown = reviewer.call("POST", f"/api/tasks/{task.pk}/settle", RULING)
    assert (shown["settlement"], shown["verdict"], shown["waiting"]) == ("ruled", 2, [])
    assert kinds(reviewer, round_) == {}
    assert list(Label.objects.exclude(status="ruling").order_by("pk").values()) == before
    assert list(StepLabel.objects.exclude(label__status="ruling").order_by("pk").values()) == step_labels
    mine = Label.objects.get(labeler=ada)
    compared = Browser(ada).call("GET", f"/api/labels/{mine.pk}/comparison")["labels"]
    assert [(label["mine"], label["ruling"], label["verdict"]) for label in compared] == [
        (True, False, -1),
        (False, False, 1),
        (False, True, 2),
    ]
    again = {"ratings": RIGHT, "finish_reason": "solution"}
    assert reviewer.call("POST", f"/api/tasks/{task.pk}/settle", again)["verdict"] == -1
    assert Label.objects.filter(status="ruling").count() == 1


@pytest.mark.parametrize(
    ("ruling", "code"),
    [
        ({"ratings": [1, 1], "finish_reason": "solution"}, "submission_mismatch"),
        ({"ratings": [1, None, 1], "finish_reason": "solution"}, "submission_incomplete"),
        ({"ratings": [1, -1, None], "finish_reason": "solution"}, "submission_incomplete"),
        ({"ratings": [None] * 3, "finish_reason": "bad_problem"}, "submission_incomplete"),
    ],
)
def test_a_ruling_that_says_too_little_is_refused(ruling, code):
    round_, _, reviewer = disputed()
    path = f"/api/tasks/{the_task(round_).pk}/settle"
    assert reviewer.call("POST", path, ruling, status=422)["code"] == code
    assert state_of(round_) == ("no_consensus", None, 0)


def test_a_closed_round_is_not_settled_any_more():
    round_, _, reviewer = disputed()
    rounds.close_round(round_, by=None)
    path = f"/api/tasks/{the_task(round_).pk}/settle"
    assert reviewer.call("POST", path, RULING, status=409)["code"] == "round_not_in_status"


@pytest.mark.django_db(transaction=True)  # an export reads ahead on a separate connection
def test_an_export_of_adjudicated_labels_has_one_label_a_task_and_none_of_what_nobody_settled():
    project = make_project()
    round_ = make_round(project, traces=4, overlap=2, overlap_most=2, overlap_needed=2)
    ada, ben = make_member(project), make_member(project)
    for person, said in ((ada, (RIGHT, WRONG_AT_1, RIGHT, RIGHT)), (ben, (RIGHT, WRONG_AT_2, WRONG_AT_1, RIGHT))):
        for ratings in said:
            say(person, project, ratings)
    tasks = list(Task.objects.filter(round=round_).order_by("order_key"))
    reviewer = Browser(make_member(project, "admin"))
    reviewer.call("POST", f"/api/tasks/{tasks[1].pk}/settle", RULING)

    def exported(aggregate: str) -> tuple[list[str], dict[str, int]]:
        export = create_export(project, by=None, format="neutral", switches={"aggregate": aggregate}, wake=False)
        run_export(export.pk)
        left_out = reviewer.call("GET", f"/api/exports/{export.pk}")["left_out"]
        return file_path(export).read_text().splitlines(), left_out

    everything, nothing = exported("each")
    assert (len(everything), nothing) == (8, {})
    adjudicated, left_out = exported("adjudicated")
    # For the second task, a ruling takes the place of both labels.
    assert left_out == {"one_a_task": 4, "unsettled": 2}
    # The first and the last task are agreed, the second is ruled, and the third waits for a reviewer.
    assert len(adjudicated) == 3
    assert sum('"label":2' in row or '"first_error":2' in row for row in adjudicated) == 1


def test_what_labelers_report_waits_until_it_is_dismissed_and_waits_again_when_it_comes_up_anew():
    project = make_project()
    round_ = make_round(project, traces=1, overlap=2)
    ada, ben = make_member(project), make_member(project)
    reviewer = Browser(make_member(project, "researcher"))
    comment = {"comments": [{"step": 1, "text": "Where does this come from?"}]}
    say(ada, project, RIGHT, **comment, reports=[{"kind": "split_badly", "step": 0, "text": "Two steps."}])
    assert kinds(reviewer, round_) == {"comment": 1, "split_badly": 1}
    task = the_task(round_)
    listed = reviewer.call("GET", f"/api/projects/{project.slug}/reviews?kind=comment")["results"]
    assert [(one["id"], one["kinds"]) for one in listed] == [(task.pk, ["comment", "split_badly"])]
    body = {"kinds": ["comment"], "reason": "It stands in the problem."}
    assert reviewer.call("POST", f"/api/tasks/{task.pk}/dismiss", body)["waiting"] == ["split_badly"]
    assert reviewer.call("GET", f"/api/projects/{project.slug}/reviews?kind=comment")["results"] == []
    say(ben, project, WRONG_AT_1, **comment)
    assert kinds(reviewer, round_) == {"comment": 1, "split_badly": 1, "disagreement": 1}


def test_the_queue_takes_as_many_queries_for_two_tasks_as_for_twenty(django_assert_num_queries):
    project = make_project()
    make_round(project, traces=20)
    ada = make_member(project)
    reviewer = Browser(make_member(project, "researcher"))
    for place in range(20):
        say(ada, project, RIGHT, comments=[{"step": 0, "text": f"Comment {place}"}])
    for limit in (2, 20):
        with django_assert_num_queries(4):  # person, project with role, page, reasons of its tasks
            page = reviewer.call("GET", f"/api/projects/{project.slug}/reviews?limit={limit}")
        assert len(page["results"]) == limit


def test_a_thread_is_seen_by_its_labeler_and_by_reviewers_and_survives_a_revision():
    round_, (ada, ben, *_), reviewer = disputed()
    task = the_task(round_)
    mine = Label.objects.get(labeler=ada)
    body = {"labeler_id": ada.pk, "step": 1, "text": "Look at the sign."}
    reviewer.call("POST", f"/api/tasks/{task.pk}/replies", body, status=201)
    Browser(ada).call("POST", f"/api/labels/{mine.pk}/replies", {"step": 1, "text": "I see it now."}, status=201)
    labels.revise_label(mine, make_submission(WRONG_AT_1))
    path = f"/api/projects/{round_.project.slug}/my_replies"
    seen = Browser(ada).call("GET", path)["results"]
    assert [(one["mine"], one["text"]) for one in seen] == [(True, "I see it now."), (False, "Look at the sign.")]
    assert Browser(ben).call("GET", path)["results"] == []
    assert [one["text"] for one in reviewer.call("GET", f"/api/tasks/{task.pk}/review")["replies"]] == [
        "Look at the sign.",
        "I see it now.",
    ]


def test_a_bad_problem_leaves_the_queue_with_its_tasks_loses_no_open_label_and_comes_back():
    project = make_project()
    round_ = make_round(project, traces=3, overlap=2)
    ada, ben = make_member(project), make_member(project)
    reviewer = Browser(make_member(project, "researcher"))
    claim = labels.claim_next_label(ada, project, prefetch=True)
    first, ahead = claim.label.task, claim.next.task
    for task in (first, ahead):
        reviewer.call("POST", f"/api/tasks/{task.pk}/bad_problem", {"reason": "No figure."})
        again = reviewer.call("POST", f"/api/tasks/{task.pk}/bad_problem", {"reason": "No figure."}, status=409)
        assert again["code"] == "problem_not_in_status"
    other = labels.claim_next_label(ben, project).label
    assert other.task_id not in (first.pk, ahead.pk)
    labels.release_label(other, by=ben)
    assert not labels.submit_label(claim.label, make_submission()).surplus
    left = dict(Task.objects.filter(round=round_).values_list("pk", "withdrawn"))
    assert (left[first.pk], left[ahead.pk]) == (1, 2)
    for task in (first, ahead):
        reviewer.call("POST", f"/api/tasks/{task.pk}/restore_problem")
    assert dict(Task.objects.filter(round=round_).values_list("pk", "labels_wanted")) == {
        first.pk: 1,
        ahead.pk: 2,
        other.task_id: 2,
    }
    assert labels.claim_next_label(ada, project).label.pk == claim.next.pk  # its lost label comes back to it


def test_gold_on_a_bad_problem_is_retired_and_no_answer_to_it_counts():
    project = make_project()
    task = make_round(project).tasks.get()
    gold = make_gold(task.trace, acceptable=[1], by=None)
    kept = make_gold(make_traces(project)[0], acceptable=[1], by=None)
    Browser(make_member(project, "researcher")).call(
        "POST", f"/api/tasks/{task.pk}/bad_problem", {"reason": "No figure."}
    )
    states = dict(Gold.objects.values_list("pk", "status"))
    assert states == {gold.pk: Gold.Status.RETIRED, kept.pk: Gold.Status.ACTIVE}


def test_a_label_whose_lease_ends_gives_no_place_back_to_a_queue_its_task_has_left():
    project = make_project()
    round_ = make_round(project)
    ada = make_member(project)
    held = labels.claim_next_label(ada, project).label
    reviewer = Browser(make_member(project, "researcher"))
    reviewer.call("POST", f"/api/tasks/{held.task_id}/bad_problem", {"reason": "No figure."})
    Label.objects.filter(pk=held.pk).update(leased_until=timezone.now() - timedelta(seconds=1))
    labels.expire_overdue_labels()
    assert Task.objects.filter(round=round_).values_list("labels_wanted", "withdrawn").get() == (0, 1)
    reviewer.call("POST", f"/api/tasks/{held.task_id}/restore_problem")
    assert labels.claim_next_label(ada, project).label.pk == held.pk


def test_a_corrected_answer_grades_the_problems_traces_and_changes_nothing_before_it_is_applied():
    project = make_project()
    round_ = make_round(project, traces=2)
    task = Task.objects.filter(round=round_).first()
    reviewer = Browser(make_member(project, "researcher"))
    body = {"answer": "42", "reason": "A misprint."}
    job_id = reviewer.call("POST", f"/api/tasks/{task.pk}/correct_answer", body, status=201)["grading_id"]
    gradings.run_grading(job_id, lambda asked: (Grade("correct", "equal", "", q.truth or "") for q in asked))
    shown = reviewer.call("GET", f"/api/gradings/{job_id}/differences")["results"]
    assert [row["trace_id"] for row in shown] == [task.trace_id]
    assert set(Trace.objects.values_list("outcome", flat=True)) == {"ungraded"}
    reviewer.call("POST", f"/api/gradings/{job_id}/apply")
    gradings.run_grading(job_id, lambda asked: iter(()))
    assert Trace.objects.get(pk=task.trace_id).outcome == "correct"
    assert Trace.objects.exclude(pk=task.trace_id).get().outcome == "ungraded"
    assert ReviewDecision.objects.get().outcome == "corrected"


def test_an_answer_that_is_right_too_grades_anew_and_can_be_taken_back():
    project = make_project()
    round_ = make_round(project)
    task = round_.tasks.get()
    Problem.objects.update(answer="5")
    Trace.objects.update(final_answer="7")
    reviewer = Browser(make_member(project, "researcher"))
    path, body = f"/api/tasks/{task.pk}/accept_answer", {"answer": "7.0", "reason": "Both roots count."}

    def graded(body):
        job_id = reviewer.call("POST", path, body, status=201)["grading_id"]
        gradings.run_grading(job_id, lambda asked: (grade(question) for question in asked))
        found = reviewer.call("GET", f"/api/gradings/{job_id}/differences")["results"]
        assert Trace.objects.get().outcome == "ungraded", "nothing changes before it is applied"
        return [(row["outcome"], row["problem"]["accepted_answers"]) for row in found]

    assert graded(body) == [("correct", ["7.0"])]
    assert reviewer.call("GET", f"/api/tasks/{task.pk}/review")["task"]["trace"]["problem"]["accepted_answers"] == [
        "7.0"
    ]
    for known in (body, body | {"answer": "5"}):
        assert "already a right answer of the problem" in reviewer.call("POST", path, known, status=409)["detail"]
    assert ReviewDecision.objects.get().outcome == "accepted"
    assert graded(body | {"accepted": False}) == [("wrong", [])]
    assert "not one of the problem" in reviewer.call("POST", path, body | {"accepted": False}, status=409)["detail"]
    said = AuditEvent.objects.filter(action__in=("problem.accept_answer", "problem.refuse_answer")).order_by("pk")
    assert [event.action for event in said] == ["problem.accept_answer", "problem.refuse_answer"]
    assert said[0].detail == {"answer": "7.0", "reason": "Both roots count."}


def test_marking_a_problem_as_bad_answers_the_labelers_who_said_so():
    project = make_project()
    round_ = make_round(project)
    ada = make_member(project)
    labels.claim_next_label(ada, project)
    said = make_submission([None] * 3, finish_reason="bad_problem", finish_detail={"kind": "vague", "text": "Which x?"})
    labels.submit_label(Label.objects.get(labeler=ada), said)
    reviewer = Browser(make_member(project, "researcher"))
    waiting = f"/api/projects/{project.slug}/reviews?kind=bad_problem"
    [one] = reviewer.call("GET", waiting)["results"]
    task = round_.tasks.get()
    reviewer.call("POST", f"/api/tasks/{task.pk}/bad_problem", {"reason": "No figure."})
    assert reviewer.call("GET", waiting)["results"] == []
    decided = ReviewDecision.objects.get(task=task, kind="bad_problem")
    assert (decided.outcome, decided.reason) == ("bad_problem", "No figure.")
    again = reviewer.call("POST", f"/api/tasks/{task.pk}/bad_problem", {"reason": "No figure."}, status=409)
    assert "already marked as bad" in again["detail"]


def test_nobody_writes_about_a_step_that_is_not_there_or_to_somebody_without_a_label_on_the_trace():
    round_, (ada, *_, nobody), reviewer = disputed()
    path = f"/api/tasks/{the_task(round_).pk}/replies"
    beyond = {"labeler_id": ada.pk, "step": 3, "text": "Look at the sign."}
    refused = reviewer.call("POST", path, beyond, status=422)
    assert (refused["code"], "has 3 steps" in refused["detail"]) == ("submission_mismatch", True)
    refused = reviewer.call("POST", path, {**beyond, "labeler_id": nobody.pk, "step": 1}, status=422)
    assert (refused["code"], "no label on the trace" in refused["detail"]) == ("submission_mismatch", True)
    assert not StepReply.objects.exists()


def test_only_a_problem_that_is_marked_as_bad_comes_back():
    project = make_project()
    task = make_round(project).tasks.get()
    reviewer = Browser(make_member(project, "researcher"))
    refused = reviewer.call("POST", f"/api/tasks/{task.pk}/restore_problem", status=409)
    assert (refused["code"], refused["status"]) == ("problem_not_in_status", "active")
    assert not AuditEvent.objects.filter(action="problem.restore").exists()


def test_a_label_beyond_what_was_wanted_gives_a_bad_problem_no_place_it_did_not_have():
    """It continues after its place was taken, and is prefetched when its problem turns out bad."""
    project = make_project()
    make_round(project, traces=2)
    ada, ben = make_member(project), make_member(project)
    late = labels.claim_next_label(ada, project).label
    Label.objects.filter(pk=late.pk).update(leased_until=timezone.now() - timedelta(seconds=1))
    labels.expire_overdue_labels()
    labels.submit_label(labels.claim_next_label(ben, project).label, make_submission())
    other = labels.submit_label(labels.claim_next_label(ada, project).label, make_submission())
    assert labels.resume_label(late).surplus
    labels.reopen_label(other)
    late.refresh_from_db()
    assert (late.status, late.surplus) == ("prefetched", True)
    reviewer = Browser(make_member(project, "researcher"))
    reviewer.call("POST", f"/api/tasks/{late.task_id}/bad_problem", {"reason": "No figure."})
    late.refresh_from_db()
    assert late.status == "expired"
    reviewer.call("POST", f"/api/tasks/{late.task_id}/restore_problem")
    assert Task.objects.values_list("labels_wanted", "withdrawn").get(pk=late.task_id) == (0, None)


def test_a_label_that_was_left_out_disagrees_with_nobody():
    project = make_project()
    round_ = make_round(project, overlap=2)
    for ratings in (RIGHT, WRONG_AT_1):
        say(make_member(project), project, ratings)
    researcher = make_member(project, "researcher")
    reviewer = Browser(researcher)
    assert kinds(reviewer, round_) == {"disagreement": 1}
    change = change_labels(project, by=researcher, kind="exclude", ids=[Label.objects.get(verdict=1).pk])
    assert kinds(reviewer, round_) == {}
    undo_label_change(change, by=researcher)
    assert kinds(reviewer, round_) == {"disagreement": 1}


def test_in_a_closed_round_nothing_waits_that_nobody_can_settle_and_what_labelers_wrote_still_does():
    project = make_project()
    round_ = make_round(project, overlap=2)
    say(make_member(project), project, RIGHT)
    say(make_member(project), project, WRONG_AT_1, comments=[{"step": 0, "text": "Which sign?"}])
    reviewer = Browser(make_member(project, "researcher"))
    assert kinds(reviewer, round_) == {"disagreement": 1, "comment": 1}
    rounds.close_round(round_, by=None)
    assert kinds(reviewer, round_) == {"comment": 1}
    torn, _, another = disputed()
    assert kinds(another, torn) == {"no_consensus": 1}
    rounds.close_round(torn, by=None)
    assert kinds(another, torn) == {}
