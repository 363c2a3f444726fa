"""A file of unknown format: its first rows on the page, the meaning of each column, and the resulting traces."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeling.models import ImportJob, Label, Score, Trace
from labeling.tests.browser.test_round_journey import run_task
from labeling.tests.factories import make_member, make_project

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]
TABLE = """ask,said,verdicts,key
What is $2+3$?,"First add.\n\nThe sum is 6.","1,0",5
"What is $x$, if $2x = 8$?","Halve it.\n\nSo $x = 4$.","1,1",4
"""


def run_newest() -> ImportJob:
    job = ImportJob.objects.latest("pk")
    run_task("worker.run_import", job.pk)
    job.refresh_from_db()
    return job


def test_columns_are_said_seen_as_traces_and_kept_for_the_next_file(
    live_server: Any, log_in: Callable[..., Page], tmp_path: Path
) -> None:
    project = make_project()
    file = tmp_path / "own.csv"
    file.write_text(TABLE)
    page = log_in(make_member(project, "researcher"))
    site = f"{live_server.url}/projects/{project.slug}/imports"
    page.goto(site)
    page.get_by_label("The file to import").set_input_files(file)
    page.get_by_role("button", name="Check the file").click()
    expect(page.get_by_role("button", name="Check the file")).to_be_enabled()
    assert run_newest().report["faults"]["kinds"][0]["kind"] == "unknown_columns"

    rows = page.get_by_role("region", name="The first rows of the file")
    expect(rows.get_by_role("columnheader", name="verdicts")).to_be_visible()
    first = page.get_by_role("region", name="The first traces")
    expect(first).to_contain_text("Choose the column of the problem.")
    page.get_by_label("Problem", exact=True).select_option("ask")
    page.get_by_label("Steps, or the whole response").select_option("said")
    page.get_by_label("What separates the steps").select_option("blank_line")
    page.get_by_label("What is said about the steps").select_option("verdicts")
    page.get_by_label("Right answer").select_option("key")
    page.get_by_label("Marks by").last.fill("a judge")
    expect(first.locator("li[data-wrong]")).to_have_text(["2 wrongThe sum is 6."])
    page.get_by_role("button", name="Import it").click()
    page.wait_for_url("**/imports/*")
    job = run_newest()
    expect(page.get_by_text("marks by a judge")).to_be_visible()
    assert (job.format, job.mapping["split"], job.report["imported"]) == ("columns", "blank_line", True)
    trace = Trace.objects.filter(project=project).earliest("id")
    assert (trace.steps, trace.problem.answer) == (["First add.", "The sum is 6."], "5")
    assert Score.objects.get(trace=trace).steps == [1.0, 0.0]

    file.write_text(TABLE.replace("3", "5"))
    page.goto(site)
    page.get_by_label("The file to import").set_input_files(file)
    page.get_by_role("button", name="Check the file").click()
    expect(page.get_by_role("button", name="Check the file")).to_be_enabled()
    run_newest()
    expect(page.get_by_text(f"Taken from import {job.pk}")).to_be_visible()
    expect(page.get_by_label("What is said about the steps")).to_have_value("verdicts")
    page.get_by_label("Make labels of recorded ratings").last.check()
    expect(page.get_by_text("Enter whose labels they are, for rows that name no rater.")).to_be_visible()
    page.get_by_label("Labels of").last.fill("experts")
    page.get_by_role("button", name="Import it").click()
    page.wait_for_url("**/imports/*")
    run_newest()
    expect(page.get_by_text("2 labels")).to_be_visible()
    assert Label.objects.filter(project=project, labeler__kind="imported").count() == 2
