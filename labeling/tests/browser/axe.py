"""What axe finds on a labeling page as it stands, in light and in dark."""

from pathlib import Path
from typing import Any

from django.conf import settings

from labeling.tests.browser.labeling_desk import LabelingDesk

AXE = Path(settings.BASE_DIR) / "frontend/node_modules/axe-core/axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OF_COLOURS = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
RUN = """async ([part, only]) =>
    (await axe.run(part ?? document, {runOnly: only, resultTypes: ['violations']})).violations"""
# Colours are taken over at once: else one element after the other has a transition of its own, which takes seconds.
AT_ONCE = """() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("*, *::before, *::after { transition: none !important; }");
    document.adoptedStyleSheets.push(sheet);
}"""
TURNED = "scheme => document.documentElement.dataset.mantineColorScheme === scheme"


def violations(desk: LabelingDesk, only: Any = RULES, part: str | None = None) -> list[str]:
    """What axe finds wrong now, a line each; `part`: in what this selector finds, which is much cheaper."""
    if not desk.page.evaluate("'axe' in window"):
        desk.page.evaluate(AXE.read_text())
        desk.page.evaluate(AT_ONCE)
    found: list[dict[str, Any]] = desk.page.evaluate(RUN, [part, only])
    return [f"{one['id']}: {one['help']}: {[node['html'][:160] for node in one['nodes']]}" for one in found]


def expect_no_violations(desk: LabelingDesk, state: str, part: str | None = None) -> None:
    """In light by every rule, and in dark by those that colours decide; the page is in light again afterwards."""
    found = violations(desk, RULES, part)
    assert found == [], (state, "light", found)
    _turn(desk, "dark")
    found = violations(desk, OF_COLOURS, part)
    assert found == [], (state, "dark", found)
    _turn(desk, "light")


def _turn(desk: LabelingDesk, scheme: Any) -> None:
    desk.page.emulate_media(color_scheme=scheme)
    desk.page.wait_for_function(TURNED, arg=scheme)
