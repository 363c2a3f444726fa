"""The pages of an archived project: everything is readable, and no action is offered that the server would refuse."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from labeling.tests import factories
from labeling.tests.browser.busy_project import make_busy_project
from labeling.tests.browser.test_admin_accessibility import visit
from labeling.tests.selection.pools import make_prm

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# The controls that start or change something, by page.
OFFERS = {
    "home": ["Train when a round closes", "Train a PRM now"],
    "traces": ["Make a round", "More like these", "Make gold…", "Hold out…"],
    "labels": ["Leave out…", "Send to review…", "Have made again…", "Tag…"],
    "gold": ["Import gold", "Choose a trace"],
    "prms": ["Scores made elsewhere", "Connect a PRM", "Train a PRM", "Promote Tiny"],
    "models": ["Train a PRM"],
    "gradings": ["Start grading"],
    "evaluations": ["Make the set"],
    "imports/{refused}": ["Import without the faulty rows"],
    "sources": ["Make the source"],
    "label-audits": ["Machine labels"],
    "rounds": ["New round"],
}
NAMES = """[...document.querySelectorAll("main button, main a")].filter(one => one.offsetParent)
    .map(one => one.getAttribute("aria-label") || one.textContent.trim())"""


def offered(page: Page, server: str, home: str, address: str, *, archived: bool = False) -> list[str]:
    visit(page, server, f"{home}/{address}")
    # A page appears before the project's status does.
    expect(page.get_by_text("This project is archived")).to_have_count(1 if archived else 0)
    page.wait_for_load_state("networkidle")
    expect(page.get_by_role("status", name="Loading")).to_have_count(0)
    if address in ("traces", "labels"):
        page.get_by_role("checkbox").first.check()
        expect(page.get_by_text(" picked").first).to_be_visible()
    names: list[str] = page.evaluate(NAMES)
    return names


def test_an_archived_project_offers_nothing_that_would_be_refused(
    live_server: Any, log_in: Callable[..., Page], tmp_path: Path
) -> None:
    busy = make_busy_project(tmp_path)
    make_prm("Tiny")
    page = log_in(busy.admin)
    home = f"/projects/{busy.project.slug}"
    offers = {address.format(refused=busy.refused.pk): set(names) for address, names in OFFERS.items()}
    before = {address: offered(page, live_server.url, home, address) for address in offers}
    assert {address: names - set(before[address]) for address, names in offers.items()} == dict.fromkeys(offers, set())
    busy.project.status = "archived"
    busy.project.save()
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    after = {address: offered(page, live_server.url, home, address, archived=True) for address in offers}
    assert {address: names & set(after[address]) for address, names in offers.items()} == dict.fromkeys(offers, set())


def test_a_page_offers_nothing_before_it_knows_that_its_project_is_archived(
    live_server: Any, log_in: Callable[..., Page], tmp_path: Path
) -> None:
    busy = make_busy_project(tmp_path)
    make_prm("Tiny")
    page = log_in(factories.make_user(is_superuser=True))  # the session says nothing of the project to who is no member
    held: list[Route] = []
    page.route(f"**/api/projects/{busy.project.slug}", lambda route: held.append(route))
    page.goto(f"{live_server.url}/projects/{busy.project.slug}/prms")
    expect(page.get_by_role("cell", name="Tiny").first).to_be_visible()
    buttons = page.get_by_role("link", name="Train a PRM").or_(page.get_by_role("button", name="Promote Tiny"))
    expect(buttons).to_have_count(0)
    room = page.get_by_text("Scores made elsewhere").bounding_box()
    held.pop().continue_()
    expect(buttons).to_have_count(2)
    assert page.get_by_text("Scores made elsewhere").bounding_box() == room
