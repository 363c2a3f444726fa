"""Every page of a large project's console, in Chromium: `python -m bench.large_project [--traces 1000000]`.

Each page is opened anew a number of times, with the browser's cache as somebody has it who uses it daily; measured is
the time until the last answer that the page asked for has come and the largest part is drawn. Writes
bench/results/large_project.json.
"""

import argparse
import json
import secrets
import sys
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, Response, sync_playwright

from bench.http_labeling import spread
from bench.installation import Installation, fresh_installation
from bench.machine import machine
from bench.page import ARGUMENTS, CHROMIUM, log_in
from bench.progress import say
from bench.report import RESULTS

OPENED = 20  # times, each page; the first one, which reads plans and tables, is left out
PAGES = (
    *("home", "traces", "traces/{trace}", "imports", "gradings", "gold", "rounds", "rounds/new", "rounds/{round}"),
    *(
        "rounds/{open_round}",
        "rounds/compare?one={round}&other={open_round}",
        "tasks",
        "tasks/{task}",
        "leases",
        "labels",
    ),
    *(
        "labels",
        "review",
        "label-audits",
        "agreement",
        "people",
        "labelers",
        "labelers/{labeler}",
        "labeler-quality",
        "models",
    ),
    *("prms", "prms/{prm}", "prms/train", "evaluations", "sources", "failures", "releases", "releases/new", "exports"),
    *("exports/new", "settings", "guidelines", "webhooks", "audit", "retention"),
)
# Milliseconds from the navigation's start; and the requests to the server, the slowest first.
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


def measure(installation: Installation, traces: int, labels: int, opened: int) -> dict[str, Any]:
    """Fill, then open every page so many times."""
    password = secrets.token_urlsafe(12)
    sizes = ("--traces", str(traces), "--labels", str(labels))
    made = installation.run("bench.fill_large", *sizes, BENCH_PASSWORD=password)
    say(f"large project: filled, {made['labels']:,} labels")
    origin = f"http://localhost:{installation.stack.web_port}"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        context.add_cookies(log_in(browser, origin, made["admin"], password))
        page = context.new_page()
        page.add_init_script(WATCH)
        found = {}
        for path in PAGES:
            found[path] = look(page, f"{origin}/projects/{made['slug']}/{path.format(**made)}", opened)
            took, (slowest, answered) = found[path]["ms"], found[path]["slowest"]
            say(f"large project: {path}: {took['p50']:.0f} ms, p95 {took['p95']:.0f}; {slowest} {answered:.0f}")
        browser.close()
    return {"traces": traces, "labels": made["labels"], "machine": machine(), "pages": found}


def look(page: Page, address: str, opened: int) -> dict[str, Any]:
    """Times of opening it, and of its slowest request."""
    took, requests = [], []
    answers: list[int] = []
    watch: Callable[[Response], None] = lambda answer: answers.append(answer.status)  # noqa: E731
    page.on("response", watch)
    for _ in range(opened + 1):
        page.goto(address)
        page.wait_for_load_state("networkidle", timeout=120_000)
        settled = page.evaluate(SETTLED)
        took.append(settled["ms"])
        requests.append(settled["requests"][0])
    page.remove_listener("response", watch)
    if refused := [status for status in answers if status >= 400]:
        raise RuntimeError(f"{address}: a request was answered {refused[0]}")
    slowest = sorted(requests[1:], key=lambda one: one[1])[len(requests) // 2]
    return {"ms": spread(took[1:]), "slowest": slowest}


def main() -> int:
    """Write the file."""
    parser = argparse.ArgumentParser(prog="python -m bench.large_project", description=__doc__)
    parser.add_argument("--traces", type=int, default=1_000_000)
    parser.add_argument("--labels", type=int, default=100_000)
    parser.add_argument("--opened", type=int, default=OPENED)
    asked = parser.parse_args()
    with fresh_installation() as installation:
        found = measure(installation, asked.traces, asked.labels, asked.opened)
    (RESULTS / "large_project.json").write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
