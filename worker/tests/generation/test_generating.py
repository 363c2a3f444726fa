"""The generating stage with a real HTTP server that behaves well and badly."""

import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from labeling.actions.jobs import JobCancelled, LeaseLost
from labeling.actions.rounds import pause_round, resume_round
from labeling.errors import GeneratorFailed
from labeling.formats.normalise import problem_key, trace_key
from labeling.generation.prompts import PROMPTS
from labeling.generation.sampling import seed_of
from labeling.models import ProblemSamples, RoundChunk, Trace
from labeling.queries.candidates import sample_counts
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project
from worker.generation import generate_chunk
from worker.tests.generation.chat_server import ChatServer, Trouble, running
from worker.tests.generation.world import (
    claimed,
    generate,
    go_on,
    lose_the_lease,
    make_problems,
    solution,
    start,
    use,
)
from worker.tests.rounds.world import work

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def server(settings: Any) -> Iterator[ChatServer]:
    with running(solution) as server:
        use(settings, server)
        yield server


def test_samples_become_traces_that_keep_everything_they_were_asked_with(server: ChatServer) -> None:
    project = make_project()
    problem = make_problems(project, 1)[0]
    round_ = start(project, n=3, seed=5, temperature=0.7, stop=["\n\n\n"], prompt="Think: {problem}")
    assert generate_chunk(round_, claimed(round_), go_on) == 3
    traces = list(Trace.objects.order_by("id"))
    seeds = [seed_of(5, problem_key(problem.text), number) for number in range(3)]
    assert [trace.steps for trace in traces] == [solution("", seed)[0].split("\n\n") for seed in seeds]
    assert [trace.final_answer for trace in traces] == [str(seed % 7) for seed in seeds]
    assert {(trace.generator, trace.source, trace.splitter_version, trace.outcome) for trace in traces} == {
        ("q7", "generated", "blank_line/1", "ungraded")
    }
    assert bytes(traces[0].trace_hash) == trace_key(problem_key(problem.text), traces[0].steps)
    assert traces[1].sampling == {
        "generator": "qwen",
        "model": "q7",
        "prompt": "Think: {problem}",
        "prompt_name": "",
        "temperature": 0.7,
        "top_p": 1.0,
        "n": 3,
        "max_tokens": 2048,
        "stop": ["\n\n\n"],
        "seed": 5,
        "splitter": {"kind": "blank_line", "pattern": ""},
        "round": round_.number,
        "sample": 1,
        "sample_seed": seeds[1],
        "finish_reason": "stop",
    }
    (body,) = server.bodies
    assert body == {
        "model": "q7",
        "messages": [{"role": "user", "content": f"Think: {problem.text}"}],
        "temperature": 0.7,
        "top_p": 1.0,
        "max_tokens": 2048,
        "seed": seeds[0],
        "n": 3,
        "stream": True,
        "stop": ["\n\n\n"],
    }
    assert server.headers[0]["Authorization"] == "Bearer sk-secret"


def test_a_round_goes_on_to_its_next_stage_when_everything_is_sampled(server: ChatServer) -> None:
    project = make_project()
    make_problems(project, 3)
    round_ = generate(start(project))
    assert round_.planned != "generating"
    assert round_.config["inputs"]["problems"] == 3
    chunk = RoundChunk.objects.get(stage="generating")
    researcher = Browser(make_member(project, "researcher"))
    told = researcher.call("GET", f"/api/rounds/{round_.pk}/progress")
    assert told["samples"] == {"samples": 18, "kept": 18, "dropped": {}}
    assert (told["stages"][0]["state"], told["stages"][0]["done"]) == ("done", 18)
    assert (chunk.status, chunk.done, chunk.total) == ("done", 18, 18)
    assert Trace.objects.count() == 18


def test_what_was_generated_is_graded_and_selected_like_any_other_trace(server: ChatServer) -> None:
    project = make_project()
    make_problems(project, 3)
    round_ = work(start(project))
    assert (round_.status, round_.error) == ("ready", "")
    traces = Trace.objects.filter(project=project)
    right = {trace.pk for trace in traces if trace.final_answer == trace.problem.answer}
    assert {trace.pk for trace in traces if trace.outcome == "correct"} == right
    assert {trace.outcome for trace in traces} <= {"correct", "wrong"}
    tasks = Counter(round_.tasks.values_list("trace__problem", flat=True))
    assert set(tasks.values()) == {2}


