"""The generating stage with a real model on llama.cpp's own OpenAI-compatible server."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from annotation_app.generators import read_generators
from labeling.generation.splitting import Splitter
from labeling.models import RoundChunk, Trace
from labeling.queries.candidates import sample_counts
from labeling.tests.factories import make_project
from worker.generation import generate_chunk
from worker.http.server_client import ServerClient
from worker.tests.generation.small_model import NEEDS_SMALL_MODEL, small_model
from worker.tests.generation.world import claimed, go_on, make_problems, start

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.slow,
    NEEDS_SMALL_MODEL,
]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Run the server until the module's tests are done."""
    with small_model() as address:
        yield address


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
def test_a_real_model_writes_the_samples_of_a_round(address: str, settings: Any, stream: bool) -> None:
    record = {"url": f"{address}/v1", "batch": 4, "in_flight": 1, "stream": stream}
    settings.GENERATORS = read_generators(json.dumps({"qwen": record}))
    project = make_project(answer_kind="none")
    problems = make_problems(project, 2)
    about = {"prompt": "Answer in one line. {problem}", "max_tokens": 40, "stop": ["."], "temperature": 0.8}
    round_ = start(project, n=3, seed=int(stream), **about)
    assert generate_chunk(round_, claimed(round_), go_on) == 6
    counts = sample_counts(round_)
    assert counts["samples"] == 6
    assert set(counts["dropped"]) <= {"duplicate", "over_length", "blank"}
    traces = Trace.objects.filter(problem__in=problems)
    assert traces.count() == counts["kept"] > 0
    for trace in traces:
        assert Splitter("blank_line").split("\n\n".join(trace.steps)) == trace.steps
        assert trace.sampling["finish_reason"] == "stop"
    assert RoundChunk.objects.get().done == 6


def test_a_real_server_counts_seeds_up_from_one_choice_to_the_next(address: str) -> None:
    def texts(seed: int, n: int) -> list[str]:
        body = {"model": "x", "seed": seed, "n": n, "max_tokens": 12, "temperature": 1.0}
        body["messages"] = [{"role": "user", "content": "What is 3 + 4?"}]
        answer = ServerClient(f"{address}/v1", timeout=60, retries=0, in_flight=1).post("/chat/completions", body)
        return [choice["message"]["content"] for choice in answer["choices"]]

    assert texts(7, 2) == texts(7, 1) + texts(8, 1)
