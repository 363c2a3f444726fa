"""A PRM finds labels unlikely, a researcher reviews them blind among others, by keyboard, and the report compares."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeling.actions.labels import claim_next_label, submit_label
from labeling.models import Label, Score, ScoreCount, Task, Trace
from labeling.tests.factories import make_member, make_project, make_round, make_submission
from labeling.tests.selection.pools import make_prm

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LogIn = Callable[..., Page]


def test_from_the_choice_of_labels_over_the_blind_review_to_the_report(live_server: Any, log_in: LogIn):
    project = make_project(name="Noisy")
    round_ = make_round(project, traces=4)
    ada = make_member(project, display_name="Ada")
    prm = make_prm("Doubtful PRM", project=project)
    researcher = make_member(project, "researcher", display_name="Rita", preferences={"keys": {"rate_plus": "n"}})
    start = f"{live_server.url}/projects/{project.slug}/label-audits"
    page = log_in(researcher)
    page.goto(start)
    expect(page.get_by_role("heading", name="No PRM or source has scored a trace here")).to_be_visible()

    for ratings in ([1, -1, None], [1, 1, 1], [1, 1, 1], [1, 1, 1]):
        label = submit_label(claim_next_label(ada, project).label, make_submission(ratings))
        trace = Trace.objects.get(tasks__labels=label)
        about = {"project": project, "problem": trace.problem, "outcome": "wrong", "draw": 0}
        Score.objects.create(scorer=prm, trace=trace, steps=[0.9, 0.98, 0.9], score=-0.2, **about)
    ScoreCount.objects.create(scorer=prm, project=project, traces=4)

    page.reload()
    expect(page.get_by_text("4 of 4 labels can be chosen.")).to_be_visible()
    page.get_by_label("Labels to review").fill("4")
    page.get_by_label("Of them at random, %").fill("50")
    page.get_by_role("button", name="Choose labels").click()
    page.get_by_role("link", name="Start reviewing").click()
    for done in range(4):
        expect(page.get_by_text(f"{done} of 4 labels reviewed.")).to_be_visible()
        expect(page.locator("main")).not_to_contain_text("Ada")
        page.keyboard.press("Space")  # Rita assigned another key to +1
        for _ in range(3):
            page.keyboard.press("n")
        page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="All labels are reviewed")).to_be_visible()
    assert not Label.objects.filter(status="ruling").exists()

    page.get_by_role("link", name="To the label audit").click()
    page.get_by_role("button", name="Finish…").click()
    page.get_by_role("button", name="Finish", exact=True).click()
    expect(page.get_by_text("1 correction became the ruling on its task.")).to_be_visible()
    expect(page.get_by_role("figure", name="Corrected, of all labels")).to_contain_text("Random control")
    row = page.get_by_role("table", name="Corrected labels").get_by_role("row").nth(1)
    for words in ("step 2", "Ada", "no error", "Rita", "2.0 %"):
        expect(row).to_contain_text(words)
    assert Task.objects.get(round=round_, settlement="ruled").verdict == -1
    with page.expect_download() as download:
        page.get_by_role("link", name="Download as CSV").click()
    assert download.value.path().read_text().count("invented") == 1

    page.get_by_role("button", name="Undo it…").click()
    expect(page.get_by_role("dialog")).to_contain_text("Its ruling is withdrawn")
    page.get_by_role("button", name="Undo the label audit").click()
    expect(page.get_by_text("1 ruling was withdrawn.")).to_be_visible()
    expect(page.get_by_role("button", name="Undo it…")).to_have_count(0)
    assert not Task.objects.filter(round=round_).exclude(settlement="").exists()

    page = log_in(ada)
    page.goto(start)
    expect(page.get_by_role("link", name="Label audits")).to_have_count(0)
    expect(page.get_by_role("heading", name="Label audit")).to_have_count(0)
