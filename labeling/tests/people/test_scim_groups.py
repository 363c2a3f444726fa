"""SCIM 2.0 Groups and searches, as printed in RFC 7644 and sent by Entra and Okta; roles that follow at once."""

import json
from typing import Any

import pytest

from annotation_app.sign_in_providers import SignInProvider
from labeling.actions.labels import claim_next_label
from labeling.actions.openid import Vouched
from labeling.actions.sign_in import person_of
from labeling.formats.scim import PATCH, USER
from labeling.formats.scim_groups import GROUP
from labeling.formats.scim_queries import SEARCH
from labeling.models import AuditEvent, Label, Membership, User
from labeling.tests.accounts import PASSWORD
from labeling.tests.factories import make_project, make_round, make_user
from labeling.tests.people.test_scim import TOKEN, scim

pytestmark = pytest.mark.django_db
ROLES = {"labelers": {"algebra": "annotator"}, "leads": {"algebra": "admin"}, "id-of-leads": {"geometry": "researcher"}}
ROOT = "http://testserver/scim/v2"
SSO = SignInProvider(name="sso", issuer="https://id.example.org", client_id="stepmark", roles=ROLES)


@pytest.fixture(autouse=True)
def _set_up(settings: Any) -> None:
    settings.SCIM_TOKEN = TOKEN
    settings.OIDC_PROVIDERS = {"sso": SSO}
    settings.SCIM_PROVIDER = ""


def person(name: str) -> User:
    made = scim("POST", "Users", {"schemas": [USER], "userName": name}, status=201)
    return User.objects.get(pk=made["id"])


def group(name: str, *people: User, status: int = 201, **more: Any) -> Any:
    members = [{"value": str(one.pk)} for one in people]
    return scim("POST", "Groups", {"schemas": [GROUP], "displayName": name, "members": members, **more}, status=status)


def patch(made: Any, *operations: dict[str, Any], status: int = 200) -> Any:
    return scim("PATCH", f"Groups/{made['id']}", {"schemas": [PATCH], "Operations": list(operations)}, status=status)


def roles(one: User) -> dict[str, str]:
    found = Membership.objects.filter(user=one, is_active=True)
    return dict(found.values_list("project__slug", "role"))


def sign_in(one: User, *groups: str, provider: SignInProvider = SSO) -> None:
    """Sign the person in through the provider, whose token names these groups."""
    vouched = Vouched(one.username, one.username, "", "", frozenset(groups), "")
    one.identities.get_or_create(issuer=provider.issuer, subject=one.username)
    person_of(provider, vouched)


def test_a_group_gives_its_roles_at_once_and_who_leaves_it_loses_them_with_what_they_hold() -> None:
    algebra, ada, bob = make_project("algebra"), person("ada"), person("bob")
    make_round(algebra)
    made = group("labelers", ada, externalId="x1")
    assert (roles(ada), roles(bob)) == ({"algebra": "annotator"}, {})
    assert made["members"] == [{"value": str(ada.pk), "$ref": f"{ROOT}/Users/{ada.pk}", "type": "User"}]
    assert scim("GET", f"Users/{ada.pk}")["groups"][0]["display"] == "labelers"
    held = claim_next_label(ada, algebra).label
    patch(made, {"op": "Add", "path": "members", "value": [{"value": str(bob.pk)}]})
    assert roles(bob) == {"algebra": "annotator"}
    said = patch(made, {"op": "remove", "path": f'members[value eq "{ada.pk}"]'})
    assert ([one["value"] for one in said["members"]], roles(ada)) == ([str(bob.pk)], {})
    assert Label.objects.get(pk=held.pk).status == Label.Status.RELEASED
    leads = group("leads", bob)
    assert roles(bob) == {"algebra": "admin"}, "the highest of the two"
    scim("DELETE", f"Groups/{leads['id']}", status=204)
    assert roles(bob) == {"algebra": "annotator"}, "what the other group still gives"
    scim("GET", f"Groups/{leads['id']}", status=404)
    actions = AuditEvent.objects.filter(action__startswith="group.").order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["group.create", "group.provision", "group.provision", "group.create", "group.delete"]


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "Remove", "path": "members", "value": [{"value": "{ada}"}]},  # Entra
        {"op": "remove", "path": 'members[value eq "{ada}"]'},  # Okta; RFC 7644, 3.5.2.2
        {"op": "replace", "path": "members", "value": [{"value": "{bob}"}]},  # Okta
        {"op": "replace", "value": {"members": [{"value": "{bob}"}], "displayName": "labelers"}},
        {"op": "remove", "path": "members"},
        {"op": "replace", "path": "displayName", "value": "of another name"},
        {"op": "replace", "value": {"displayName": "of another name"}},
    ],
)
def test_however_a_provider_takes_somebody_out_the_role_goes(operation: dict[str, Any]) -> None:
    make_project("algebra")
    ada, bob = person("ada"), person("bob")
    made = group("labelers", ada, bob)
    told = json.dumps(operation).replace("{ada}", str(ada.pk)).replace("{bob}", str(bob.pk))
    patch(made, json.loads(told))
    assert roles(ada) == {}
    names_one = told != json.dumps(operation)
    assert roles(bob) == ({"algebra": "annotator"} if names_one else {})


