"""The card of a mistake by keyboard alone: candidates, kind, clause, corrected step; and its export row."""

import json
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from playwright.sync_api import expect

from labeling.actions.guidelines import publish_guideline
from labeling.actions.suggestions import run_requests
from labeling.models import Completion, Label, SuggestionRequest
from labeling.tests import factories
from labeling.tests.browser.axe import PHONE, expect_no_violations
from labeling.tests.browser.conftest import OpenDesk
from labeling.tests.browser.labeling_desk import LabelingDesk

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EXPLAINING = {"generator": "any", "model": "m", "explanations": 2, "alternatives": 1, "ahead": 0}
OFFERED = ("So $x = 2$.", "So $x = 3$.", "So  $x = 2$.", "Divide first.", "So $x = 2$.", "Give up.")


def written(*_: object) -> dict[str, list[str]]:
    """Add the machine's candidates."""
    return {"explanation": ["The sign is lost.", "$-1$ is no $1$."], "alternative": ["Divide first."]}


def desk_at_a_mistake(
    open_desk: OpenDesk, *, offered: Sequence[str] = OFFERED, asked: Sequence[str] = ("kind",), **options: Any
) -> LabelingDesk:
    """The second of three steps is rated -1, and the machine is asked."""
    project = factories.make_project(
        "signs", after_error={"scheme": "maths", "asked": list(asked), "explaining": EXPLAINING}
    )
    publish_guideline(factories.make_member(project, "admin"), project, "## 2.3 Must follow from what it cites\n")
    [trace] = factories.make_traces(project, 1)
    for text in offered:
        Completion.objects.create(trace=trace, step_index=1, text=text)
    factories.make_round(project, 0)
    desk = open_desk(factories.make_member(project), project.slug, **options)
    desk.press("Space", "x")
    desk.expect_text("A machine is writing an explanation")
    return desk


def test_a_whole_label_after_the_first_error_is_made_by_keyboard_alone(open_desk: OpenDesk, tmp_path: Path) -> None:
    desk = desk_at_a_mistake(open_desk)
    rows = desk.page.locator("[data-candidate]")
    expect(rows).to_have_count(4)
    desk.press("Enter")
    desk.expect_text("This round asks for the kind of the mistake in step 2.")
    desk.press("j", "Space", "0", "j")
    expect(rows.nth(3)).to_be_focused()
    desk.wait_until(lambda: SuggestionRequest.objects.exists(), "the machine is asked")
    assert run_requests(written) == 1
    expect(rows).to_have_count(6)
    expect(rows.nth(5)).to_be_focused()  # the late answer did not move the focus
    expect(rows.nth(4)).to_have_attribute("aria-label", "Candidate 3 of 4, not rated, 2 equal ones")
    desk.press("q", "x", "k", "Space", *["k"] * 6)
    desk.expect_focus(2)
    desk.press("j", "Space", "x", *["k"] * 3, "2", "k")
    desk.expect_focus(1)
    desk.press("f")  # wherever the focus is, text about the mistake never acts as keys on the steps
    desk.page.keyboard.type("circ")
    desk.press("Enter", "f")
    desk.page.keyboard.type("§2")
    desk.press("Enter", "i", "ArrowUp")  # the step's own text, ready for editing
    expect(desk.page.get_by_label("What should the step have said? Optional")).to_have_value(
        Label.objects.get().task.trace.steps[1]
    )
    desk.press("Control+A")
    desk.page.keyboard.type("So $x = -1$.")
    desk.press("Escape", "n")
    desk.page.keyboard.type("Minus.")
    desk.press("Escape", "z", "z")
    expect(desk.page.get_by_label("What should the step have said? Optional")).to_have_value("")
    desk.press("Shift+Z", "Shift+Z")
    desk.expect_text("saved")
    desk.page.reload()
    expect(desk.page.get_by_label("What should the step have said? Optional")).to_have_value("So $x = -1$.")
    expect(rows.first).to_have_attribute("aria-label", "Candidate 1 of 2, rated +1")
    desk.press("Enter")
    desk.expect_text("You have labeled all there is for you")
    desk.wait_until(lambda: Label.objects.filter(status="submitted").exists(), "the label is submitted")

    mistake = exported("neutral", tmp_path)["label"]["mistake"]
    explanations = mistake.pop("explanations")
    assert {(one["text"], one["rating"]) for one in explanations} == {("The sign is lost.", 1), ("$-1$ is no $1$.", -1)}
    assert mistake == {
        "progress": "some",
        "explanation": "Minus.",
        "kind": "maths:1:circular",
        "scheme": "maths",
        "scheme_version": 1,
        "code": "circular",
        "clause": "§2.3",
        "corrected_step": "So $x = -1$.",
    }
    offered = exported("prm800k", tmp_path)["label"]["steps"][1]["completions"][1:]
    said = sorted((one["text"], one["rating"], one["flagged"]) for one in offered)
    assert said == sorted(
        [("So $x = 2$.", 1, False)] * 2
        + [("So  $x = 2$.", 1, False), ("So $x = 3$.", 0, False)]
        + [("Divide first.", 1, False)] * 2
        + [("Give up.", -1, True)]
    )


