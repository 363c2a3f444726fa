"""The audit log, which nobody can change, stores people by number; its readers see their current names."""

import csv
import io
from typing import Any

import pytest

from labeling.actions.labels import claim_next_label
from labeling.models import AuditEvent, Membership, Project, User
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_round, make_user

pytestmark = pytest.mark.django_db


def everything_done_to(ada: User, project: Project, admin: Browser) -> int:
    """Create log entries about a member; return her number in the project."""
    member = Membership.objects.get(project=project, user=ada)
    held = claim_next_label(ada, project).label
    assert held is not None
    admin.call("POST", f"/api/labels/{held.pk}/release", {"reason": "gone home"})
    of_her = f"/api/projects/{project.slug}/members/{member.pk}"
    for act, body in (("pause", {"reason": "a break"}), ("unpause", {}), ("allow_attempt", {}), ("admit", {})):
        admin.call("POST", f"{of_her}/{act}", body)
    admin.call("POST", f"{of_her}/role", {"role": "researcher"})
    return member.pk


def read(admin: Browser, project: Project, what: str = "") -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """Return the page's entries, and the rows of the downloaded table."""
    path = f"/api/projects/{project.slug}/audit"
    table = admin.get(f"{path}.csv?what={what}").content.decode()
    return admin.call("GET", f"{path}?what={what}")["results"], list(csv.DictReader(io.StringIO(table)))


def test_the_log_holds_nobodys_name_and_its_readers_see_those_of_today() -> None:
    project = make_project()
    make_round(project)
    admin, root = Browser(make_member(project, "admin")), Browser(make_user("root", is_superuser=True))
    ada = make_member(project, username="ada.lovelace", email="ada@example.org")
    number = everything_done_to(ada, project, admin)
    old = {"labeler": "grace", "reason": ""}  # as in older entries
    AuditEvent.objects.create(project=project, action="label.release", target="label 7", detail=old)
    AuditEvent.objects.create(project=project, action="member.pause", target=f"member {number} (her name of then)")
    assert "lovelace" not in str(list(AuditEvent.objects.values_list("target", "detail"))).lower()

    rows, table = read(admin, project, "ada.lovelace")
    assert {row["target"] for row in rows} == {f"member {number} (ada.lovelace)"}
    assert [row["target"] for row in table] == [row["target"] for row in rows]
    assert len({row["action"] for row in rows}) >= 4
    rows, table = read(admin, project, "label.release")
    assert [row["detail"]["labeler"] for row in rows] == ["grace", "ada.lovelace"]
    assert "ada.lovelace" in table[1]["detail"]

    root.call("POST", "/api/site/person_data/forget", {"username": "ada.lovelace", "again": "ada.lovelace"})
    said = str(read(admin, project))
    assert "lovelace" not in said
    assert "her name of then" not in said
    assert f"member {number} (former-{ada.pk})" in said
