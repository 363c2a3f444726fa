"""Projects, their settings, guidelines and audit trail."""

import csv
import io
import json
import re
import threading
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from rest_framework import serializers

from labeling.actions import audit_log
from labeling.actions.projects import NEW
from labeling.api import tables
from labeling.api.serializers.after_error import AfterErrorShape
from labeling.api.serializers.projects import ChangeProjectIn
from labeling.configs.after_error import AfterErrorConfig
from labeling.models import AuditEvent, Guideline, Project, User
from labeling.tests.accounts import Browser
from labeling.tests.factories import join, make_member, make_project, make_traces, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project("algebra", name="Algebra")


@pytest.fixture
def admin(project) -> Browser:
    return Browser(make_member(project, "admin"))


def test_a_superuser_makes_a_project_and_is_its_admin():
    root = Browser(make_user("root", is_superuser=True))
    made = root.call("POST", "/api/projects", {"slug": "algebra", "name": "Algebra", "description": "x"}, status=201)
    assert made.pop("created_at")
    assert made == {
        "slug": "algebra",
        "name": "Algebra",
        "description": "x",
        "status": "active",
        "taken_out_at": None,
        "role": "admin",
        "default_overlap": 1,
        "default_overlap_most": 0,
        "default_overlap_needed": 0,
        "lease_minutes": 15,
        "revise_window_hours": 24,
        "reference_solution": False,
        "reveal_scores": False,
        "answer_kind": "maths",
        "answer_tolerance": 0.0,
        "session_traces": 0,
        "stalled_hours": 24,
        "hourly_rate": None,
        "currency": "",
        "rated_unit": "message",
        "gold_per_round": 10,
        "screening": False,
        "screening_tasks": 30,
        "screening_share": 0.75,
        "screening_retries": 1,
        "screening_feedback": True,
        "trains_at_close": True,
        "after_error": AfterErrorConfig().as_json(),
        "counts": {"problems": 0, "traces": 0, "tasks_wanting": 0, "labels_submitted": 0, "open_rounds": 0},
    }
    assert root.call("GET", "/api/session")["user"]["memberships"][0]["role"] == "admin"
    again = root.call("POST", "/api/projects", {"slug": "algebra", "name": "B"}, status=400)
    assert list(again["fields"]) == ["slug"]
    assert AuditEvent.objects.filter(action="project.create").count() == 1


def test_a_projects_admin_makes_no_projects(admin):
    refusal = admin.call("POST", "/api/projects", {"slug": "mine", "name": "Mine"}, status=403)
    assert refusal["code"] == "permission_denied"
    assert not Project.objects.filter(slug="mine").exists()


def test_the_list_holds_my_projects_with_my_role_in_a_fixed_number_of_queries(django_assert_num_queries):
    person = make_user()
    for number in range(7):
        join(make_project(f"mine-{number}"), person, "researcher" if number % 2 else "annotator")
    make_project("foreign")
    browser = Browser(person)
    with django_assert_num_queries(9):  # person, projects with roles, five counts, what annotators are told is left
        page = browser.call("GET", "/api/projects?limit=3")
    slugs, roles = [], []
    while True:
        slugs += [row["slug"] for row in page["results"]]
        roles += [row["role"] for row in page["results"]]
        if page["next"] is None:
            break
        page = browser.call("GET", f"/api/projects?limit=3&cursor={page['next']}")
    assert slugs == [f"mine-{number}" for number in reversed(range(7))]
    assert roles == ["annotator", "researcher"] * 3 + ["annotator"]


def test_a_superuser_sees_every_project_as_admin(project):
    root = Browser(make_user(is_superuser=True))
    assert [(row["slug"], row["role"]) for row in root.call("GET", "/api/projects")["results"]] == [
        ("algebra", "admin")
    ]
    assert root.call("GET", "/api/projects/algebra")["role"] == "admin"


@pytest.mark.parametrize("limit", ["0", "201", "-1", "x", "1e2", "9" * 400, "٣", "1.0"])
def test_a_page_holds_from_1_to_200_rows(admin, limit):
    assert list(admin.call("GET", f"/api/projects?limit={limit}", status=400)["fields"]) == ["limit"]


def test_a_cursor_that_was_tampered_with_or_belongs_to_another_list_is_refused(admin, project):
    for _ in range(3):
        make_member(project)
    cursor = admin.call("GET", "/api/projects/algebra/members?limit=1")["next"]
    for address in (
        f"/api/projects/algebra/members?cursor={cursor[:-1]}",
        f"/api/projects/algebra/audit?cursor={cursor}",
        "/api/projects?cursor=WzFd",
        "/api/projects?cursor=%00",
        "/api/projects?cursor=" + "x" * 3000,
    ):
        assert admin.call("GET", address, status=400)["code"] == "bad_cursor"