def test_a_label_with_six_candidates_is_complete_after_eight_keys(open_desk: OpenDesk, tmp_path: Path) -> None:
    desk = desk_at_a_mistake(open_desk, offered=[f"So $x = {number}$." for number in range(6)], asked=[])
    expect(desk.page.locator("[data-candidate]")).to_have_count(6)
    desk.press("j", *["Space"] * 6)
    expect(desk.page.locator('[data-candidate][aria-label*="rated +1"]')).to_have_count(6)
    desk.press("?")  # only to check that looking loses nothing; neither of its keys is needed
    expect(desk.page.get_by_role("complementary", name="Keys")).to_contain_text("Unsure about this candidate")
    desk.press("Escape")
    expect(desk.page.locator("[data-candidate]").nth(5)).to_be_focused()
    desk.press("Enter")
    desk.wait_until(lambda: Label.objects.filter(status="submitted").exists(), "the label is submitted")
    offered = exported("prm800k", tmp_path)["label"]["steps"][1]["completions"][1:]
    assert [one["rating"] for one in offered] == [1] * 6


def test_axe_finds_nothing_in_the_card_of_a_mistake(open_desk: OpenDesk) -> None:
    desk = desk_at_a_mistake(open_desk)
    page = desk.page
    expect_no_violations(desk, "a machine is writing")
    desk.wait_until(lambda: SuggestionRequest.objects.exists(), "the machine is asked")
    run_requests(written)
    expect(page.locator("[data-candidate]")).to_have_count(6)
    desk.press("j", "x", "q", "0")
    expect_no_violations(desk, "explanations and alternatives, rated")
    desk.press("f")
    page.keyboard.type("rule")
    expect_no_violations(desk, "the list of kinds")
    desk.press("Enter", "n")
    page.keyboard.type("It is $-1$.")
    expect_no_violations(desk, "words of one's own")
    page.set_viewport_size({"width": 1024, "height": 640})
    card = page.get_by_text("About this mistake").locator("xpath=../..")
    box, choices = card.bounding_box(), page.get_by_role("radiogroup", name="Progress before").bounding_box()
    assert box
    assert choices
    assert choices["x"] + choices["width"] <= box["x"] + box["width"] - 10, "progress reaches out of its card"
    page.set_viewport_size(PHONE["viewport"])
    expect_no_violations(desk, "on a phone")


def exported(format: str, folder: Path) -> dict[str, Any]:
    """The one row of an export."""
    call_command("export_labels", "signs", "--format", format, "--output", str(folder / format), stdout=StringIO())
    [row] = [json.loads(line) for file in (folder / format).glob("*.jsonl") for line in file.read_text().splitlines()]
    found: dict[str, Any] = row
    return found
