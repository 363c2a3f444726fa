"""Runs with a completions server that drips, lies or floods end soon, with an error that names it, and can be
resumed.
"""

import gzip
import json
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
from worker.tests.http.counting_server import Handler, running
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
    """Do the workers' part of a run's chunks, one after another."""
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
    for run, late in zip(runs, ("its response headers did not finish", "it sent only blanks, comments"), strict=True):
        assert run.status == "failed"
        assert f"The generator qwen answers too slowly: {late}" in run.error
        assert "resume the work" in run.error
    admin = make_member(project, "admin")
    with chat_server.running(complete) as good:
        use(settings, good, in_flight=2, batch=4)
        for run in runs:
            done = work(source_runs.resume_run(run, by=admin), grade)
            assert (done.status, done.traces_done, done.error) == ("succeeded", 2, "")


def packed(request: Handler) -> None:
    bomb = gzip.compress(b" " * 10_000_000)
    request.reply(200, bomb, Content_Encoding="gzip")


def closes_in_the_middle(request: Handler) -> None:
    request.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"choices": [')
    request.close_connection = True


def no_text(request: Handler) -> None:
    request.reply(200, b'{"choices": [{"index": 0, "message": {"content": "\xff\xfe\xfa"}, "finish_reason": "stop"}]}')


def longer_than_its_chunks(request: Handler) -> None:
    request.begin_stream("application/json")
    request.wfile.write(b"5\r\n" + b"[" * 50)


def a_chunk_of_exabytes(request: Handler) -> None:
    request.begin_stream("application/json")
    request.wfile.write(b"%x\r\n{" % 10**18)
    request.close_connection = True


def brackets(request: Handler) -> None:
    request.reply(200, b"[" * 200_000)


def a_head_without_end(request: Handler) -> None:
    request.wfile.write(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 1_000_000)


def no_http(request: Handler) -> None:
    request.wfile.write(b"\x16\x03\x01 220 smtp.example.org ready\r\n\r\n")
    request.close_connection = True


EVIL = {
    packed: "answered with the encoding gzip, which was not requested",
    closes_in_the_middle: "gave no answer after 1 attempt: peer closed connection",
    no_text: "did not answer with JSON",
    longer_than_its_chunks: "gave no answer after 1 attempt",
    a_chunk_of_exabytes: "gave no answer after 1 attempt",
    brackets: "did not answer with JSON",
    a_head_without_end: "gave no answer after 1 attempt",
    no_http: "gave no answer after 1 attempt",
}


def test_answers_that_are_packed_cut_off_or_no_text_fail_a_run_in_words_and_a_good_server_goes_on_with_it(
    settings: Any, grade: Grader
) -> None:
    project = make_project()
    wrong_traces(project, 1, steps=3)
    admin = make_member(project, "admin")
    run = source_runs.start_run(project, rollouts(project), by=None, wake=False)
    for answer, said in EVIL.items():
        with running(answer) as server:
            use(settings, server, in_flight=1, batch=1, retries=0)
            run = work(run, grade)
        assert (run.status, run.traces_done, run.calls) == ("failed", 0, 0), answer.__name__
        assert "The generator qwen" in run.error, answer.__name__
        assert said in run.error, answer.__name__
        assert "resume the work" in run.error, answer.__name__
        run = source_runs.resume_run(run, by=admin)

    def whole_though_asked_to_stream(request: Handler) -> None:
        body = request.server.bodies[-1]
        assert body["stream"]
        written = [complete(body["messages"][-1]["content"], 0) for _ in range(body["n"])]
        request.reply(200, chat_server.whole(written))

    with running(whole_though_asked_to_stream) as server:
        use(settings, server, in_flight=1, batch=4, retries=0)
        run = work(run, grade)
    assert (run.status, run.traces_done, run.calls, run.error) == ("succeeded", 1, 12, "")


def test_no_server_is_believed_to_have_used_more_than_it_can_have_and_choices_nobody_asked_for_are_not_paid(
    settings: Any, grade: Grader
) -> None:
    project = make_project()
    wrong_traces(project, 1, steps=3)
    claims: dict[str, int] = {}

    def lie(request: Handler) -> None:
        body = request.server.bodies[-1]
        text, end = complete(body["messages"][-1]["content"], 0)
        answer = json.loads(chat_server.whole([(text, end)] * 50 * body["n"]))
        request.reply(200, json.dumps({**answer, "usage": claims}).encode())

    with running(lie) as server:
        use(settings, server, in_flight=1, batch=4, retries=0)
        runs = {}
        for strategy, claims in {  # noqa: B007 (what the server says)
            "everywhere": {"prompt_tokens": 10, "completion_tokens": 4 * 64},
            "bisect": {"prompt_tokens": 10**30, "completion_tokens": 10**30},
            "adaptive": {"prompt_tokens": 10, "completion_tokens": 4 * 64 + 1},
        }.items():
            source = rollouts(project, strategy=strategy)
            runs[strategy] = work(
                source_runs.start_run(project, source, by=None, token_budget=10**6, wake=False), grade
            )
    told = runs["everywhere"]
    assert (told.status, told.calls, told.estimated) == ("succeeded", 12, False)
    assert (told.tokens_in, told.tokens_out) == (30, 3 * 4 * 64)
    for strategy in ("bisect", "adaptive"):
        lied = runs[strategy]
        assert (lied.status, lied.estimated) == ("succeeded", True), strategy
        assert 0 < lied.tokens_in < 3000
        assert 0 < lied.tokens_out <= lied.calls * 64, "of the texts that were asked for"


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
        assert "The generator qwen refused every request for q7: 400" in run.error
        assert "the prompt is too long" in run.error
        refuses = "too long"
        run = work(source_runs.resume_run(run, by=make_member(project, "admin")), grade)
    assert (run.status, run.calls, run.traces_done) == ("succeeded", 3 * 4 + 2 * 4, 2)
    fine, lacking = (Score.objects.get(scorer=source, trace=trace).evidence or {} for trace in (short, long))
    assert (fine["first_error"], fine["why"], "refused" in fine) == (1, "", False)
    assert (lacking["first_error"], lacking["n"]) == (None, [4, 4, 0, 4])
    assert lacking["refused"]["rollouts"] == 4
    assert lacking["refused"]["asked"] == 12
    assert lacking["why"].startswith("the server refused 4 of 12 rollouts: 400 ")
    assert "the prompt is too long" in lacking["why"]
