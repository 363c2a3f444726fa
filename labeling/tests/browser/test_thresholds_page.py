"""Setting a PRM's threshold on the page of an evaluation: by mouse, by keys alone, on a phone, in dark mode."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeling.models import Evaluation
from labeling.tests.browser.pictures import expect_no_sideways_scrolling, expect_pictures
from labeling.tests.browser.test_machine_labels_pages import expect_no_faults_in_either_theme
from labeling.tests.factories import make_member, make_project
from labeling.tests.training.measured import knowing, measured, recorded_set

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

TITLE = "Precision and recall of wrong steps"


def test_a_threshold_is_looked_at_on_the_curve_beside_the_one_in_use_and_the_advised_one(
    live_server: Any, log_in: Callable[..., Page]
) -> None:
    project = make_project()
    found = measured(recorded_set(project, errors=60, free=60), knowing, advised=0.625)
    page = log_in(make_member(project, "researcher"))
    page.goto(f"{live_server.url}/projects/{project.slug}/evaluations/{found.pk}")
    figure = page.get_by_role("figure", name=TITLE)
    expect(figure).to_contain_text(re.compile(r"average precision 0\.\d{3}, 95 %: 0\.\d\d to 0\.\d\d"))
    expect(figure).to_contain_text(re.compile(r"Looked at, in use: below 0\.50\d+ steps judged wrong, \d+ of them"))
    expect(figure).to_contain_text("Best on validation labels: below 0.63")
    expect(figure).to_contain_text("so expect less on others")
    expect_pictures(page, TITLE)

    slider = figure.get_by_role("slider", name="Look at a threshold")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"^below 0\.50: .*recall 0\.\d\d"))
    slider.focus()
    page.keyboard.press("Home")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"^below 0\.\d\d: 1 step judged wrong"))
    page.keyboard.press("End")
    expect(figure).to_contain_text(re.compile(r"Looked at: below 0\.\d\d.*recall 1\.00.*In use: below 0\.50"))

    chart = figure.get_by_role("img", name=re.compile("^Precision over recall"))
    chart.hover()
    told = figure.get_by_text(re.compile(r"^judged wrong below 0\.\d\d$"))
    expect(told).to_be_visible()
    expect(figure.get_by_text(re.compile(r"^precision 0\.\d\d: \d+ of \d+ steps$"))).to_be_visible()

    figure.get_by_text("Show as a table").click()
    rows = figure.get_by_role("row")
    expect(rows.filter(has_text="0.50, in use")).to_have_count(1)
    expect(rows.filter(has_text="best on validation labels")).to_have_count(1)
    expect_no_faults_in_either_theme(page)
    page.set_viewport_size({"width": 390, "height": 844})
    expect_pictures(page, TITLE)
    expect_no_sideways_scrolling(page)


def test_where_there_is_no_curve_the_page_says_why_and_how_to_get_one(
    live_server: Any, log_in: Callable[..., Page]
) -> None:
    project = make_project()
    made = recorded_set(project, errors=3, free=12)
    few = measured(made, knowing)
    page = log_in(make_member(project, "researcher"))
    page.goto(f"{live_server.url}/projects/{project.slug}/evaluations/{few.pk}")
    expect(page.get_by_role("figure", name=TITLE)).to_contain_text("people found 3 wrong. That is too few for a curve")

    del few.report["thresholds"]
    few.save()
    page.reload()
    older = page.get_by_role("region", name=TITLE)
    expect(older).to_contain_text("This evaluation was made before curves were kept.")
    older.get_by_role("button", name="Evaluate again").click()
    expect(page.get_by_text("Waiting for a worker of the queue gpu.")).to_be_visible()
    again = Evaluation.objects.latest("pk")
    assert (again.scorer_id, again.evaluation_set_id, again.threshold) == (few.scorer_id, made.pk, few.threshold)
