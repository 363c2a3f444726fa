"""The labeling page in Chromium, on the real servers: bytes, time to interactive, and how fast it responds to keys."""

import secrets
import statistics
from collections import Counter
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, CDPSession, Page, sync_playwright

from annotation_app.local.installation import BASE_DIR
from bench.http_labeling import spread
from bench.installation import Installation
from bench.progress import say

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
# At 60 frames a second, a key waits up to 16.7 ms for the next frame, whatever the page does. Without that limit, the
# measured time is the page's own work from the key to the end of drawing, and shows whether it fits into a frame.
ARGUMENTS += ["--disable-sync", "--no-first-run", "--disable-frame-rate-limit", "--disable-gpu-vsync"]
LOADS = 5
AHEAD = 4000  # ms after the first step, by which the rest of the page is being fetched
CODE = ("document", "js", "css")
SUBMISSIONS = 30
GOOD_STEPS = 5  # rated +1 before the error, of seven
SCRIPT = Path(__file__).parent / "measure_page.js"


def measure(installation: Installation, *, quick: bool = False) -> dict[str, Any]:
    """Load the page several times with an empty cache; then label without a pause."""
    if not (BASE_DIR / "frontend" / "dist" / "index.html.gz").exists():
        raise RuntimeError("frontend/dist holds no compressed page. Run: make frontend")
    password = secrets.token_urlsafe(12)
    project = installation.run("bench.fill", "--tasks", "1000", "--overlap", "4", BENCH_PASSWORD=password)
    origin = f"http://localhost:{installation.local.web_port}"
    address = f"{origin}/projects/{project['slug']}/label"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        cookies = log_in(browser, origin, project["usernames"][0], password)
        loads = [load(browser, cookies, address) for _ in range(2 if quick else LOADS)]
        answers = label(browser, cookies, address, 5 if quick else SUBMISSIONS)
        version = browser.version
        browser.close()
    found = {
        "chromium": version,
        "bytes": loads[0]["bytes"],
        "bytes_before_fonts": sum(loads[0]["bytes"].get(kind, 0) for kind in CODE),
        "bytes_ahead": loads[0]["bytes_ahead"],
        "interactive_ms": statistics.median(one["interactive_ms"] for one in loads),
        **answers,
    }
    submit, key = found["submit_to_next_ms"]["p95"], found["key_to_paint_ms"]["p95"]
    say(f"page: {found['bytes_before_fonts'] / 1000:.0f} kB before fonts, ready in {found['interactive_ms']:.0f} ms")
    ahead = sum(found["bytes_ahead"].get(kind, 0) for kind in CODE)
    say(f"page: {ahead / 1000:.0f} kB more, fetched ahead while the first step is read")
    say(f"page: submit to next p95 {submit:.0f} ms, key to paint p95 {key:.1f} ms")
    return found


def log_in(browser: Browser, origin: str, username: str, password: str) -> Any:
    """Log in and return the browser's cookies. Raises RuntimeError."""
    context = browser.new_context()
    context.request.get(f"{origin}/api/session")
    token = next(cookie["value"] for cookie in context.cookies() if cookie["name"] == "csrftoken")
    login = {"username": username, "password": password}
    answer = context.request.post(f"{origin}/api/session/login", data=login, headers={"X-CSRFToken": token})
    if not answer.ok:
        raise RuntimeError(f"Could not log in: {answer.status} {answer.text()[:200]}")
    cookies = context.cookies()
    context.close()
    return cookies


def load(browser: Browser, cookies: Any, address: str) -> dict[str, Any]:
    """Open the page with an empty cache; return when the first step had the focus, and the bytes before and after."""
    context, page = open_context(browser, cookies)
    wire = Wire(context.new_cdp_session(page))
    page.goto(address)
    page.evaluate("bench.until('interactive', 1)")
    interactive, began = page.evaluate("[bench.interactive[0], performance.timeOrigin]")
    page.wait_for_timeout(AHEAD)
    page.wait_for_load_state("networkidle")
    context.close()
    before, ahead = wire.totals((began + interactive) / 1000)
    return {"interactive_ms": interactive, "bytes": before, "bytes_ahead": ahead}


def label(browser: Browser, cookies: Any, address: str, submissions: int) -> dict[str, Any]:
    """Rate and submit with the keyboard alone, one key at a time, as soon as the page shows the next task."""
    context, page = open_context(browser, cookies)
    page.goto(address)
    page.evaluate("bench.until('interactive', 1)")
    page.wait_for_load_state("networkidle")
    for done in range(submissions):
        for key in ["1"] * GOOD_STEPS + ["x"]:
            drawn = page.evaluate("bench.keys.length")
            page.keyboard.press(key)
            page.evaluate(f"bench.until('keys', {drawn + 1})")
        page.keyboard.press("Enter")
        page.evaluate(f"bench.until('submissions', {done + 1})")
        page.wait_for_timeout(400)  # as a person reads; meanwhile the page fetches the task after this one
    keys, times = page.evaluate("[bench.keys, bench.submissions]")
    context.close()
    return {"key_to_paint_ms": spread(keys), "submit_to_next_ms": spread(times)}


def open_context(browser: Browser, cookies: Any) -> tuple[BrowserContext, Page]:
    """Open a new browser profile that is logged in."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.add_cookies(cookies)
    page = context.new_page()
    page.add_init_script(path=SCRIPT)
    return context, page


class Wire:
    """Counter of the bytes of each response over the wire, headers included, by kind.

    Responses are requested with gzip, the compression that even the oldest proxies support.
    """

    def __init__(self, session: CDPSession) -> None:
        self.kinds: dict[str, str] = {}
        self.asked: dict[str, float] = {}  # request -> seconds since 1970
        self.sizes: dict[str, int] = {}
        session.on("Network.requestWillBeSent", self.sent)
        session.on("Network.responseReceived", self.received)
        session.on("Network.loadingFinished", self.finished)
        session.send("Network.enable")
        session.send("Network.setExtraHTTPHeaders", {"headers": {"Accept-Encoding": "gzip"}})

    def sent(self, event: dict[str, Any]) -> None:
        """Called by the browser."""
        self.asked[event["requestId"]] = event["wallTime"]

    def received(self, event: dict[str, Any]) -> None:
        """Called by the browser."""
        kind = {"script": "js", "stylesheet": "css"}.get(event["type"].lower(), event["type"].lower())
        self.kinds[event["requestId"]] = kind

    def finished(self, event: dict[str, Any]) -> None:
        """Called by the browser."""
        self.sizes[event["requestId"]] = int(event["encodedDataLength"])

    def totals(self, moment: float) -> tuple[Counter[str], Counter[str]]:
        """Return bytes by kind (document, js, css, font, fetch, …) of requests up to that moment, and of later ones."""
        before: Counter[str] = Counter()
        after: Counter[str] = Counter()
        for request, size in self.sizes.items():
            totals = before if self.asked.get(request, 0) <= moment else after
            totals[self.kinds.get(request, "other")] += size
        return before, after
