"""Invitations: valid for one person each, until they expire or are withdrawn."""

import hashlib
import threading
from datetime import timedelta
from smtplib import SMTPRecipientsRefused
from typing import Any

import pytest
from django.core.mail.backends.locmem import EmailBackend
from django.db import connection
from django.utils import timezone

from labeling.actions import webhook_deliveries
from labeling.models import AuditEvent, Delivery, Invitation, Membership, Notice, Project, User
from labeling.tests.accounts import PASSWORD, Browser, Program
from labeling.tests.factories import join, make_member, make_project, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project("algebra", name="Algebra")


@pytest.fixture
def admin(project) -> Browser:
    return Browser(make_member(project, "admin"))


def invite(admin: Browser, role: str = "annotator", **values) -> str:
    """Create an invitation and return its API address."""
    made = admin.call("POST", "/api/projects/algebra/invitations", {"role": role, **values}, status=201)
    return "/api" + made["url_path"]


def test_an_invitation_link_is_shown_once_and_only_its_hash_is_kept(admin):
    body = {"role": "researcher", "email": "grace@example.org", "days": 3}
    made = admin.call("POST", "/api/projects/algebra/invitations", body, status=201)
    secret = made["url_path"].removeprefix("/invitations/")
    assert len(secret) == 43
    assert Invitation.objects.get().token_hash == hashlib.sha256(secret.encode()).hexdigest()
    assert made["state"] == "open"
    assert (made["role"], made["email"]) == ("researcher", "grace@example.org")
    listed = admin.call("GET", "/api/projects/algebra/invitations")["results"]
    assert listed == [{name: value for name, value in made.items() if name != "url_path"}]
    left = Invitation.objects.get().expires_at - timezone.now()
    assert timedelta(days=2, hours=23) < left <= timedelta(days=3)
    assert secret not in str(list(AuditEvent.objects.values()))


def test_a_stranger_with_the_link_learns_the_projects_name_and_no_more(admin):
    address = invite(admin)
    shown = Browser().call("GET", address)
    assert shown.pop("expires_at")
    assert shown == {"project": {"name": "Algebra"}, "role": "annotator", "state": "open"}


def test_a_stranger_makes_an_account_and_is_logged_in(admin, project):
    address = invite(admin, "researcher", email="grace@example.org")
    browser = Browser()
    body = {"username": "grace", "password": PASSWORD, "display_name": "Grace H."}
    user = browser.call("POST", f"{address}/accept", body)["user"]
    assert (user["username"], user["display_name"], user["email"]) == ("grace", "Grace H.", "grace@example.org")
    assert [(m["project"]["slug"], m["role"]) for m in user["memberships"]] == [("algebra", "researcher")]
    assert browser.call("GET", "/api/projects/algebra")["role"] == "researcher"
    Browser().call("POST", "/api/session/login", {"username": "grace", "password": PASSWORD})
    listed = admin.call("GET", "/api/projects/algebra/invitations")["results"][0]
    assert listed["state"] == "used"
    assert listed["accepted_by"] == {"id": user["id"], "display_name": "Grace H."}
    assert AuditEvent.objects.filter(action="invitation.accept", project=project, actor_id=user["id"]).exists()


def test_somebody_who_is_logged_in_joins_as_they_are(admin, project):
    person = make_user("ada")
    user = Browser(person).call("POST", f"{invite(admin)}/accept", {})["user"]
    assert user["id"] == person.pk
    assert Membership.objects.get(user=person).project == project


def test_a_program_joins_as_its_owner(admin, project):
    person = make_user("ada")
    Program(person).call("POST", f"{invite(admin)}/accept", {})
    assert Membership.objects.get(user=person).project == project


def test_an_invitation_is_used_once(admin):
    address = invite(admin)
    Browser(make_user()).call("POST", f"{address}/accept", {})
    late = Browser(make_user())
    refusal = late.call("POST", f"{address}/accept", {}, status=409)
    assert (refusal["code"], refusal["state"]) == ("invitation_not_open", "used")
    assert late.call("GET", address)["state"] == "used"


