"""Pausing by the rule: when it happens, what it does not affect, what the labeler is told, and how it is undone."""

import pytest
from django.db import transaction
from django.db.models import Value
from django.db.models.functions import Concat

from labeling.actions.gold import change_gold, make_gold, retire_gold
from labeling.actions.labeler_quality import evaluate_labelers
from labeling.errors import AlreadyGold, InvalidFields
from labeling.models import AuditEvent, GoldResult, Label, Membership, Notice
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_submission, make_traces
from labeling.tests.gold.world import Labeler, plan_gold, project_with_gold

pytestmark = pytest.mark.django_db

GOLD = 8


@pytest.fixture
def project():
    return project_with_gold(GOLD, traces=20)[0]


def test_a_labeler_who_fails_gold_is_paused_and_keeps_finishes_and_submits_the_open_label(project):
    ada = _paused(project)
    member = Membership.objects.get(user=ada.person)
    open_label = Label.objects.get(labeler=ada.person, status="open")
    assert not Label.objects.filter(labeler=ada.person, status="prefetched").exists(), "what was ahead goes back"
    assert ada.claim()["label"]["id"] == open_label.pk
    ada.call("PUT", f"/api/labels/{open_label.pk}/draft", {"draft": {"ratings": [1]}, "base_revision": 0})
    assert ada.answer(ada.claim()["label"], right=True)["surplus"] is False
    claim = ada.claim(prefetch=True)
    assert (claim["label"], claim["next"], claim["empty"]["code"]) == (None, None, "paused")
    told = ada.my_quality()
    assert told["state"] == "paused"
    assert (told["pause"]["by_rule"], told["pause"]["passed"]) == (True, 0)
    assert told["pause"]["agreement"]["high"] < told["pause"]["bar"] == 0.75
    event = AuditEvent.objects.get(action="member.pause")
    assert (event.actor, event.detail["n"]) == (None, told["pause"]["agreement"]["n"])
    assert member.paused_at is not None
    [notice] = Notice.objects.filter(person=ada.person)
    assert notice.path == f"/projects/{project.slug}/label"


def test_a_result_on_gold_waits_in_its_own_row_until_its_labeler_was_evaluated(project):
    ada = Labeler(project, make_member(project))
    plan_gold(project.rounds.get(), ada.person, list(range(GOLD)))
    assert evaluate_labelers() == []
    while GoldResult.objects.filter(weighed_at=None).count() < GOLD:
        ada.answer(ada.claim()["label"], right=False)
    member = project.memberships.get(user=ada.person)
    assert member.paused_at is None, "the answer to a submission does not wait for it"
    assert evaluate_labelers() == [member]
    assert not GoldResult.objects.filter(weighed_at=None).exists()
    assert evaluate_labelers() == [], "a second clock finds nothing to do"
    member.refresh_from_db()
    assert member.paused_at is not None


def test_an_evaluation_that_is_cut_off_is_made_again(project):
    ada = Labeler(project, make_member(project))
    plan_gold(project.rounds.get(), ada.person, list(range(GOLD)))
    while GoldResult.objects.filter(weighed_at=None).count() < GOLD:
        ada.answer(ada.claim()["label"], right=False)
    with transaction.atomic():
        evaluate_labelers()
        transaction.set_rollback(True)
    assert not Membership.objects.filter(paused_at__isnull=False).exists()
    assert [member.user for member in evaluate_labelers()] == [ada.person]


def test_an_admin_lets_a_paused_labeler_go_on_and_a_new_run_begins(project):
    ada = _paused(project)
    ada.answer(ada.claim()["label"], right=True)
    admin = Browser(make_member(project, "admin"))
    [row] = [
        row
        for row in admin.call("GET", f"/api/projects/{project.slug}/labeler_quality")["labelers"]
        if row["labeler"]["id"] == ada.person.pk
    ]
    assert (row["state"], row["action"], row["run"]["value"]) == ("paused", "pause", 0)
    base = f"/api/projects/{project.slug}/members/{row['member_id']}"
    after = admin.call("POST", f"{base}/unpause")
    assert (after["state"], after["run"]["n"], after["recent"]["n"]) == ("working", 0, row["recent"]["n"])
    assert ada.claim()["label"] is not None
    assert AuditEvent.objects.filter(action="member.unpause").count() == 1
    admin.call("POST", f"{base}/unpause", status=409)
    paused = admin.call("POST", f"{base}/pause", {"reason": "On leave."})
    assert (paused["pause"]["by_rule"], paused["pause"]["reason"]) == (False, "On leave.")


