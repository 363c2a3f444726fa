"""Notices: who gets which, once, and where; and what the site notices automatically."""

from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.utils import timezone

from labeling.actions import exports, labels, notices, webhook_deliveries, workers
from labeling.models import Delivery, Label, Membership, Notice, Project, Webhook, WorkerHeartbeat
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round, make_submission, make_user

pytestmark = pytest.mark.django_db
ABOUT: dict[str, Any] = {"event": "paused:1", "title": "Paused", "text": "See why.", "path": "/projects/p"}


@pytest.fixture
def project() -> Project:
    return make_project()


def events(person: Any) -> list[str]:
    return [notice.event.split(":")[0] for notice in Notice.objects.filter(person=person).order_by("pk")]


def test_people_and_roles_are_told_once_an_event_and_others_never(project, django_assert_num_queries):
    admin, ada, researcher = (make_member(project, role) for role in ("admin", "annotator", "researcher"))
    gone = make_member(project, "admin")
    Membership.objects.filter(user=gone).update(is_active=False)
    assert notices.notify(project, "paused", people=[ada], roles=["admin"], **ABOUT) == 2
    assert notices.notify(project, "paused", people=[ada], roles=["admin"], **ABOUT) == 0
    assert [events(person) for person in (admin, ada, researcher, gone)] == [["paused"], ["paused"], [], []]


def test_the_bell_counts_lists_and_forgets_what_was_read(project):
    ada, bob = make_member(project), make_member(project)
    for number in range(3):
        notices.notify(project, "paused", people=[ada, bob], **{**ABOUT, "event": f"paused:{number}"})
    browser = Browser(ada)
    assert browser.call("GET", "/api/notices/unread") == {"unread": 3}
    listed = browser.call("GET", "/api/notices")["results"]
    assert [one["path"] for one in listed] == ["/projects/p"] * 3
    browser.call("POST", f"/api/notices/{listed[0]['id']}/read")
    assert browser.call("GET", "/api/notices/unread") == {"unread": 2}
    assert browser.call("POST", "/api/notices/read_all") == {"unread": 0}
    assert Browser(bob).call("GET", "/api/notices/unread") == {"unread": 3}


def test_each_person_chooses_what_reaches_them_where(project, settings):
    settings.MAIL, settings.SITE_URL = True, "https://label.example.org"
    ada, bob = (make_member(project, email=f"{name}@example.org") for name in ("ada", "bob"))
    browser = Browser(ada)
    browser.call("PUT", "/api/notices/choices", {"kind": "paused", "channel": "mail", "on": False})
    chosen = browser.call("PUT", "/api/notices/choices", {"kind": "paused", "channel": "app", "on": False})
    assert chosen["kinds"]["paused"] == {"app": False, "mail": False}
    assert chosen["kinds"]["round_finished"] == {"app": True, "mail": True}
    ada.refresh_from_db()
    notices.notify(project, "paused", people=[ada, bob], **ABOUT)
    assert (events(ada), events(bob)) == ([], ["paused"])
    [delivery] = Delivery.objects.all()
    assert webhook_deliveries.deliver(delivery.pk, post=_never).status == "delivered"
    [message] = mail.outbox
    assert message.to == ["bob@example.org"]
    assert message.subject == f"[Stepmark] {project.name}: Paused"
    assert "See why." in message.body
    assert "https://label.example.org/projects/p" in message.body


