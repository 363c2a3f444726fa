"""A published validator's cases: people and groups made, read, changed, deleted, searched for."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from django.test.client import ClientHandler

from labeling.tests.people.test_scim import TOKEN

# What it wants otherwise: `active` cannot be taken away, and the one address that is kept is always the primary one.
OTHERWISE = {"active", "emails"}


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """The product, in the test's own transaction."""
    response: Any = ClientHandler(enforce_csrf_checks=True)(environ)
    start_response(f"{response.status_code} {response.reason_phrase}", list(response.items()))
    return [response.content]


@pytest.mark.django_db
def test_a_published_validator_finds_no_fault_in_people_groups_and_searches(settings: Any) -> None:
    # Hundreds of models that look for their own source: seconds that not every process should spend to collect tests.
    import scim2_tester as tester  # noqa: PLC0415
    from scim2_client.engines import wsgi  # noqa: PLC0415

    settings.SCIM_TOKEN = TOKEN
    client = wsgi.WSGISCIMClient(application, "http://localhost/scim/v2", {"Authorization": f"Bearer {TOKEN}"})
    found = tester.check_server(client)
    faults = [one for one in found if one.status not in (tester.Status.SUCCESS, tester.Status.SKIPPED)]
    assert len(found) - len(faults) > 40
    assert not [one for one in faults if (one.data or {}).get("urn") not in OTHERWISE], faults
    groups = [one for one in found if one.resource_type == "Group" and one.status == tester.Status.SUCCESS]
    assert len(groups) > 10
