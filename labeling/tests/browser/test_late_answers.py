"""Space is reserved for late answers from the server: nothing moves under a hand that is about to press."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from labeling.tests.browser.scored_project import make_scored_project

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

LINE = 24  # Pixels: the text may wrap once more, or once less, than the placeholder.


@contextmanager
def held_back(page: Page, address: str) -> Iterator[None]:
    """Answer requests to this address only at the end."""
    waiting: list[Route] = []
    page.route(address, lambda route: waiting.append(route))
    yield
    assert waiting, f"Nobody asked {address}."
    for route in waiting:
        route.continue_()
    page.unroute(address)


def top(what: Locator) -> float:
    box = what.bounding_box()
    assert box, f"{what} is not shown."
    return box["y"]


def test_the_recommended_mix_moves_no_field_of_a_new_round(live_server: Any, log_in: Callable[..., Page]) -> None:
    scored = make_scored_project()
    page = log_in(scored.admin)
    mode = page.get_by_role("radio", name="Over all problems")
    with held_back(page, "**/rounds/pool"):
        page.goto(f"{live_server.url}/projects/{scored.project.slug}/rounds/new?kind=convincing")
        expect(mode).to_be_visible()
        expect(page.get_by_text("Loading")).to_have_count(0)
        before = top(mode)
    expect(page.get_by_text(re.compile("^Recommended"))).to_be_visible()
    assert abs(top(mode) - before) <= LINE


def test_the_forecast_moves_no_button_of_the_dialog_it_stands_in(live_server: Any, log_in: Callable[..., Page]) -> None:
    scored = make_scored_project()
    page = log_in(scored.admin)
    page.goto(f"{live_server.url}/projects/{scored.project.slug}/rounds/{scored.ready.pk}")
    publish = page.get_by_role("dialog").get_by_role("button", name="Publish")
    with held_back(page, "**/forecast?*"):
        page.get_by_role("button", name="Publish to labelers").click()
        expect(publish).to_be_visible()
        page.get_by_role("dialog").evaluate(
            "dialog => Promise.all(dialog.getAnimations({subtree: true}).map(a => a.finished))"
        )
        before = top(publish)
    expect(page.get_by_role("note", name="Forecast")).to_be_visible()
    assert abs(top(publish) - before) <= LINE
