"""Two labelers differ, a third is asked, no two agree, a reviewer settles it, and the labelers compare."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeling.actions.labels import claim_next_label, submit_label
from labeling.models import Gold, Label, Task
from labeling.tests.browser.conftest import OpenDesk
from labeling.tests.factories import make_member, make_project, make_round, make_submission

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LogIn = Callable[..., Page]


def test_a_disputed_trace_from_the_first_label_to_the_comparison(live_server: Any, log_in: LogIn, open_desk: OpenDesk):
    project = make_project(name="Disputes")
    round_ = make_round(project, overlap=2, overlap_most=3, overlap_needed=2)
    people = {name: make_member(project, display_name=name) for name in ("Ada", "Ben", "Cem")}
    for name, keys in (("Ada", ["Space"] * 3), ("Ben", ["Space", "x"]), ("Cem", ["Space", "Space", "x"])):
        assert Task.objects.get(round=round_).labels_wanted > 0, name
        desk = open_desk(people[name], project.slug)
        desk.press(*keys)
        label = Label.objects.get(labeler=people[name])
        desk.press("Enter")
        desk.wait_for_status(label, "submitted")
        desk.page.close()
    assert Task.objects.get(round=round_).settlement == "no_consensus"

    page = log_in(make_member(project, "researcher", display_name="Rita"))
    page.goto(f"{live_server.url}/projects/{project.slug}/review")
    expect(page.get_by_role("button", name="No consensus 1")).to_be_visible()
    expect(page.get_by_role("table").get_by_role("link")).to_have_count(1)
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Why it waits")).to_be_visible()
    expect(page.get_by_role("region", name="Steps and ratings")).to_contain_text("Ben")
    page.get_by_role("button", name="Ben", exact=True).click()
    expect(page.get_by_role("radio", name="negative, step 2")).to_be_checked()
    page.get_by_label("Why (optional)").fill("The second step does not follow.")
    page.get_by_role("button", name="Settle", exact=True).click()
    expect(page.get_by_role("heading", name="Nothing waits here any more")).to_be_visible()
    assert Task.objects.values_list("settlement", "verdict").get(round=round_) == ("ruled", 1)

    page = log_in(people["Ada"])
    page.goto(f"{live_server.url}/projects/{project.slug}/my-work")
    page.get_by_role("link", name="Compare").click()
    expect(page.get_by_text("the first error is in step 2. You said: no error.")).to_be_visible()
    columns = page.get_by_role("region", name="Steps and ratings").get_by_role("columnheader")
    expect(columns).to_have_text(["#", "Step", "You", re.compile("Labeler"), re.compile("Labeler"), "Reviewer"])
    for name in ("Ben", "Cem", "Rita"):
        expect(page.locator("main")).not_to_contain_text(name)


def test_an_admin_makes_a_settled_trace_gold_where_it_was_settled(live_server: Any, log_in: LogIn):
    project = make_project(name="Disputes")
    round_ = make_round(project, overlap=2)
    for ratings in ([1, 1, 1], [1, -1, None]):
        label = claim_next_label(make_member(project), project).label
        submit_label(label, make_submission(ratings))
    task = Task.objects.get(round=round_)
    path = f"{live_server.url}/projects/{project.slug}/review/{task.pk}"
    page = log_in(make_member(project, "researcher"))
    page.goto(path)
    expect(page.get_by_role("heading", name="Settle it")).to_be_visible()
    expect(page.get_by_role("button", name="Make it gold")).to_have_count(0)

    page = log_in(make_member(project, "admin"))
    page.goto(path)
    expect(page.get_by_role("button", name="Settle", exact=True)).to_be_disabled()
    for key in ("Space", "Space", "ArrowUp", "x"):
        page.keyboard.press(key)
    for step, word in ((1, "positive"), (2, "negative")):
        expect(page.get_by_role("radio", name=f"{word}, step {step}")).to_be_checked()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Settle it again")).to_be_visible()
    page.get_by_role("button", name="Make it gold").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("checkbox", name="The first error may be step 2")).to_be_checked()
    dialog.get_by_role("button", name="Make it gold").click()
    expect(page.get_by_text("Passes: step 2.")).to_be_visible()
    gold = Gold.objects.get(trace=task.trace)
    assert (gold.acceptable, gold.source) == ([1], "adjudication")
