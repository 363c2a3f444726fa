"""Thresholds of a PRM: an evaluation's figures for every one, for the one in use, and for the advised one."""

from typing import Any

import orjson
import pytest

from labeling.metrics.thresholds import MOST
from labeling.models import Evaluation, Project
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project
from labeling.tests.training.measured import knowing, measured, recorded_set, timid

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def researcher(project: Project) -> Browser:
    return Browser(make_member(project, "researcher"))


def report_of(browser: Browser, evaluation: Evaluation) -> dict[str, Any]:
    report: dict[str, Any] = browser.call("GET", f"/api/evaluations/{evaluation.pk}")["report"]
    return report


def test_an_evaluation_says_what_every_threshold_gives_the_one_in_use_and_the_advised_one_among_them(
    project: Project, researcher: Browser
) -> None:
    made = recorded_set(project, errors=40, free=40)
    used, advised = 0.47, 0.6251
    report = report_of(researcher, measured(made, knowing, advised=advised, threshold=used))
    curve = report["thresholds"]
    assert curve["wrong"] == 40
    assert curve["base_rate"] == pytest.approx(40 / curve["steps"])
    points = {point["threshold"]: point for point in curve["points"]}
    assert {used, advised} <= points.keys()
    assert list(points) == sorted(points)
    figures = {figure["name"]: figure for figure in report["figures"]}
    for name in ("f1_negative", "processbench_f1"):
        assert points[used][name] == pytest.approx(figures[name]["value"])
    assert points[advised]["recall"] >= points[used]["recall"]
    precision = figures["average_precision"]
    assert curve["base_rate"] < precision["low"] < precision["value"] < precision["high"]
    assert precision["n"] == curve["steps"]
    assert precision["baseline"] is not None
    assert len(curve["baseline"]) > 5
    assert curve["baseline"][-1]["recall"] == pytest.approx(1)
    assert len(curve["points"]) <= MOST + 2
    assert len(orjson.dumps(curve)) < 30_000


def test_a_prm_that_never_says_wrong_has_a_point_that_says_so_and_others_that_would_serve_it(
    project: Project, researcher: Browser
) -> None:
    report = report_of(researcher, measured(recorded_set(project, errors=30, free=30), timid, advised=0.75))
    points = {point["threshold"]: point for point in report["thresholds"]["points"]}
    assert report["said_wrong"] == 0
    assert (points[0.5]["judged_wrong"], points[0.5]["precision"], points[0.5]["recall"]) == (0, None, 0)
    assert points[0.75]["f1_negative"] > 0.4


def test_of_few_wrong_steps_an_evaluation_says_how_many_instead_of_a_curve(
    project: Project, researcher: Browser
) -> None:
    report = report_of(researcher, measured(recorded_set(project, errors=3, free=20), knowing))
    curve = report["thresholds"]
    assert (curve["wrong"], curve["points"], curve["baseline"]) == (3, [], [])
    [precision] = [figure for figure in report["figures"] if figure["name"] == "average_precision"]
    assert (precision["low"], precision["no_interval"], precision["clusters"]) == (None, "few_clusters", 3)


def test_an_evaluation_from_before_there_were_curves_is_shown_and_compared_as_ever(
    project: Project, researcher: Browser
) -> None:
    made = recorded_set(project, errors=20, free=20)
    old, new = measured(made, timid), measured(made, knowing)
    del old.report["thresholds"]
    old.report["figures"] = [one for one in old.report["figures"] if one["name"] != "average_precision"]
    old.save()
    report = report_of(researcher, old)
    assert report["thresholds"] is None
    assert {figure["name"] for figure in report["figures"]} >= {"auc", "processbench_f1"}
    home = f"/api/projects/{project.slug}"
    compared = researcher.call("GET", f"{home}/evaluations/compare?left={old.pk}&right={new.pk}")
    assert compared["left"]["report"]["thresholds"] is None
    assert compared["right"]["report"]["thresholds"]["points"]
    apart = {one["name"]: one for one in compared["differences"]}
    assert apart["average_precision"]["value"] == pytest.approx(0, abs=0.2)
    assert researcher.call("GET", f"{home}/evaluations")["results"][0]["id"] == new.pk
