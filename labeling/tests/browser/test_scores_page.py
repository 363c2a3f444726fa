"""Importing external scores in the browser: a file with a fault, its report, the clean file, a scorer for rounds."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeling.actions.imported_scores import run_score_import
from labeling.models import Score, ScoreImport, StepScorer
from labeling.tests.factories import make_member, make_project, make_traces

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def written(folder: Path, *rows: dict[str, Any]) -> str:
    file = folder / "scores.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows))
    return str(file)


def ran() -> ScoreImport:
    """Do what a worker does with the newest import."""
    job = run_score_import(ScoreImport.objects.latest("pk").pk)
    assert job is not None
    return job


def test_a_file_of_scores_is_checked_mended_and_imported_and_is_listed_with_the_prms(
    live_server: Any, log_in: Callable[..., Page], tmp_path: Path
) -> None:
    project = make_project()
    traces = make_traces(project, 3, steps=2)
    page = log_in(make_member(project, "researcher"))
    page.goto(f"{live_server.url}/projects/{project.slug}/prms")
    page.get_by_role("link", name="Scores made elsewhere").click()
    expect(page.get_by_text("None yet.")).to_be_visible()
    good = [{"trace_id": trace.pk, "scores": [0.9, 0.2]} for trace in traces[:2]]
    page.get_by_label("The file of scores").set_input_files(
        written(tmp_path, *good, {"trace_id": traces[2].pk, "scores": [7]})
    )
    expect(page.get_by_role("button", name="Check the file")).to_be_disabled()
    page.get_by_label("Name", exact=True).fill("Cluster")
    page.get_by_label("Fingerprint").fill("qwen-7b@3f1a")
    page.get_by_role("button", name="Check the file").click()
    expect(page.get_by_text("Waiting for a worker.")).to_be_visible()
    ran()
    report = page.get_by_role("status").filter(
        has_text="1 fault found. Without the faulty rows, importing it would add scores for 2 traces."
    )
    expect(report).to_be_visible()
    expect(page.get_by_role("region", name="Faults")).to_contain_text("1 fault of 1 kind; 3 rows read")
    assert not Score.objects.exists()
    page.get_by_role("button", name="Import without the faulty rows").click()
    expect(page.get_by_text("Waiting for a worker.")).to_be_visible()
    ran()
    expect(
        page.get_by_role("status").filter(
            has_text="Imported scores for 2 traces; 1 fault skipped. 1 trace in the project"
        )
    ).to_be_visible()
    scorer = StepScorer.objects.get(project=project)
    assert (scorer.name, scorer.kind, Score.objects.filter(scorer=scorer).count()) == ("Cluster", "imported", 2)
    expect(page.get_by_role("table", name="Imports of scores, newest first").get_by_role("row")).to_have_count(3)
    page.get_by_role("link", name="Cluster").click()
    expect(page.get_by_role("heading", level=1, name="Cluster")).to_be_visible()
    page.goto(f"{live_server.url}/projects/{project.slug}/prms")
    row = page.get_by_role("table", name="PRMs, newest first").get_by_role("row").filter(has_text="Cluster")
    expect(row).to_contain_text("scores made elsewhere")
    expect(row).to_contain_text("ready")


def test_a_name_that_a_prm_has_is_refused_in_words(
    live_server: Any, log_in: Callable[..., Page], tmp_path: Path
) -> None:
    project = make_project()
    StepScorer.objects.create(project=project, name="Ours", kind="prm", scale="probability", status="ready", spec={})
    page = log_in(make_member(project, "researcher"))
    page.goto(f"{live_server.url}/projects/{project.slug}/prms/scores")
    page.get_by_label("The file of scores").set_input_files(written(tmp_path, {"trace_id": 1, "scores": [0.5]}))
    page.get_by_label("Name", exact=True).fill("Ours")
    page.get_by_role("button", name="Check the file").click()
    expect(page.get_by_role("alert")).to_contain_text("a PRM that workers run here")
    expect(page.get_by_role("button", name="Check the file")).to_be_enabled()  # the selection is still there
    assert not ScoreImport.objects.exists()


@pytest.mark.parametrize("width", [390, 1440])
def test_the_page_needs_no_scrolling_sideways(live_server: Any, log_in: Callable[..., Page], width: int) -> None:
    project = make_project()
    page = log_in(make_member(project, "researcher"), viewport={"width": width, "height": 900})
    page.goto(f"{live_server.url}/projects/{project.slug}/prms/scores")
    expect(page.get_by_role("button", name="Check the file")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
