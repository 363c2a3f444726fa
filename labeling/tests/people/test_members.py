"""Members: roles, deactivation, and the admin that a project must always have."""

import threading

import pytest
from django.db import connection

from labeling.actions import labels
from labeling.models import AuditEvent, Membership, Project, Task
from labeling.tests.accounts import Browser
from labeling.tests.factories import join, make_member, make_project, make_round, make_submission, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project("algebra")


@pytest.fixture
def admin(project) -> Browser:
    return Browser(make_member(project, "admin"))


def address_of(person, what: str) -> str:
    return f"/api/projects/algebra/members/{person.memberships.get().pk}/{what}"


def test_the_list_names_everybody_and_pages_in_order(project, admin, django_assert_num_queries):
    for number in range(5):
        join(project, make_user(f"p{number}", display_name=f"P {number}", email=f"p{number}@example.org"))
    with django_assert_num_queries(4):  # person, project with role, members, their labels
        page = admin.call("GET", "/api/projects/algebra/members?limit=4")
    rest = admin.call("GET", f"/api/projects/algebra/members?limit=4&cursor={page['next']}")
    assert [m["user"]["username"] for m in page["results"][1:] + rest["results"]] == ["p0", "p1", "p2", "p3", "p4"]
    assert rest["next"] is None
    shown = rest["results"][-1]
    assert shown.pop("joined_at")
    assert shown.pop("id")
    assert shown["user"].pop("id")
    assert shown == {
        "user": {"username": "p4", "display_name": "P 4", "email": "p4@example.org", "kind": "person"},
        "role": "annotator",
        "is_active": True,
        "labels_submitted": 0,
        "active_ms": 0,
        "last_label_at": None,
    }


def test_somebody_whose_labels_were_imported_is_told_apart(project, admin):
    join(project, make_user("imported-1", kind="imported"))
    listed = admin.call("GET", "/api/projects/algebra/members")["results"]
    assert [member["user"]["kind"] for member in listed] == ["person", "imported"]


def test_a_new_role_counts_from_the_next_request(project, admin):
    person = make_member(project)
    browser = Browser(person)
    browser.call("GET", "/api/projects/algebra/members", status=403)
    assert admin.call("POST", address_of(person, "role"), {"role": "researcher"})["role"] == "researcher"
    browser.call("GET", "/api/projects/algebra/members")
    event = AuditEvent.objects.get(action="member.change_role")
    assert event.detail == {"before": "annotator", "after": "researcher"}
    assert event.project == project


def test_a_deactivated_member_loses_the_project_and_nothing_else(project, admin):
    person = make_member(project, "researcher")
    browser = Browser(person)
    assert admin.call("POST", address_of(person, "deactivate"))["is_active"] is False
    assert browser.call("GET", "/api/projects/algebra", status=404)["code"] == "not_found"
    assert browser.call("GET", "/api/projects")["results"] == []
    assert browser.call("GET", "/api/session")["user"]["memberships"] == []
    back = admin.call("POST", address_of(person, "reactivate"))
    assert (back["is_active"], back["role"]) == (True, "researcher")
    assert browser.call("GET", "/api/projects/algebra")["role"] == "researcher"
    actions = AuditEvent.objects.filter(action__startswith="member.").order_by("id")
    assert list(actions.values_list("action", flat=True)) == ["member.deactivate", "member.reactivate"]


def test_a_deactivated_members_labels_stay_and_what_they_hold_goes_back_to_the_queue(project, admin):
    make_round(project, traces=3)
    person = make_member(project)
    done = labels.claim_next_label(person, project, prefetch=True).label
    labels.submit_label(done, make_submission(spans=[{"start": 0, "end": 4000, "step": 0}], total_ms=5000))
    labels.claim_next_label(person, project, prefetch=True)
    assert sum(Task.objects.values_list("labels_wanted", flat=True)) == 0
    shown = admin.call("POST", address_of(person, "deactivate"))
    assert sum(Task.objects.values_list("labels_wanted", flat=True)) == 2
    assert (shown["labels_submitted"], shown["active_ms"]) == (1, 4000)
    assert shown["last_label_at"] is not None
    assert sorted(person.labels.values_list("status", flat=True)) == ["released", "released", "submitted"]
    assert AuditEvent.objects.get(action="member.deactivate").detail["released"] == 2
    assert admin.call("GET", "/api/projects/algebra/members")["results"][-1] == shown


def test_the_last_admin_is_neither_demoted_nor_deactivated(project, admin):
    person = Membership.objects.get(role="admin").user
    for what, body in (("role", {"role": "researcher"}), ("deactivate", None)):
        assert admin.call("POST", address_of(person, what), body, status=409)["code"] == "last_admin"
    second = make_member(project, "admin")
    admin.call("POST", address_of(second, "deactivate"))
    assert admin.call("POST", address_of(person, "deactivate"), status=409)["code"] == "last_admin"
    admin.call("POST", address_of(second, "reactivate"))
    assert admin.call("POST", address_of(person, "role"), {"role": "annotator"})["role"] == "annotator"


def test_an_admin_whose_account_is_switched_off_does_not_count_as_one(project, admin):
    person = Membership.objects.get(role="admin").user
    second = make_member(project, "admin")
    second.is_active = False
    second.save()
    assert admin.call("POST", address_of(person, "deactivate"), status=409)["code"] == "last_admin"


def test_doing_it_twice_is_noted_once(project, admin):
    person = make_member(project)
    for what, body in (("deactivate", None), ("reactivate", None), ("role", {"role": "admin"})):
        first = admin.call("POST", address_of(person, what), body)
        assert admin.call("POST", address_of(person, what), body) == first
    assert AuditEvent.objects.filter(action__startswith="member.").count() == 3


def test_a_member_of_another_project_is_not_there(project, admin):
    stranger = make_member(make_project("other"))
    for what, body in (("role", {"role": "admin"}), ("deactivate", None), ("reactivate", None)):
        assert admin.call("POST", address_of(stranger, what), body, status=404)["code"] == "not_found"


@pytest.mark.parametrize("role", ["owner", "", None, 3, ["admin"]])
def test_an_unknown_role_is_refused(project, admin, role):
    refusal = admin.call("POST", address_of(make_member(project), "role"), {"role": role}, status=400)
    assert list(refusal["fields"]) == ["role"]


@pytest.mark.django_db(transaction=True)
def test_two_admins_who_demote_each_other_at_once_leave_one():
    for _ in range(5):
        project = make_project()
        people = [make_member(project, "admin") for _ in range(2)]
        browsers = [Browser(person) for person in people]
        members = [person.memberships.get().pk for person in reversed(people)]
        together = threading.Barrier(2)

        def demote(
            browser: Browser, member: int, slug: str = project.slug, together: threading.Barrier = together
        ) -> None:
            together.wait()
            browser.send("POST", f"/api/projects/{slug}/members/{member}/role", {"role": "annotator"})
            connection.close()

        threads = [threading.Thread(target=demote, args=pair) for pair in zip(browsers, members, strict=True)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert Membership.objects.filter(project=project, role="admin").count() == 1
