"""Runs whose completions server drips, lies or floods end soon, in words that name it, and can be gone on with."""

import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from labeling.actions import source_runs
from labeling.grading.process_pool import GradingPool
from labeling.models import Score, SourceRun
from labeling.tests.factories import make_member, make_project
from labeling.tests.sources.world import complete, rollouts, wrong_traces
from worker.http import server_client
from worker.marking import Grader, mark_chunk
from worker.tests.generation import chat_server
from worker.tests.generation.world import use
from worker.tests.http.counting_server import running
from worker.tests.http.test_slow_servers import comments, head

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def grade() -> Iterator[Grader]:
    with GradingPool(processes=1) as pool:
        yield pool.grade


def use_impatiently(settings: Any, server: Any) -> None:
    use(settings, server, in_flight=2, batch=4)
    settings.GENERATORS = {name: replace(one, timeout=0.3) for name, one in settings.GENERATORS.items()}


def work(run: SourceRun, grade: Grader) -> SourceRun:
    """What workers do with a run's chunks, one after the other."""
    for chunk in run.chunks.filter(status="queued").order_by("pk"):
        source_runs.run_chunk(chunk.pk, partial(mark_chunk, grade=grade))
    run.refresh_from_db()
    return run


def test_servers_that_drip_hold_no_worker_and_their_runs_can_be_gone_on_with(
    settings: Any, monkeypatch: pytest.MonkeyPatch, grade: Grader
) -> None:
    monkeypatch.setattr(server_client, "FIRST_WAIT", 0.01)
    project = make_project()
    wrong_traces(project, 1, 2, steps=3)
    sources = [rollouts(project, strategy=strategy) for strategy in ("everywhere", "bisect")]
    runs = []
    began = time.monotonic()
    for source, drip in zip(sources, (head, comments), strict=True):
        with running(drip) as server:
            use_impatiently(settings, server)
            runs.append(work(source_runs.start_run(project, source, by=None, wake=False), grade))
    assert time.monotonic() - began < 10
    for run, late in zip(runs, ("its head did not end", "nothing but blanks, comments"), strict=True):
        assert run.status == "failed"
        assert f"The generator qwen does not get on with its answers: {late}" in run.error
        assert "resume the work" in run.error
    admin = make_member(project, "admin")
    with chat_server.running(complete) as good:
        use(settings, good, in_flight=2, batch=4)
        for run in runs:
            done = work(source_runs.resume_run(run, by=admin), grade)
            assert (done.status, done.traces_done, done.error) == ("succeeded", 2, "")


def test_rollouts_that_the_server_refuses_are_counted_as_refused_and_where_it_refuses_all_nothing_is_marked(
    settings: Any, grade: Grader
) -> None:
    project = make_project()
    short, long = wrong_traces(project, 1, 1, steps=3)
    long.steps = ["Step 0.", "Step 1 is off, and too long.", "Step 2."]
    long.save()
    refuses = ""  # what holds this text

    def write(prompt: str, seed: int) -> tuple[str, str]:
        return ("", "refuse") if refuses in prompt else complete(prompt, seed)

    with chat_server.running(write) as server:
        use(settings, server, in_flight=2, batch=4)
        source = rollouts(project)
        run = work(source_runs.start_run(project, source, by=None, wake=False), grade)
        assert (run.status, run.calls, run.traces_done) == ("failed", 0, 0)
        assert "The generator qwen refuses every request for q7: 400" in run.error
        assert "the prompt is too long" in run.error
        refuses = "too long"
        run = work(source_runs.resume_run(run, by=make_member(project, "admin")), grade)
    assert (run.status, run.calls, run.traces_done) == ("succeeded", 3 * 4 + 2 * 4, 2)
    fine, lacking = (Score.objects.get(scorer=source, trace=trace).evidence for trace in (short, long))
    assert (fine["first_error"], fine["why"], "refused" in fine) == (1, "", False)
    assert (lacking["first_error"], lacking["n"]) == (None, [4, 4, 0, 4])
    assert lacking["refused"]["rollouts"] == 4
    assert lacking["refused"]["asked"] == 12
    assert lacking["why"].startswith("the server refuses 4 of 12 rollouts: 400 ")
    assert "the prompt is too long" in lacking["why"]
