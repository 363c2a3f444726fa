"""What every test may ask for. The servers are started earlier, by annotation_app/local/pytest_servers.py."""

from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from hypothesis import settings

CHROMIUM = Path("/usr/bin/chromium")
CHROMIUM_ARGS = [
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
    "--no-sandbox",
]

# The first call of a numerical function is slow, and so is a loaded machine; how fast things are is measured in bench/.
settings.register_profile("any speed", deadline=None)
settings.load_profile("any speed")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What lives on other processes' clocks may be run again (shown as R): a real fault fails each time.

    That is the browser (twice) and the tests that kill and wait for processes (once). No other test is.
    """
    for item in items:
        reruns = 2 if item.get_closest_marker("browser") else 1 if item.get_closest_marker("slow") else 0
        if reruns:
            item.add_marker(pytest.mark.flaky(reruns=reruns))


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The system's Chromium; Playwright's own download is not needed."""
    if not CHROMIUM.exists():
        pytest.fail(f"{CHROMIUM} is missing. As root: make browser (apt-get install chromium).")
    return {**browser_type_launch_args, "executable_path": str(CHROMIUM), "args": CHROMIUM_ARGS}


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> None:
    """Tests that commit are cleaned up by TRUNCATE, which the audit trail refuses: here that one trigger rests."""
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute("ALTER TABLE labeling_auditevent DISABLE TRIGGER audit_is_never_emptied")
