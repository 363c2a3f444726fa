"""A run is started once, however often it is requested."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from django.db import connection

from annotation_app.generators import read_generators
from labeling.actions import source_runs
from labeling.configs import TraceFilter
from labeling.errors import NothingToMark
from labeling.grading import Grade, Question
from labeling.models import Score, SourceChunk, SourceRun, Trace
from labeling.tests.factories import make_project
from labeling.tests.sources.world import complete, judge, wrong_traces
from worker.marking import mark_chunk
from worker.tests.generation.chat_server import running
from worker.tests.generation.world import use

pytestmark = pytest.mark.django_db(transaction=True)


def grade_nothing(questions: Iterable[Question]) -> Iterator[Grade]:
    """A judge's answers are not graded."""
    raise AssertionError(questions)


def test_who_clicks_twice_starts_one_run_and_another_filter_takes_what_is_left(settings: Any) -> None:
    settings.GENERATORS = read_generators('{"local": {"url": "http://127.0.0.1:9/v1", "models": ["m"]}}')
    project = make_project()
    traces = wrong_traces(project, 0, 1, 2, 3)
    source = judge(project)

    def click(_: int) -> SourceRun | None:
        try:
            asked = TraceFilter(ids=tuple(trace.pk for trace in traces[::2]))
            return source_runs.start_run(project, source, by=None, filter=asked, wake=False)
        except NothingToMark:
            return None
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        [run] = [run for run in pool.map(click, range(4)) if run]
    assert run.traces_total == 2
    assert source_runs.start_run(project, source, by=None, wake=False).traces_total == 2
    with pytest.raises(NothingToMark):
        source_runs.start_run(project, source, by=None, wake=False)
    source_runs.cancel_run(run, by=None)
    again = source_runs.start_run(project, source, by=None, wake=False)
    assert again.traces_total == 2, "what the cancelled run had in hand"


def test_runs_whose_traces_lie_across_each_other_ask_for_none_twice_and_one_that_goes_on_leaves_the_others_theirs(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_runs, "CHUNK", 2)
    project = make_project()
    traces = wrong_traces(project, *range(8), steps=8)
    source = judge(project, votes=1)

    def take(chunk: SourceChunk) -> None:
        try:
            source_runs.run_chunk(chunk.pk, partial(mark_chunk, grade=grade_nothing))
        finally:
            connection.close()

    def of(*asked: Trace) -> TraceFilter:
        return TraceFilter(ids=tuple(trace.pk for trace in asked))

    with running(complete) as server:
        use(settings, server, in_flight=2, batch=1)
        first = source_runs.start_run(project, source, by=None, filter=of(*traces[::2]), wake=False)
        source_runs.cancel_run(first, by=None)
        second = source_runs.start_run(project, source, by=None, filter=of(*traces[2:7]), wake=False)
        third = source_runs.start_run(project, source, by=None, filter=of(*traces[3:]), wake=False)
        first = source_runs.resume_run(first, by=None)
        runs = [first, second, third]
        assert [run.traces_total for run in runs] == [1, 5, 1], "the second took 2 to 6, so 0 and 7 are left"
        server.delay = 0.05
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(take, [chunk for run in runs for chunk in run.chunks.all()]))
    for run in runs:
        run.refresh_from_db()
        assert (run.status, run.traces_done, run.calls) == ("succeeded", run.traces_total, run.traces_total)
    asked = [body["messages"][0]["content"] for body in server.bodies]
    assert len(asked) == len(set(asked)) == 7
    marked = Score.objects.filter(scorer=source).values_list("trace", flat=True)
    assert sorted(marked) == [trace.pk for trace in traces if trace is not traces[1]]
