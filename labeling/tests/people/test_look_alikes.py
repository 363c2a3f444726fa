"""Names and addresses that only look like, or fold to, another person's: they lead to nobody's account."""

from typing import Any

import pytest
from django.test import Client

from labeling.formats.scim import USER
from labeling.formats.scim_groups import GROUP
from labeling.models import Identity, User
from labeling.tests.accounts import PASSWORD, Browser
from labeling.tests.factories import make_user
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
