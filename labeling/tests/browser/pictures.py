"""Checks what a chart draws: painted marks, all inside their figure, a text for screen readers, and its numbers."""

import re
from typing import Any

from playwright.sync_api import Page, expect

# Grid lines, tick labels and areas that only catch the mouse are not marks.
DRAWN = """figure => {
  const frame = figure.getBoundingClientRect();
  const shapes = "svg circle, svg rect, svg line, svg polyline, svg polygon, svg path";
  const bars = "li [aria-hidden] i, li [aria-hidden] b, div[role=img] > span";
  const none = (paint) => paint === "none" || paint === "rgba(0, 0, 0, 0)";
  const marks = [...figure.querySelectorAll(`${shapes}, ${bars}`)].filter((mark) => {
    const style = getComputedStyle(mark), box = mark.getBoundingClientRect();
    const paints = mark instanceof SVGElement ? [style.fill, style.stroke] : [style.backgroundColor];
    const drawn = box.width + box.height > 0 && paints.some((paint) => !none(paint));
    return drawn && !/grid|hit/.test(mark.getAttribute("class") ?? "");
  });
  const words = [...figure.querySelectorAll("svg text, li, li *, figcaption *")];
  const outside = [...marks, ...words].filter((mark) => {
    const box = mark.getBoundingClientRect();
    if (box.width + box.height === 0) return false;
    return box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top || box.bottom > frame.bottom;
  });
  return {
    marks: marks.length,
    outside: outside.map((mark) => mark.outerHTML.slice(0, 200)),
    unnamed: [...figure.querySelectorAll("svg[role=img]")].filter((svg) => svg.ariaLabel.length < 12).length,
    broken: /NaN|undefined|Infinity/.test(figure.outerHTML),
    rows: figure.querySelectorAll("table tbody tr").length,
    numbers: figure.querySelectorAll("table tbody td").length,
  };
}"""


def expect_pictures(page: Page, *titles: str) -> None:
    """Expect each figure of these names to be on the page, and to draw something that can also be read."""
    for title in titles:
        figures = page.get_by_role("figure", name=re.compile(rf"^{re.escape(title)}"))
        expect(figures.first).to_be_visible()
        expect(figures.first.locator("details")).to_have_count(1)  # not its empty message
        for figure in figures.all():
            drawn: dict[str, Any] = figure.evaluate(DRAWN)
            assert drawn["marks"] > 0, (title, drawn)
            assert drawn["rows"] > 0, (title, drawn)
            assert drawn["numbers"] >= drawn["rows"], (title, drawn)
            assert (drawn["outside"], drawn["unnamed"], drawn["broken"]) == ([], 0, False), (title, drawn)


def expect_no_sideways_scrolling(page: Page) -> None:
    """Expect nothing to be wider than the window."""
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), page.url
