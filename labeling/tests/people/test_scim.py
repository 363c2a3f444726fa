"""SCIM 2.0 Users: the requests printed in RFC 7644 and sent by Entra and Okta, and the people that SCIM cannot
change.
"""

import json
from contextlib import closing
from threading import Thread
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client

from annotation_app.tests.running_installation import wait_for
from labeling.actions.labels import claim_next_label, submit_label
from labeling.formats.scim import ERROR, LIST, PATCH, USER
from labeling.formats.scim_groups import GROUP
from labeling.models import AuditEvent, Identity, Label, User
from labeling.tests.accounts import PASSWORD, Browser, Program
from labeling.tests.factories import make_member, make_project, make_round, make_submission, make_user

pytestmark = pytest.mark.django_db
TOKEN = "a token of an identity provider 1"
# RFC 7644, 3.3, as printed there.
BJENSEN = {
    "schemas": [USER],
    "userName": "bjensen",
    "externalId": "bjensen",
    "name": {"formatted": "Ms. Barbara J Jensen III", "familyName": "Jensen", "givenName": "Barbara"},
}


@pytest.fixture(autouse=True)
def _token(settings: Any) -> None:
    settings.SCIM_TOKEN = TOKEN


def scim(method: str, path: str, body: Any = None, *, status: int = 200, token: str = TOKEN) -> Any:
    """Send an identity provider's request; every response has the standard's content type."""
    data = json.dumps(body) if body is not None else ""
    headers = {"Authorization": f"Bearer {token}"}
    answer = Client().generic(method, f"/scim/v2/{path}", data, content_type="application/scim+json", headers=headers)
    assert answer.status_code == status, answer.content
    assert answer.headers["Content-Type"] == "application/scim+json"
    if status == 204:
        return None
    said = json.loads(answer.content)
    if status >= 400:
        assert (said["schemas"], said["status"]) == ([ERROR], str(status))
    return said


def patch(number: str, *operations: dict[str, Any], status: int = 200) -> Any:
    return scim("PATCH", f"Users/{number}", {"schemas": [PATCH], "Operations": list(operations)}, status=status)


def test_the_person_of_the_standard_is_made_found_changed_and_made_once() -> None:
    made = scim("POST", "Users", BJENSEN, status=201)
    person = User.objects.get(username="bjensen")
    assert made["id"] == str(person.pk)
    assert (made["userName"], made["externalId"], made["active"]) == ("bjensen", "bjensen", True)
    assert made["displayName"] == "Ms. Barbara J Jensen III"
    assert made["meta"]["location"].endswith(f"/scim/v2/Users/{person.pk}")
    assert not person.has_usable_password()
    assert scim("GET", f"Users/{made['id']}") == made
    assert scim("POST", "Users", {**BJENSEN, "userName": "BJensen"}, status=409)["scimType"] == "uniqueness"
    whole = {**BJENSEN, "emails": [{"value": "b@home.org"}, {"value": "bjensen@example.com", "primary": True}]}
    assert scim("PUT", f"Users/{made['id']}", whole)["emails"][0]["value"] == "bjensen@example.com"
    assert scim("PUT", f"Users/{made['id']}", BJENSEN).get("emails") is None, "PUT says all of it"
    actions = AuditEvent.objects.order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["person.create", "person.provision", "person.provision"]


