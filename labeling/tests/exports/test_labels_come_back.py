"""Our labels on exported trajectories are read back on import, so that nothing is labeled twice."""

import json

import pytest

from labeling.actions import rounds
from labeling.models import Label, Trace
from labeling.quality.consensus import AskedOverlap
from labeling.queries.recorded_verdicts import recorded_verdicts
from labeling.tests.exports.labeled import exported
from labeling.tests.exports.test_labels_go_home import MARKS, atif, label_all, make_project_of_runs, run_companion
from labeling.tests.factories import make_member, make_project
from labeling.tests.gold.world import Labeler
from labeling.tests.imports.files import faults_of, import_bytes, lines

pytestmark = pytest.mark.django_db(transaction=True)  # several imports


@pytest.mark.parametrize("unit", ["message", "call"])
def test_labels_on_a_trajectory_are_read_back_as_recorded_verdicts_of_each_labeler(tmp_path, unit):
    project = make_project_of_runs()
    type(project).objects.filter(pk=project.pk).update(rated_unit=unit)
    project.refresh_from_db()
    import_bytes(project, lines(atif()), tmp_path)
    rounds.open_round(project, by=None, overlap=AskedOverlap(2))
    for _ in range(2):
        labels = label_all(project, Labeler(project, make_member(project)))
    labels[-1].run_marks["acts"] = [{"step": 0, "clause": "§2.1", "verdict": "against", "severity": "low"}]
    labels[-1].save()
    rows, export = exported(project, "atif")
    trace = max(Trace.objects.filter(project=project), key=lambda trace: len(trace.typed_steps))
    marked = run_companion(export, "stepmark_atif.py", tmp_path, rows, json.dumps(atif())).read_bytes()

    job = import_bytes(project, marked, tmp_path)
    assert (job.report["traces"]["new"], job.report["traces"]["known"]) == (0, 2), "the same runs"
    back = make_project(rated_unit=unit)
    job = import_bytes(back, marked, tmp_path, labels_of="nobody named")
    assert job.report["faults"]["total"] == 0
    read = max(Trace.objects.filter(project=back), key=lambda trace: len(trace.typed_steps))
    assert (read.problem.text, read.typed_steps) == (trace.problem.text, trace.typed_steps)
    count = len(trace.steps)
    for said in recorded_verdicts(read):
        assert (said["first_error"], said["ratings"]) == (0, [-1, *[1] * (count - 1)])
        assert {name: said["marks"][name] for name in MARKS} == MARKS
    assert len({said["recorded_by"] for said in recorded_verdicts(read)} - {""}) == 2
    assert (
        sum("acts" in said["marks"] for one in Trace.objects.filter(project=back) for said in recorded_verdicts(one))
        == 1
    )
    kept = Label.objects.filter(project=back, task__trace=read)
    assert [(label.verdict, label.run_marks["decisive_error"]) for label in kept] == [(0, 0), (0, 0)]
    before = Label.objects.filter(project=back).count()
    assert import_bytes(back, marked, tmp_path, labels_of="nobody named").report["labels"]["new"] == 0
    assert Label.objects.filter(project=back).count() == before == 4


def test_calls_that_were_rated_apart_say_nothing_of_a_message_they_disagree_on(tmp_path):
    mark = {"labeler": "x", "marks": []}
    row = atif()
    row["extra"] = {"stepmark": {"labels": [{"labeler": "x", "finish_reason": "found_error", "run": None}]}}
    told = [{**mark, "unit": 0, "rating": 1}, {**mark, "unit": 1, "rating": -1, "marks": ["first_error"]}]
    row["steps"][1]["extra"] = {"stepmark": {"labels": told}}
    row["steps"][2]["extra"] = {"stepmark": {"labels": [{**mark, "unit": 2, "rating": 1}]}}
    for unit, ratings, first in (("message", [None, 1], 0), ("call", [1, -1, 1], 1)):
        project = make_project(rated_unit=unit)
        import_bytes(project, lines(row), tmp_path)
        trace = Trace.objects.get(project=project, recorded_by="x")
        assert (trace.recorded_ratings, trace.recorded_first_error) == (ratings, first)
    row["steps"][2]["extra"]["stepmark"]["labels"][0]["rating"] = 7
    assert [kind for kind, _, _ in faults_of(import_bytes(make_project(), lines(row), tmp_path))] == ["bad_rating"]
