"""Two reviewers have one task open: neither silently replaces the other's ruling, and a ruling can be withdrawn."""

import pytest

from labeling.actions import labels, rounds
from labeling.models import AuditEvent, Label, ReviewDecision, StepLabel, Task
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round, make_submission
from labeling.tests.settling.disagreeing import RIGHT, WRONG_AT_1, WRONG_AT_2, say, the_task

pytestmark = pytest.mark.django_db
STEP_3 = {"ratings": WRONG_AT_2, "finish_reason": "found_error", "note": "The unit is lost."}
STEP_2 = {"ratings": WRONG_AT_1, "finish_reason": "found_error", "note": "It does not follow."}


def two_reviewers(**settings):
    """A task whose two labels differ, and the browsers of Olga and Rita, who review it."""
    project = make_project()
    round_ = make_round(project, **{"overlap": 2, **settings})
    for ratings in (RIGHT, WRONG_AT_1):
        say(make_member(project), project, ratings)
    names = ("Olga", "Rita")
    return round_, *(Browser(make_member(project, "researcher", display_name=name)) for name in names)


def act(browser, task, what, body, status=200):
    """Do something to the task under review."""
    return browser.call("POST", f"/api/tasks/{task.pk}/{what}", body, status=status)


def standing(shown):
    """Return the id of the ruling shown to a reviewer as the current one; None if there is none."""
    return next((label["id"] for label in shown["task"]["labels"] if label["status"] == "ruling"), None)


def rulings(shown):
    """Return who ruled what and why, and whether it is in force, in order."""
    told = [label for label in shown["task"]["labels"] if label["ruling"]]
    return [(one["labeler"]["display_name"], one["verdict"], one["note"], one["status"]) for one in told]


def rows():
    """Return everything that a ruling may change, and everything that it may not, except rulings themselves."""
    by_labelers = Label.objects.exclude(opened_at=None)
    return [
        list(Task.objects.order_by("pk").values()),
        list(by_labelers.order_by("pk").values()),
        list(StepLabel.objects.filter(label__in=by_labelers).order_by("pk").values()),
        list(ReviewDecision.objects.order_by("task", "kind").values("task", "kind", "outcome", "reason", "by", "at")),
    ]


def test_who_settles_what_somebody_settled_meanwhile_is_told_and_nothing_is_written():
    round_, olga, rita = two_reviewers()
    task = the_task(round_)
    hers = standing(act(olga, task, "settle", {**STEP_3, "seen_ruling": None}))
    before, events = rows(), AuditEvent.objects.count()
    refused = act(rita, task, "settle", {**STEP_2, "seen_ruling": None}, status=409)
    assert (refused["code"], refused["ruling"]) == ("ruling_changed", hers)
    assert "Olga settled this task (" in refused["detail"]
    assert "UTC): first error in step 3." in refused["detail"]
    assert (rows(), AuditEvent.objects.count()) == (before, events)
    shown = rita.call("GET", f"/api/tasks/{task.pk}/review")
    assert rulings(shown) == [("Olga", 2, "The unit is lost.", "ruling")]

    again = act(rita, task, "settle", {**STEP_2, "seen_ruling": hers})
    assert (again["verdict"], again["waiting"]) == (1, [])
    assert rulings(again) == [
        ("Olga", 2, "The unit is lost.", "superseded"),
        ("Rita", 1, "It does not follow.", "ruling"),
    ]


def test_an_earlier_ruling_of_ones_own_can_still_be_read_and_a_labelers_earlier_version_is_none():
    round_, olga, _ = two_reviewers()
    task = the_task(round_)
    labels.revise_label(Label.objects.get(verdict=1), make_submission(WRONG_AT_2))
    first = act(olga, task, "settle", STEP_3)
    shown = act(olga, task, "settle", {**STEP_2, "seen_ruling": standing(first)})
    assert [(verdict, note) for _, verdict, note, _ in rulings(shown)] == [
        (2, "The unit is lost."),
        (1, "It does not follow."),
    ]


def test_a_program_that_does_not_say_what_it_saw_settles_as_it_always_did():
    round_, olga, rita = two_reviewers()
    task = the_task(round_)
    act(olga, task, "settle", STEP_3)
    assert act(rita, task, "settle", STEP_2)["verdict"] == 1