def test_settings_change_one_by_one_and_the_audit_keeps_what_was_before(admin, project):
    changed = admin.call("PATCH", "/api/projects/algebra", {"lease_minutes": 30, "name": "Algebra"})
    assert changed["lease_minutes"] == 30
    event = AuditEvent.objects.get(action="project.change")
    assert event.detail == {"before": {"lease_minutes": 15}, "after": {"lease_minutes": 30}}
    assert admin.call("PATCH", "/api/projects/algebra", {"status": "archived"})["status"] == "archived"
    assert admin.call("PATCH", "/api/projects/algebra", {"status": "active"})["status"] == "active"
    admin.call("PATCH", "/api/projects/algebra", {})
    assert AuditEvent.objects.filter(action="project.change").count() == 3


@pytest.mark.parametrize(
    "change",
    [
        {"default_overlap": 0},
        {"default_overlap": 21},
        {"lease_minutes": 0},
        {"lease_minutes": 1441},
        {"lease_minutes": 10**40},
        {"revise_window_hours": -1},
        {"revise_window_hours": 40_000},
        {"name": ""},
        {"name": "x" * 121},
        {"status": "deleted"},
        {"reference_solution": "perhaps"},
        {"description": None},
        {"answer_tolerance": "nan"},
        {"answer_tolerance": -0.1},
    ],
)
def test_a_setting_out_of_its_range_is_refused(admin, change):
    refusal = admin.call("PATCH", "/api/projects/algebra", change, status=400)
    assert list(refusal["fields"]) == list(change)


def test_the_address_of_a_project_never_changes(admin, project):
    refused = admin.call("PATCH", "/api/projects/algebra", {"slug": "other"}, status=400)
    assert refused["fields"] == {"slug": ["There is no such field."]}
    assert admin.call("GET", "/api/projects/algebra")["slug"] == "algebra"


def test_before_the_first_guideline_there_is_version_0(project):
    browser = Browser(make_member(project))
    assert browser.call("GET", "/api/projects/algebra/guidelines/current") == {
        "version": 0,
        "body": "",
        "clauses": [],
        "created_at": None,
    }
    assert browser.call("GET", "/api/projects/algebra/guidelines")["results"] == []
    browser.call("GET", "/api/projects/algebra/guidelines/0", status=404)


def test_guidelines_are_numbered_kept_byte_for_byte_and_all_stay_readable(project):
    researcher = Browser(make_member(project, "researcher"))
    bodies = ["# Rate\r\n\r\n  *each* step \n", "\t<script>alert(1)</script> $x<y$ \u2028é\n\n"]
    for version, body in enumerate(bodies, 1):
        made = researcher.call("POST", "/api/projects/algebra/guidelines", {"body": body}, status=201)
        assert (made["version"], made["body"]) == (version, body)
    reader = Browser(make_member(project))
    assert reader.call("GET", "/api/projects/algebra/guidelines/current")["body"] == bodies[1]
    assert reader.call("GET", "/api/projects/algebra/guidelines/1")["body"] == bodies[0]
    listed = reader.call("GET", "/api/projects/algebra/guidelines")["results"]
    assert [row["version"] for row in listed] == [2, 1]
    assert set(listed[0]) == {"version", "created_at", "created_by"}


def test_an_annotator_writes_no_guidelines(project):
    refusal = Browser(make_member(project)).call("POST", "/api/projects/algebra/guidelines", {"body": "x"}, status=403)
    assert refusal["code"] == "permission_denied"


