"""Traces of many steps and comments: the browser lays out what is near, and all of it is found, reached and focused."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeling.actions import labels, rounds
from labeling.models import Project, Task, Trace, User
from labeling.tests import factories

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LogIn = Callable[..., Page]
MANY = 500
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
# How many of the elements are laid out now.
LAID_OUT = "all => all.filter(one => one.checkVisibility({contentVisibilityAuto: true})).length"
# Of all that stands on the page, as Ctrl+F looks for it.
FIND = "text => { getSelection().removeAllRanges(); return find(text, false, false, true); }"


@dataclass
class LongTrace:
    project: Project
    reviewer: User
    trace: Trace
    task: Task


@pytest.fixture
def long() -> LongTrace:
    """A trace of 500 steps with a formula each, and a label that says something of each."""
    project = factories.make_project(default_overlap=1)
    reviewer = factories.make_member(project, "researcher")
    [trace] = factories.make_traces(project, steps=MANY)
    steps = [f"Step {step + 1} says $x_{{{step}}} = {step}$. " + "And so on. " * (step % 7 * 6) for step in range(MANY)]
    Trace.objects.filter(pk=trace.pk).update(steps=steps)
    round_ = rounds.open_round(project, by=reviewer, name="Long")
    label = labels.claim_next_label(factories.make_member(project), project).label
    said = [{"step": step, "text": f"Comment on step {step + 1}."} for step in range(MANY)]
    labels.submit_label(label, factories.make_submission([1] * MANY, comments=said))
    return LongTrace(project, reviewer, trace, Task.objects.get(round=round_))


@pytest.mark.parametrize("window", [{}, PHONE], ids=["wide", "phone"])
def test_of_a_trace_of_500_steps_what_is_near_is_laid_out_and_any_step_is_reached(
    live_server: Any, log_in: LogIn, long: LongTrace, window: dict[str, Any]
) -> None:
    page = log_in(long.reviewer, **window)
    page.goto(f"{live_server.url}/projects/{long.project.slug}/traces/{long.trace.pk}?step=431")
    step = page.locator("#step-431")
    expect(step).to_be_in_viewport()
    expect(step.get_by_text("Comment on step 431.")).to_be_in_viewport()
    texts = page.locator("[id^=step-] .read")
    expect(texts).to_have_count(MANY)
    assert texts.evaluate_all(LAID_OUT) < 100
    assert page.evaluate(FIND, "Comment on step 57.")
    expect(page.locator("#step-57")).to_be_in_viewport()


def test_of_500_comments_what_is_near_is_laid_out_and_the_keys_go_on(
    live_server: Any, log_in: LogIn, long: LongTrace
) -> None:
    page = log_in(long.reviewer)
    page.goto(f"{live_server.url}/projects/{long.project.slug}/review/{long.task.pk}")
    answers = page.get_by_role("region", name="Comments", exact=True).get_by_role("listitem")
    expect(answers).to_have_count(MANY)
    assert answers.locator("p").evaluate_all(LAID_OUT) < 100
    field, next_field = (answers.nth(place).get_by_role("textbox") for place in (299, 300))
    field.focus()
    expect(field).to_be_in_viewport(ratio=1)
    page.keyboard.press("Tab")
    expect(next_field).to_be_focused()
    expect(next_field).to_be_in_viewport(ratio=1)
    expect(answers.nth(300)).to_contain_text("Comment on step 301.")