def test_a_ruling_that_was_withdrawn_meanwhile_is_not_settled_again_unknowingly():
    round_, olga, rita = two_reviewers()
    task = the_task(round_)
    seen = standing(act(olga, task, "settle", STEP_3))
    act(olga, task, "withdraw_ruling", {"ruling": seen})
    refused = act(rita, task, "settle", {**STEP_2, "seen_ruling": seen}, status=409)
    assert (refused["code"], refused["ruling"]) == ("ruling_changed", None)
    assert "was withdrawn in the meantime" in refused["detail"]


@pytest.mark.parametrize("overlap", [{}, {"overlap_most": 2, "overlap_needed": 2}, {"overlap": 3}])
def test_a_task_whose_ruling_is_withdrawn_is_what_it_was_also_where_it_was_settled_twice(overlap):
    round_, olga, rita = two_reviewers(**overlap)
    task = the_task(round_)
    act(olga, task, "dismiss", {"kinds": ["disagreement"], "reason": "Either will do."})
    waiting = rita.call("GET", f"/api/tasks/{task.pk}/review")["waiting"]
    before = rows()
    first = standing(act(olga, task, "settle", STEP_3))
    second = standing(act(rita, task, "settle", {**STEP_2, "seen_ruling": first}))
    refused = act(olga, task, "withdraw_ruling", {"ruling": first}, status=409)
    assert (refused["code"], "Rita settled this task" in refused["detail"]) == ("ruling_changed", True)
    shown = act(olga, task, "withdraw_ruling", {"ruling": second})
    assert (shown["waiting"], shown["settlement"]) == (waiting, "no_consensus" if "overlap_most" in overlap else "")
    assert rows() == before
    assert [(name, status) for name, *_, status in rulings(shown)] == [("Olga", "superseded"), ("Rita", "superseded")]
    last = AuditEvent.objects.latest("pk")
    assert (last.action, last.target, last.actor.display_name) == ("review.withdraw", f"task {task.pk}", "Olga")


def test_a_task_whose_labels_differ_waits_again_when_its_ruling_is_withdrawn():
    round_, olga, _ = two_reviewers()
    task = the_task(round_)
    ruled = act(olga, task, "settle", STEP_3)
    assert ruled["waiting"] == []
    assert act(olga, task, "withdraw_ruling", {"ruling": standing(ruled)})["waiting"] == ["disagreement"]


def test_a_ruling_of_an_earlier_version_is_withdrawn_by_what_the_round_says():
    round_, olga, _ = two_reviewers(overlap=3)
    task = the_task(round_)
    before = rows()
    ruled = act(olga, task, "settle", STEP_3)
    Label.objects.filter(status="ruling").update(before_ruling=None)  # it was kept of label audits alone
    shown = act(olga, task, "withdraw_ruling", {"ruling": standing(ruled)})
    assert (rows(), shown["settlement"]) == (before, "")


def test_a_closed_rounds_rulings_stay():
    round_, olga, _ = two_reviewers()
    task = the_task(round_)
    ruled = act(olga, task, "settle", STEP_3)
    rounds.close_round(round_, by=None)
    refused = act(olga, task, "withdraw_ruling", {"ruling": standing(ruled)}, status=409)
    assert refused["code"] == "round_not_in_status"
    assert the_task(round_).settlement == "ruled"


def test_a_label_that_was_submitted_before_the_server_heard_of_its_opening_is_no_ruling_when_it_is_revised():
    project = make_project()
    round_ = make_round(project, traces=2)
    ada = make_member(project)
    ahead = labels.claim_next_label(ada, project, prefetch=True).next  # then the network fails
    sent = labels.submit_label(Label.objects.get(pk=ahead.pk), make_submission(RIGHT))
    labels.revise_label(sent, make_submission(WRONG_AT_1))
    assert sent.opened_at is None
    olga = Browser(make_member(round_.project, "researcher"))
    shown = olga.call("GET", f"/api/tasks/{sent.task_id}/review")
    assert {label["status"]: label["ruling"] for label in shown["task"]["labels"]} == {
        "superseded": False,
        "submitted": False,
    }
