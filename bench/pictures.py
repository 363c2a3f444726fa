"""New screenshots for docs/pictures from a running demo: `python -m bench.pictures http://localhost:8000`.

Uses the keys that a labeler presses; nothing is submitted, so the demo only gains a few drafts. Opens the console's
pages as a researcher does. Check the results by eye.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import APIRequestContext, Browser, sync_playwright

from annotation_app.local.installation import BASE_DIR
from bench.page import ARGUMENTS, CHROMIUM, log_in
from bench.progress import say

FOLDER = BASE_DIR / "docs" / "pictures"
LOGINS = BASE_DIR / "var" / "demo" / "logins.json"
WIDE = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}
STEP = "[data-step]"
COMPLETION = "li[aria-label^=Completion]"


@dataclass(frozen=True)
class Picture:
    """A page of a project: the role that opens it, the size, the colour scheme, and the keys to press before the
    picture.
    """

    name: str
    project: str
    shows: str
    keys: tuple[str, ...] = ()
    scheme: str = "light"
    size: tuple[tuple[str, int], ...] = tuple(WIDE.items())
    path: str = "label"  # `{round}`: the project's newest one
    role: str = "annotator"


PICTURES = (
    Picture("labeling-light", "demo", STEP, ("Space", "Space", "x", "2")),
    Picture("labeling-dark", "demo", STEP, ("Space", "Space", "Space"), "dark"),
    Picture("labeling-phone", "demo", STEP, ("Space", "Space"), "dark", tuple(PHONE.items())),
    Picture("choosing-dark", "demo-steps", COMPLETION, ("0", "Space"), "dark"),
    Picture("run-light", "demo-agents", STEP, ("Space", "x", "Space")),
    Picture("run-phone", "demo-agents", STEP, ("Space",), "light", tuple(PHONE.items())),
    Picture("home-light", "demo", "h1", path="home", role="researcher"),
    Picture("round-dark", "demo", "figure", scheme="dark", path="rounds/{round}", role="researcher"),
    Picture("labels-light", "demo", "table", path="labels", role="researcher"),
    Picture("home-phone", "demo", "h1", (), "dark", tuple(PHONE.items()), "home", "researcher"),
)


def take(browser: Browser, origin: str, logins: Path, picture: Picture) -> None:
    """Take a picture as the demo's first person of that role, after undoing earlier ratings. Raises RuntimeError."""
    person = next(one for one in json.loads(logins.read_text()) if one["role"] == picture.role)
    phone = dict(picture.size) == PHONE
    context = browser.new_context(
        viewport=dict(picture.size),  # type: ignore[arg-type]
        color_scheme=picture.scheme,  # type: ignore[arg-type]
        is_mobile=phone,
        has_touch=phone,
        reduced_motion="reduce",
    )
    context.add_cookies(log_in(browser, origin, person["username"], person["password"]))
    page = context.new_page()
    page.goto(f"{origin}/projects/{picture.project}/{named(picture, context.request, origin)}")
    page.locator(picture.shows).first.wait_for()
    page.wait_for_load_state("networkidle")
    page.keyboard.press("Home")
    for key in picture.keys:
        page.keyboard.press(key)
        page.wait_for_timeout(700)
    page.wait_for_load_state("networkidle")
    page.evaluate("document.fonts.ready")
    page.screenshot(path=FOLDER / f"{picture.name}.png")
    context.close()
    say(f"taken: {picture.name}")


def named(picture: Picture, request: APIRequestContext, origin: str) -> str:
    """Return the picture's path with the ids of this demo."""
    if "{round}" not in picture.path:
        return picture.path
    rounds = request.get(f"{origin}/api/projects/{picture.project}/rounds").json()["results"]
    return picture.path.format(round=rounds[0]["id"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Take all pictures, or the named ones."""
    parser = argparse.ArgumentParser(prog="python -m bench.pictures", description=__doc__)
    parser.add_argument("origin", help="where the demo runs")
    parser.add_argument("names", nargs="*", help="only these")
    parser.add_argument("--logins", type=Path, default=LOGINS)
    options = parser.parse_args(arguments)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for picture in PICTURES:
            if not options.names or picture.name in options.names:
                take(browser, options.origin, options.logins, picture)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