def test_an_expired_invitation_is_refused(admin):
    address = invite(admin)
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    person = make_user()
    refusal = Browser(person).call("POST", f"{address}/accept", {}, status=409)
    assert (refusal["code"], refusal["state"]) == ("invitation_not_open", "expired")
    assert not Membership.objects.filter(user=person).exists()


def test_a_revoked_invitation_is_refused(admin):
    address = invite(admin)
    pk = Invitation.objects.get().pk
    assert admin.call("POST", f"/api/invitations/{pk}/revoke")["state"] == "revoked"
    refusal = Browser(make_user()).call("POST", f"{address}/accept", {}, status=409)
    assert (refusal["code"], refusal["state"]) == ("invitation_not_open", "revoked")
    admin.call("POST", f"/api/invitations/{pk}/revoke")
    assert AuditEvent.objects.filter(action="invitation.revoke").count() == 1


@pytest.mark.parametrize("loss", ["deactivated", "demoted", "demoted by hand", "account switched off"])
def test_an_invitation_ends_with_the_right_of_the_one_who_made_it(admin, project, loss):
    maker = make_member(project, "admin")
    address = invite(Browser(maker), "admin")
    member = f"/api/projects/algebra/members/{maker.memberships.get().pk}"
    if loss == "deactivated":
        admin.call("POST", f"{member}/deactivate")
    elif loss == "demoted":
        admin.call("POST", f"{member}/role", {"role": "researcher"})
    elif loss == "demoted by hand":
        maker.memberships.update(role="researcher")  # in a shell, so that invitations were not checked
    else:
        User.objects.filter(pk=maker.pk).update(is_active=False)
    assert Browser().call("GET", address)["state"] == "revoked"
    assert admin.call("GET", "/api/projects/algebra/invitations")["results"][0]["state"] == "revoked"
    refused = Browser().call("POST", f"{address}/accept", {"username": "back", "password": PASSWORD}, status=409)
    assert "withdrawn" in refused["detail"]
    assert not User.objects.filter(username="back").exists()


def test_being_an_admin_again_opens_no_old_invitation(admin, project):
    maker = make_member(project, "admin")
    address = invite(Browser(maker), "admin")
    member = f"/api/projects/algebra/members/{maker.memberships.get().pk}"
    admin.call("POST", f"{member}/role", {"role": "annotator"})
    admin.call("POST", f"{member}/role", {"role": "admin"})
    assert Browser().call("GET", address)["state"] == "revoked"
    assert AuditEvent.objects.filter(action="invitation.revoke", detail__why="its maker lost the right").count() == 1


def test_the_invitations_of_a_superuser_stay_when_their_membership_ends(admin, project):
    root = make_user(is_superuser=True)
    join(project, root, "admin")
    address = invite(Browser(root))
    admin.call("POST", f"/api/projects/algebra/members/{root.memberships.get().pk}/deactivate")
    assert Browser().call("GET", address)["state"] == "open"


def test_a_used_invitation_stays_used_when_it_is_revoked(admin):
    address = invite(admin)
    Browser(make_user()).call("POST", f"{address}/accept", {})
    assert admin.call("POST", f"/api/invitations/{Invitation.objects.get().pk}/revoke")["state"] == "used"


def test_who_was_invited_twice_by_name_joins_once_and_the_other_invitation_ends(admin, project):
    ada, others = make_user("ada"), make_project("geometry")
    first, second = invite(admin, username="ada"), invite(admin, "admin", username="ada")
    unnamed = invite(admin, "researcher")
    elsewhere = Invitation.objects.get(token_hash=hashlib.sha256(unnamed.rpartition("/")[2].encode()).hexdigest())
    Browser(ada).call("POST", f"{first}/accept", {})
    assert Membership.objects.get(project=project, user=ada).role == "annotator"
    states = {one["id"]: one["state"] for one in admin.call("GET", "/api/projects/algebra/invitations")["results"]}
    assert sorted(states.values()) == ["open", "revoked", "used"]
    assert states[elsewhere.pk] == "open", "it is for whoever has the link"
    assert Browser(ada).call("POST", f"{second}/accept", {}, status=409)["code"] == "invitation_not_open"
    assert not Membership.objects.filter(project=others).exists()


