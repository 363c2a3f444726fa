"""A finished label audit is undone completely: its rulings are withdrawn, and everything else is as before."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from labeling.actions import labels, rounds
from labeling.actions.problem_withdrawals import mark_bad_problem, restore_problem
from labeling.models import AuditEvent, Export, Label, LabelAuditItem, ReviewDecision, StepLabel, Task
from labeling.queries.exports import unpacked_ids
from labeling.queries.label_audits import count_labels
from labeling.tests.accounts import Browser
from labeling.tests.exports.labeled import exported
from labeling.tests.factories import make_member, make_submission
from labeling.tests.settling.disagreeing import RIGHT, WRONG_AT_1, WRONG_AT_2, say
from labeling.tests.settling.label_audits import labeled, made, reviewed

pytestmark = pytest.mark.django_db
FIXED = {"overlap": 2}
ADAPTS = {"overlap": 2, "overlap_most": 3, "overlap_needed": 2}
SAID = (WRONG_AT_1, WRONG_AT_1, RIGHT)


def audited(said=SAID, **asked):
    """A label audit in which a researcher finds every trace right, ready to be finished; with their browser."""
    project, round_, prm, found = labeled(*said, **asked)
    opened = made(project, prm)
    browser = Browser(make_member(project, "researcher", display_name="Rita"))
    assert reviewed(browser, opened, lambda item: RIGHT) == len(found)
    return project, round_, prm, found, opened, browser


def end(browser, label_audit, how):
    """Finish or undo it."""
    return browser.call("POST", f"/api/label_audits/{label_audit.pk}/{how}")


def all_rows():
    """Return every task, label, rating and decision."""
    rulings = Label.objects.filter(status__in=("ruling", "superseded"), opened_at=None)
    return [
        list(Task.objects.order_by("pk").values()),
        list(Label.objects.exclude(pk__in=rulings).order_by("pk").values()),
        list(StepLabel.objects.exclude(label__in=rulings).order_by("pk").values()),
        list(ReviewDecision.objects.order_by("task", "kind").values("task", "kind", "outcome", "reason", "by", "at")),
    ]


@pytest.mark.parametrize("overlap", [{}, FIXED, ADAPTS])
@pytest.mark.parametrize("closed", [False, True])
def test_every_task_is_again_what_it_was_and_reviews_and_report_can_still_be_read(overlap, closed):
    project, round_, prm, found, opened, browser = audited(**overlap)
    if overlap:  # a second opinion on the first two: one disputes, one agrees
        ben = make_member(project)
        for _ in found[:2]:
            label = labels.claim_next_label(ben, project).label
            labels.submit_label(label, make_submission(RIGHT if label.task_id == found[0].task_id else WRONG_AT_1))
        about = {"kinds": ["disagreement"], "reason": "Either will do."}
        browser.call("POST", f"/api/tasks/{found[0].task_id}/dismiss", about)
    if closed:
        rounds.close_round(round_, by=None)
    before, candidates = all_rows(), count_labels(project, prm)["labels"]
    report = end(browser, opened, "finish")["report"]
    assert report["rulings"] >= 1
    assert all_rows() != before
    undone = end(browser, opened, "undo")
    assert all_rows() == before
    assert (undone["status"], undone["undone_by"]["display_name"]) == ("undone", "Rita")
    assert undone["report"] == {**report, "withdrawn": report["rulings"]}
    lines = browser.send("GET", f"/api/label_audits/{opened.pk}/report.csv").content.decode().splitlines()
    assert len(lines) == 1 + len(found)
    assert LabelAuditItem.objects.filter(label_audit=opened, reviewed_at__isnull=False).count() == len(found)
    assert count_labels(project, prm) | {"labels": candidates, "reviewed": 0} == count_labels(project, prm)
    last = AuditEvent.objects.filter(project=project).latest("pk")
    assert (last.action, last.detail["withdrawn"]) == ("label_audit.undone", report["rulings"])


def test_what_a_reviewer_did_since_stays():
    project, _, _, (again, dismissed, _), opened, browser = audited(overlap=2)
    end(browser, opened, "finish")
    ruling = {"ratings": WRONG_AT_2, "finish_reason": "found_error"}
    browser.call("POST", f"/api/tasks/{again.task_id}/settle", ruling)
    later = {"kinds": ["disagreement"], "reason": "Looked at again."}
    browser.call("POST", f"/api/tasks/{dismissed.task_id}/dismiss", later)
    report = end(browser, opened, "undo")["report"]
    assert (report["rulings"], report["withdrawn"]) == (2, 1)
    assert Task.objects.values_list("settlement", "verdict").get(pk=again.task_id) == ("ruled", 2)
    assert Task.objects.get(pk=dismissed.task_id).settlement == ""
    decisions = ReviewDecision.objects.filter(task=dismissed.task_id)
    assert list(decisions.values_list("kind", "outcome")) == [("disagreement", "dismissed")]


@pytest.mark.parametrize("overlap", [FIXED, ADAPTS])
def test_a_place_that_was_lost_while_the_ruling_stood_is_asked_for_again(overlap):
    project, _, _, _, opened, browser = audited([WRONG_AT_1, WRONG_AT_1], **overlap)
    wrong = held = labels.claim_next_label(make_member(project), project).label
    end(browser, opened, "finish")
    Label.objects.filter(pk=held.pk).update(leased_until=timezone.now() - timedelta(seconds=1))
    labels.expire_overdue_labels()
    assert Task.objects.get(pk=wrong.task_id).labels_wanted == 0
    end(browser, opened, "undo")
    assert Task.objects.get(pk=wrong.task_id).labels_wanted == 1
    assert say(make_member(project), project, RIGHT).task_id == wrong.task_id
    # With adaptive overlap, the two differ, so a third is asked.
    assert Task.objects.get(pk=wrong.task_id).labels_wanted == int(overlap == ADAPTS)


def test_its_labels_are_reviewed_no_more_and_need_a_look_again():
    project, _, _, (wrong, *_), opened, browser = audited(overlap=2)
    say(make_member(project), project, RIGHT)  # of the first task: they differ
    listed = f"/api/projects/{project.slug}/labels"

    def reviewed_labels():
        facets = browser.call("GET", f"{listed}/facets")["facets"]
        [counts] = [one["values"] for one in facets if one["name"] == "reviewed"]
        looks = browser.call("GET", f"{listed}?reviewed=no&why=disputed")["results"]
        return {one["value"]: one["labels"] for one in counts}, sorted(row["id"] for row in looks)

    before = reviewed_labels()
    assert (before[0], wrong.pk in before[1]) == ({"no": 4}, True)
    end(browser, opened, "finish")
    assert wrong.pk not in reviewed_labels()[1]
    end(browser, opened, "undo")
    assert reviewed_labels() == before


def test_a_task_of_a_problem_that_turned_out_bad_stays_off_the_queue_and_keeps_its_places():
    project, _, _, (wrong, *_), opened, browser = audited(overlap=2)
    end(browser, opened, "finish")
    admin = make_member(project, "admin")
    mark_bad_problem(Task.objects.get(pk=wrong.task_id), by=admin, reason="No figure.")
    end(browser, opened, "undo")
    assert Task.objects.values_list("labels_wanted", "withdrawn").get(pk=wrong.task_id) == (0, 1)
    restore_problem(Task.objects.get(pk=wrong.task_id), by=admin)
    assert Task.objects.get(pk=wrong.task_id).labels_wanted == 1


@pytest.mark.django_db(transaction=True)  # an export reads ahead on a separate connection
def test_an_export_that_has_the_rulings_keeps_them_and_the_next_one_has_the_labels():
    project, _, _, _, opened, browser = audited([WRONG_AT_1, RIGHT])
    switches = {"aggregate": "adjudicated"}
    end(browser, opened, "finish")
    with_ruling, export = exported(project, "neutral", switches=switches)
    end(browser, opened, "undo")
    with_labels, _ = exported(project, "neutral", switches=switches)
    assert [sorted(row["first_error"] for row in rows) for rows in (with_ruling, with_labels)] == [[-1, -1], [-1, 1]]
    assert Label.objects.get(status="superseded").pk in unpacked_ids(Export.objects.get(pk=export.pk).label_ids)


def test_only_a_finished_label_audit_can_be_undone_and_only_once():
    _, _, _, _, opened, browser = audited()
    refused = [browser.call("POST", f"/api/label_audits/{opened.pk}/undo", status=409)]
    end(browser, opened, "finish")
    end(browser, opened, "undo")
    refused += [browser.call("POST", f"/api/label_audits/{opened.pk}/{how}", status=409) for how in ("undo", "finish")]
    assert {answer["code"] for answer in refused} == {"label_audit_not_in_status"}
    assert "this one is open" in json.dumps(refused[0])
