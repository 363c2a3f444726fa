"""An installation with a source run that was stopped halfway: its chunks named their first and last trace."""

from typing import Any

import pytest

from labeling.tests.upgrades.steps import earlier_version

BEFORE = "0099_unsure_scores"
AFTER = "0100_chunks_hold_traces"


@pytest.mark.django_db(transaction=True)
def test_what_a_stopped_run_left_is_in_its_chunks_and_the_way_back_is_open() -> None:
    with earlier_version(BEFORE) as (apps, migrate):
        names = ("Project", "Problem", "Trace", "StepScorer", "Score", "SourceRun", "SourceChunk")
        make: dict[str, Any] = {name: apps.get_model("labeling", name).objects.create for name in names}
        project = make["Project"](slug="old", name="Old")
        problem = make["Problem"](project=project, text="2+2?", text_hash=b"p")
        traces = [
            make["Trace"](project=project, problem=problem, steps=["a"], trace_hash=bytes([place])).pk
            for place in range(4)
        ]
        scorer = make["StepScorer"](
            project=project, name="s", kind="judge", spec={}, fingerprint="f", scale="probability"
        )
        make["Score"](scorer=scorer, trace_id=traces[2], project=project, problem=problem, outcome="wrong", draw=0)
        run = make["SourceRun"](project=project, scorer=scorer, status="cancelled")
        for first, last, status in ((0, 0, "succeeded"), (1, 3, "cancelled")):
            about = {"first_trace": traces[first], "last_trace": traces[last], "status": status}
            make["SourceChunk"](project=project, run=run, **about)
        chunks = migrate(AFTER).get_model("labeling", "SourceChunk").objects.order_by("pk")
        assert list(chunks.values_list("traces", flat=True)) == [[], [traces[1], traces[3]]]
        chunks = migrate(BEFORE).get_model("labeling", "SourceChunk").objects.order_by("pk")
        assert chunks.values_list("first_trace", "last_trace")[1] == (traces[1], traces[3])