def test_people_are_found_by_what_providers_look_for_and_in_pages() -> None:
    for name in ("ada", "bob", "eve"):
        scim("POST", "Users", {"schemas": [USER], "userName": name, "externalId": f"x-{name}"}, status=201)
    found = scim("GET", 'Users?filter=userName eq "ADA"')
    assert (found["schemas"], found["totalResults"], found["Resources"][0]["userName"]) == ([LIST], 1, "ada")
    assert scim("GET", 'Users?filter=externalId eq "x-bob"')["Resources"][0]["userName"] == "bob"
    assert scim("GET", 'Users?filter=userName eq "nobody"')["Resources"] == [], "an empty list, no error"
    page = scim("GET", "Users?startIndex=2&count=1")
    assert [one["userName"] for one in page["Resources"]] == ["bob"]
    assert (page["totalResults"], page["startIndex"], page["itemsPerPage"]) == (3, 2, 1)
    assert scim("GET", "Users?count=0")["totalResults"] == 3
    assert scim("GET", 'Users?filter=title pr or userName co "a"', status=400)["scimType"] == "invalidFilter"


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "replace", "path": "active", "value": False},  # Okta
        {"op": "Replace", "path": "active", "value": "False"},  # Entra
        {"op": "replace", "value": {"active": False}},  # RFC 7644, 3.5.2.3
        {"op": "replace", "path": f"{USER}:active", "value": False},
    ],
)
def test_who_is_switched_off_gives_back_what_they_hold_and_keeps_their_labels(operation: dict[str, Any]) -> None:
    project = make_project()
    make_round(project, traces=3)
    ada = make_member(project, username="ada")
    ada.set_unusable_password()
    ada.save()
    Identity.objects.create(user=ada, issuer="https://id.example.org", subject="1")
    done = submit_label(claim_next_label(ada, project).label, make_submission())
    held = claim_next_label(ada, project).label
    browser, program = Browser(ada), Program(ada)
    assert patch(str(ada.pk), operation)["active"] is False
    assert Label.objects.get(pk=held.pk).status == Label.Status.RELEASED
    assert Label.objects.get(pk=done.pk).status == Label.Status.SUBMITTED
    assert browser.call("GET", "/api/session")["user"] is None
    program.call("GET", "/api/projects", status=401)
    assert scim("GET", f"Users/{ada.pk}")["active"] is False, "who is switched off is still there"
    assert patch(str(ada.pk), {"op": "replace", "path": "active", "value": True})["active"] is True
    assert ada.memberships.get().is_active


def test_who_is_deleted_is_gone_for_the_provider_and_switched_off_here_until_made_again() -> None:
    made = scim("POST", "Users", BJENSEN, status=201)
    scim("DELETE", f"Users/{made['id']}", status=204)
    assert not User.objects.get(username="bjensen").is_active
    scim("GET", f"Users/{made['id']}", status=404)
    scim("DELETE", f"Users/{made['id']}", status=404)
    assert scim("GET", 'Users?filter=userName eq "bjensen"')["totalResults"] == 0
    assert scim("POST", "Users", BJENSEN, status=201)["id"] == made["id"]
    assert User.objects.get(username="bjensen").is_active


def test_a_provider_asks_for_some_attributes_alone() -> None:
    made = scim("POST", "Users", BJENSEN, status=201)
    assert set(scim("GET", f"Users/{made['id']}?attributes=userName,name.familyName")) == {"schemas", "id", "userName"}
    [listed] = scim("GET", "Users?excludedAttributes=displayName, meta")["Resources"]
    assert set(listed) == {"schemas", "id", "userName", "externalId", "active"}


def test_a_patch_is_whole_or_nothing_and_passes_over_what_is_not_kept() -> None:
    made = scim("POST", "Users", BJENSEN, status=201)
    email = {"op": "add", "path": 'emails[type eq "work"].value', "value": "b@example.org"}
    title = {"op": "replace", "path": "title", "value": "Tour Guide"}
    said = patch(made["id"], email, title, {"op": "replace", "path": "displayName", "value": "Babs"})
    assert (said["emails"][0]["value"], said["displayName"]) == ("b@example.org", "Babs")
    lines = {"op": "replace", "path": "displayName", "value": "Babs\r\nAn admin\u2028"}
    assert patch(made["id"], lines)["displayName"] == "Babs An admin", "a name is one line"
    patch(made["id"], lines | {"value": "Babs"})
    patch(made["id"], {"op": "remove", "path": "displayName"}, {"op": "move", "path": "active"}, status=400)
    assert User.objects.get(username="bjensen").display_name == "Babs"


@pytest.mark.django_db(transaction=True)
def test_of_two_changes_at_once_each_keeps_what_the_other_made() -> None:
    made = scim("POST", "Users", {**BJENSEN, "emails": [{"value": "b@example.org"}]}, status=201)

    def rename() -> None:
        with closing(connection):
            patch(made["id"], {"op": "replace", "path": "displayName", "value": "Babs"})

    late = Thread(target=rename)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (here,) = cursor.fetchone()
        patch(made["id"], {"op": "replace", "path": "active", "value": False}, {"op": "remove", "path": "emails"})
        late.start()

        def waits() -> bool:
            cursor.execute(
                "SELECT count(*) FROM pg_locks WHERE NOT granted AND %s = ANY(pg_blocking_pids(pid))", [here]
            )
            return cursor.fetchone() is not None

        wait_for("the second change to wait for the first", waits, 30)
    late.join()
    said = scim("GET", f"Users/{made['id']}")
    assert (said["active"], said.get("emails"), said["displayName"]) == (False, None, "Babs")