def test_who_may_go_on_is_told_so_and_the_notice_of_the_pause_is_read(project):
    ada, admin = Labeler(project, make_member(project)), Browser(make_member(project, "admin"))
    member = Membership.objects.get(user=ada.person)
    base = f"/api/projects/{project.slug}/members/{member.pk}"
    for _ in range(2):
        admin.call("POST", f"{base}/pause", {"reason": "A break."})
        admin.call("POST", f"{base}/unpause")
        Notice.objects.filter(event__contains="paused:").update(event=Concat("event", Value(".")))  # not of one second
    told = [(one["title"], one["read_at"] is None) for one in ada.call("GET", "/api/notices")["results"]]
    paused, on = f"You are paused in {project.name}", f"You can continue in {project.name}"
    assert told == [(on, True), (paused, False)] * 2


def test_good_work_pauses_nobody_and_the_latest_version_of_an_answer_counts(project):
    ada = Labeler(project, make_member(project))
    while (label := ada.claim()["label"]) is not None:
        ada.answer(label, right=True)
    assert ada.my_quality()["state"] == "working"
    assert GoldResult.objects.filter(labeler=ada.person, passed=True).count() == GOLD
    label = Label.objects.filter(labeler=ada.person, task__kind="gold").first()
    body = {"idempotency_key": "00000000-0000-4000-8000-000000000001", "finish_reason": "solution"}
    ada.call("POST", f"/api/labels/{label.pk}/revise", {**body, "ratings": [1, 1, 1]})
    admin = Browser(make_member(project, "admin"))
    [row] = admin.call("GET", f"/api/projects/{project.slug}/labeler_quality")["labelers"]
    assert (row["run"]["n"], round(row["run"]["value"] * GOLD)) == (GOLD, GOLD - 1)


def test_changing_what_gold_accepts_judges_old_answers_again_and_retiring_it_counts_none(project):
    ada = Labeler(project, make_member(project))
    label = ada.claim()["label"]
    while Label.objects.get(pk=label["id"]).task.kind != "gold":
        ada.answer(label, right=True)
        label = ada.claim()["label"]
    ada.answer(label, right=False)
    admin = Browser(make_member(project, "admin"))
    gold = GoldResult.objects.get(labeler=ada.person).gold
    shown = admin.call("PATCH", f"/api/gold/{gold.pk}", {"acceptable": [0, 1]})
    assert (shown["tally"]["passed"], shown["tally"]["n"]) == (1, 1)
    admin.call("POST", f"/api/gold/{gold.pk}/retire", {"reason": "Two readings."})
    [row] = admin.call("GET", f"/api/projects/{project.slug}/labeler_quality")["labelers"]
    assert row["run"]["n"] == 0
    admin.call("POST", f"/api/gold/{gold.pk}/restore")
    [row] = admin.call("GET", f"/api/projects/{project.slug}/labeler_quality")["labelers"]
    assert row["run"]["n"] == 1


def test_standings_take_as_many_queries_for_ten_labelers_as_for_one(project, django_assert_num_queries):
    admin = Browser(make_member(project, "admin"))
    for labelers in (1, 9):
        for _ in range(labelers):
            make_member(project)
        with django_assert_num_queries(5):  # session, person, project with role, attempts, members, results
            admin.call("GET", f"/api/projects/{project.slug}/labeler_quality")


def _paused(project) -> Labeler:
    """A labeler who answered every gold task wrongly until the rule paused them, with one more task open."""
    ada = Labeler(project, make_member(project))
    plan_gold(project.rounds.get(), ada.person, list(range(1, GOLD + 1)))
    ada.answer(ada.claim()["label"], right=True)
    while not Membership.objects.filter(user=ada.person, paused_at__isnull=False).exists():
        ada.answer(ada.claim(prefetch=True)["label"], right=False)
        evaluate_labelers()
    return ada


def test_who_is_paused_does_not_rewrite_the_gold_that_paused_them(project):
    ada = _paused(project)
    result = GoldResult.objects.filter(labeler=ada.person).latest("pk")
    body = make_submission([1, -1, None]).as_sent()
    refused = ada.call("POST", f"/api/labels/{result.label_id}/revise", body, status=409)
    assert "paused" in refused["detail"]
    assert not GoldResult.objects.filter(labeler=ada.person, passed=True).exists()


