"""A hasty afternoon is found among all labels, left out, and put back; a row leads to the step it is about."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from labeling.actions.labels import claim_next_label, submit_label
from labeling.models import Label
from labeling.tests.factories import make_member, make_project, make_round, make_submission

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LogIn = Callable[..., Page]


def test_hasty_labels_are_found_left_out_and_taken_in_again(live_server: Any, log_in: LogIn) -> None:
    project = make_project(name="Algebra")
    make_round(project, 4, overlap=2)
    ada, bo = (make_member(project, display_name=name) for name in ("Ada", "Bo"))
    for who, ms in ((ada, 30_000), (bo, 600)):
        for ratings in ([1, -1, None], [1, 1, 1], [1, 1, 1], [1, 1, 1]):
            label = claim_next_label(who, project).label
            submit_label(label, make_submission(ratings, idempotency_key=uuid4()))
            Label.objects.filter(pk=label.pk).update(active_ms=ms)
    page = log_in(make_member(project, "researcher", display_name="Rita"))
    page.goto(f"{live_server.url}/projects/{project.slug}/home")
    page.get_by_role("navigation", name="Project").get_by_role("link", name="Labels").click()
    expect(page.get_by_role("heading", name="8 labels")).to_be_visible()
    rows = page.get_by_role("table", name="Labels").get_by_role("row")
    expect(rows).to_have_count(9)

    page.get_by_role("region", name="Why to look").get_by_role("button", name="hasty 4").click()
    expect(page.get_by_role("heading", name="4 of 8 labels")).to_be_visible()
    expect(rows).to_have_count(5)
    for row in rows.all()[1:]:
        expect(row).to_contain_text("Bo")
    assert "why=hasty" in page.url
    page.get_by_role("button", name="Save this view…").click()
    page.get_by_label("Name").fill("Bo in a hurry")
    page.get_by_label("Name").press("Enter")
    expect(page.get_by_role("button", name="Bo in a hurry")).to_have_attribute("aria-pressed", "true")

    page.get_by_role("button", name="Pick the 4 shown").click()
    page.get_by_role("button", name="Leave out…").click()
    page.get_by_label("Why (optional)").fill("One afternoon.")
    page.get_by_role("button", name="Leave out", exact=True).click()
    expect(page.get_by_text("4 labels left out: One afternoon.")).to_be_visible()
    assert Label.objects.filter(excluded=True, labeler=bo).count() == 4
    page.get_by_role("navigation", name="Views").get_by_role("button", name="Left out").click()
    expect(rows).to_have_count(5)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("No labels match these filters")).to_be_visible()
    assert not Label.objects.filter(excluded=True).exists()

    page.get_by_role("button", name="All labels").click()
    page.get_by_role("region", name="Verdict").get_by_role("button", name="error at a step 2").click()
    expect(rows).to_have_count(3)
    rows.nth(1).get_by_role("link").first.click()
    expect(page.get_by_role("heading", name="Trace")).to_be_visible()
    assert page.url.endswith("?step=2")
    expect(page.locator("tr[data-picked]")).to_contain_text("Step 1 of")
