"""A person is forgotten while a project is archived to a file: the restored project does not know them either."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from labeling.actions.gold_screening import tell_rejected
from labeling.actions.labeler_quality import pause_member
from labeling.actions.labels import claim_next_label, submit_label
from labeling.actions.notices import tell_hasty
from labeling.actions.project_archives import bring_back_project, take_out_project
from labeling.models import (
    AuditEvent,
    Delivery,
    Label,
    LabelView,
    Membership,
    Notice,
    Project,
    ScreeningAttempt,
    Task,
    User,
    Webhook,
)
from labeling.queries.haste import HastyLabeler
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round, make_submission, make_user
from labeling.tests.storage.test_project_archives import archived, folder  # noqa: F401  (a fixture)

pytestmark = pytest.mark.django_db(transaction=True)
PATH = "/api/site/person_data"


@pytest.fixture
def root() -> Browser:
    return Browser(make_user("root", is_superuser=True))


def at_work(project: Project, name: str) -> tuple[User, Label, Label]:
    """A labeler with one submitted label, and one open with a draft, with more prefetched and saved filters."""
    person = make_member(project, username=name)
    done = submit_label(claim_next_label(person, project).label, make_submission())
    held = claim_next_label(person, project, prefetch=True).label
    assert held is not None
    Label.objects.filter(pk=held.pk).update(draft={"remark": f"{name} was here"})
    LabelView.objects.create(project=project, person=person, name=f"The labels of {name}")
    return person, done, held


def slots(project: Project) -> int:
    return sum(Task.objects.filter(round__project=project).values_list("labels_wanted", flat=True))


def test_what_was_forgotten_while_a_project_was_out_does_not_come_back_with_it(folder: Path, root: Browser) -> None:  # noqa: F811
    project, other = make_project(), make_project()
    make_round(project, traces=6)
    ada, done, held = at_work(project, "ada")
    _, _, bobs = at_work(project, "bob")
    wanted = slots(project)
    path = take_out_project(archived(project), folder)
    assert root.call("GET", f"{PATH}?username=ada")["taken_out"] == [project.slug]
    assert root.call("GET", f"{PATH}?username={make_member(other).username}")["taken_out"] == []
    told = root.call("POST", f"{PATH}/forget", {"username": "ada", "again": "ada"})
    assert told["taken_out"] == [project.slug]
    bring_back_project(path)

    theirs = Label.objects.filter(project=project, labeler=ada).order_by("pk").values_list("status", "draft")
    assert list(theirs) == [("submitted", None), ("released", None), ("released", None)]
    assert Label.objects.get(pk=held.pk).status == "released"
    assert Label.objects.get(pk=done.pk).finish_reason, "the label itself stays"
    assert slots(project) == wanted + 2, "the open task and the one leased ahead are in the queue again"
    kept = Label.objects.get(pk=bobs.pk)
    assert (kept.status, kept.draft) == ("open", {"remark": "bob was here"})
    assert list(LabelView.objects.values_list("person__username", flat=True)) == ["bob"]
    came = AuditEvent.objects.get(action="project.bring_back")
    assert came.detail == {"forgotten": {"released": 2, "drafts": 1, "labelview": 1}}


def test_an_operator_hears_in_which_files_somebody_stays_before_they_are_forgotten(folder: Path) -> None:  # noqa: F811
    project = make_project()
    make_member(project, username="ada")
    take_out_project(archived(project), folder)
    said = StringIO()
    call_command("forget_person", "ada", "--yes", stdout=said)
    assert f"Not deleted: data in the files of {project.slug}" in said.getvalue()


def test_notices_about_a_project_that_is_out_name_nobody_who_is_forgotten(folder: Path, root: Browser) -> None:  # noqa: F811
    project = make_project()
    round_ = make_round(project)
    rosa, ada, bob = (
        make_member(project, "admin"),
        *(make_member(project, display_name=name) for name in ("Ada", "Bob")),
    )
    kinds = ["paused", "hasty_labels", "screening"]
    Webhook.objects.create(project=project, url="https://hook.example.org", kinds=kinds)
    for person in (ada, bob):
        tell_hasty(project, HastyLabeler(round_, person, 9, 10), 1000)
        tell_rejected(Membership.objects.get(user=person), ScreeningAttempt(number=2, tasks=[1], passed=0, needed=1))
        pause_member(rosa, project, Membership.objects.get(user=person).pk, reason="Too fast.")
    take_out_project(archived(project), folder)
    root.call("POST", f"{PATH}/forget", {"username": ada.username, "again": ada.username})
    former = f"former-{ada.pk}"
    told = ("is paused", "labels faster than anyone can read", "did not pass the screening")
    expected = {f"{name} {what}" for name in (former, "Bob") for what in told}
    assert set(Notice.objects.filter(person=rosa).values_list("title", flat=True)) == expected
    sent = set(Delivery.objects.values_list("message__title", flat=True))
    assert sent - {f"You are paused in {project.name}"} == expected
