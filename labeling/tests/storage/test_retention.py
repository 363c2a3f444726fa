"""Deletion and retention over the API: a preview says what would be deleted, and exactly that is deleted."""

from contextlib import closing
from datetime import timedelta
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone
from pytest_django import Settings

from annotation_app.tests.running_installation import wait_for
from labeling.actions.labels import claim_next_label, submit_label
from labeling.actions.project_moves import run_move
from labeling.models import Label, Project, ProjectMove, User
from labeling.tests.accounts import PASSWORD, Browser
from labeling.tests.factories import make_member, make_project, make_round, make_submission, make_user
from labeling.tests.storage.test_project_archives import archived, busy, folder, rows  # noqa: F401  (a fixture)

pytestmark = pytest.mark.django_db(transaction=True)


def admin_of(project: Project) -> Browser:
    return Browser(User.objects.filter(memberships__project=project, memberships__role="admin").earliest("pk"))


def moved(admin: Browser, project: Project, way: str) -> Any:
    """Request it in the browser, and have a worker do it."""
    made = admin.call("POST", f"/api/projects/{project.slug}/retention/{way}", status=201)
    assert made["status"] == "queued"
    refused = admin.call("POST", f"/api/projects/{project.slug}/retention/{way}", status=409)
    assert "already being moved" in refused["detail"]
    run_move(made["id"])
    return admin.call("GET", f"/api/projects/{project.slug}/retention")


def test_an_admin_has_a_project_taken_out_and_brought_back(folder: Path, settings: Settings) -> None:  # noqa: F811
    project = busy(folder)
    admin = admin_of(project)
    before = {name: hash for name, hash in rows().items() if name != "labeling_projectmove"}
    Project.objects.update(status=Project.Status.ACTIVE)
    asked = admin.call("GET", f"/api/projects/{project.slug}/retention")
    assert "is not archived" in asked["why_not"]
    archived(project)
    total = admin.call("GET", f"/api/projects/{project.slug}/retention")["rows"]
    out = moved(admin, project, "take_out")
    assert (out["move"]["status"], out["move"]["rows_done"], out["rows"]) == ("succeeded", total, total)
    assert (settings.DATA_DIR / "projects" / out["file"]).is_file()
    assert not Label.objects.filter(project=project).exists()
    run_move(out["move"]["id"])  # a message that was delivered twice
    run_move(ProjectMove.objects.create(project=project, direction="take_out").pk)
    again = admin.call("POST", f"/api/projects/{project.slug}/retention/take_out", status=409)
    assert "already taken out" in again["detail"]
    file = settings.DATA_DIR / "projects" / out["file"]
    file.rename(file.with_suffix(".away"))
    assert (
        "is no longer in"
        in admin.call("POST", f"/api/projects/{project.slug}/retention/bring_back", status=409)["detail"]
    )
    file.with_suffix(".away").rename(file)
    back = moved(admin, project, "bring_back")
    assert (back["file"], back["move"]["status"], back["why_not"]) == ("", "succeeded", "")
    assert {name: hash for name, hash in rows().items() if name != "labeling_projectmove"} == before


def test_what_is_refused_to_the_worker_stands_on_the_page_and_changes_nothing(folder: Path) -> None:  # noqa: F811
    project = busy(folder)
    admin = admin_of(project)
    made = admin.call("POST", f"/api/projects/{project.slug}/retention/take_out", status=201)
    Project.objects.update(status=Project.Status.ACTIVE)
    before = rows()["labeling_label"]
    run_move(made["id"])
    move = admin.call("GET", f"/api/projects/{project.slug}/retention")["move"]
    assert (move["status"], "is not archived" in move["error"]) == ("failed", True)
    assert rows()["labeling_label"] == before


def test_once_its_rows_are_written_the_way_out_is_past_what_was_counted_while_they_leave(folder: Path) -> None:  # noqa: F811
    project = busy(folder)
    admin = admin_of(project)
    path = f"/api/projects/{project.slug}/retention"
    made = admin.call("POST", f"{path}/take_out", status=201)
    more = made["rows_total"] + 5  # some were deleted since the count
    ProjectMove.objects.filter(pk=made["id"]).update(rows_total=more)

    def work() -> None:
        with closing(connection):
            run_move(made["id"])

    def through() -> bool:
        move = admin.call("GET", path)["move"]
        return bool((move["status"], move["rows_done"], move["rows_total"]) == ("running", more, more))

    worker = Thread(target=work)
    with transaction.atomic():
        list(Label.objects.select_for_update().filter(project=project))  # so that none can leave yet
        worker.start()
        wait_for("all rows to be in the file", through, 30)
    worker.join()
    assert admin.call("GET", path)["move"]["status"] == "succeeded"


def old_draft(project: Project) -> Label:
    make_round(project, traces=1)
    label = claim_next_label(make_member(project), project).label
    assert label is not None
    ended = timezone.now() - timedelta(days=40)
    Label.objects.filter(pk=label.pk).update(status="expired", draft={"ratings": [1]}, leased_until=ended)
    return label


def test_an_admin_throws_away_what_is_old_in_their_project_alone() -> None:
    mine, other = make_project(), make_project()
    gone, kept = old_draft(mine), old_draft(other)
    admin, root = Browser(make_member(mine, "admin")), Browser(make_user("root", is_superuser=True))
    path = f"/api/projects/{mine.slug}/retention"
    assert admin.call("GET", f"{path}?days=39")["old"] == {"drafts": 1, "heads": 0, "rollouts": 0}
    assert admin.call("GET", f"{path}?days=41")["old"]["drafts"] == 0
    admin.call("GET", f"{path}?days=3", status=400)
    assert root.call("GET", "/api/site/retention?days=39")["old"]["drafts"] == 2
    assert admin.call("POST", f"{path}/prune", {"days": 39, "rollouts": True})["drafts"] == 1
    assert (Label.objects.get(pk=gone.pk).draft, Label.objects.get(pk=kept.pk).draft) == (None, {"ratings": [1]})
    assert root.call("POST", "/api/site/retention/prune", {"days": 39})["drafts"] == 1
    assert Label.objects.get(pk=kept.pk).draft is None


def test_the_site_says_what_of_a_person_would_go_and_then_takes_just_that_out() -> None:
    project = make_project()
    make_round(project, traces=3)
    ada = make_member(project, username="ada", email="ada@example.org", password=PASSWORD)
    submit_label(claim_next_label(ada, project).label, make_submission())
    held = claim_next_label(ada, project).label
    root = Browser(make_user("root", is_superuser=True))
    path = "/api/site/person_data"
    said = root.call("GET", f"{path}?username=ada")
    assert {"what": "released", "count": 1} in said["goes"]
    assert {"what": "labels", "count": 1} in said["stays"]
    assert Label.objects.get(pk=held.pk).status == Label.Status.OPEN, "nothing was done"
    root.call("POST", f"{path}/forget", {"username": "ada", "again": "adda"}, status=400)
    done = root.call("POST", f"{path}/forget", {"username": "ada", "again": "ada"})
    assert (done["goes"], done["name_afterwards"]) == (said["goes"], f"former-{ada.pk}")
    assert User.objects.get(pk=ada.pk).email == ""
    root.call("GET", f"{path}?username=ada", status=400)
    assert "last administrator" in root.call("GET", f"{path}?username=root")["why_not"]
    root.call("POST", f"{path}/forget", {"username": "root", "again": "root"}, status=400)
