"""Words on one line share a baseline: the baselines of both headers, measured in the browser."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeling.tests import factories

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SIZES = [{"width": 1440, "height": 900}, {"width": 390, "height": 844}]
# The lower edge of an empty inline block is on the baseline of its line. A key's cap is a separate line.
BASELINES = """header => {
  const words = document.createTreeWalker(header, NodeFilter.SHOW_TEXT), found = [], nodes = [];
  while (words.nextNode()) nodes.push(words.currentNode);
  for (const node of nodes) {
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (!/[\\p{L}\\d]/u.test(node.data) || box.width < 2 || node.parentElement.closest("kbd")) continue;
    const around = document.createElement("x-words"), probe = document.createElement("x-probe");
    probe.style.display = "inline-block";
    node.replaceWith(around);
    around.append(node, probe);
    found.push([node.data.trim(), probe.getBoundingClientRect().bottom]);
    around.replaceWith(node);
  }
  return found;
}"""


@pytest.mark.parametrize("viewport", SIZES, ids=lambda size: str(size["width"]))
def test_the_words_of_a_header_stand_on_one_line(
    live_server: Any, log_in: Callable[..., Page], viewport: dict[str, int]
) -> None:
    project = factories.make_project("algebra", name="Algebra")
    factories.make_round(project, 1)
    root = factories.make_user("root", is_superuser=True)
    factories.join(project, root, "annotator")
    page = log_in(root, viewport=viewport)
    page.goto(f"{live_server.url}/projects/algebra/my-work")
    expect(page.locator("header").get_by_text("Algebra")).to_be_visible()
    said = _stand_level(page)
    assert {"Stepmark", "Algebra", "Site", "root"} <= said
    assert ("Log out" in said) == (viewport["width"] > 720)
    page.goto(f"{live_server.url}/projects/algebra/label")
    expect(page.locator("header").get_by_text("0 of 1")).to_be_visible()
    said = _stand_level(page)
    assert {"Stepmark", "Algebra", "0 of 1", "Guidelines"} <= said
    assert ("active" in said) == ("My work" in said) == ("Keys" in said) == (viewport["width"] > 820)


def _stand_level(page: Page) -> set[str]:
    """Expect all text of the header to be on one baseline."""
    found: list[tuple[str, float]] = page.locator("header").first.evaluate(BASELINES)
    lines = {round(baseline, 2) for _, baseline in found}
    assert len(lines) == 1, found
    return {words for words, _ in found}
