"""Checks a labeling page with axe in its current state, in light and in dark."""

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
# Colours change at once. Otherwise each element has a transition of its own, one after the other, which takes seconds.
AT_ONCE = """() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("*, *::before, *::after { transition: none !important; }");
    document.adoptedStyleSheets.push(sheet);
}"""
TURNED = "scheme => document.documentElement.dataset.mantineColorScheme === scheme"


def violations(desk: LabelingDesk, only: Any = RULES, part: str | None = None) -> list[str]:
    """Return axe's current findings, a line each. `part`: only within this selector, which is much cheaper."""
    if not desk.page.evaluate("'axe' in window"):
        desk.page.evaluate(AXE.read_text())
        desk.page.evaluate(AT_ONCE)
    found: list[dict[str, Any]] = desk.page.evaluate(RUN, [part, only])
    return [f"{one['id']}: {one['help']}: {[node['html'][:160] for node in one['nodes']]}" for one in found]


def expect_no_violations(desk: LabelingDesk, state: str, part: str | None = None) -> None:
    """Check every rule in light, and the rules that depend on colours in dark. The page is light again at the end."""
    found = violations(desk, RULES, part)
    assert found == [], (state, "light", found)
    _turn(desk, "dark")
    found = violations(desk, OF_COLOURS, part)
    assert found == [], (state, "dark", found)
    _turn(desk, "light")


def _turn(desk: LabelingDesk, scheme: Any) -> None:
    desk.page.emulate_media(color_scheme=scheme)
    desk.page.wait_for_function(TURNED, arg=scheme)
