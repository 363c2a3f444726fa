"""Every page of a large project's console, in Chromium: `python -m bench large_project`."""

import secrets
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, Request, Response, sync_playwright

from bench.http_labeling import spread
from bench.installation import Installation
from bench.markdown import met, table
from bench.page import ARGUMENTS, CHROMIUM, log_in
from bench.progress import say

OPENED = 10  # times per page, not counting the first, which is reported separately
SIZES = {"traces": 1_000_000, "labels": 100_000, "labelers": 200}
QUICK = {"traces": 20_000, "labels": 2_000, "labelers": 20}
HOW = """\
A project of {traces:,} traces with a score each, {labels:,} labels by {labelers} people, two per trace, ten rounds
(bench/fill_large.py). Each page of the console is opened by its address once, and then {opened} times more. The
time ends when the last response that the page requested has arrived and its largest part is drawn.

- *First*: nothing of the page has been requested before. The server computes what it caches for a large project,
  tables and plans are read, and the browser fetches the page's own script. The first visitor in an hour sees this time.
- *p50* and *p95* are of the later visits, which use the cache. Queries of one page run in parallel and share two
  cores."""
BUSY = 3.0  # with a higher load before the run, the page mentions it
LOADED = "It began under a load of {load:.1f} from other programs; without that load, no page is slower."
MOST = 1000  # ms
PAGES = (
    *("home", "traces", "traces/{trace}", "imports", "gradings", "gold", "rounds", "rounds/new", "rounds/{round}"),
    *("rounds/{open_round}", "rounds/compare?rounds={round},{open_round}", "tasks", "tasks/{task}", "leases", "labels"),
    *("review", "label-audits", "agreement", "people", "labelers", "labelers/{labeler}", "labeler-quality", "models"),
    *("prms", "prms/{prm}", "prms/train", "evaluations", "sources", "failures", "releases", "releases/new", "exports"),
    *("exports/new", "settings", "guidelines", "webhooks", "audit", "retention"),
)
# Milliseconds since the navigation started, and the requests to the server, slowest first.
SETTLED = """() => {
    const answers = performance.getEntriesByType("resource").filter(({name}) => name.includes("/api/"));
    const drawn = performance.getEntriesByType("paint").map(({startTime}) => startTime);
    return {
        ms: Math.max(0, ...answers.map(({responseEnd}) => responseEnd), ...drawn, ...window.drawn),
        requests: answers.map(({name, duration}) => [new URL(name).pathname, duration]).sort((a, b) => b[1] - a[1]),
    };
}"""
WATCH = """
    window.drawn = [];
    new PerformanceObserver((list) => window.drawn.push(...list.getEntries().map(({startTime}) => startTime)))
        .observe({type: "largest-contentful-paint", buffered: true});
"""


def measure(installation: Installation, *, quick: bool = False) -> dict[str, Any]:
    """Fill a project, then open every page several times."""
    sizes, opened = (QUICK, 2) if quick else (SIZES, OPENED)
    password = secrets.token_urlsafe(12)
    asked = [str(part) for name, size in sizes.items() for part in (f"--{name}", size)]
    made = installation.run("bench.fill_large", *asked, BENCH_PASSWORD=password)
    say(f"large project: filled, {made['labels']:,} labels")
    origin = f"http://localhost:{installation.local.web_port}"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        context.add_cookies(log_in(browser, origin, made["admin"], password))
        page = context.new_page()
        page.add_init_script(WATCH)
        found = {}
        for path in PAGES:
            found[path] = look(page, f"{origin}/projects/{made['slug']}/{path.format(**made)}", opened)
            first, took, (slowest, answered) = (found[path][name] for name in ("first", "ms", "slowest"))
            times = f"first {first:.0f} ms, then {took['p50']:.0f}, p95 {took['p95']:.0f}"
            say(f"large project: {path}: {times}; {slowest} {answered:.0f}")
        browser.close()
    return {**sizes, "labels": made["labels"], "opened": opened, "pages": found}


def look(page: Page, address: str, opened: int) -> dict[str, Any]:
    """Return the times of the first opening and of later ones, and the slowest request of the later ones."""
    took, requests = [], []
    answers: list[int] = []
    given_up: list[str] = []
    watch: Callable[[Response], None] = lambda answer: answers.append(answer.status)  # noqa: E731
    watch_lost: Callable[[Request], None] = lambda request: given_up.append(request.url)  # noqa: E731
    page.on("response", watch)
    page.on("requestfailed", watch_lost)
    for _ in range(opened + 1):
        page.goto(address)
        page.get_by_role("heading", level=1).first.wait_for(timeout=120_000)  # a busy browser may be idle before that
        page.wait_for_load_state("networkidle", timeout=120_000)
        settled = page.evaluate(SETTLED)
        took.append(settled["ms"])
        requests.append(settled["requests"][0])
    page.remove_listener("response", watch)
    page.remove_listener("requestfailed", watch_lost)
    if lost := [url for url in given_up if "/api/" in url]:
        raise RuntimeError(f"{address}: the page gave up waiting for {lost[0]}")
    if refused := [status for status in answers if status >= 400]:
        raise RuntimeError(f"{address}: a request was answered {refused[0]}")
    slowest = sorted(requests[1:], key=lambda one: one[1])[len(requests) // 2]
    return {"first": took[0], "ms": spread(took[1:]), "slowest": slowest}


def aims(found: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the aim: every page within a second, once the cache is filled."""
    late = [name for name, page in found["pages"].items() if page["ms"]["p95"] > MOST]
    pages = found["pages"]
    worst = max(pages, key=lambda name: pages[name]["ms"]["p95"])
    said = f"{len(pages) - len(late)} of {len(pages)}; {worst}: {pages[worst]['ms']['p95'] / 1000:.1f} s"
    return [("pages of a large project that open within a second, p95", "all", said, met(not late))]


def body(found: dict[str, Any]) -> list[str]:
    """Return one row per page, slowest first."""
    pages = sorted(found["pages"].items(), key=lambda one: -one[1]["ms"]["p95"])
    rows = [
        (f"`{name}`", *(f"{ms:.0f}" for ms in (page["first"], page["ms"]["p50"], page["ms"]["p95"])), address_of(page))
        for name, page in pages
    ]
    load = found["machine"]["load_before"]
    said = [LOADED.format(load=load), ""] if load > BUSY else []
    head = ("page", "first ms", "p50 ms", "p95 ms", "slowest request after the first")
    return [HOW.format(**found), "", *said, *table(head, rows)]


def address_of(page: dict[str, Any]) -> str:
    """Return the address of the slowest request without the common prefix, and how long it took."""
    address, took = page["slowest"]
    return f"`{address.removeprefix('/api/').removeprefix('projects/large/')}` {took:.0f} ms"