def test_dropped_samples_are_counted_by_reason_and_not_asked_for_again(server: ChatServer) -> None:
    ends = {
        0: ("Half of it", "length"),
        1: ("I give up.", "stop"),
        2: (" \n", "stop"),
        3: ("It is \\boxed{1}.", "stop"),
        4: ("It is \\boxed{1}.", "stop"),
        5: ("It is \\boxed{1}.", "content_filter"),
    }
    project = make_project()
    problem = make_problems(project, 1)[0]
    first = seed_of(0, problem_key(problem.text), 0)
    server.write = lambda prompt, seed: ends[seed - first]
    round_ = start(project)
    assert generate_chunk(round_, claimed(round_), go_on) == 6
    assert sample_counts(round_) == {
        "samples": 6,
        "kept": 1,
        "dropped": {"over_length": 1, "no_answer": 1, "blank": 1, "duplicate": 1, "unfinished": 1},
    }
    asked = len(server.bodies)
    lose_the_lease()
    assert generate_chunk(round_, claimed(round_), go_on) == 6
    assert len(server.bodies) == asked


def test_a_project_that_grades_nothing_keeps_samples_without_an_answer(server: ChatServer) -> None:
    server.write = lambda prompt, seed: (f"A proof, number {seed}.", "stop")
    project = make_project(answer_kind="none")
    make_problems(project, 1)
    round_ = start(project)
    generate_chunk(round_, claimed(round_), go_on)
    assert set(Trace.objects.values_list("final_answer", flat=True)) == {None}
    assert sample_counts(round_)["kept"] == 6


class WorkerKilled(BaseException):
    """An error that ends a worker without cleaning up."""


def test_a_killed_worker_costs_no_sample_that_was_written(server: ChatServer, settings: Any) -> None:
    use(settings, server, batch=2, in_flight=1)
    project = make_project()
    make_problems(project, 3)
    round_ = start(project)
    looks = iter(range(100))

    def die_at_the_fifth_look() -> None:
        if next(looks) == 5:
            raise WorkerKilled

    with pytest.raises(WorkerKilled):
        generate_chunk(round_, claimed(round_), die_at_the_fifth_look)
    written = Trace.objects.count()
    assert 0 < written < 18
    assert RoundChunk.objects.get().done == written
    before = set(server.seeds)
    lose_the_lease()
    server.bodies.clear()
    assert generate_chunk(round_, claimed(round_), go_on) == 18
    assert len(before & set(server.seeds)) <= 2, "only what was in the air is asked for again"
    assert sample_counts(round_) == {"samples": 18, "kept": 18, "dropped": {}}
    assert RoundChunk.objects.get().done == 18


def test_whatever_the_server_takes_in_one_request_the_same_samples_come(server: ChatServer, settings: Any) -> None:
    found = []
    for most, batch, stream in ((128, 4, True), (128, 1, False), (2, 4, True), (0, 4, False), (1, 6, True)):
        server.most = most
        use(settings, server, batch=batch, stream=stream)
        project = make_project()
        make_problems(project)
        round_ = start(project)
        assert generate_chunk(round_, claimed(round_), go_on) == 12
        found.append({bytes(key) for key in Trace.objects.filter(project=project).values_list("trace_hash", flat=True)})
    assert len(found[0]) == 12
    assert all(hashes == found[0] for hashes in found)


def test_only_as_many_requests_run_at_once_as_the_operator_allows(server: ChatServer, settings: Any) -> None:
    use(settings, server, batch=1, in_flight=3)
    server.delay = 0.05
    project = make_project()
    make_problems(project, 2)
    round_ = start(project)
    generate_chunk(round_, claimed(round_), go_on)
    assert server.most_at_once == 3


