"""A problem's traces as a tree, by keyboard alone: to a fork, two traces side by side, and a round from a branch."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeling.actions.labels import claim_next_label, submit_label
from labeling.models import Trace
from labeling.tests.factories import make_member, make_project, make_siblings, make_submission, open_round

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LogIn = Callable[..., Page]

HALF, SAME_HALF = r"So it is $\dfrac12$.", r"So it is  \(\frac{1}{2}\)."
STEPS = [
    ["Let $x$ be it.", HALF, "Double it: <b>1</b>."],
    ["Let $x$ be it.", SAME_HALF, "Square it: $1/4$."],
    ["Guess.", "It is $1$.", "Done."],
]


def in_hand(page: Page) -> Any:
    return page.locator("[role=treeitem]:focus")


def test_a_fork_is_found_two_ways_are_compared_and_a_round_is_made_by_keyboard(live_server: Any, log_in: LogIn) -> None:
    project = make_project()
    traces = make_siblings(project, *STEPS)
    for trace, outcome, answer in zip(traces, ("correct", "wrong", "wrong"), ("1", "1/4", "2"), strict=True):
        Trace.objects.filter(pk=trace.pk).update(outcome=outcome, final_answer=answer)
    open_round(project)
    ada = make_member(project, display_name="Ada")
    for _ in traces:
        label = claim_next_label(ada, project).label
        first = label.task.trace_id == traces[0].pk
        submit_label(label, make_submission([1, 1, 1] if first else [1, -1, None]))
    page = log_in(make_member(project, "researcher"))
    page.goto(f"{live_server.url}/projects/{project.slug}/traces")
    page.get_by_role("link", name=f"Tree of the problem of trace {traces[2].pk}", exact=True).click()
    expect(page.get_by_role("heading", name="3 traces begin in 2 ways")).to_be_visible()
    expect(page.get_by_role("treeitem", selected=True)).to_contain_text("Guess.")

    page.get_by_role("treeitem", selected=True).focus()
    page.keyboard.press("Home")
    expect(in_hand(page)).to_contain_text("First disagreement, at step 2")
    expect(in_hand(page)).to_contain_text("people −1")
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("treeitem")).to_have_count(2)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(in_hand(page)).to_contain_text("Double it: <b>1</b>.")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    panel = page.get_by_role("region", name="Steps 1 to 2: 2 traces")
    expect(panel).to_contain_text("People differ at step 2")
    panel.get_by_role("button", name="Put two side by side").press("Enter")
    expect(page.get_by_text("They share 2 steps and part at step 3.")).to_be_visible()
    expect(page.get_by_role("region", name=f"Trace {traces[0].pk}", exact=True)).to_contain_text("Ada +1")
    expect(page.get_by_role("region", name=f"Trace {traces[1].pk}", exact=True)).to_contain_text("Square it")
    assert f"compare={traces[0].pk}%2C{traces[1].pk}" in page.url
    page.get_by_role("button", name="Back to the tree").press("Enter")

    panel.get_by_role("link", name="Make a round of these traces").press("Enter")
    expect(page.get_by_text("2 picked traces")).to_be_visible()
    assert page.url.endswith(f"ids={traces[0].pk},{traces[1].pk}")
