"""Labelers of one trace learn nothing about each other before it is settled, at any address; then they may compare."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from labeling.models import Task
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member
from labeling.tests.security.world import operations
from labeling.tests.settling.disagreeing import RIGHT, WRONG_AT_1, adaptive_round, say, the_task

pytestmark = pytest.mark.django_db
SECRET = "A sign was lost, says the other one."


def shape_of(value):
    """Return the keys and types of a JSON value, without its values."""
    if isinstance(value, dict):
        return {key: shape_of(part) for key, part in value.items()}
    return [shape_of(value[0])] if isinstance(value, list) and value else type(value).__name__


def test_a_trace_that_is_asked_about_again_looks_like_any_other_to_the_third_labeler():
    round_, (ada, ben, cem, dora, *_) = adaptive_round(traces=2)
    claim = f"/api/projects/{round_.project.slug}/labels/claim"
    first = Browser(ada).call("POST", claim, {})["label"]
    say(ada, round_.project, RIGHT)
    say(ben, round_.project, WRONG_AT_1)
    Task.objects.exclude(labels=first["id"]).update(labels_wanted=0)
    asked_again = Browser(cem).call("POST", claim, {})["label"]
    assert asked_again["problem"] == first["problem"]
    assert shape_of(asked_again) == shape_of(first)
    Task.objects.exclude(labels=first["id"]).update(labels_wanted=1)
    assert shape_of(Browser(dora).call("POST", claim, {})["label"]) == shape_of(first)


def test_whether_others_agree_changes_nothing_that_a_labeler_is_shown():
    answers = []
    for other in (RIGHT, WRONG_AT_1):
        round_, (ada, ben, *_) = adaptive_round(overlap=2, most=4, needed=3)
        slug = round_.project.slug
        mine = say(ada, round_.project, RIGHT)
        say(ben, round_.project, other, mistake={"progress": "some", "explanation": SECRET})
        if other == RIGHT:  # they agree: labelers may then learn only that it is settled
            Task.objects.filter(round=round_).update(settlement="", settled_at=None, verdict=None)
        browser = Browser(ada)
        pages = {
            "label": browser.call("GET", f"/api/labels/{mine.pk}"),
            "history": browser.call("GET", f"/api/projects/{slug}/my_labels")["results"],
            "stats": browser.call("GET", f"/api/projects/{slug}/my_stats"),
            "project": browser.call("GET", f"/api/projects/{slug}")["counts"],
        }
        answers.append(pages)
        assert SECRET not in json.dumps(pages)
    agreeing, differing = answers
    assert shape_of(agreeing) == shape_of(differing)
    assert agreeing["project"] == differing["project"], "nor by how many labels are wanted"
    assert agreeing["stats"]["round"]["done"] == differing["stats"]["round"]["done"] == 2
    assert agreeing["stats"]["round"]["total"] == differing["stats"]["round"]["total"] == 2


def test_no_address_shows_a_labeler_what_another_one_said_before_it_is_settled():
    round_, (ada, ben, *_) = adaptive_round(overlap=2, most=4, needed=3)
    mine = say(ada, round_.project, RIGHT)
    theirs = say(ben, round_.project, WRONG_AT_1, mistake={"progress": "some", "explanation": SECRET})
    task = the_task(round_)
    browser = Browser(ada)
    known = {"slug": round_.project.slug, "round_id": round_.pk, "task_id": task.pk, "trace_id": task.trace_id}
    reached = 0
    for label in (mine, theirs):
        for operation in operations():
            if operation.method != "GET":
                continue
            path = "/api/" + operation.route
            for name, value in {**known, "label_id": label.pk}.items():
                path = path.replace(f"<int:{name}>", str(value)).replace(f"<slug:{name}>", str(value))
            if "<" in path:
                continue
            answer = browser.send("GET", path)
            reached += answer.status_code == 200
            assert SECRET.encode() not in answer.content, operation.key
    assert reached > 10


def test_before_it_is_settled_comparing_is_refused_and_another_labelers_label_is_not_found():
    round_, (ada, ben, *_) = adaptive_round()
    mine, theirs = say(ada, round_.project, RIGHT), say(ben, round_.project, WRONG_AT_1)
    browser = Browser(ada)
    assert browser.call("GET", f"/api/labels/{mine.pk}/comparison", status=409)["code"] == "not_settled"
    browser.call("GET", f"/api/labels/{theirs.pk}/comparison", status=404)


def test_once_settled_the_labelers_of_a_trace_see_its_labels_and_not_whose_they_are():
    round_, (ada, ben, cem, *_) = adaptive_round()
    mine = say(ada, round_.project, RIGHT)
    say(ben, round_.project, WRONG_AT_1, mistake={"progress": "some", "explanation": SECRET})
    say(cem, round_.project, RIGHT)
    browser = Browser(ada)
    browser.call("GET", f"/api/labels/{mine.pk}/comparison", status=409)  # the last one may still take it back
    Task.objects.update(settled_at=timezone.now() - timedelta(seconds=61))
    shown = browser.call("GET", f"/api/labels/{mine.pk}/comparison")
    assert (shown["settlement"], shown["verdict"]) == ("agreed", -1)
    assert [(label["mine"], label["verdict"]) for label in shown["labels"]] == [
        (True, -1),
        (False, 1),
        (False, -1),
    ]
    assert SECRET in json.dumps(shown)
    for person in (ben, cem):
        assert person.username not in json.dumps(shown)
    history = browser.call("GET", f"/api/projects/{round_.project.slug}/my_labels")["results"]
    assert [(label["can_compare"], label["can_revise_until"]) for label in history] == [(True, None)]
    outsider = make_member(round_.project)
    Browser(outsider).call("GET", f"/api/labels/{mine.pk}/comparison", status=404)
