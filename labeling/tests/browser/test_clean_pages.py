"""Whatever a test leaves in its page, the next test finds none of it."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Page, Request

from labeling.tests.browser.clean_pages import CleanPages

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LEAVE_DATA = """async () => {
    window.name = "left";
    window.left = 1;
    document.cookie = "left=1";
    localStorage.left = sessionStorage.left = "1";
    await (await caches.open("left")).put("/left", new Response("left"));
    await new Promise((done, fail) => {
        const opening = indexedDB.open("left", 1);
        opening.onupgradeneeded = () => opening.result.createObjectStore("left").put(1, 1);
        Object.assign(opening, {onsuccess: done, onerror: fail});
    });
    history.pushState(null, "", "/left");
}"""


@pytest.fixture
def pages(live_server: Any, browser: Browser) -> Iterator[CleanPages]:
    pages = CleanPages(browser, live_server.url)
    yield pages
    pages.close()


def leave_all_that_can_be_put_back(page: Page, url: str) -> None:
    context = page.context
    context.add_cookies([{"name": "sessionid", "value": "left", "url": url}])
    page.evaluate(LEAVE_DATA)
    page.set_viewport_size({"width": 390, "height": 844})
    page.mouse.move(100, 100)
    for one in (page, context):
        one.set_extra_http_headers({"X-Left": "1"})
        one.route("**/*", lambda route: route.abort())
    context.grant_permissions(["clipboard-read", "notifications"])
    context.new_page()
    context.set_offline(True)


def test_a_page_comes_back_with_nothing_of_the_test_before(pages: CleanPages) -> None:
    page = pages.lend()
    page.goto(pages.url)
    [lent] = pages.lent
    leave_all_that_can_be_put_back(page, pages.url)
    pages.take_back()
    assert pages.lend() is page
    assert page.url == f"{pages.url}/favicon.svg"
    assert page.context.pages == [page]
    assert page.context.cookies() == []
    assert lent.put_back(pages.url) == lent.looks
    seen: list[dict[str, str]] = []
    page.on("request", lambda request: seen.append(request.all_headers()))
    answer = page.goto(pages.url)
    assert answer is not None
    assert answer.status == 200
    assert not any("x-left" in headers or "cookie" in headers for headers in seen)


def hear(_request: Request) -> None:
    """Do what a test's listener would do."""


def listen(page: Page) -> None:
    page.on("request", hear)


def listen_to_the_context(page: Page) -> None:
    page.context.on("request", hear)


def turn_the_clock(page: Page) -> None:
    page.clock.install()


def add_a_script(page: Page) -> None:
    page.add_init_script("window.left = 1")


def expose(page: Page) -> None:
    page.context.expose_function("left", lambda: None)


def prefer_dark(page: Page) -> None:
    page.emulate_media(color_scheme="dark")


def close(page: Page) -> None:
    page.close()


def crash(page: Page) -> None:
    with page.expect_event("crash"), contextlib.suppress(Error):
        page.goto("chrome://crash")


@pytest.mark.parametrize(
    "leave", [listen, listen_to_the_context, turn_the_clock, add_a_script, expose, prefer_dark, close, crash]
)
def test_what_cannot_be_put_back_is_closed(pages: CleanPages, leave: Callable[[Page], None]) -> None:
    page = pages.lend()
    leave(page)
    pages.take_back()
    assert pages.waiting == []
    assert pages.lend().context is not page.context


def test_two_at_once_are_two_devices_and_each_look_has_its_own(pages: CleanPages) -> None:
    first, second, dark = pages.lend(), pages.lend(), pages.lend(color_scheme="dark")
    assert len({first.context, second.context, dark.context}) == 3
    pages.take_back()
    assert pages.lend(color_scheme="dark") is dark
    assert pages.lend() in (first, second)
    assert len(pages.waiting) == 1


def test_after_a_failed_test_nothing_is_kept(pages: CleanPages) -> None:
    page = pages.lend()
    pages.take_back(keep=False)
    assert (pages.waiting, page.is_closed()) == ([], True)
