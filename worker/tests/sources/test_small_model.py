"""The demo's own model as completer and as judge, up to the calibration, which shows how poor it is."""

import json
from functools import partial
from typing import Any

import pytest

from annotation_app.generators import read_generators
from labeling.actions import source_runs
from labeling.configs import JudgeConfig, RolloutsConfig, SamplingConfig
from labeling.grading.process_pool import GradingPool
from labeling.models import Score
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project
from labeling.tests.sources.world import make, wrong_traces
from worker.marking import mark_chunk
from worker.tests.generation.small_model import NEEDS_SMALL_MODEL, small_model

pytestmark = [NEEDS_SMALL_MODEL, pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def test_a_model_of_135m_rolls_out_judges_and_is_told_to_be_poor(settings: Any) -> None:
    project = make_project()
    traces = wrong_traces(project, 1, None, 0, steps=3)
    for trace, error in zip(traces, (1, -1, 0), strict=True):
        trace.recorded_first_error = error
        trace.save()
    researcher = Browser(make_member(project, "researcher"))
    with small_model() as address, GradingPool(processes=1) as pool:
        record = {"url": f"{address}/v1", "batch": 2, "in_flight": 1, "timeout": 120}
        settings.GENERATORS = read_generators(json.dumps({"demo": record}))
        completer = SamplingConfig("demo", "any", "go_on", max_tokens=24)
        judge = SamplingConfig("demo", "any", "processbench/1", max_tokens=24)
        for name, config in (
            ("rollouts", RolloutsConfig(completer, strategy="bisect", n=2)),
            ("judge", JudgeConfig(judge, votes=2)),
        ):
            source = make(project, name, config)
            run = source_runs.start_run(project, source, by=None, wake=False)
            for chunk in run.chunks.all():
                source_runs.run_chunk(chunk.pk, partial(mark_chunk, grade=pool.grade))
            run.refresh_from_db()
            assert (run.status, run.traces_done, run.error) == ("succeeded", 3, "")
            assert Score.objects.filter(scorer=source).count() == 3
            page = researcher.call(
                "GET", f"/api/projects/{project.slug}/sources/{source.pk}/calibration?truth=recorded"
            )
            assert page["traces"] == 3
            said = 3 - sum(page["silent"].values())
            accuracy = next(one for one in page["figures"] if one["name"] == "first_error_accuracy")
            if said == 0:  # it solves nothing, or answers without a verdict: the page says so, and shows no figure
                assert page["not_measurable"]
                assert accuracy["value"] is None
            else:
                assert accuracy["n"] == said
                assert accuracy["low"] is None  # three problems are too few for an interval