TROUBLES = {
    "too many requests": Trouble(429, b"slow down", (("Retry-After", "1"),)),
    "server error": Trouble(500, b"oops"),
    "hang up": Trouble(hang_up=True),
    "cut in the middle of a line": Trouble(cut=150),
    "cut before the end mark of a choice": Trouble(cut=400),
    "error in the stream": Trouble(
        200, b'data: {"error": {"message": "out of memory"}}\n\n', (("Content-Type", "text/event-stream"),)
    ),
}


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize("trouble", TROUBLES.values(), ids=TROUBLES)
def test_a_passing_trouble_is_waited_out(server: ChatServer, settings: Any, trouble: Trouble, stream: bool) -> None:
    use(settings, server, in_flight=1, stream=stream)
    server.troubles.append(trouble)
    project = make_project()
    make_problems(project, 1)
    round_ = start(project)
    assert generate_chunk(round_, claimed(round_), go_on) == 6
    assert Trace.objects.count() == 6
    assert server.bodies[0] == server.bodies[1], "the same is asked for again"
    if trouble.status == 429:
        assert server.times[1] - server.times[0] > 0.9, "Retry-After is kept"


ONE_TOKEN = b'data: {"choices": [{"index": 0, "delta": {"content": "a"}}]}\n\n'
FAULTS = {
    "wrong key": (Trouble(401, b'{"error": "no key sk-secret"}'), "401"),
    "no such model": (Trouble(404, b'{"error": "no model q7"}'), "no model q7"),
    "no JSON": (Trouble(200, b"<html>hello</html>"), "did not answer with JSON"),
    "brackets without end": (Trouble(200, b"[" * 100_000), "did not answer with JSON"),
    "no event": (
        Trouble(200, b"data: {oops\n\n", (("Content-Type", "text/event-stream"),)),
        "did not answer with JSON",
    ),
    "no end": (Trouble(200, ONE_TOKEN * 60_000, (("Content-Type", "text/event-stream"),)), "does not stop at `max_tok"),
    "another API": (Trouble(200, b'{"completion": "hello"}'), "OpenAI-compatible"),
    "a redirect": (Trouble(302, b"", (("Location", "http://127.0.0.1:9/v1/chat/completions"),)), "302"),
}


@pytest.mark.parametrize(("trouble", "words"), FAULTS.values(), ids=FAULTS)
def test_a_fault_that_a_person_must_mend_fails_the_round_with_the_way_out(
    server: ChatServer, settings: Any, trouble: Trouble, words: str
) -> None:
    use(settings, server, in_flight=1)
    server.troubles.append(trouble)
    project = make_project()
    make_problems(project, 1)
    round_ = generate(start(project))
    assert (round_.status, round_.resume_to) == ("failed", "generating")
    assert "The generator qwen" in round_.error
    assert words in round_.error
    assert "resume" in round_.error
    assert "sk-secret" not in round_.error
    assert "127.0.0.1" not in round_.error
    assert len(server.bodies) == 1, "it is not tried again, and nothing else is asked"
    generate(resume_round(round_, by=None))
    assert Trace.objects.count() == 6


def test_a_server_that_is_gone_fails_the_round_and_what_it_wrote_is_kept(settings: Any) -> None:
    project = make_project()
    make_problems(project, 2)
    with running(solution) as server:
        use(settings, server, in_flight=1, retries=1)
        server.troubles.extend([None, *[Trouble(hang_up=True)] * 9])  # type: ignore[list-item]  # None: no trouble
        round_ = generate(start(project, n=4))
    assert round_.status == "failed"
    assert "The generator qwen gave no answer after 2 attempts" in round_.error
    assert Trace.objects.count() == 4
    round_ = generate(resume_round(round_, by=None))
    assert "Connection refused" in round_.error
    with running(solution) as server:
        use(settings, server)
        generate(resume_round(round_, by=None))
    assert Trace.objects.count() == 8


def test_a_server_that_is_silent_for_too_long_is_asked_again(server: ChatServer, settings: Any) -> None:
    use(settings, server, timeout=1, retries=0, in_flight=1)
    server.delay = 1.5
    project = make_project()
    make_problems(project, 1)
    round_ = start(project, n=1)
    with pytest.raises(GeneratorFailed, match="timed out"):
        generate_chunk(round_, claimed(round_), go_on)


