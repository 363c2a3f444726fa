"""Pages that are reused from test to test: a new one, in a new browser context, costs twice as much as loading a page.

Every lent page has a context of its own, and so acts as a device of its own. After the test, all of it is restored and
compared with the new page. A page that differs, or that cannot be restored, is closed.
"""

from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Error, Page

WINDOW = {"viewport": {"width": 1440, "height": 900}}
PATIENCE_MS = 60_000  # a loaded machine is slow; a real failure still fails
KEPT = 4
PARKED = "/favicon.svg"  # a document of the same origin, so of the same process, that runs no code

# Everything that a test can leave in a document of this origin and in its window, or set for all of them.
LOOK = """async () => JSON.stringify([
    Object.getOwnPropertyNames(window).sort(),
    [Date, setTimeout, fetch].map(String),
    [window.name, history.length, document.cookie, {...localStorage}, {...sessionStorage}],
    [(await indexedDB.databases()).length, await caches.keys()],
    (await navigator.serviceWorker.getRegistrations()).length,
    [navigator.onLine, innerWidth, innerHeight, document.querySelectorAll(":hover").length],
    ["(prefers-color-scheme: dark)", "(prefers-reduced-motion)", "print"].map(rule => matchMedia(rule).matches),
    await Promise.all(["clipboard-read", "clipboard-write", "notifications", "geolocation"].map(
        async name => (await navigator.permissions.query({name})).state)),
])"""


@dataclass
class CleanPage:
    """One page and its context, and how they were when new."""

    options: dict[str, Any]
    context: BrowserContext
    page: Page
    looks: str = ""
    listeners: dict[object, int] = field(default_factory=dict)

    @classmethod
    def new(cls, browser: Browser, url: str, options: dict[str, Any]) -> "CleanPage":
        context = browser.new_context(**options)
        context.set_default_timeout(PATIENCE_MS)
        made = cls(options, context, context.new_page())
        made.looks = made.put_back(url)
        made.listeners = made._count_listeners()
        return made

    def is_clean_again(self, url: str) -> bool:
        """Restore everything that a test may have changed. Return whether nothing of it is left."""
        try:
            return self._count_listeners() == self.listeners and self.put_back(url) == self.looks
        except Error:  # the page is closed or has crashed
            return False

    def put_back(self, url: str) -> str:
        """Restore the page to its first state. Return how it looks now."""
        context, page = self.context, self.page
        for other in context.pages:
            if other is not page:
                other.close()
        for one in (page, context):
            one.unroute_all(behavior="ignoreErrors")
            one.set_extra_http_headers({})
            one.set_default_timeout(PATIENCE_MS)
        context.set_offline(False)
        context.clear_permissions()
        page.set_viewport_size(self.options["viewport"])
        page.mouse.move(-1, -1)
        page.goto(f"{url}{PARKED}")
        page.evaluate("window.name = ''; sessionStorage.clear()")
        context.clear_cookies()
        devtools = context.new_cdp_session(page)
        devtools.send("Storage.clearDataForOrigin", {"origin": url, "storageTypes": "all"})
        devtools.send("Page.resetNavigationHistory")
        devtools.detach()
        looks: str = page.evaluate(LOOK)
        return looks

    def _count_listeners(self) -> dict[object, int]:
        """Count the listeners by event. Playwright itself has some, and no public name for them."""
        emitters = [("page", self.page._impl_obj), ("context", self.context._impl_obj)]
        return {
            (name, event): emitter.listener_count(event)
            for name, emitter in emitters
            for event in emitter.event_names()
        }


class CleanPages:
    """The pages of this process: some lent to a test, the others waiting for the next."""

    def __init__(self, browser: Browser, url: str) -> None:
        self.browser = browser
        self.url = url
        self.waiting: list[CleanPage] = []
        self.lent: list[CleanPage] = []

    def lend(self, **options: Any) -> Page:
        """Lend a page that seems unused, as far as it can tell. The arguments are its context's (viewport, ...)."""
        options = {**WINDOW, **options}
        found = next((one for one in self.waiting if one.options == options), None)
        if found:
            self.waiting.remove(found)
        else:
            found = CleanPage.new(self.browser, self.url, options)
        self.lent.append(found)
        return found.page

    def take_back(self, *, keep: bool = True) -> None:
        """Take back all lent pages. The last used ones are kept."""
        lent, self.lent = self.lent, []
        for one in lent:
            if keep and one.is_clean_again(self.url):
                self.waiting.append(one)
            else:
                one.context.close()
        self._close_all_but(KEPT)

    def close(self) -> None:
        """Close all pages at the end."""
        self.take_back(keep=False)
        self._close_all_but(0)

    def _close_all_but(self, kept: int) -> None:
        while len(self.waiting) > kept:
            self.waiting.pop(0).context.close()
