"""A run in a screening's feedback and in a blind review: its lists are not steps, and scroll within the page."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeling.actions import rounds
from labeling.actions.gold import make_gold
from labeling.models import Label, Project, Trace
from labeling.tests.factories import make_member, make_project
from labeling.tests.gold.world import Labeler
from labeling.tests.imports.files import import_bytes, lines
from labeling.tests.selection.pools import make_prm
from labeling.tests.settling.label_audits import SURE, made, score

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LogIn = Callable[..., Page]
STEPS = 40
NUMBERED = "one => getComputedStyle(one).counterIncrement.startsWith('step')"


def program(name: str) -> dict[str, Any]:
    """Forty lines, with what was known at three of them when they ran."""
    states = [{"line": line, "state": {"n": line}} for line in (2, 3, 4)]
    text = "\n".join(f"    n += {number}" for number in range(STEPS))
    return {"problem": name, "program": text, "executions": [{"input": "1", "passed": False, "states": states}]}


def test_a_runs_lists_are_no_steps_of_a_blind_review_and_its_feedback_scrolls_in_its_place(
    live_server: Any, log_in: LogIn, tmp_path: Path
) -> None:
    project = make_project(screening=True, screening_tasks=1, gold_per_round=0)
    import_bytes(project, lines(program("Gold"), program("Work"), program("More")), tmp_path)
    make_gold(Trace.objects.order_by("pk")[0], acceptable=[1], by=None)
    rounds.open_round(project, by=None, protocol="every_step")
    person = make_member(project)
    labeler = Labeler(project, person)
    gold = labeler.claim()["label"]
    address = f"{live_server.url}/projects/{project.slug}"
    page = log_in(person)
    page.goto(f"{address}/label")
    page.get_by_role("button", name="Begin the screening").or_(page.locator("li[data-step='0']")).first.wait_for()
    page.locator("li[data-step='0']").click()
    page.keyboard.press("1")
    page.keyboard.press("x")
    page.keyboard.press("End")
    page.keyboard.press("e")
    page.get_by_role("button", name="Submit").first.click()
    expect(page.get_by_role("heading", name="Accepted", exact=True)).to_be_visible()
    expect(page.get_by_text("0 of 1 run passed")).to_be_visible()
    fits = page.evaluate("document.documentElement.scrollHeight <= innerHeight + 1")
    assert fits, "the rows scroll, and the page behind them is no longer than the window"
    assert Label.objects.get(pk=gold["id"]).verdict == 1
    reviewed_blind(project, labeler, log_in(make_member(project, "admin")), address)


def reviewed_blind(project: Project, labeler: Labeler, page: Page, address: str) -> None:
    """Two runs are labeled and audited, and the steps are counted as they are numbered."""
    prm = make_prm(project=project)
    for _ in range(2):
        label = labeler.claim()["label"]
        labeler.submit(label, [*[1] * (STEPS - 1), -1])
        score(prm, Label.objects.get(pk=label["id"]), [SURE[0]] * STEPS)
    audit = made(project, prm)
    page.goto(f"{address}/label-audits/{audit.pk}/review")
    expect(page.get_by_text("0 of 2 labels reviewed.")).to_be_visible()
    page.get_by_text("What was known at 3 lines").click()
    expect(page.get_by_text("line 3", exact=True)).to_be_visible()
    items = page.get_by_role("form", name="Review the trace").locator("li")
    assert items.count() >= STEPS + 3, "the states of the recorded run are a list, too"
    assert sum(items.evaluate_all(f"all => all.map({NUMBERED})")) == STEPS
