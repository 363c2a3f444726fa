"""Fixtures for all tests. The servers are started earlier, by annotation_app/local/pytest_servers.py."""

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
# Features that Playwright turns off (of two lists, only the last counts), plus the two pages behind the address bar,
# which no window of ours shows and which make up half the cost of a new window.
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
    "SpareRendererForSitePerProcess",  # a reserve process for each opened page, which few pages need
]
CHROMIUM_ARGS = [
    f"--disable-features={','.join(FEATURES_OFF)}",
    "--disable-gpu",
    "--in-process-gpu",  # passing data between two processes costs a tenth of a page
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
    "--no-sandbox",
]

QUICK_HASHER = "django.contrib.auth.hashers.MD5PasswordHasher"

# A numerical function is slow at its first call, and so is a loaded machine. Speed is measured in bench/.
settings.register_profile("any speed", deadline=None)
settings.load_profile("any speed")


def pytest_configure() -> None:
    """Hash passwords the quick way, unless a test requests `products_hashers`: those take a tenth of a second."""
    django_settings.PASSWORD_HASHERS = [QUICK_HASHER, *django_settings.PASSWORD_HASHERS]
    _look_for_files_once()


def _look_for_files_once() -> None:
    """Have WhiteNoise read the page's whole folder only once.

    Each test client makes all middleware again, and reading the folder takes a third of such a test. A test of other
    files starts a process of its own.
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
    """Exclude everything imported so far from garbage collection, and collect more rarely.

    Reference counts free nearly all objects. Collecting a tenth as often as Python's default saves a twentieth of the
    time of an API test.
    """
    gc.freeze()
    gc.set_threshold(7_000, 10, 10)
    gc.enable()


@pytest.fixture
def products_hashers(settings: Any) -> None:
    """Hash passwords as in production."""
    settings.PASSWORD_HASHERS = [hasher for hasher in settings.PASSWORD_HASHERS if hasher != QUICK_HASHER]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let tests that depend on the timing of other processes be rerun (shown as R): a real fault fails each time.

    Those are the tests with a browser (two reruns) and the tests that kill and wait for processes (one). No other test
    is rerun. annotation_app/tests/reruns.py counts the reruns.
    """
    for item in items:
        reruns = 2 if item.get_closest_marker("browser") else 1 if item.get_closest_marker("slow") else 0
        if reruns:
            item.add_marker(pytest.mark.flaky(reruns=reruns))
    _long_files_first(items)


def _long_files_first(items: list[pytest.Item]) -> None:
    """Sort the files so that short ones come last and fill the gaps: each process takes the next file.

    Files that drive a browser or kill processes come first, then those with the most tests.
    """
    heavy = {item.path for item in items if item.get_closest_marker("browser") or item.get_closest_marker("slow")}
    tests = Counter(item.path for item in items)
    items.sort(key=lambda item: (item.path not in heavy, -tests[item.path]))


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Use the system's Chromium, so that Playwright's own download is not needed."""
    if not CHROMIUM.exists():
        pytest.fail(f"{CHROMIUM} is missing. As root: make browser (apt-get install chromium).")
    return {**browser_type_launch_args, "executable_path": str(CHROMIUM), "args": CHROMIUM_ARGS}


# After a test that commits, Django TRUNCATEs all tables and writes all permissions and content types again. That takes
# half a second each time, for a handful of rows in a few tables. Triggers are off only during this statement.
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
    """Make the process's database as a copy of the migrated one."""
    wait_for_template()
    connection.settings_dict["TEST"]["TEMPLATE"] = TEMPLATE


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> None:
    """Delete rows the quick way after tests that commit."""
    TransactionTestCase._fixture_teardown = _delete_all_rows  # type: ignore[attr-defined]