@pytest.mark.django_db(transaction=True)
def test_guidelines_published_at_once_get_one_number_each():
    project = make_project("algebra")
    browsers = [Browser(make_member(project, "researcher")) for _ in range(6)]
    together = threading.Barrier(len(browsers))

    def publish(browser: Browser) -> None:
        together.wait()
        browser.send("POST", "/api/projects/algebra/guidelines", {"body": "text"})
        connection.close()

    threads = [threading.Thread(target=publish, args=(browser,)) for browser in browsers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(Guideline.objects.values_list("version", flat=True)) == [1, 2, 3, 4, 5, 6]


def test_the_audit_lists_the_newest_first_and_names_the_actor(admin, project, django_assert_num_queries):
    admin.call("PATCH", "/api/projects/algebra", {"name": "A"})
    admin.call("POST", "/api/projects/algebra/guidelines", {"body": "x"}, status=201)
    with django_assert_num_queries(3):  # person, project with role, events with their actors
        rows = admin.call("GET", "/api/projects/algebra/audit")["results"]
    assert [row["action"] for row in rows] == ["guideline.publish", "project.change"]
    assert rows[0]["target"] == "guideline 1"
    assert rows[0]["actor"]["display_name"].startswith("person")


@pytest.mark.parametrize("address", ["audit", "traces"])
def test_a_table_that_does_not_hold_all_says_so_in_its_name(admin, project, address, monkeypatch):
    make_traces(project, 3)
    for number in range(3):
        audit_log.record("gold.spread", actor=None, project=project, target=f"round {number}")

    def downloaded(most):
        monkeypatch.setattr(tables, "MOST_ROWS", most)
        answer = admin.get(f"/api/projects/algebra/{address}.csv")
        rows = list(csv.reader(io.StringIO(answer.content.decode())))
        return answer["Content-Disposition"].partition("filename=")[2].strip('"'), len(rows) - 1

    assert downloaded(3) == (f"algebra-{address}.csv", 3)
    assert downloaded(2) == (f"algebra-{address}-first-2.csv", 2)


def test_the_audit_is_narrowed_by_who_what_and_when_and_downloaded_as_a_table(admin, project):
    admin.call("PATCH", "/api/projects/algebra", {"name": "=A"})
    admin.call("POST", "/api/projects/algebra/guidelines", {"body": "x"}, status=201)
    audit_log.record("gold.spread", actor=None, project=project, target="round 1")
    audit_log.record("guideline.publish", actor=None, project=make_project())
    name = User.objects.get(pk=AuditEvent.objects.filter(project=project).earliest("pk").actor_id).username
    middle = AuditEvent.objects.get(action="guideline.publish", project=project).at.isoformat()

    def acts(**asked):
        query = urlencode(asked)
        rows = admin.call("GET", f"/api/projects/algebra/audit?{query}")["results"]
        table = list(
            csv.DictReader(io.StringIO(admin.get(f"/api/projects/algebra/audit.csv?{query}").content.decode()))
        )
        assert [row["action"] for row in table] == [row["action"] for row in rows]
        return [row["action"] for row in rows]

    assert acts() == ["gold.spread", "guideline.publish", "project.change"]
    assert acts(who=name.upper()) == ["guideline.publish", "project.change"]
    assert acts(who="the machine") == ["gold.spread"]
    assert acts(what="project.") == ["project.change"]
    assert acts(what="ROUND 1") == ["gold.spread"]
    assert acts(since=middle) == ["gold.spread", "guideline.publish"]
    assert acts(until=middle, who=name) == ["project.change"]
    assert acts(who="100%") == []
    assert admin.call("GET", "/api/projects/algebra/audit?since=yesterday", status=400)["fields"].keys() == {"since"}
    [row] = csv.DictReader(io.StringIO(admin.get("/api/projects/algebra/audit.csv?what=change").content.decode()))
    assert (row["username"], json.loads(row["detail"])["after"]["name"]) == (name, "=A")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE labeling_auditevent SET action = 'nothing'",
        "DELETE FROM labeling_auditevent",
        "TRUNCATE labeling_auditevent",
        "TRUNCATE labeling_auditevent, labeling_project CASCADE",
    ],
)
def test_the_database_refuses_to_change_the_audit_trail(project, statement):
    AuditEvent.objects.create(action="something", project=project)
    with connection.cursor() as cursor:  # rests in tests only, see conftest.py
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE labeling_auditevent ENABLE TRIGGER audit_is_never_emptied")
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert AuditEvent.objects.filter(action="something").count() == 1


def test_guidelines_take_the_place_of_those_that_their_author_knew(admin, project):
    path = "/api/projects/algebra/guidelines"
    admin.call("POST", path, {"body": "First.", "after": 0}, status=201)
    other = Browser(make_member(project, "researcher"))
    other.call("POST", path, {"body": "Theirs.", "after": 1}, status=201)
    refused = admin.call("POST", path, {"body": "Mine.", "after": 1}, status=409)
    assert (refused["code"], refused["version"]) == ("guideline_changed", 2)
    assert "published version 2 in the meantime. Read it first" in refused["detail"]
    assert admin.call("POST", path, {"body": "Both.", "after": 2}, status=201)["version"] == 3
    assert admin.call("POST", path, {"body": "Whatever stands."}, status=201)["version"] == 4


def range_of(field: Any) -> str:
    """The values allowed for a setting according to docs/project-settings.md."""
    if isinstance(field, AfterErrorShape):
        return "an object"
    if isinstance(field, serializers.BooleanField):
        return "yes, no"
    if isinstance(field, serializers.ChoiceField):
        return ", ".join(f"`{choice}`" if isinstance(choice, str) else str(choice) for choice in field.choices)
    if isinstance(field, serializers.RegexField):
        return "three capital letters"
    if isinstance(field, serializers.CharField):
        return f"up to {field.max_length:,} characters"
    if field.max_value is None:
        return f"{field.min_value} and more"
    return f"{field.min_value:,} to {field.max_value:,}"


def default_of(name: str) -> str:
    """The values of a new project according to that page."""
    value = NEW.get(name, Project._meta.get_field(name).get_default())
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return f"`{value}`" if value else "none" if name == "name" else "empty"
    return "none" if value is None else "nothing is offered or asked" if value == {} else str(value)


def test_the_page_of_settings_tells_each_with_its_default_and_range():
    page = (Path(settings.BASE_DIR) / "docs" / "project-settings.md").read_text()
    told = re.findall(r"^\| `(\w+)` \| (.+?) \| (.+?) \|", page, re.MULTILINE)
    fields = ChangeProjectIn().fields
    assert {name: (default, range_) for name, default, range_ in told} == {
        name: (default_of(name), range_of(field)) for name, field in fields.items()
    }
    assert len(told) == len(fields)
