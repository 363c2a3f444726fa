"""The built page in a real Chromium, served by the product itself over a real Postgres."""

import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from playwright.sync_api import Browser, Page, expect

from labeling.models import User
from labeling.tests.browser.clean_pages import PATIENCE_MS, CleanPages
from labeling.tests.browser.labeling_desk import LabelingDesk

OpenDesk = Callable[..., LabelingDesk]
FAILED = pytest.StashKey[bool]()
expect.set_options(timeout=PATIENCE_MS / 2)


@pytest.fixture(autouse=True)
def _page_is_built() -> None:
    if not (Path(settings.FRONTEND_DIR) / "index.html").exists():
        pytest.fail(f"{settings.FRONTEND_DIR} holds no page. Run: make frontend")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note that a test failed: its page is closed without a check."""
    report = yield
    item.stash[FAILED] = report.failed or item.stash.get(FAILED, False)
    return report


@pytest.fixture(scope="session")
def clean_pages(django_db_setup: None, live_server: Any, browser: Browser) -> Iterator[CleanPages]:
    """The pages that this process lends to its tests. They are closed before the database is removed."""
    pages = CleanPages(browser, live_server.url)
    yield pages
    pages.close()
    time.sleep(0.5)  # the server's threads notice the hang-up, and release the database


@pytest.fixture
def new_page(clean_pages: CleanPages, request: pytest.FixtureRequest) -> Iterator[Callable[..., Page]]:
    """Open a page on a device of its own, with nobody logged in. The arguments are its context's (viewport, ...)."""
    yield clean_pages.lend
    clean_pages.take_back(keep=not request.node.stash.get(FAILED, False))
    _wait_for_idle_server()


@pytest.fixture
def log_in(live_server: Any, new_page: Callable[..., Page]) -> Callable[..., Page]:
    """Open a page on a device of its own, with a person logged in."""

    def open_it(user: User, **options: Any) -> Page:
        page = new_page(**options)
        client = Client()
        client.force_login(user)
        cookie = client.cookies[settings.SESSION_COOKIE_NAME]
        page.context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": live_server.url}])
        return page

    return open_it


def _wait_for_idle_server() -> None:
    """Wait until no request uses the database any more: a closed page may just have sent its draft."""
    for _ in range(100):
        time.sleep(0.1)
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                " AND pid <> pg_backend_pid() AND state <> 'idle'"
            )
            if cursor.fetchone() == (0,):
                return


@pytest.fixture
def open_desk(live_server: Any, log_in: Callable[..., Page]) -> OpenDesk:
    """Open the labeling page of a project, with its first task."""

    def open_it(user: User, slug: str, **options: Any) -> LabelingDesk:
        desk = LabelingDesk(log_in(user, **options), f"{live_server.url}/projects/{slug}/label")
        desk.open()
        return desk

    return open_it
