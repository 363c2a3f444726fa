"""What every test may ask for. The servers are started earlier, by annotation_app/local/pytest_servers.py."""

import gc
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.db import connection
from django.test import TransactionTestCase
from hypothesis import settings
from whitenoise.middleware import WhiteNoiseMiddleware

from annotation_app.local.pytest_servers import TEMPLATE, wait_for_template

CHROMIUM = Path("/usr/bin/chromium")
# What Playwright turns off (of two lists only the last counts), and two pages behind the address bar, which no window
# of ours shows: half of what a new one costs.
FEATURES_OFF = [
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay",
    "MediaRouter",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "AimEnabled",
    "PreconnectToSearch",
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "SpareRendererForSitePerProcess",  # a process in reserve for each page that is opened, which few need
]
CHROMIUM_ARGS = [
    f"--disable-features={','.join(FEATURES_OFF)}",
    "--disable-gpu",
    "--in-process-gpu",  # what passes between two processes costs a tenth of a page
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
    "--no-sandbox",
]

QUICK_HASHER = "django.contrib.auth.hashers.MD5PasswordHasher"

# The first call of a numerical function is slow, and so is a loaded machine; how fast things are is measured in bench/.
settings.register_profile("any speed", deadline=None)
settings.load_profile("any speed")


def pytest_configure() -> None:
    """Passwords are hashed the quick way, but where a test says `products_hashers`: those take a tenth of a second."""
    django_settings.PASSWORD_HASHERS = [QUICK_HASHER, *django_settings.PASSWORD_HASHERS]
    _look_for_files_once()


def _look_for_files_once() -> None:
    """Each test client makes all middleware anew, and this one reads the page's whole folder: a third of such a test.

    A test of other files starts a process of its own.
    """
    look = WhiteNoiseMiddleware.__init__
    found: dict[str, Any] = {}

    def remember(files: WhiteNoiseMiddleware, get_response: Any = None) -> None:
        if not found:
            look(files, get_response)
            found.update(vars(files))
        vars(files).update(found, get_response=get_response)

    WhiteNoiseMiddleware.__init__ = remember


def pytest_collection_finish() -> None:
    """What was imported stays: it is not looked through again whenever rubbish is collected.

    Nearly all goes without being looked for. Looking a tenth as often as Python does by itself takes a twentieth of the
    time off a test of the API.
    """
    gc.freeze()
    gc.set_threshold(7_000, 10, 10)
    gc.enable()


@pytest.fixture
def products_hashers(settings: Any) -> None:
    """Passwords are hashed as in production."""
    settings.PASSWORD_HASHERS = [hasher for hasher in settings.PASSWORD_HASHERS if hasher != QUICK_HASHER]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What lives on other processes' clocks may be run again (shown as R): a real fault fails each time.

    That is the browser (twice) and the tests that kill and wait for processes (once). No other test is. How many were
    is counted in annotation_app/tests/reruns.py.
    """
    for item in items:
        reruns = 2 if item.get_closest_marker("browser") else 1 if item.get_closest_marker("slow") else 0
        if reruns:
            item.add_marker(pytest.mark.flaky(reruns=reruns))
    _long_files_first(items)


def _long_files_first(items: list[pytest.Item]) -> None:
    """Each process takes the next file: what is short comes last and fills what is left at the end.

    Long are the files that drive a browser or kill processes, then those of the most tests.
    """
    heavy = {item.path for item in items if item.get_closest_marker("browser") or item.get_closest_marker("slow")}
    tests = Counter(item.path for item in items)
    items.sort(key=lambda item: (item.path not in heavy, -tests[item.path]))


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The system's Chromium; Playwright's own download is not needed."""
    if not CHROMIUM.exists():
        pytest.fail(f"{CHROMIUM} is missing. As root: make browser (apt-get install chromium).")
    return {**browser_type_launch_args, "executable_path": str(CHROMIUM), "args": CHROMIUM_ARGS}


# Django empties all tables by TRUNCATE after a test that commits, and then writes all permissions and content types
# again: half a second each time, for what is a handful of rows in a few tables. No trigger rests but in this statement.
DELETE_ALL_ROWS = """
    DO $$
    DECLARE
        name text;
        used boolean;
    BEGIN
        SET LOCAL session_replication_role = replica;
        FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public'
            AND tablename NOT IN ('django_migrations', 'django_content_type', 'auth_permission')
        LOOP
            EXECUTE format('SELECT EXISTS (SELECT FROM %I)', name) INTO used;
            IF used THEN
                EXECUTE format('DELETE FROM %I', name);
            END IF;
        END LOOP;
    END $$
"""


def _delete_all_rows(_test: TransactionTestCase) -> None:
    with connection.cursor() as cursor:
        cursor.execute(DELETE_ALL_ROWS)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None) -> None:
    """The process's database is a copy of the migrated one."""
    wait_for_template()
    connection.settings_dict["TEST"]["TEMPLATE"] = TEMPLATE


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> None:
    """After tests that commit, rows go the quick way."""
    TransactionTestCase._fixture_teardown = _delete_all_rows  # type: ignore[attr-defined]
