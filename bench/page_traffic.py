"""Records the labeling page's requests to the server: `python -m bench.page_traffic` writes bench/page_traffic.json.

Ten submissions in Chromium by keyboard, at a reading pace. The load generator repeats their requests one by one
(`bench.load`, *as the page*). Record them again when the page's requests change.
"""

import json
import re
import secrets
import sys
from typing import Any

from playwright.sync_api import Page, Request, sync_playwright

from bench.installation import Installation, fresh_installation
from bench.load import RECORDED
from bench.page import ARGUMENTS, CHROMIUM, GOOD_STEPS, log_in, open_context
from bench.progress import say

SUBMISSIONS = 10
READING = 2_500  # milliseconds per step
LABEL = re.compile(r"/labels/\d+(?=/|$)")
Sent = dict[str, Any]


def record(installation: Installation) -> dict[str, Any]:
    """Return the requests of each submission: those before it and its own. The first ones also open the page."""
    password = secrets.token_urlsafe(12)
    project = installation.run("bench.fill", "--tasks", "1000", "--overlap", "4", BENCH_PASSWORD=password)
    origin = f"http://localhost:{installation.local.web_port}"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        cookies = log_in(browser, origin, project["usernames"][0], password)
        context, page = open_context(browser, cookies)
        sent: list[Sent] = []
        page.on("request", lambda request: sent.append(told(request, project["slug"])))
        page.goto(f"{origin}/projects/{project['slug']}/label")
        page.evaluate("bench.until('interactive', 1)")
        label(page)
        version = browser.version
        context.close()
        browser.close()
    asked = [one for one in sent if one["path"].startswith("/api/")]
    return {"chromium": version, "reading_ms": READING, "labels": by_submission(asked)}


def label(page: Page) -> None:
    """Repeatedly rate all steps but the last, the last but one as wrong and the others +1, and submit."""
    for done in range(SUBMISSIONS):
        for key in ["1"] * GOOD_STEPS + ["x"]:
            page.wait_for_timeout(READING)
            page.keyboard.press(key)
        page.wait_for_timeout(READING)
        page.keyboard.press("Enter")
        page.evaluate(f"bench.until('submissions', {done + 1})")
    page.wait_for_timeout(READING)


def told(request: Request, slug: str) -> Sent:
    """Return a request without what is specific to this run: the project and ids of labels."""
    path = "/" + request.url.split("/", 3)[3]
    found = {"method": request.method, "path": LABEL.sub("/labels/{label}", path).replace(slug, "{project}")}
    return {**found, "body": json.loads(request.post_data) if request.post_data else None}


def by_submission(sent: list[Sent]) -> list[list[Sent]]:
    """Split requests into lists that each end with a submission; later ones belong to an unfinished label."""
    labels: list[list[Sent]] = [[]]
    for one in sent:
        labels[-1].append(one)
        if one["path"].endswith("/submit"):
            labels.append([])
    return labels[:-1]


def main() -> int:
    """Record and write the file."""
    with fresh_installation() as installation:
        found = record(installation)
    RECORDED.write_text(json.dumps(found, indent=1) + "\n")
    say(f"written: {RECORDED}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