def test_a_paused_round_does_not_wait_for_a_slow_server(server: ChatServer) -> None:
    server.troubles.extend([Trouble(503, b"loading", (("Retry-After", "30"),))] * 4)
    project = make_project()
    make_problems(project, 1)
    round_ = start(project)
    looks = iter(range(100))

    def asked_to_stop_at_the_second_look() -> None:
        if next(looks) == 1:
            raise JobCancelled

    chunk = claimed(round_)
    with pytest.raises(JobCancelled):
        generate_chunk(round_, chunk, asked_to_stop_at_the_second_look)
    pause_round(round_, by=None)
    assert server.times[-1] - server.times[0] < 2


def test_a_cancelled_chunk_leaves_no_request_in_the_air(server: ChatServer, settings: Any) -> None:
    use(settings, server, timeout=60)
    server.delay = 10.0
    project = make_project()
    make_problems(project, 1)
    round_ = start(project)

    def asked_to_stop_once_the_server_is_asked() -> None:
        if server.bodies:
            raise JobCancelled

    with pytest.raises(JobCancelled):
        generate_chunk(round_, claimed(round_), asked_to_stop_once_the_server_is_asked)
    asking = [thread for thread in threading.enumerate() if thread.name.startswith("generating")]
    for thread in asking:
        thread.join(2)
    assert not any(thread.is_alive() for thread in asking)


def test_a_worker_that_lost_its_chunk_writes_nothing(server: ChatServer) -> None:
    project = make_project()
    make_problems(project, 1)
    round_ = start(project)
    chunk = claimed(round_)
    lose_the_lease()
    claimed(round_)
    with pytest.raises(LeaseLost):
        generate_chunk(round_, chunk, go_on)
    assert not Trace.objects.exists()
    assert not ProblemSamples.objects.exists()


def test_a_problem_that_the_server_refuses_costs_itself_only(server: ChatServer) -> None:
    server.write = lambda prompt, seed: ("", "refuse") if "What is 1 + 1?" in prompt else solution(prompt, seed)
    project = make_project()
    make_problems(project, 3)
    round_ = generate(start(project))
    assert round_.planned != "generating"
    assert sample_counts(round_) == {"samples": 18, "kept": 12, "dropped": {"refused": 6}}


def test_a_server_that_refuses_everything_fails_the_round_and_nothing_is_given_up(server: ChatServer) -> None:
    server.write = lambda prompt, seed: ("", "refuse")
    project = make_project()
    make_problems(project, 2)
    round_ = generate(start(project))
    assert round_.status == "failed"
    assert "refused every request for q7" in round_.error
    assert "the prompt is too long" in round_.error
    assert not ProblemSamples.objects.exists()
    server.write = solution
    generate(resume_round(round_, by=None))
    assert Trace.objects.count() == 12


def test_a_generator_or_key_that_this_worker_lacks_is_named(
    server: ChatServer, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_project()
    make_problems(project, 1)
    round_ = start(project)
    use(settings, server, key="", key_env="QWEN_KEY")
    with pytest.raises(GeneratorFailed, match="QWEN_KEY is not set"):
        generate_chunk(round_, claimed(round_), go_on)
    monkeypatch.setenv("QWEN_KEY", "sk-from-the-environment")
    lose_the_lease()
    generate_chunk(round_, claimed(round_), go_on)
    assert server.headers[0]["Authorization"] == "Bearer sk-from-the-environment"
    settings.GENERATORS = {}
    lose_the_lease()
    with pytest.raises(GeneratorFailed, match="has no generator qwen"):
        generate_chunk(round_, claimed(round_), go_on)


def test_hostile_text_is_kept_as_text(server: ChatServer) -> None:
    text = "a\x00b \ud83d\ude00 \ud800 <script>alert(1)</script>\n\n\\boxed{1}"
    server.write = lambda prompt, seed: (text, "stop")
    project = make_project()
    make_problems(project, 1)
    round_ = start(project, n=1, prompt="steps")
    generate_chunk(round_, claimed(round_), go_on)
    (trace,) = Trace.objects.all()
    assert trace.steps == ["ab \U0001f600 \ufffd <script>alert(1)</script>", "\\boxed{1}"]
    assert (trace.sampling["prompt"], trace.sampling["prompt_name"]) == (PROMPTS["steps"], "steps")
