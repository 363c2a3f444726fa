"""A consensus and the verdicts of its sources."""

from functools import partial

import pytest

from labeling.actions import source_runs
from labeling.configs import ConsensusConfig
from labeling.models import Score, SourceChunk, StepScorer
from labeling.tests.factories import make_project
from labeling.tests.sources.world import make, wrong_traces
from worker.marking import mark_chunk

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_consensus_takes_of_marks_that_name_no_first_error_what_comparisons_with_people_take():
    project = make_project()
    traces = wrong_traces(project, 1, 2, None, steps=4)
    told = StepScorer.Kind.IMPORTED
    about = {"project": project, "scale": "probability", "status": "ready", "spec": {}}
    given = [[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.4, 0.1], [1.0, 1.0, 1.0, 0.0]], [[1.0, 0.0, 1.0, 0.0]] * 3
    sources = []
    for name, steps in zip(("oracle", "other"), given, strict=True):
        source = StepScorer.objects.create(name=name, kind=told, fingerprint=name, **about)
        sources.append(source.pk)
        for trace, numbers in zip(traces, steps, strict=True):
            about_trace = {"trace": trace, "problem": trace.problem, "project": project, "draw": 0}
            Score.objects.create(scorer=source, **about_trace, steps=numbers, evidence={"kind": "hard"})
    both = make(project, "both", ConsensusConfig(tuple(sources)))
    run = source_runs.start_run(project, both, by=None, wake=False)
    for chunk in SourceChunk.objects.filter(run=run):
        source_runs.run_chunk(chunk.pk, partial(mark_chunk, grade=lambda _questions: iter(())))  # which grades nothing
    marks = {score.trace_id: score for score in Score.objects.filter(scorer=both)}
    assert [marks[trace.pk].evidence["said"] for trace in traces] == [
        {"oracle": 1, "other": 1},
        {"oracle": 2, "other": 1},
        {"oracle": 3, "other": 1},
    ]
    assert marks[traces[0].pk].evidence["first_error"] == 1