@pytest.mark.parametrize("end", ["\n", "\r", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"])
def test_no_name_writes_another_line_into_the_head_of_a_mail(project, settings, end):
    settings.MAIL, settings.SITE_URL = True, "https://label.example.org"
    bob = make_member(project, email="bob@example.org")
    project.name = f"Algebra{end}Bcc: somebody@example.org{end}Reply-To : somebody@example.org"
    project.save(update_fields=["name"])
    notices.notify(project, "paused", people=[bob], **ABOUT)
    assert webhook_deliveries.deliver(Delivery.objects.get().pk, post=_never).status == "delivered"
    heads = mail.outbox[0].message().as_string().partition("\n\n")[0]
    assert not [line for line in heads.splitlines() if line.startswith(("Bcc", "Reply-To"))]


def test_a_finished_round_is_told_once_to_those_who_run_it(project):
    researcher, ada = make_member(project, "researcher"), make_member(project)
    make_round(project)
    notices.watch_rounds()
    assert events(researcher) == []
    label = labels.claim_next_label(ada, project).label
    notices.watch_rounds()
    labels.submit_label(label, make_submission())
    for _ in range(2):
        notices.watch_rounds()
    assert (events(researcher), events(ada)) == (["round_finished"], [])


def test_a_queue_is_stalled_when_nobody_claimed_for_so_many_hours_and_told_once_a_stall(project):
    admin, ada = make_member(project, "admin"), make_member(project)
    Project.objects.filter(pk=project.pk).update(stalled_hours=5)
    make_round(project, traces=3)
    labels.submit_label(labels.claim_next_label(ada, project).label, make_submission())
    now = timezone.now()
    for hours in (4, 6, 7):
        notices.watch_rounds(now + timedelta(hours=hours))
    assert events(admin) == ["queue_stalled"]
    labels.submit_label(labels.claim_next_label(ada, project).label, make_submission())
    Label.objects.update(claimed_at=now + timedelta(hours=8), submitted_at=now + timedelta(hours=8))
    notices.watch_rounds(now + timedelta(hours=9))
    assert events(admin) == ["queue_stalled"]
    notices.watch_rounds(now + timedelta(hours=14))
    assert events(admin) == ["queue_stalled", "queue_stalled"]


def test_a_queue_without_a_worker_is_told_once_an_outage_to_those_who_wait_for_it(project):
    root, admin = make_user(is_superuser=True), make_member(project, "admin")
    elsewhere = make_member(make_project(), "admin")
    workers.record_heartbeat("cpu@one", ["cpu"])
    assert notices.watch_workers() == []
    exports.create_export(project, by=admin, format="prm800k")
    later = timezone.now() + timedelta(minutes=10)
    for _ in range(2):
        assert notices.watch_workers(later) == ["cpu"]
    assert [events(person) for person in (root, admin, elsewhere)] == [["no_worker"], ["no_worker"], []]
    said = dict(Notice.objects.filter(kind="no_worker").values_list("person", "path"))
    assert said == {root.pk: "/site", admin.pk: f"/projects/{project.slug}"}, "each can open what the mail links to"
    WorkerHeartbeat.objects.update(seen_at=later)
    assert notices.watch_workers(later) == []


def test_who_runs_the_site_and_projects_that_wait_hears_of_a_queue_without_a_worker_once(project):
    root, admin, second = (
        make_member(project, "admin", is_superuser=True),
        make_member(project, "admin"),
        make_project(),
    )
    Membership.objects.create(project=second, user=admin, role="admin", joined_at=timezone.now())
    hook = Webhook.objects.create(project=second, url="https://hooks.example/x", kinds=["no_worker"], created_by=admin)
    for one in (project, second):
        exports.create_export(one, by=admin, format="prm800k")
    workers.record_heartbeat("cpu@one", ["cpu"])
    for _ in range(2):
        assert notices.watch_workers(timezone.now() + timedelta(minutes=10)) == ["cpu"]
    assert [events(person) for person in (root, admin)] == [["no_worker"], ["no_worker"]]
    assert Delivery.objects.filter(webhook=hook).count() == 1, "a project's webhooks are told in any case"


def test_who_asked_for_an_export_hears_that_it_is_ready(project):
    admin, other = make_member(project, "admin"), make_member(project, "admin")
    make_round(project)
    labels.submit_label(labels.claim_next_label(make_member(project), project).label, make_submission())
    export = exports.create_export(project, by=admin, format="neutral")
    exports.run_export(export.pk)
    assert (events(admin), events(other)) == (["export_ready"], [])
    told = Notice.objects.get()
    assert told.path == f"/projects/{project.slug}/exports/{export.pk}"
    assert told.text == "Your export in the format Traces (neutral), with 1 row, is ready to download."


def test_a_webhook_needs_a_listed_host_and_its_secret_is_shown_once(project, settings):
    settings.WEBHOOK_HOSTS = ["hooks.example.org"]
    browser = Browser(make_member(project, "admin"))
    path = f"/api/projects/{project.slug}/webhooks"
    wanted = {"url": "https://hooks.example.org/a", "kinds": ["paused"]}
    refused = browser.call("POST", path, {**wanted, "url": "https://evil.example.org/a"}, status=422)
    assert (refused["code"], refused["host"]) == ("host_not_allowed", "evil.example.org")
    browser.call("POST", path, {**wanted, "url": "http://hooks.example.org/a"}, status=400)
    made = browser.call("POST", path, wanted, status=201)
    assert made["secret"].startswith("whsec_")
    listed = browser.call("GET", path)
    assert "secret" not in listed["results"][0]
    assert listed["hosts"] == ["hooks.example.org"]
    renewed = browser.call("POST", f"/api/webhooks/{made['id']}/secret")["secret"]
    assert renewed != made["secret"]
    browser.call("POST", f"/api/webhooks/{made['id']}/try")
    [sent] = browser.call("GET", f"/api/projects/{project.slug}/deliveries")["results"]
    assert (sent["status"], sent["kind"], sent["webhook_id"]) == ("waiting", "try", made["id"])


def test_a_webhook_is_moved_to_listed_hosts_only_and_switched_off_it_sends_nothing(project, settings):
    settings.WEBHOOK_HOSTS = ["hooks.example.org"]
    browser = Browser(make_member(project, "admin"))
    hook = Webhook.objects.create(project=project, url="https://hooks.example.org/a", kinds=["paused"])
    path = f"/api/webhooks/{hook.pk}"
    refused = browser.call("PATCH", path, {"url": "https://evil.example.org/a"}, status=422)
    assert (refused["code"], refused["host"]) == ("host_not_allowed", "evil.example.org")
    assert browser.call("PATCH", path, {"url": "https://hooks.example.org/b"})["url"] == "https://hooks.example.org/b"
    notices.notify(project, "paused", **ABOUT)
    sent = Delivery.objects.get(webhook=hook)
    changed = browser.call("PATCH", path, {"is_active": False})
    assert (changed["url"], changed["is_active"]) == ("https://hooks.example.org/b", False)
    took: list[str] = []
    kept = webhook_deliveries.deliver(sent.pk, post=lambda url, *_: took.append(url))
    assert (kept.status, kept.last_error, took) == ("waiting", "The webhook is switched off.", [])
    browser.call("PATCH", path, {"is_active": True})
    browser.call("POST", f"/api/deliveries/{sent.pk}/retry")
    assert webhook_deliveries.deliver(sent.pk, post=lambda url, *_: took.append(url)).status == "delivered"
    assert took == ["https://hooks.example.org/b"]


def _never(*_: Any) -> None:
    raise AssertionError("mail does not go this way")


def test_the_sweep_sends_for_what_is_due_and_mail_without_an_address_waits_for_one(project, settings):
    settings.MAIL = True
    nobody = make_member(project, email="")
    message = {"title": "Done", "text": "It is done.", "path": ""}
    sent = Delivery.objects.create(project=project, person=nobody, kind="export", event="export 1", message=message)
    assert webhook_deliveries.sweep_deliveries() == 1
    tried = webhook_deliveries.deliver(sent.pk, post=lambda *_: None)
    assert (tried.status, tried.attempts) == ("waiting", 1)
    assert "no longer has an address" in tried.last_error
    assert webhook_deliveries.sweep_deliveries() == 0, "not before its pause is over"
    settings.MAIL = False
    tried = webhook_deliveries.deliver(sent.pk, lambda *_: None, timezone.now() + timedelta(days=1))
    assert (tried.status, tried.attempts) == ("waiting", 2)
    assert "This worker has no EMAIL_URL" in tried.last_error, "nor is it written into a log instead"