def test_put_says_all_of_a_group_and_the_providers_own_id_gives_roles_as_well() -> None:
    make_project("algebra")
    make_project("geometry")
    ada, bob = person("ada"), person("bob")
    made = group("any name", ada, externalId="id-of-leads")
    assert roles(ada) == {"geometry": "researcher"}
    whole = {"schemas": [GROUP], "displayName": "labelers", "members": [{"value": str(bob.pk)}]}
    said = scim("PUT", f"Groups/{made['id']}", whole)
    assert (said["displayName"], said.get("externalId")) == ("labelers", None)
    assert (roles(ada), roles(bob)) == ({}, {"algebra": "annotator"})
    assert scim("PUT", f"Groups/{made['id']}", whole)["meta"] == said["meta"], "nothing was changed"


def test_of_a_group_that_scim_keeps_no_token_says_who_is_in_it() -> None:
    make_project("algebra")
    make_project("geometry")
    ada, bob = person("ada"), person("bob")
    sign_in(bob, "labelers", "id-of-leads")
    made = group("labelers", ada)
    sign_in(ada)
    assert roles(ada) == {"algebra": "annotator"}, "the token is silent, SCIM is not"
    sign_in(bob, "labelers", "id-of-leads")
    assert roles(bob) == {"geometry": "researcher"}, "the token is out of date; of the other group it speaks"
    patch(made, {"op": "add", "path": "members", "value": [{"value": str(bob.pk)}]})
    assert roles(bob) == {"geometry": "researcher", "algebra": "annotator"}
    scim("DELETE", f"Groups/{made['id']}", status=204)
    assert roles(bob) == {"geometry": "researcher"}, "what the last sign-in said of that group went with it"


def test_a_group_that_scim_takes_over_leaves_its_role_to_nobody_whom_a_token_alone_named() -> None:
    algebra = make_project("algebra")
    make_round(algebra)
    make_project("geometry")
    ada, late, local = person("ada"), person("late"), make_user("local", password=PASSWORD)
    for one in (late, local):
        sign_in(one, "leads", "labelers", "id-of-leads")
    held = claim_next_label(late, algebra).label
    made = group("leads", ada)
    assert (roles(ada), roles(late)) == ({"algebra": "admin"}, {"algebra": "annotator", "geometry": "researcher"})
    assert roles(local) == roles(late), "also where the person has a password: a token gave it"
    patch(made, {"op": "replace", "path": "displayName", "value": "labelers"})
    assert (roles(ada), roles(late), roles(local)) == (
        {"algebra": "annotator"},
        {"geometry": "researcher"},
        {"geometry": "researcher"},
    ), "a new name takes a group over as well"
    assert Label.objects.get(pk=held.pk).status == Label.Status.RELEASED
    scim("DELETE", f"Groups/{made['id']}", status=204)
    assert roles(late) == {"geometry": "researcher"}, "what the last sign-in said of it stays out of date"
    sign_in(late, "leads")
    assert roles(late) == {"algebra": "admin"}, "now tokens speak of it again"


def test_who_is_deleted_is_in_no_group_and_has_none_of_their_roles() -> None:
    make_project("algebra")
    ada = person("ada")
    made = group("labelers", ada)
    scim("DELETE", f"Users/{ada.pk}", status=204)
    assert "members" not in scim("GET", f"Groups/{made['id']}")
    assert roles(ada) == {}