def test_who_is_paused_gets_no_task_back_that_they_gave_up_before(project):
    ada, admin = Labeler(project, make_member(project)), Browser(make_member(project, "admin"))
    plan_gold(project.rounds.get(), ada.person, [2, *range(50, 49 + GOLD)])
    lost = []
    for _ in range(3):  # work, gold, work
        lost.append(ada.claim()["label"])
        ada.call("POST", f"/api/labels/{lost[-1]['id']}/release", {"reason": ""})
        if len(lost) == 1:
            ada.answer(ada.claim()["label"], right=True)
    assert {Label.objects.get(pk=label["id"]).task.kind for label in lost} == {"work", "gold"}
    kept = ada.claim()["label"]
    member = Membership.objects.get(user=ada.person)
    admin.call("POST", f"/api/projects/{project.slug}/members/{member.pk}/pause", {"reason": "Too quick."})
    assert ada.answer(kept, right=True)["surplus"] is False, "who is paused keeps what is open"
    resumed = ada.call("POST", f"/api/labels/{lost[0]['id']}/resume")
    assert resumed["surplus"], "and may write on what they had, beside the work of others"
    assert all(ada.answer(label, right=True)["surplus"] for label in lost)
    assert not ada.claim()["label"]


def test_a_member_is_paused_once_and_who_is_paused_is_not_evaluated_again(project):
    ada = _paused(project)
    member = Membership.objects.get(user=ada.person)
    since = member.paused_at
    admin = Browser(make_member(project, role="admin"))
    address = f"/api/projects/{project.slug}/members/{member.pk}/pause"
    answer = admin.call("POST", address, {"reason": "Too fast."}, status=409)
    assert (answer["code"], answer["paused"]) == ("not_paused", True)
    GoldResult.objects.update(weighed_at=None)
    evaluate_labelers()
    member.refresh_from_db()
    assert member.paused_at == since
    assert AuditEvent.objects.filter(action="member.pause").count() == 1


def test_gold_is_made_once_and_retired_once(project):
    [trace] = make_traces(project, 1, steps=3)
    gold = make_gold(trace, acceptable=[1], by=None)
    with pytest.raises(AlreadyGold):
        make_gold(trace, acceptable=[2], by=None)
    with pytest.raises(InvalidFields) as nothing:
        change_gold(gold, by=None, acceptable=[])
    assert "acceptable" in nothing.value.extra["fields"]
    for reason in ("Ambiguous.", "Ambiguous, again."):
        retire_gold(gold, by=None, reason=reason)
    gold.refresh_from_db()
    assert (gold.status, gold.retired_because) == ("retired", "Ambiguous.")
    again = make_gold(trace, acceptable=[2], by=None)
    assert (again.pk, again.status, again.acceptable) == (gold.pk, "active", [2])


def test_what_gold_says_is_changed_part_by_part_and_saying_the_same_again_changes_nothing(project):
    admin = Browser(make_member(project, "admin"))
    gold = make_gold(make_traces(project)[0], acceptable=[1], by=None, explanation="Lost a sign.")
    path = f"/api/gold/{gold.pk}"
    shown = admin.call("PATCH", path, {"explanation": "The sign is lost in step 1."})
    assert (shown["acceptable"], shown["explanation"]) == ([1], "The sign is lost in step 1.")
    gold.refresh_from_db()
    since = gold.changed_at
    assert admin.call("PATCH", path, {"acceptable": [1], "explanation": shown["explanation"]}) == shown
    gold.refresh_from_db()
    assert gold.changed_at == since
    assert AuditEvent.objects.filter(action="gold.change").count() == 1


def test_gold_accepts_no_step_that_its_trace_does_not_have(project):
    admin = Browser(make_member(project, "admin"))
    [trace] = make_traces(project, steps=3)
    refused = admin.call("POST", f"/api/traces/{trace.pk}/gold", {"acceptable": [-1, 3]}, status=400)
    assert refused["fields"]["acceptable"] == ["Steps go from 0 to 2; -1 means that there is no error."]
    gold = make_gold(trace, acceptable=[-1, 2], by=None)
    admin.call("PATCH", f"/api/gold/{gold.pk}", {"acceptable": [3]}, status=400)
    gold.refresh_from_db()
    assert gold.acceptable == [-1, 2]


def test_gold_that_was_never_retired_cannot_be_brought_back(project):
    admin = Browser(make_member(project, "admin"))
    gold = make_gold(make_traces(project)[0], acceptable=[1], by=None)
    assert admin.call("POST", f"/api/gold/{gold.pk}/restore")["status"] == "active"
    assert not AuditEvent.objects.filter(action="gold.restore").exists()
