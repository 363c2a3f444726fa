"""Names and addresses that only look like, or fold to, another person's: they lead to nobody's account."""

from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from labeling.formats.scim import PATCH, USER
from labeling.formats.scim_groups import GROUP
from labeling.formats.user_names import LOOKS, skeleton
from labeling.models import Identity, Project, User
from labeling.queries.spelling import has_look_alike, names_that_begin_like
from labeling.queries.user_names import LOOKS_TAKEN
from labeling.tests.accounts import PASSWORD, Browser
from labeling.tests.factories import make_member, make_project, make_user
from labeling.tests.people.provider import Provider
from labeling.tests.people.test_scim import TOKEN, scim
from labeling.tests.people.test_sign_in import come_back, provider, set_up, who  # noqa: F401  (fixtures)

pytestmark = pytest.mark.django_db
# Variants of mike.susk: no dot, long s, the Kelvin sign, a fullwidth letter, the dotted capital, a Cyrillic letter.
LOOK_ALIKES = ["mıke.susk", "mike.ſusk", "mi\u212ae.susk", "ｍike.susk", "mİke.susk", "mіke.susk"]


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_an_address_that_looks_like_anothers_joins_nobody(provider: Provider, set_up: Any, name: str) -> None:  # noqa: F811
    mike = make_user("mike", email="mike.susk@lib.example", password=PASSWORD)
    set_up(sso=(provider, {"joins_by_email": True}))
    provider.person |= {"email": f"{name}@lib.example", "preferred_username": "eve"}
    thief = Browser()
    come_back(thief, provider)
    assert who(thief)["id"] != mike.pk
    assert not Identity.objects.filter(user=mike).exists()
    Browser().call("POST", "/api/session/login", {"username": "mike", "password": PASSWORD})


def test_capitals_of_an_address_are_the_same_address(provider: Provider, set_up: Any) -> None:  # noqa: F811
    mike = make_user("mike", email="Mike.Susk@lib.example")
    set_up(sso=(provider, {"joins_by_email": True}))
    provider.person["email"] = "mIKE.susk@LIB.example"
    browser = Browser()
    come_back(browser, provider)
    assert who(browser)["id"] == mike.pk


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_scim_finds_and_revives_nobody_by_a_name_that_looks_the_same(settings: Any, name: str) -> None:
    settings.SCIM_TOKEN = TOKEN
    about = {"schemas": [USER], "userName": "mike.susk", "emails": [{"value": "mike.susk@lib.example"}]}
    mike = scim("POST", "Users", about, status=201)["id"]
    scim("POST", "Groups", {"schemas": [GROUP], "displayName": "mike.susk"}, status=201)
    for filtered in (f'Users?filter=userName eq "{name}"', f'Users?filter=emails eq "{name}@lib.example"'):
        assert scim("GET", filtered)["totalResults"] == 0
    assert scim("GET", f'Groups?filter=displayName eq "{name}"')["totalResults"] == 0
    assert scim("GET", 'Users?filter=emails eq "MIKE.susk@lib.example"')["totalResults"] == 1
    scim("DELETE", f"Users/{mike}", status=204)
    headers = {"Authorization": f"Bearer {TOKEN}"}
    body = {**about, "userName": name}
    made = Client().post("/scim/v2/Users", body, content_type="application/scim+json", headers=headers)
    assert made.status_code in (201, 409), "another person, or a name that is refused for its looks"
    assert made.json().get("id") != mike
    assert not User.objects.get(pk=mike).is_active


def link(project: Project) -> str:
    """Where a stranger accepts an invitation to it."""
    admin = Browser(make_member(project, "admin"))
    made = admin.call("POST", f"/api/projects/{project.slug}/invitations", {"role": "annotator"}, status=201)
    return f"/api{made['url_path']}/accept"


def admin_pages() -> Client:
    root = Client()
    root.force_login(make_user("root", is_superuser=True, is_staff=True))
    return root


def add_on_admin_pages(name: str) -> bytes:
    """What the form *Add user* answers."""
    body = {"username": name, "password1": PASSWORD, "password2": PASSWORD, "usable_password": "true"}
    return admin_pages().post("/admin/labeling/user/add/", body).content


