"""The built page in a real Chromium, served by the product itself over a real Postgres."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, expect

from labeling.models import User
from labeling.tests.browser.labeling_desk import LabelingDesk

OpenDesk = Callable[..., LabelingDesk]
PATIENCE_MS = 60_000  # a loaded machine is late; what never comes fails all the same
expect.set_options(timeout=PATIENCE_MS / 2)


@pytest.fixture(autouse=True)
def _page_is_built() -> None:
    if not (Path(settings.FRONTEND_DIR) / "index.html").exists():
        pytest.fail(f"{settings.FRONTEND_DIR} holds no page. Run: make frontend")


@pytest.fixture
def log_in(live_server: Any, browser: Browser) -> Iterator[Callable[..., BrowserContext]]:
    """A browser of its own in which a person is logged in; keyword arguments are the context's (viewport, ...)."""
    contexts: list[BrowserContext] = []

    def new_context(user: User, **options: Any) -> BrowserContext:
        context = browser.new_context(**{"viewport": {"width": 1440, "height": 900}, **options})
        context.set_default_timeout(PATIENCE_MS)
        client = Client()
        client.force_login(user)
        cookie = client.cookies[settings.SESSION_COOKIE_NAME]
        context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": live_server.url}])
        contexts.append(context)
        return context

    yield new_context
    for context in contexts:
        context.close()
    _wait_for_idle_server()


def _wait_for_idle_server() -> None:
    """Until no request is in the database any more: a page that is closed may just have sent its draft."""
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
def open_desk(live_server: Any, log_in: Callable[..., BrowserContext]) -> OpenDesk:
    """The labeling page of a project, with its first task on it."""

    def open_it(user: User, slug: str, **options: Any) -> LabelingDesk:
        desk = LabelingDesk(log_in(user, **options).new_page(), f"{live_server.url}/projects/{slug}/label")
        desk.open()
        return desk

    return open_it
