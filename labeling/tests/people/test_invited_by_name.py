"""Invitations by user name: the person finds them in their notices, and nobody learns whether the name exists."""

from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.utils import timezone

from labeling.actions import notices, webhook_deliveries
from labeling.actions.forgetting import forget_person
from labeling.actions.invitations import tell_invited
from labeling.models import AuditEvent, Delivery, Invitation, Membership, Notice, Project, User, Webhook
from labeling.tests.accounts import Browser, Program
from labeling.tests.factories import join, make_member, make_project, make_user
from labeling.tests.people.test_invitations import invite

pytestmark = pytest.mark.django_db
MADE_OF = ("id", "url_path", "created_at", "expires_at", "username")  # differences between any two invitations


@pytest.fixture
def project() -> Project:
    return make_project("algebra", name="Algebra")


@pytest.fixture
def admin(project) -> Browser:
    return Browser(make_member(project, "admin", display_name="Emmy"))


def ask_by_name(admin: Browser, username: str, **values: Any) -> dict[str, Any]:
    body = {"role": "annotator", "username": username, **values}
    return admin.call("POST", "/api/projects/algebra/invitations", body, status=201)


def test_a_person_who_is_named_finds_the_invitation_and_joins_without_a_link(admin, project):
    grace = make_user("grace")
    made = ask_by_name(admin, "Grace", role="researcher")
    assert tell_invited(made["id"]) == 1
    browser = Browser(grace)
    [notice] = browser.call("GET", "/api/notices")["results"]
    assert (notice["kind"], notice["title"], notice["path"]) == ("invited", "You are invited to Algebra", "/projects")
    assert notice["text"].startswith("Emmy invites you to Algebra as researcher. It expires on ")
    [own] = browser.call("GET", "/api/invitations")["results"]
    assert (own["id"], own["project"], own["role"]) == (made["id"], {"name": "Algebra"}, "researcher")
    user = browser.call("POST", f"/api/invitations/{own['id']}/join")["user"]
    assert [(m["project"]["slug"], m["role"]) for m in user["memberships"]] == [("algebra", "researcher")]
    assert browser.call("GET", "/api/invitations")["results"] == []
    listed = admin.call("GET", "/api/projects/algebra/invitations")["results"][0]
    assert (listed["state"], listed["accepted_by"]["id"]) == ("used", grace.pk)
    accepted = AuditEvent.objects.get(action="invitation.accept")
    assert (accepted.actor, accepted.detail["role"]) == (grace, "researcher")


def test_whoever_invites_does_not_learn_whether_a_name_is_known_here(admin, project, django_assert_num_queries):
    """Nor do webhooks, the list, the audit log, or the number of queries reveal it."""
    Webhook.objects.create(project=project, url="https://hook.example.org", kinds=["invited", "paused"])
    make_user("grace", email="grace@example.org")
    make_user("gone", is_active=False)
    ask_by_name(admin, "warm")
    told = {}
    for name in ("grace", "nobody", "gone", "Grace H.", "no such name!"):
        with django_assert_num_queries(9):
            made = ask_by_name(admin, name)
        told[name] = {key: value for key, value in made.items() if key not in MADE_OF}
    assert len({str(answer) for answer in told.values()}) == 1
    tell_invited()
    listed = admin.call("GET", "/api/projects/algebra/invitations")["results"]
    assert len({str({k: v for k, v in one.items() if k not in MADE_OF}) for one in listed}) == 1
    assert not Delivery.objects.filter(webhook__isnull=False).exists()
    audited = AuditEvent.objects.filter(action="invitation.create").values_list("detail", flat=True)
    assert list(audited) == [{"role": "annotator", "mailed": False, "by_name": True}] * 6, "nor does it keep names"
    assert admin.call("GET", "/api/projects/algebra/deliveries")["results"] == []
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    states = {one["state"] for one in admin.call("GET", "/api/projects/algebra/invitations")["results"]}
    assert states == {"expired"}


def test_the_person_is_told_once_by_mail_too_and_also_where_no_worker_was_woken(admin, settings):
    settings.MAIL, settings.SITE_URL = True, "https://label.example.org"
    grace = make_user("grace", email="grace@example.org")
    made = ask_by_name(admin, "grace")
    assert (tell_invited(), tell_invited(), tell_invited(made["id"])) == (1, 0, 0), "the sweep finds it"
    assert Notice.objects.filter(person=grace, event=f"invited:{made['id']}").count() == 1
    [delivery] = Delivery.objects.all()
    assert webhook_deliveries.deliver(delivery.pk, post=lambda *_: pytest.fail("this is mail")).status == "delivered"
    [message] = mail.outbox
    assert (message.to, message.subject) == (["grace@example.org"], "[Stepmark] You are invited to Algebra")
    assert made["url_path"] not in message.body, "no link that lets anybody in is needed"


