"""Screening over HTTP: who gets real work, when, and what they are told."""

import pytest
from django.db.models import F
from django.utils import timezone

from labeling.actions import exports
from labeling.actions.gold import retire_gold
from labeling.actions.labels import expire_overdue_labels
from labeling.actions.projects import change_project
from labeling.models import AuditEvent, Gold, Label, Membership, Notice, ScreeningAttempt
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round, make_user
from labeling.tests.gold.world import Labeler, make_gold_items

pytestmark = pytest.mark.django_db


def screening_project(tasks: int, **settings):
    project = make_project(screening=True, screening_tasks=tasks, gold_per_round=0, **settings)
    make_gold_items(project, tasks)
    make_round(project, 3)
    return project


@pytest.mark.parametrize(("right", "state"), [(23, "working"), (22, "retry")])
def test_23_of_30_are_admitted_and_22_are_not(right, state):
    ada = _labeler(screening_project(30))
    for place in range(30):
        assert ada.my_quality()["screening"]["done"] == place
        ada.answer(ada.claim(prefetch=place % 2 == 0)["label"], right=place >= 30 - right)
    told = ada.my_quality()
    assert (told["state"], told["screening"]["passed"], told["screening"]["needed"]) == (state, right, 23)
    claim = ada.claim()
    if state == "working":
        assert claim["label"]["round"]["number"] == 1, "real work"
    else:
        assert (claim["label"], claim["empty"]["code"]) == (None, "screening_failed")


def test_nobody_s_screening_begins_before_they_say_so():
    ada = _labeler(screening_project(2))
    claim = f"/api/projects/{ada.project.slug}/labels/claim"
    for _ in range(2):
        told = ada.call("POST", claim, {"prefetch": True, "begin_screening": False})
        assert (told["label"], told["empty"]["code"]) == (None, "screening_not_begun")
    assert (ScreeningAttempt.objects.count(), ada.my_quality()["screening"]["begun"]) == (0, False)
    assert ada.call("POST", claim, {})["label"] is not None, "other programs begin by claiming, as before"
    assert ada.my_quality()["screening"]["begun"]
    assert ada.call("POST", claim, {"begin_screening": False})["label"] is not None, "begun is begun"


def test_giving_up_fails_a_task_and_a_second_failure_ends_it_until_an_admin_allows_more():
    project = screening_project(2)
    ada, admin = _labeler(project), Browser(make_member(project, "admin"))
    notices = Notice.objects.filter(kind="screening").order_by("pk").values_list("person__username", "title")
    _attempt(ada, give_up=True)
    assert not notices.all(), "there is an attempt left"
    assert ada.call("POST", f"/api/projects/{project.slug}/screening/retry")["screening"]["attempt"] == 2
    ada.call("POST", f"/api/projects/{project.slug}/screening/retry", status=409)
    _attempt(ada, give_up=True)
    assert (ada.my_quality()["state"], ada.claim()["empty"]["code"]) == ("rejected", "screening_rejected")
    member = Membership.objects.get(project=project, user=ada.person)
    base = f"/api/projects/{project.slug}/members/{member.pk}"
    assert admin.call("POST", f"{base}/allow_attempt")["state"] == "retry"
    ada.call("POST", f"/api/projects/{project.slug}/screening/retry")
    assert ada.claim()["label"]["round"]["name"].startswith("Screening")
    assert admin.call("POST", f"{base}/admit")["state"] == "working"
    again = (ada.person.username, f"You can continue in {project.name}")
    [told, *to_ada] = notices.all()
    assert told[0] != ada.person.username
    assert told[1] == f"{ada.person.shown_name} did not pass the screening"
    assert to_ada == [again, again]
    done = set(AuditEvent.objects.values_list("action", flat=True))
    assert {"screening.fail", "screening.allow_attempt", "screening.admit_by_hand"} <= done
    assert ScreeningAttempt.objects.filter(labeler=ada.person).count() == 3


