"""axe finds no violations on any page for researchers and admins: wide in light mode, on a phone in dark mode.

Colours do not depend on the width, nor the layout on the colours, so the other two pairs would show nothing more.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from playwright.sync_api import Page, expect

from labeling.actions import invitations
from labeling.tests.browser.busy_project import make_busy_project
from labeling.tests.browser.clean_pages import PARKED

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

AXE = Path(settings.BASE_DIR) / "frontend/node_modules/axe-core/axe.min.js"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
SCHEMES = pytest.mark.parametrize("scheme", ["light", "dark"])
LOOKS = pytest.mark.parametrize(("scheme", "window"), [("light", {}), ("dark", PHONE)], ids=["wide", "phone"])
# For passed rules, axe then describes only one node each: nobody reads these results.
LOOK_FOR_FAULTS = "async () => (await axe.run(document, {resultTypes: ['violations']})).violations"

# Navigate as a link of the page does: loaded and compiled code stays, which is most of a page's cost. Go through an
# address that does not exist, so that two addresses of one kind render two pages. A page is ready when its heading is
# there and nothing more has arrived for a while.
FOLLOW = """async address => {
    const rest = () => new Promise(after => setTimeout(after, 150));
    const come = () => performance.getEntriesByType("resource").length;
    for (const next of ["/nowhere/at/all", address]) {
        document.querySelector("h1").dataset.left = "yes";
        history.pushState(null, "", next);
        dispatchEvent(new PopStateEvent("popstate"));
        for (let tries = 0; tries < 120 && !document.querySelector("h1:not([data-left])"); tries++) await rest();
    }
    for (let seen = -1; seen !== come(); await rest()) seen = come();
    return document.querySelector("h1:not([data-left])") !== null;
}"""


def visit(page: Page, server: str, address: str) -> None:
    """Open an address: load the page the first time, then navigate without loading."""
    if page.url.startswith(server) and not page.url.endswith(PARKED):
        assert page.evaluate(FOLLOW, address), f"{address} did not come"
    else:
        page.goto(f"{server}{address}")


def expect_no_faults(page: Page) -> None:
    """Expect no axe violations, nothing wider than the window, and one h1."""
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    page.wait_for_load_state("networkidle")
    expect(page.get_by_role("status", name="Loading")).to_have_count(0)
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text())
    found: list[dict[str, Any]] = page.evaluate(LOOK_FOR_FAULTS)
    faults = [f"{one['id']}: {one['help']}: {[node['html'][:160] for node in one['nodes']]}" for one in found]
    assert faults == [], page.url
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, f"{page.url} scrolls sideways"


@LOOKS
def test_axe_finds_nothing_on_any_page_of_a_project(
    live_server: Any,
    log_in: Callable[..., Page],
    tmp_path: Path,
    scheme: str,
    window: dict[str, Any],
) -> None:
    long = "Find $x$ in\n$$\\frac{(x+1)(x-3)}{5(x+2)(x-4)} + \\frac{(x+3)(x-5)}{9(x+4)(x-6)} = \\frac{92}{585}.$$"
    busy = make_busy_project(tmp_path, text=long, short="A name of quite some length, as people give them")
    page = log_in(busy.admin, color_scheme=scheme, **window)
    for address in busy.pages():
        visit(page, live_server.url, address)
        expect_no_faults(page)


@SCHEMES
def test_axe_finds_nothing_in_forms_and_dialogs(
    live_server: Any, log_in: Callable[..., Page], tmp_path: Path, scheme: str
) -> None:
    busy = make_busy_project(tmp_path)
    start = f"{live_server.url}/projects/{busy.project.slug}"
    page = log_in(busy.admin, color_scheme=scheme)
    page.goto(f"{start}/rounds/{busy.round.pk}")
    page.get_by_role("button", name="Close round").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    expect_no_faults(page)
    page.goto(f"{start}/guidelines")
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Markdown").fill("## New\n\n$x$")
    expect(page.get_by_role("region", name="Preview").get_by_role("heading", name="New")).to_be_visible()
    expect_no_faults(page)
    page.goto(f"{start}/rounds/new")
    page.get_by_label("A random sample").check()
    expect_no_faults(page)
    page.goto(f"{start}/exports/{busy.export.pk}")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_text('"human_label_source"')).to_be_visible()
    expect_no_faults(page)
    page.goto(f"{start}/home")
    expect(page.get_by_text("Show as a table").first).to_be_visible()
    for summary in page.get_by_text("Show as a table").all():
        summary.click()
    expect_no_faults(page)


@LOOKS
def test_axe_finds_nothing_at_the_door(
    live_server: Any, new_page: Callable[..., Page], tmp_path: Path, scheme: str, window: dict[str, Any]
) -> None:
    busy = make_busy_project(tmp_path)
    _, secret = invitations.create_invitation(busy.admin, busy.project, role="annotator", email="", days=7)
    page = new_page(color_scheme=scheme, **window)
    page.goto(f"{live_server.url}/login")
    expect_no_faults(page)
    page.get_by_label("User name").fill("nobody")
    page.get_by_label("Password", exact=True).fill("wrong")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert")).to_be_visible()
    expect_no_faults(page)
    for secret_or_not in (secret, "no-such-invitation"):
        page.goto(f"{live_server.url}/invitations/{secret_or_not}")
        expect_no_faults(page)
