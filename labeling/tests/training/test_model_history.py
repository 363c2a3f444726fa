"""A project's models on one timeline, and their results by evaluation set."""

from dataclasses import asdict
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from labeling.actions.step_scorer_promotions import promote_prm
from labeling.models import Evaluation, EvaluationSet, Project, StepScorer, TrainingRun
from labeling.statistics.intervals import share
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project
from labeling.tests.selection.pools import make_prm

pytestmark = pytest.mark.django_db


def measured(project: Project, scorer: StepScorer, on: EvaluationSet, right: int, **fields: Any) -> Evaluation:
    """Create a finished evaluation in which `right` of 40 are right."""
    plain = {"baseline": 0.5, "lower_is_better": False}
    figures = [{"name": name, **asdict(share(right, 40)), **plain} for name in ("auc", "processbench_f1", "brier")]
    report = {"figures": figures, "beats_baseline": right > 20, "said_wrong": right - 10}
    about = {"project": project, "scorer": scorer, "evaluation_set": on, "status": "succeeded", "report": report}
    return Evaluation.objects.create(**{**about, "set_hash": on.set_hash, **fields})


@pytest.fixture
def project() -> Project:
    return make_project()


def make_set(project: Project, name: str) -> EvaluationSet:
    about = {"source": "labels", "traces": 40, "problems": 10, "erroneous": 20, "grader_versions": []}
    return EvaluationSet.objects.create(project=project, name=name, set_hash=name, **about)


def history(project: Project) -> dict[str, Any]:
    reader = make_member(project, "researcher")
    return Browser(reader).call("GET", f"/api/projects/{project.slug}/model_history")


def test_what_happened_stands_on_one_line_newest_first(project: Project) -> None:
    admin = make_member(project, "admin", display_name="Ada")
    prm = make_prm("Old", project=project)
    StepScorer.objects.filter(pk=prm.pk).update(created_at=timezone.now() - timedelta(days=9))
    trained = make_prm("New", project=project)
    run = TrainingRun.objects.create(
        project=project, base="b", round_ids=[], prm=trained, labels_total=120, status="succeeded", created_by=admin
    )
    TrainingRun.objects.create(project=project, base="b", round_ids=[], status="failed", name="Too big")
    measured(project, trained, make_set(project, "Bench"), 30)
    promote_prm(project, prm=trained, by=admin, note="Better.")
    found = history(project)
    kinds = [(one["kind"], one["prm"] and one["prm"]["name"], one["status"]) for one in found["events"]]
    assert kinds == [
        ("promoted", "New", "succeeded"),
        ("evaluated", "New", "succeeded"),
        ("trained", None, "failed"),
        ("trained", "New", "succeeded"),
        ("made", "Old", "succeeded"),
    ], "a trained scorer came by its training"
    by_kind = {one["kind"]: one for one in reversed(found["events"])}
    assert by_kind["evaluated"]["auc"]["value"] == 0.75
    assert by_kind["evaluated"]["set"] == "Bench"
    assert by_kind["evaluated"]["beats_baseline"] is True
    assert by_kind["promoted"]["beats_baseline"] is None
    assert by_kind["promoted"]["note"] == "Better."
    [learned] = [one for one in found["events"] if one["id"] == run.pk and one["kind"] == "trained"]
    assert (learned["labels"], learned["by"]["display_name"]) == (120, "Ada")
    assert found["selector"]["name"] == "New"


def test_a_leaderboard_has_each_scorers_newest_evaluation_and_says_what_does_not_compare(project: Project) -> None:
    one, other, third = (make_prm(name, project=project) for name in ("One", "Other", "Third"))
    bench, empty = make_set(project, "Bench"), make_set(project, "Empty")
    measured(project, one, bench, 39)
    newest = measured(project, one, bench, 22)
    measured(project, other, bench, 30)
    measured(project, third, bench, 10, set_hash="before")
    Evaluation.objects.create(project=project, scorer=other, evaluation_set=empty)
    promote_prm(project, prm=one, by=make_member(project, "admin"))
    [board] = history(project)["leaderboards"]
    assert board["set"]["name"] == "Bench"
    rows = [(row["prm"]["name"], row["figures"][0]["value"], row["selector"], row["current"]) for row in board["rows"]]
    assert rows == [("Other", 0.75, False, True), ("One", 0.55, True, True), ("Third", 0.25, False, False)]
    assert board["rows"][1]["evaluation"] == newest.pk
    assert [figure["name"] for figure in board["rows"][0]["figures"]] == ["auc", "processbench_f1"]
    assert [row["never_wrong"] for row in board["rows"]] == [False, False, True]
    with CaptureQueriesContext(connection) as few:
        history(project)
    for number in range(4):
        measured(project, make_prm(f"More {number}", project=project), bench, 20 + number)
    with CaptureQueriesContext(connection) as many:
        history(project)
    assert len(many) == len(few)


def test_a_model_that_is_for_all_projects_stands_on_each_line_and_another_projects_on_none(project: Project) -> None:
    make_prm("For all")
    make_prm("Elsewhere", project=make_project())
    assert [one["prm"]["name"] for one in history(project)["events"]] == ["For all"]


def test_a_project_without_models_has_an_empty_line(project: Project) -> None:
    assert history(project) == {"events": [], "selector": None, "learning": None, "leaderboards": []}