def test_feedback_comes_after_the_answer_only_where_it_is_on_and_an_answer_is_final():
    for feedback in (True, False):
        project = screening_project(2, screening_feedback=feedback)
        ada = _labeler(project)
        label = ada.claim()["label"]
        address = f"/api/labels/{label['id']}"
        ada.call("GET", f"{address}/feedback", status=404)
        ada.answer(label, right=False)
        assert ada.my_quality()["screening"]["results"] == ([False] if feedback else [])
        if feedback:
            ada.call("POST", f"{address}/feedback", {"text": "Step 1 is right. "})
            told = ada.call("GET", f"{address}/feedback")
            assert told["objection"] == "Step 1 is right."
            reader = Browser(make_member(project, "researcher"))
            item = reader.call("GET", f"/api/projects/{project.slug}/gold")["results"]
            assert [one["text"] for gold in item for one in gold["tally"]["objections"]] == ["Step 1 is right."]
            assert (told["ratings"], len(told["steps"])) == ([-1, None, None], 3)
            assert (told["passed"], told["verdict"], told["acceptable"]) == (False, 0, [1])
            assert told["explanation"] == "Lost a sign."
        else:
            ada.call("GET", f"{address}/feedback", status=404)
        assert ada.call("POST", f"{address}/reopen", status=409)["code"] == "reopen_too_late"
        assert ada.call("GET", address)["can_revise_until"] is None


def test_a_lost_lease_gives_the_same_screening_task_again():
    ada = _labeler(screening_project(3))
    label = ada.claim(prefetch=True)["label"]
    Label.objects.update(leased_until=F("claimed_at"))
    expire_overdue_labels()
    assert ada.claim()["label"]["id"] == label["id"]


def test_too_little_gold_says_so_and_screening_spares_whoever_worked_before_it():
    project = make_project(gold_per_round=0)
    make_round(project, 3)
    old, new = _labeler(project), _labeler(project)
    old.answer(old.claim()["label"], right=True)
    admin = make_member(project, "admin")
    change_project(admin, project, {"screening": True, "screening_tasks": 5})
    assert new.claim()["empty"]["code"] == "screening_not_ready"
    assert "5 gold tasks" in new.claim()["empty"]["detail"]
    assert old.claim()["label"] is not None
    assert Labeler(project, admin).claim()["label"] is not None, "who answers for the data is not screened"


@pytest.mark.django_db(transaction=True)
def test_screening_is_exported_as_generation_minus_one():
    project = screening_project(1)
    ada = _labeler(project)
    ada.answer(ada.claim()["label"], right=True)
    export = exports.run_export(exports.create_export(project, by=None, format="prm800k", wake=False).pk)
    [row] = exports.file_path(export).read_text().splitlines()
    assert '"generation":-1' in row
    assert '"is_initial_screening_question":true' in row


def test_answers_of_a_screening_count_for_admission_and_are_in_no_figure_of_labels():
    project = screening_project(3)
    make_round(project, 2)
    ada, researcher = _labeler(project), Browser(make_member(project, "researcher"))
    _attempt(ada, give_up=False, most=3)
    Label.objects.filter(labeler=ada.person).update(active_ms=100)
    path = f"/api/projects/{project.slug}"
    told = ada.call("GET", f"{path}/my_stats")
    assert (told["submitted_today"], told["submitted"], told["judged"], told["hasty"]) == (0, 0, 0, 0)
    assert (told["steps_rated"], [day["labels"] for day in told["by_day"]]) == (0, [0])
    assert (told["active_ms_today"], told["active_ms"]) == (300, 300), "the time was worked"
    assert ada.call("GET", f"{path}/my_progress")["submitted_today"] == 0

    ada.answer(ada.claim()["label"], right=True)
    told = ada.call("GET", f"{path}/my_stats")
    assert (told["submitted_today"], told["submitted"], told["judged"], told["steps_rated"]) == (1, 1, 1, 3)
    diary = ada.call("GET", f"{path}/my_labels")["results"]
    assert len(diary) == 4, "the answers stay in the diary"
    hasty = [row["id"] for row in diary if row["hasty"]]
    assert [row["id"] for row in ada.call("GET", f"{path}/my_labels?hasty=true")["results"]] == hasty
    assert [row["round"]["number"] for row in diary if row["hasty"]] == [1]
    [member] = [one for one in researcher.call("GET", f"{path}/overview")["labelers"] if one["id"] == ada.person.pk]
    assert (member["labels"], member["steps"]) == (1, 3)
    looked = researcher.call("GET", f"{path}/labels?why=any")["results"]
    assert not [row for row in looked if row["kind"] == "screening"]
    facets = {one["name"]: one["values"] for one in researcher.call("GET", f"{path}/labels/facets")["facets"]}
    assert {one["value"]: one["labels"] for one in facets["kind"]} == {"screening": 3, "work": 1}
    assert {one["value"]: one["labels"] for one in facets["why"]} == {"hasty": 1}
    assert {one["name"] for one in facets["round"]} == {"Screening", f"1 {project.rounds.get(number=1).name}".strip()}


