"""Erasing a person's data; whatever other data depends on stays."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import F
from django.utils import timezone

from labeling.actions.api_tokens import create_token, use_token
from labeling.actions.invitations import tell_invited
from labeling.actions.labels import claim_next_label, expire_overdue_labels, submit_label
from labeling.actions.notices import tell_hasty
from labeling.models import AuditEvent, Delivery, Identity, ImportJob, Invitation, Label, Notice, Project, User, Webhook
from labeling.queries.haste import HastyLabeler
from labeling.tests.accounts import PASSWORD, Browser
from labeling.tests.factories import make_member, make_project, make_round, make_submission, make_user

pytestmark = pytest.mark.django_db
EVERY_TEXT = """
    SELECT table_name, column_name FROM information_schema.columns
    WHERE table_schema = 'public' AND data_type IN ('text', 'character varying', 'jsonb', 'ARRAY')
        AND table_name <> 'labeling_auditevent'
"""
HERS = {"username": "ada.lovelace", "email": "ada@example.org", "display_name": "Ada L", "first_name": "Augusta"}


@pytest.fixture
def project() -> Project:
    made = make_project()
    make_round(made, traces=3)
    make_member(made, "admin", username="rosa")
    return made


@pytest.fixture
def mailing(settings: Any) -> None:
    settings.MAIL, settings.SITE_URL = True, "https://label.example.org"


def places_of(*words: str) -> list[tuple[str, str]]:
    """Return the columns and sessions that still contain one of these words, except the audit log."""
    sessions = [str(session.get_decoded()) for session in Session.objects.all()]
    found = [("a session", kept) for kept in sessions if any(word.strip("%") in kept for word in words)]
    with connection.cursor() as cursor:
        cursor.execute(EVERY_TEXT)
        for table, column in cursor.fetchall():
            cursor.execute(
                f'SELECT EXISTS (SELECT FROM "{table}" WHERE "{column}"::text ILIKE ANY (%s))', [list(words)]
            )
            found += [(table, column)] if cursor.fetchone()[0] else []
    return found


def test_nothing_that_says_who_it_was_is_left_and_the_labels_are(project: Project, capsys: Any) -> None:
    ada = make_member(project, password=PASSWORD, **HERS)
    done = submit_label(claim_next_label(ada, project).label, make_submission())
    held = claim_next_label(ada, project).label
    Label.objects.filter(pk=held.pk).update(draft={"remark": "ada.lovelace was here"})
    Notice.objects.create(person=ada, project=project, kind="export_ready")
    _, secret = create_token(ada, "laptop")
    Identity.objects.create(user=ada, issuer="https://login.example.org", subject="ada.lovelace")
    page = Browser(ada)
    call_command("forget_person", "ada.lovelace", "--yes")
    assert places_of(*(f"%{word}%" for word in HERS.values())) == []
    assert Label.objects.get(pk=done.pk).status == "submitted"
    assert Label.objects.get(pk=done.pk).labeler.shown_name == f"former-{ada.pk}"
    assert Label.objects.get(pk=held.pk).status == "released"
    assert not Notice.objects.filter(person=ada).exists()
    assert not Identity.objects.exists()
    assert use_token(secret) is None
    ada.refresh_from_db()
    assert not ada.check_password(PASSWORD)
    assert page.get("/api/notices").status_code in (401, 403)
    assert "1 released" in capsys.readouterr().out


@pytest.mark.usefixtures("mailing")
def test_what_others_and_the_admin_pages_kept_of_a_person_goes_too(project: Project) -> None:
    ada = make_member(project, "admin", password=PASSWORD, **HERS)
    rosa, root = User.objects.get(username="rosa"), make_user("root", is_superuser=True, is_staff=True)
    hook = Webhook.objects.create(project=project, url="https://hook.example.org", kinds=["paused"])
    Browser(ada).call("POST", f"/api/webhooks/{hook.pk}/try")
    of_before = {"title": "A message for trying", "text": "Ada L tries this webhook."}
    Delivery.objects.create(project=project, webhook=hook, kind="try", event="try:1", message=of_before)
    invitations = f"/api/projects/{project.slug}/invitations"
    grace = make_user("grace", email="grace@example.org")
    Browser(ada).call("POST", invitations, {"role": "annotator", "username": "grace"}, status=201)
    by_name = {"role": "annotator", "username": "Ada.LOVELACE"}
    User.objects.filter(pk=ada.pk).update(username="somebody")
    before_her = Browser(rosa).call("POST", invitations, by_name, status=201)
    User.objects.filter(pk=ada.pk).update(username="ada.lovelace")
    elsewhere = make_project("geometry")
    host = Browser(make_member(elsewhere, "admin"))
    to_her = host.call("POST", "/api/projects/geometry/invitations", by_name, status=201)
    tell_invited()
    to_bob = {"role": "annotator", "email": "bob@example.org", "mail": True}
    made = Browser(ada).call("POST", invitations, to_bob, status=201)
    came = Browser(rosa).call("POST", invitations, {**to_bob, "email": "ADA@example.org"}, status=201)
    for typed in ("Ada.Lovelace", "ada@example.org"):
        Browser().call("POST", "/api/session/login", {"username": typed, "password": "wrong"}, status=401)
    provided = Browser(ada)
    session = provided.session
    session["signed_in_with"] = {"provider": "sso", "id_token": "of Augusta"}
    session.save()
    pages = Browser(root)
    form = {**HERS, "is_active": "on", "display_name": "Ada L"}
    assert pages.post(f"/admin/labeling/user/{ada.pk}/change/", form, headers=pages.csrf_header()).status_code == 302
    [round_] = project.rounds.all()
    tell_hasty(project, HastyLabeler(round_, ada, 9, 10), 1000)
    assert len(places_of(*(f"%{word}%" for word in HERS.values()))) > 8
    Browser(root).call("GET", "/api/site/person_data?username=ada.lovelace")
    assert Session.objects.filter(pk=session.session_key).exists(), "looking takes nothing out"
    Browser(root).call("POST", "/api/site/person_data/forget", {"username": "ada.lovelace", "again": "ada.lovelace"})
    assert places_of(*(f"%{word}%" for word in HERS.values())) == []
    assert Notice.objects.get(person=rosa).title == f"former-{ada.pk} labels faster than anyone can read"
    for invitation in (made, came):
        assert Invitation.objects.get(pk=invitation["id"]).revoked_at
    for invitation in (before_her, to_her):
        assert not Invitation.objects.get(pk=invitation["id"]).revoked_at
    told = Notice.objects.get(person=grace).text
    assert told.startswith(f"former-{ada.pk} invites you to {project.name} as annotator. It expires on ")
    said = set(Delivery.objects.exclude(kind="hasty_labels").values_list("kind", "message__text"))
    assert said == {("try", "An admin is testing this webhook."), ("invited", told)}
    assert "ovelace" not in str(list(AuditEvent.objects.filter(action="invitation.create").values()))
    assert set(Delivery.objects.filter(kind="hasty_labels").values_list("message__title", flat=True)) <= {
        f"former-{ada.pk} labels faster than anyone can read"
    }


def test_the_last_admin_of_a_project_or_of_the_site_is_not_forgotten(project: Project) -> None:
    User.objects.create_superuser("root", password=PASSWORD)
    for name, word in (("rosa", project.slug), ("root", "administrator of the site"), ("nobody", "no user named")):
        with pytest.raises(CommandError, match=word):
            call_command("forget_person", name, "--yes")
    assert set(User.objects.filter(is_active=True).values_list("username", flat=True)) >= {"rosa", "root"}


def test_an_admin_who_cannot_log_in_does_not_replace_the_one_who_is_forgotten(project: Project) -> None:
    ben = make_member(project, "admin", username="ben")
    User.objects.filter(pk=ben.pk).update(is_active=False)
    with pytest.raises(CommandError, match=f"rosa is the last admin of {project.slug}"):
        call_command("forget_person", "rosa", "--yes")
    User.objects.filter(pk=ben.pk).update(is_active=True)
    call_command("forget_person", "rosa", "--yes")
    assert not project.memberships.get(user__username__startswith="former-").is_active


def test_old_drafts_that_ended_otherwise_go_and_those_that_may_be_gone_on_with_stay(project: Project) -> None:
    ada = make_member(project)
    label = claim_next_label(ada, project).label
    Label.objects.filter(pk=label.pk).update(draft={"ratings": [1]}, leased_until=timezone.now())
    assert expire_overdue_labels() == 1
    Label.objects.filter(pk=label.pk).update(leased_until=F("leased_until") - timedelta(days=30))
    job = ImportJob.objects.create(
        project=project, file_name="x", path="", format="", head=[{}], finished_at=timezone.now() - timedelta(days=30)
    )
    call_command("prune", "--days", "31")
    assert (Label.objects.get(pk=label.pk).draft, ImportJob.objects.get(pk=job.pk).head) == ({"ratings": [1]}, [{}])
    call_command("prune", "--days", "29")
    assert (Label.objects.get(pk=label.pk).draft, ImportJob.objects.get(pk=job.pk).head) == (None, [])
    with pytest.raises(CommandError, match="at least 7 days"):
        call_command("prune", "--days", "0")
