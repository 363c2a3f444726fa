"""From Home to the traces that a researcher should look at next."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeling.actions.labels import claim_next_label, submit_label
from labeling.actions.step_scorer_promotions import promote_prm
from labeling.tests.browser.test_admin_accessibility import expect_no_faults
from labeling.tests.factories import make_member, make_project, make_round, make_submission, make_traces, make_user
from labeling.tests.selection.pools import give_scores, make_prm

pytestmark = [pytest.mark.django_db(transaction=True)]


def test_home_leads_to_the_most_convincing_wrong_traces_that_nobody_has_labeled(
    live_server: Any, log_in: Callable[..., Page]
) -> None:
    project = make_project()
    make_round(project)
    submit_label(claim_next_label(make_member(project), project).label, make_submission())
    traces = make_traces(project, 8, outcome="wrong")
    prm = make_prm("PRM 3")
    give_scores(prm, [(trace, -0.1 * (7 - place)) for place, trace in enumerate(traces[:6])])
    promote_prm(project, prm, by=make_user())
    page = log_in(make_member(project, "researcher"))
    page.goto(f"{live_server.url}/projects/{project.slug}/home")
    page.get_by_role("link", name="Most convincing wrong traces").click()
    table = page.get_by_role("table", name="Traces")
    expect(table.get_by_role("row")).to_have_count(7)  # including the header row
    expect(table.get_by_role("row").nth(1).get_by_role("checkbox")).to_have_accessible_name(
        f"Pick trace {traces[5].pk}"
    )
    expect(page.locator("main")).to_contain_text(
        "Ordered by the score of PRM 3. Traces that it has not scored are not listed,"
    )
    expect_no_faults(page)
    order = page.get_by_label("Order")
    expect(order).to_have_value("score")
    page.get_by_role("button", name=re.compile("^Lift .*wrong", re.I)).click()
    expect(order).to_have_value("")
    order.select_option("score")
    expect(page).to_have_url(re.compile("outcome=wrong"))
    expect(table.get_by_role("row")).to_have_count(7)