def test_a_member_does_not_use_up_an_invitation(admin, project):
    address = invite(admin, "admin")
    refusal = Browser(make_member(project)).call("POST", f"{address}/accept", {}, status=409)
    assert refusal["code"] == "already_member"
    assert Browser().call("GET", address)["state"] == "open"


def test_a_deactivated_person_does_not_come_back_through_a_link(admin, project):
    person = make_user()
    member = join(project, person, is_active=False)
    refusal = Browser(person).call("POST", f"{invite(admin)}/accept", {}, status=409)
    assert refusal["code"] == "membership_deactivated"
    member.refresh_from_db()
    assert not member.is_active


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, ["username", "password"]),
        ({"username": "grace"}, ["password"]),
        ({"username": "grace", "password": "1234567890123"}, ["password"]),
        ({"username": "grace", "password": "short"}, ["password"]),
        ({"username": "gracehopper", "password": "gracehopper"}, ["password"]),
        ({"username": "a b", "password": PASSWORD}, ["username"]),
        ({"username": "x" * 151, "password": PASSWORD}, ["username"]),
        ({"username": "TAKEN", "password": PASSWORD}, ["username"]),
        ({"username": "grace", "password": PASSWORD, "display_name": "x" * 121}, ["display_name"]),
    ],
)
def test_a_bad_account_is_refused_and_the_invitation_stays_open(admin, body, fields):
    make_user("taken")
    address = invite(admin)
    browser = Browser()
    refusal = browser.call("POST", f"{address}/accept", body, status=400)
    assert refusal["code"] == "invalid"
    assert list(refusal["fields"]) == fields
    assert browser.call("GET", address)["state"] == "open"
    assert browser.call("GET", "/api/session")["user"] is None
    assert not User.objects.filter(username__istartswith="grace").exists()


def test_a_link_ends_when_names_are_tried_with_it_that_others_have(admin):
    for n in range(5):
        make_user(f"taken{n}")
    address, untouched = invite(admin), invite(admin)
    browser = Browser()
    for n in range(5):
        browser.call("POST", f"{address}/accept", {"username": "weak", "password": "weak"}, status=400)
        assert browser.call("GET", address)["state"] == "open"
        browser.call("POST", f"{address}/accept", {"username": f"taken{n}", "password": PASSWORD}, status=400)
    refusal = browser.call("POST", f"{address}/accept", {"username": "free", "password": PASSWORD}, status=409)
    assert (refusal["code"], refusal["state"]) == ("invitation_not_open", "revoked")
    assert "withdrawn" in refusal["detail"]
    assert AuditEvent.objects.get(action="invitation.revoke").detail["why"].startswith("5 user names")
    browser.call("POST", f"{untouched}/accept", {"username": "free", "password": PASSWORD})


@pytest.mark.parametrize("days", [0, 91, -1, 10**30, "soon", None])
def test_an_invitation_lives_from_one_to_ninety_days(admin, days):
    refusal = admin.call("POST", "/api/projects/algebra/invitations", {"role": "admin", "days": days}, status=400)
    assert list(refusal["fields"]) == ["days"]


def test_an_unknown_link_is_not_found(admin):
    assert Browser().call("GET", "/api/invitations/unknown", status=404)["code"] == "not_found"
    Browser().call("POST", "/api/invitations/unknown/accept", {}, status=404)


def test_one_address_cannot_try_links_without_end(admin):
    guesser = Browser()
    answers = [guesser.send("GET", f"/api/invitations/guess{n}").status_code for n in range(61)]
    assert answers == [404] * 60 + [429]
    assert Browser().call("GET", invite(admin))["state"] == "open"


