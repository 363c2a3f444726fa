"""axe finds nothing to mend on the labeling page: wide in light, on a phone in dark, with dialogs open.

Colours do not depend on the width nor the layout on the colours, so the other two pairs would show nothing more.
"""

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from labeling.models import Completion, Guideline, Trace
from labeling.tests import factories
from labeling.tests.browser.conftest import OpenDesk
from labeling.tests.browser.labeling_desk import LabelingDesk

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

AXE = Path(settings.BASE_DIR) / "frontend/node_modules/axe-core/axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def violations(desk: LabelingDesk) -> list[str]:
    """What axe finds wrong now, a line each."""
    if not desk.page.evaluate("'axe' in window"):
        desk.page.evaluate(AXE.read_text())
    found: list[dict[str, Any]] = desk.page.evaluate(
        "async tags => (await axe.run(document, {runOnly: tags, resultTypes: ['violations']})).violations", RULES
    )
    return [f"{one['id']}: {one['help']}: {[node['html'][:160] for node in one['nodes']]}" for one in found]


@pytest.mark.parametrize(("scheme", "options"), [("light", {}), ("dark", PHONE)], ids=["light-wide", "dark-phone"])
def test_axe_finds_nothing_on_the_labeling_page(open_desk: OpenDesk, scheme: str, options: dict[str, Any]) -> None:
    project = factories.make_project(reference_solution=True)
    ada = factories.make_member(project)
    Guideline.objects.create(project=project, version=1, body="# Rules\n\n- One\n- Two with $x^2$\n")
    [trace] = factories.make_traces(project, 1, steps=6)
    trace.steps[2] = "So $\\frac{1}{$ is bad TeX, `code`, and\n```python\nx = 1\n```"
    Trace.objects.filter(pk=trace.pk).update(steps=trace.steps)
    Completion.objects.create(trace=trace, step_index=3, text="Another way: $x = 2$.")
    factories.make_round(project, 0)
    desk = open_desk(ada, project.slug, color_scheme=scheme, **options)
    assert violations(desk) == []
    desk.press("Space", "0", "Space", "x")
    desk.expect_text("Other ways to take step 4")
    assert violations(desk) == []
    dialogs = {"b": "Bad problem", "u": "Give up on this trace", "Shift+B": "A break"}
    docks = {"?": "Keys", "g": "Guidelines", "Shift+S": "Comfort", ",": "Scratch pad"}
    forms = {"c": "Comment on step 4", "s": "Where should this step be split?"}
    asked = {"/": "Search", "#": "Jump to step", "=": "Calculate"}
    for role, opened in (("dialog", dialogs), ("complementary", docks), ("form", forms), ("textbox", asked)):
        for key, title in opened.items():
            desk.press(key)
            desk.page.get_by_role(role, name=title).wait_for()
            assert violations(desk) == [], title
            desk.press("Escape", *(["Escape"] if key == "," else []))
    desk.press("r")
    desk.expect_text("Which earlier step is the first wrong one?")
    assert violations(desk) == []
    desk.press("Escape", "Enter")
    desk.expect_text("You have labeled all there is for you")
    assert violations(desk) == []
