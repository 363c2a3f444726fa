"""A run is started once, however often somebody asks for it."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from annotation_app.generators import read_generators
from labeling.actions import source_runs
from labeling.configs import TraceFilter
from labeling.errors import NothingToMark
from labeling.models import SourceRun
from labeling.tests.factories import make_project
from labeling.tests.sources.world import judge, wrong_traces

pytestmark = pytest.mark.django_db(transaction=True)


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
    assert again.traces_total == 1, "the other run goes on from its first trace to its last, so the third is its own"
