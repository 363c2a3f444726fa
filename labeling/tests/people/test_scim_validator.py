"""A published validator's cases: people and groups created, read, changed, deleted and searched."""

import inspect
import sys
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any

import pytest
from django.test.client import ClientHandler

from labeling.tests.people.test_scim import TOKEN

# Where we differ: `active` cannot be removed, and the single address that is stored is always the primary one.
OTHERWISE = {"active", "emails"}


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """The product, in the test's own transaction."""
    response: Any = ClientHandler(enforce_csrf_checks=True)(environ)
    start_response(f"{response.status_code} {response.reason_phrase}", list(response.items()))
    return [response.content]


def module_of(looked_at: Any, _file: str | None = None) -> Any:
    """A replacement for `inspect.getmodule`, which searches all modules of the process for each frame that it gets."""
    frame = isinstance(looked_at, FrameType)
    return sys.modules.get(looked_at.f_globals["__name__"] if frame else getattr(looked_at, "__module__", ""))


@pytest.mark.django_db
def test_a_published_validator_finds_no_fault_in_people_groups_and_searches(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Hundreds of models look up their own source in every frame, here and while they are checked. This takes seconds
    # that not every process should spend on collecting tests, and most of this test's time.
    monkeypatch.setattr(inspect, "getmodule", module_of)
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