def _labeler(project) -> Labeler:
    return Labeler(project, make_member(project))


def _attempt(ada: Labeler, *, give_up: bool, most: int = 100) -> None:
    while most and (label := ada.claim()["label"]) is not None:
        most -= 1
        ada.submit(label, [1, None, None], reason="give_up") if give_up else ada.answer(label, right=True)


def test_who_is_admitted_by_hand_twice_is_admitted_once():
    project = make_project(screening=True)
    member = Membership.objects.get(user=make_member(project))
    admin = Browser(make_member(project, role="admin"))
    for _ in range(2):
        admin.call("POST", f"/api/projects/{project.slug}/members/{member.pk}/admit")
    member.refresh_from_db()
    assert member.admitted_at is not None
    assert AuditEvent.objects.filter(action="screening.admit_by_hand").count() == 1


def test_the_last_answer_sent_twice_decides_the_attempt_once():
    ada = _labeler(screening_project(1))
    label = ada.claim(prefetch=True)
    assert label["next"] is None, "no work before the decision"
    body = {"idempotency_key": "00000000-0000-4000-8000-000000000001", "finish_reason": "found_error"}
    for _ in range(2):
        ada.call("POST", f"/api/labels/{label['label']['id']}/submit", {**body, "ratings": [1, -1, None]})
    assert ada.my_quality()["state"] == "working"
    assert AuditEvent.objects.filter(action="screening.admit").count() == 1


def test_a_screening_is_not_repeated_where_gold_has_become_too_little_for_it():
    project = screening_project(2)
    ada = _labeler(project)
    _attempt(ada, give_up=True)
    retire_gold(Gold.objects.first(), by=None, reason="Ambiguous.")
    refused = ada.call("POST", f"/api/projects/{project.slug}/screening/retry", status=409)
    assert refused["code"] == "no_retry"
    assert "needs 2 gold tasks, but the project has fewer" in refused["detail"]
    assert ada.my_quality()["state"] == "retry"


@pytest.mark.parametrize("who", ["admin", "admitted", "paused", "onlooker"])
def test_who_has_failed_no_screening_repeats_none(who):
    """An onlooker runs the site and is not a member."""
    project = screening_project(2)
    role = "admin" if who == "admin" else "annotator"
    person = make_user(is_superuser=True) if who == "onlooker" else make_member(project, role)
    ada = Labeler(project, person)
    if who == "paused":
        _attempt(ada, give_up=True)
    now = timezone.now() if who in ("admitted", "paused") else None
    Membership.objects.filter(user=person).update(**{f"{who}_at": now} if now else {})
    refused = ada.call("POST", f"/api/projects/{project.slug}/screening/retry", status=409)
    assert refused["code"] == "no_retry"
    assert ScreeningAttempt.objects.filter(labeler=person).count() == (who == "paused")


@pytest.mark.parametrize("what", ["admit", "allow_attempt"])
def test_an_admin_decides_about_active_members_of_their_own_project_alone(what):
    project = screening_project(1)
    admin = Browser(make_member(project, "admin"))
    strangers = [make_member(make_project()), make_member(project)]
    Membership.objects.filter(user=strangers[1]).update(is_active=False)
    for person in strangers:
        member = Membership.objects.get(user=person)
        admin.call("POST", f"/api/projects/{project.slug}/members/{member.pk}/{what}", status=404)
        member.refresh_from_db()
        assert (member.admitted_at, member.extra_attempts) == (None, 0)