@pytest.mark.django_db(transaction=True)
def test_of_ten_who_use_one_link_at_once_one_joins():
    project = make_project("algebra")
    address = invite(Browser(make_member(project, "admin")))
    people = [Browser(make_user()) for _ in range(10)]
    answers: list[int] = []
    together = threading.Barrier(len(people))

    def accept(browser: Browser) -> None:
        together.wait()
        answers.append(browser.send("POST", f"{address}/accept", {}).status_code)
        connection.close()

    threads = [threading.Thread(target=accept, args=(browser,)) for browser in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [200] + [409] * 9
    assert Membership.objects.filter(project=project, role="annotator").count() == 1


class RefusingServer(EmailBackend):
    """A mail server that rejects names beginning with "no", and is busy for names beginning with "later"."""

    def send_messages(self, messages: Any) -> int:
        """Send as SMTP does. Raises SMTPRecipientsRefused."""
        [to] = messages[0].to
        if to.startswith("no"):
            raise SMTPRecipientsRefused({to: (550, b"5.1.1 <%s>: no such user" % to.encode())})
        if to.startswith("later"):
            raise SMTPRecipientsRefused({to: (451, b"4.7.1 try again later")})
        return super().send_messages(messages)


def test_who_invited_is_told_that_the_mail_was_refused_for_good_and_the_list_says_what_the_server_said(
    admin, project, settings
):
    settings.MAIL, settings.SITE_URL = True, "https://label.example.org"
    settings.EMAIL_BACKEND = f"{__name__}.RefusingServer"
    people = ("nobody@example.org", "later@example.org", "grace@example.org")
    for email in people:
        invite(admin, email=email, mail=True)
    invite(admin, email="nobody@example.org")  # not mailed
    sent = [webhook_deliveries.deliver(one.pk, post=_never) for one in Delivery.objects.order_by("pk")]
    assert [one and one.status for one in sent] == ["failed", "waiting", "delivered"]
    said = "550 5.1.1 <nobody@example.org>: no such user"
    listed = admin.call("GET", "/api/projects/algebra/invitations")["results"]
    assert [(one["state"], one["undelivered"]) for one in reversed(listed)] == [
        ("open", said),
        ("open", ""),
        ("open", ""),
        ("open", ""),
    ]
    [notice] = Notice.objects.all()
    assert notice.person == Membership.objects.get(project=project, role="admin").user
    assert notice.title == "An invitation could not be delivered"
    assert (notice.project, notice.path) == (project, "/projects/algebra/people")
    assert "nobody" not in notice.text, "who is erased takes the address along"
    assert webhook_deliveries.deliver(sent[0].pk, post=_never) is None, "it is not tried again"
    revoked = admin.call("POST", f"/api/invitations/{listed[-1]['id']}/revoke")
    assert (revoked["state"], revoked["undelivered"]) == ("revoked", "")
    assert admin.call("GET", "/api/projects/algebra/invitations")["results"][-1]["undelivered"] == ""


def test_a_mail_that_was_tried_for_long_is_given_up_and_told_as_well(admin, settings):
    settings.MAIL, settings.SITE_URL = True, "https://label.example.org"
    settings.EMAIL_BACKEND = f"{__name__}.RefusingServer"
    invite(admin, email="later@example.org", mail=True)
    Delivery.objects.update(attempts=len(webhook_deliveries.PAUSES))
    delivery = webhook_deliveries.deliver(Delivery.objects.get().pk, post=_never)
    assert delivery is not None
    assert (delivery.status, delivery.last_error) == ("failed", "451 4.7.1 try again later")
    [row] = admin.call("GET", "/api/projects/algebra/invitations")["results"]
    assert row["undelivered"] == delivery.last_error
    assert Notice.objects.count() == 1


def _never(*_: Any) -> None:
    pytest.fail("this is mail")