@pytest.mark.parametrize("name", ["аnna", "αnna", "ａｎｎａ", "ANNA"])
def test_nobody_new_is_given_a_name_that_looks_like_anothers(monkeypatch: Any, settings: Any, name: str) -> None:
    settings.SCIM_TOKEN = TOKEN
    monkeypatch.setenv("STEPMARK_ADMIN_PASSWORD", PASSWORD)
    make_user("anna")
    account = {"username": name, "password": PASSWORD}
    refusal = Browser().call("POST", link(make_project()), account, status=400)
    assert "Choose" in refusal["fields"]["username"][0]
    with pytest.raises(CommandError, match="Choose"):
        call_command("create_admin", name)
    assert b"Choose" in add_on_admin_pages(name)
    assert scim("POST", "Users", {"schemas": [USER], "userName": name}, status=409)["scimType"] == "uniqueness"
    bob = scim("POST", "Users", {"schemas": [USER], "userName": "bob"}, status=201)["id"]
    rename = {"schemas": [PATCH], "Operations": [{"op": "replace", "path": "userName", "value": name}]}
    scim("PATCH", f"Users/{bob}", rename, status=409)
    assert not User.objects.filter(username=name).exists()


def test_a_name_all_in_another_script_that_looks_like_a_latin_one_is_refused_and_others_are_not() -> None:
    make_user("coco")
    address = link(make_project())
    refusal = Browser().call("POST", address, {"username": "сосо", "password": PASSWORD}, status=400)
    assert refusal["fields"] == {"username": [LOOKS_TAKEN]}
    browser = Browser()
    browser.call("POST", address, {"username": "мария", "password": PASSWORD})
    assert who(browser)["username"] == "мария"


def test_a_name_that_mixes_scripts_is_refused_whether_or_not_it_looks_like_anybodys(settings: Any) -> None:
    settings.SCIM_TOKEN = TOKEN
    address = link(make_project())
    refusal = Browser().call("POST", address, {"username": "аnna", "password": PASSWORD}, status=400)
    assert refusal["fields"]["username"][0].startswith("“аnna” mixes Latin and Cyrillic letters")
    assert scim("POST", "Users", {"schemas": [USER], "userName": "аnna"}, status=400)["scimType"] == "invalidValue"
    scim("POST", "Users", {"schemas": [USER], "userName": "иван@lib.example"}, status=201)


def test_a_new_name_is_kept_normalised(monkeypatch: Any) -> None:
    monkeypatch.setenv("STEPMARK_ADMIN_PASSWORD", PASSWORD)
    call_command("create_admin", "ａｎｎａ")
    assert User.objects.get().username == "anna"
    with pytest.raises(CommandError, match="letters, digits"):
        call_command("create_admin", "be\u200brta")


def test_who_has_such_a_name_already_keeps_it() -> None:
    made = {name: make_user(name, email=f"{number}@lib.example") for number, name in enumerate(("anna", "аnna"))}
    root = admin_pages()
    about = {"username": "аnna", "display_name": "Anna", "is_active": "on"}
    answer = root.post(f"/admin/labeling/user/{made['аnna'].pk}/change/", about)
    assert answer.status_code == 302, "other fields are changed as before"
    answer = root.post(f"/admin/labeling/user/{made['anna'].pk}/change/", about)
    assert b"This user name is taken" in answer.content, "a new name is another matter"


def test_five_look_alikes_tried_with_a_link_end_it_as_five_names_do() -> None:
    make_user("coco")
    address = link(make_project())
    for _ in range(5):
        Browser().call("POST", address, {"username": "сосо", "password": PASSWORD}, status=400)
    refusal = Browser().call("POST", address, {"username": "free", "password": PASSWORD}, status=409)
    assert refusal["state"] == "revoked"


@pytest.mark.parametrize(
    ("said", "given"), [("сосо", "сосо-2"), ("coco", "coco-2"), ("ＣＯＣＯ", "COCO-2"), ("аnna", "person")]
)
def test_a_first_sign_in_makes_a_name_that_looks_like_nobodys(
    provider: Provider,  # noqa: F811
    set_up: Any,  # noqa: F811
    said: str,
    given: str,
) -> None:
    make_user("coco")
    set_up(sso=(provider, {}))
    provider.person |= {"preferred_username": said}
    browser = Browser()
    come_back(browser, provider)
    assert who(browser)["username"] == given


def test_postgres_sees_a_name_as_we_do() -> None:
    names = [LOOKS, *LOOK_ALIKES]
    for name in names:
        person = make_user(name[:150])
        assert names_that_begin_like(name[:150]) == [person.username]
        assert has_look_alike(User.objects.all(), skeleton(name[:150]))
        person.delete()
