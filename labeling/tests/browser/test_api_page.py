"""The API page: it lists every endpoint of the server's own schema, and its command line can be copied and run."""

import re
import shlex
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeling.tests import factories
from labeling.tests.browser.pictures import expect_no_sideways_scrolling

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PHONE = {"width": 390, "height": 844}


def test_an_endpoint_is_found_and_its_line_of_curl_names_this_server(
    live_server: Any, log_in: Callable[..., Page]
) -> None:
    project = factories.make_project("algebra")
    page = log_in(factories.make_member(project, "researcher"), viewport=PHONE)
    page.goto(f"{live_server.url}/account")
    page.get_by_role("link", name="API reference").click()
    expect(page.get_by_role("heading", level=1, name="API")).to_be_visible()
    expect(page.get_by_text(re.compile(r"^\d+ endpoints\."))).to_be_visible()
    page.get_by_label("Search").fill("score_imports upload")
    expect(page.get_by_text("1 endpoint.")).to_be_visible()
    assert page.url.endswith("?q=score_imports+upload")
    page.get_by_text("/api/projects/{slug}/score_imports").click()
    line = page.locator("pre", has_text="--fail-with-body").inner_text()
    words = shlex.split(line)
    assert words[-1] == f"{live_server.url}/api/projects/algebra/score_imports"
    assert {"file=@rows.jsonl", "name=name"} <= set(words)
    compile(page.locator("pre", has_text=".call(").inner_text(), "the line of Python", "eval")
    expect(page.get_by_role("region", name="Form")).to_contain_text("fingerprint")
    expect_no_sideways_scrolling(page)
    page.get_by_label("Search").fill("nothing says this")
    expect(page.get_by_text("No match")).to_be_visible()
    page.get_by_role("link", name="API tokens").click()
    expect(page.get_by_role("heading", level=1, name="Account")).to_be_visible()