def test_of_many_invitations_to_one_project_a_person_hears_once_a_day(admin):
    grace = make_user("grace")
    first, *others = (ask_by_name(admin, "grace")["id"] for _ in range(4))
    assert (tell_invited(first), tell_invited(others[0]), tell_invited()) == (1, 0, 0)
    assert len(Browser(grace).call("GET", "/api/invitations")["results"]) == 4
    admin.call("POST", f"/api/invitations/{first}/revoke")
    assert tell_invited() == 0, "inviting and withdrawing by turns tells no more"
    Invitation.objects.filter(pk=first).update(told_at=timezone.now() - timedelta(days=2))
    assert (tell_invited(), tell_invited()) == (1, 0)
    geometry = Browser(make_member(make_project("geometry"), "admin"))
    geometry.call("POST", "/api/projects/geometry/invitations", {"role": "annotator", "username": "grace"}, status=201)
    assert tell_invited() == 1, "another project is another matter"
    assert Notice.objects.filter(person=grace).count() == 3


def test_what_was_withdrawn_or_is_over_is_told_to_nobody_and_lets_nobody_in(admin, project):
    browser = Browser(make_user("grace"))
    withdrawn, over, archived = (ask_by_name(admin, "grace")["id"] for _ in range(3))
    admin.call("POST", f"/api/invitations/{withdrawn}/revoke")
    Invitation.objects.filter(pk=over).update(expires_at=timezone.now() - timedelta(seconds=1))
    project.status = Project.Status.ARCHIVED
    project.save()
    assert tell_invited() == 0
    assert browser.call("GET", "/api/invitations")["results"] == []
    for pk, state in ((withdrawn, "revoked"), (over, "expired")):
        refusal = browser.call("POST", f"/api/invitations/{pk}/join", status=409)
        assert (refusal["code"], refusal["state"]) == ("invitation_not_open", state)
    assert not Membership.objects.filter(user__username="grace").exists()
    assert archived


def test_an_invitation_by_name_ends_with_the_right_of_the_one_who_made_it(admin, project):
    maker = make_member(project, "admin")
    browser = Browser(make_user("grace"))
    pk = ask_by_name(Browser(maker), "grace")["id"]
    maker.memberships.update(role="researcher")
    assert (tell_invited(), browser.call("GET", "/api/invitations")["results"]) == (0, [])
    assert browser.call("POST", f"/api/invitations/{pk}/join", status=409)["state"] == "revoked"


def test_only_who_is_named_joins_by_it(admin):
    make_user("grace")
    pk, of_nobody = ask_by_name(admin, "grace")["id"], ask_by_name(admin, "nobody")["id"]
    plain = invite(admin)
    late = Browser(make_user("nobody"))
    for number in (pk, of_nobody, Invitation.objects.get(username="").pk, 10**9):
        assert late.call("POST", f"/api/invitations/{number}/join", status=404)["code"] == "not_found"
    assert late.call("GET", "/api/invitations")["results"] == [], "who takes the name later was not meant"
    Browser().call("GET", "/api/invitations", status=401)
    assert Browser().call("GET", plain)["state"] == "open"


def test_a_name_that_only_looks_like_another_is_another(admin):
    browser = Browser(make_user("mike"))
    ask_by_name(admin, "mıke")
    assert (tell_invited(), browser.call("GET", "/api/invitations")["results"]) == (0, [])


def test_a_member_is_not_invited_again_whether_active_or_not(admin, project):
    """A project's admins see its members, so this reveals nothing new."""
    join(project, make_user("grace"))
    join(project, make_user("gone"), is_active=False)
    for name in ("grace", "gone"):
        body = {"role": "admin", "username": name}
        refusal = admin.call("POST", "/api/projects/algebra/invitations", body, status=400)
        assert "see the members" in refusal["fields"]["username"][0]


def test_a_program_that_only_reads_does_not_join(admin):
    grace = make_user("grace")
    pk = ask_by_name(admin, "grace")["id"]
    token = Browser(grace).call("POST", "/api/tokens", {"name": "reader", "read_only": True}, status=201)["token"]
    reader = Program(grace, secret=token)
    assert len(reader.call("GET", "/api/invitations")["results"]) == 1
    assert reader.call("POST", f"/api/invitations/{pk}/join", status=403)["code"] == "token_read_only"


def test_names_cannot_be_tried_without_end(admin, settings):
    settings.ALLOWANCES = {**settings.ALLOWANCES, "mails": 3}
    for number in range(3):
        ask_by_name(admin, f"name{number}")
    body = {"role": "annotator", "username": "name4"}
    refused = admin.call("POST", "/api/projects/algebra/invitations", body, status=429)
    assert refused["allowance"] == "mails"


def test_who_wants_no_such_notice_finds_the_invitation_all_the_same(admin):
    grace = make_user("grace")
    for channel in ("app", "mail"):
        notices.choose_notices(grace, kind="invited", channel=channel, on=False)
    ask_by_name(admin, "grace")
    assert tell_invited() == 1
    assert not Notice.objects.exists()
    assert len(Browser(grace).call("GET", "/api/invitations")["results"]) == 1


def test_forgetting_a_person_takes_out_the_name_that_was_typed(admin):
    grace = make_user("grace")
    pk = ask_by_name(admin, "grace")["id"]
    tell_invited()
    forget_person(User.objects.get(pk=grace.pk))
    left = Invitation.objects.get(pk=pk)
    assert (left.username, left.invitee, left.revoked_at) == ("", None, None), (
        "its end would say that there was a grace"
    )
    assert not Notice.objects.filter(event=f"invited:{pk}").exists()
    next_one = Browser(make_user("grace"))
    assert next_one.call("GET", "/api/invitations")["results"] == []
    next_one.call("POST", f"/api/invitations/{pk}/join", status=404)