def test_of_several_providers_the_named_one_says_what_groups_give(settings: Any) -> None:
    make_project("algebra")
    other = SignInProvider(name="other", issuer="https://other.example.org", client_id="x", roles={})
    settings.OIDC_PROVIDERS = {"other": other, "sso": SSO}
    ada, bob = person("ada"), person("bob")
    made = group("labelers", ada)
    assert roles(ada) == {}, "nobody said whose groups these are"
    settings.SCIM_PROVIDER = "sso"
    patch(made, {"op": "add", "path": "members", "value": [{"value": str(bob.pk)}]})
    assert roles(bob) == {"algebra": "annotator"}
    sign_in(bob, provider=other)
    assert roles(bob) == {"algebra": "annotator"}, "another provider has nothing to say of these projects"


def test_a_member_is_somebody_whom_scim_keeps_and_a_change_is_whole_or_nothing() -> None:
    make_project("algebra")
    root = make_user("root", is_superuser=True)
    local = make_user("local", password=PASSWORD)
    ada = person("ada")
    made = group("labelers", ada)
    for stranger in (str(root.pk), str(local.pk), "999999", "x", "", "9" * 30):
        add = {"op": "add", "path": "members", "value": [{"value": stranger}]}
        rename = {"op": "replace", "path": "displayName", "value": "renamed"}
        assert patch(made, rename, add, status=400)["scimType"] == "invalidValue"
    nested = {"op": "add", "path": "members", "value": [{"value": made["id"], "type": "Group"}]}
    assert patch(made, nested, status=400)["detail"] == "Members must be users: groups within groups are not supported."
    assert patch(made, {"op": "replace", "path": "members[type eq 1].x", "value": 1}, status=400)["scimType"] == (
        "invalidPath"
    )
    assert group("labelers", status=409)["scimType"] == "uniqueness"
    other = group("others")
    assert patch(other, {"op": "replace", "path": "displayName", "value": "labelers"}, status=409)
    for body in ({}, {"schemas": [GROUP]}, {"schemas": [GROUP], "displayName": " "}, {"schemas": [USER]}):
        scim("POST", "Groups", body, status=400)
    now = scim("GET", f"Groups/{made['id']}")
    assert (now["displayName"], [one["value"] for one in now["members"]]) == ("labelers", [str(ada.pk)])
    assert Membership.objects.count() == 1


def test_groups_are_found_by_what_providers_look_for(django_assert_num_queries: Any) -> None:
    ada, bob = person("ada"), person("bob")
    made = [group("labelers", ada, bob, externalId="x1"), group("leads", bob)]
    assert scim("GET", 'Groups?excludedAttributes=members&filter=displayName eq "LABELERS"')["Resources"] == [
        {name: value for name, value in made[0].items() if name != "members"}
    ]
    assert scim("GET", 'Groups?filter=externalId eq "x1"')["totalResults"] == 1
    assert scim("GET", f'Groups?filter=members.value eq "{bob.pk}"')["totalResults"] == 2
    both = f'Groups?filter=id eq "{made[1]["id"]}" and members eq "%s"'  # Entra asks whether somebody is in a group
    assert [scim("GET", both % one.pk)["totalResults"] for one in (ada, bob)] == [0, 1]
    assert scim("GET", 'Groups?filter=userName eq "ada"', status=400)["scimType"] == "invalidFilter"
    assert scim("GET", f'Users?filter=groups.value eq "{made[1]["id"]}"')["Resources"][0]["userName"] == "bob"
    with django_assert_num_queries(4):
        scim("GET", "Users")


def test_a_search_in_the_body_finds_what_the_address_would() -> None:
    ada = person("ada")
    made = group("labelers", ada)

    def search(path: str, status: int = 200, **asked: Any) -> Any:
        return scim("POST", f"{path}.search", {"schemas": [SEARCH], **asked}, status=status)

    assert search("Users/", filter='userName eq "ada"')["Resources"][0]["id"] == str(ada.pk)
    assert search("Groups/", attributes=["displayName"])["Resources"] == [
        {"schemas": [GROUP], "id": made["id"], "displayName": "labelers"}
    ]
    every = search("", excludedAttributes=["meta"], sortBy="userName")
    assert [one.get("userName") or one["displayName"] for one in every["Resources"]] == ["ada", "labelers"]
    assert [len(search("", startIndex=at, count=1)["Resources"]) for at in (1, 2, 3)] == [1, 1, 0]
    assert search("", startIndex=2, count=1)["Resources"][0]["displayName"] == "labelers"
    assert search("", filter='displayName eq "labelers"')["totalResults"] == 1
    assert search("Users/", 400, filter='title eq "x"')["scimType"] == "invalidFilter"
    assert search("", 400, startIndex="1")["scimType"] == "invalidValue"
    assert scim("POST", ".search", {"filter": ""}, status=400)["scimType"] == "invalidSyntax"