@pytest.mark.parametrize(
    "body",
    [
        [],
        {},
        {"schemas": [USER]},
        {"schemas": [USER], "userName": ""},
        {"schemas": [USER], "userName": "a b"},
        {"schemas": [USER], "userName": ["ada"]},
        {"schemas": [USER], "userName": "ada", "active": 7},
        {"schemas": [USER], "userName": "ada", "emails": [{"value": "no address"}]},
        {"schemas": [USER], "userName": "ada", "displayName": "x" * 500},
        {"schemas": [USER], "userName": "ada", "externalId": "a\0b"},
        {"schemas": [USER], "userName": "ada", "name": {"givenName": 7}},
    ],
)
def test_what_is_no_person_is_refused_in_the_standards_words(body: Any) -> None:
    assert scim("POST", "Users", body, status=400)["scimType"] in ("invalidSyntax", "invalidValue")
    assert not User.objects.exists()


def test_the_administrator_and_people_with_passwords_are_out_of_reach() -> None:
    root = make_user("root", is_superuser=True, is_staff=True)
    root.set_unusable_password()
    root.save()
    local = make_user("local", password=PASSWORD)
    for person in (root, local):
        scim("GET", f"Users/{person.pk}", status=404)
        patch(str(person.pk), {"op": "replace", "path": "active", "value": False}, status=404)
        scim("DELETE", f"Users/{person.pk}", status=404)
        scim("POST", "Users", {**BJENSEN, "userName": person.username}, status=409)
    assert scim("GET", "Users")["totalResults"] == 0
    assert User.objects.filter(is_active=True).count() == 2


@pytest.mark.parametrize("path", ["Users", "Users/1", "ServiceProviderConfig", "Groups", "Groups/1", ".search"])
def test_nobody_gets_in_without_the_token_and_nothing_is_there_while_it_is_off(path: str, settings: Any) -> None:
    admin = make_user("root", is_superuser=True)
    for somebody in (Client(), Browser(admin), Program(admin)):
        assert somebody.get(f"/scim/v2/{path}").status_code == 401
    scim("GET", path, status=401, token="another token of somebody else")
    settings.SCIM_TOKEN = ""
    scim("GET", path, status=404, token="")


def test_the_server_says_what_it_can_and_nothing_is_answered_that_a_schema_does_not_name() -> None:
    config = scim("GET", "ServiceProviderConfig")
    assert [config[name]["supported"] for name in ("patch", "filter", "bulk")] == [True, True, False]
    kinds = scim("GET", "ResourceTypes")["Resources"]
    assert [kind["endpoint"] for kind in kinds] == ["/Users", "/Groups"]
    person = scim("POST", "Users", {**BJENSEN, "emails": [{"value": "b@example.org"}]}, status=201)
    group = {"schemas": [GROUP], "displayName": "Guides", "members": [{"value": person["id"]}]}
    made = [scim("GET", f"Users/{person['id']}"), scim("POST", "Groups", group, status=201)]
    for kind, schema, said in zip(kinds, scim("GET", "Schemas")["Resources"], made, strict=True):
        assert scim("GET", f"ResourceTypes/{kind['id']}") == kind
        assert scim("GET", f"Schemas/{kind['schema']}") == schema
        named = {attribute["name"] for attribute in schema["attributes"]} | {"schemas", "id", "externalId", "meta"}
        assert set(said) <= named
    for nowhere in ("Bulk", "Users/no-number", f"Users/{10**30}", "Groups/no-number", f"Groups/{10**30}"):
        scim("GET", nowhere, status=404)
    for method, path in (("PATCH", "Users"), ("PUT", "Groups"), ("GET", "Users/.search"), ("POST", "Schemas")):
        scim(method, path, {}, status=405)
