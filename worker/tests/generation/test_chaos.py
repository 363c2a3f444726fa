"""Workers killed at any line of the generating stage, and two working on one round: real processes, real SIGKILL."""

import json
import random
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from labeling.models import ProblemSamples, Round, RoundChunk, Trace
from labeling.queries.candidates import sample_counts
from labeling.tests.factories import make_project
from worker.tests.generation.chat_server import ChatServer, running
from worker.tests.generation.world import make_problems, solution, start, use
from worker.tests.rounds.world import Workers, let_leases_end, set_chunk, workers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
PROBLEMS, SAMPLES, BATCH, IN_FLIGHT = 4, 6, 2, 2


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with running(solution) as server:
        yield server


@pytest.fixture(scope="module")
def crew(server: ChatServer, django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    """Worker processes whose environment names the server, as an operator's does."""
    record = {"url": server.url, "batch": BATCH, "in_flight": IN_FLIGHT}
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("GENERATORS", json.dumps({"qwen": record}))
        with workers(Path(tmp_path_factory.mktemp("models"))) as found:
            yield found


@pytest.fixture
def round_(server: ChatServer, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Round:
    """A round of four problems in two chunks."""
    server.bodies.clear()
    use(settings, server)
    set_chunk(monkeypatch, "generating", PROBLEMS // 2)
    project = make_project()
    make_problems(project, PROBLEMS)
    return start(project, n=SAMPLES)


def assert_each_sample_once(round_: Round) -> None:
    """Expect every problem to have every number once, with a trace for each."""
    rows = ProblemSamples.objects.filter(round=round_)
    assert [sorted(row.done) for row in rows] == [list(range(SAMPLES))] * PROBLEMS
    assert sample_counts(round_) == {"samples": PROBLEMS * SAMPLES, "kept": PROBLEMS * SAMPLES, "dropped": {}}
    seeds = Counter(trace.sampling["sample_seed"] for trace in Trace.objects.filter(project=round_.project))
    assert len(seeds) == PROBLEMS * SAMPLES
    assert set(seeds.values()) == {1}
    chunks = RoundChunk.objects.filter(round=round_, stage="generating")
    assert {(chunk.status, chunk.done) for chunk in chunks} == {("done", PROBLEMS * SAMPLES // 2)}


@pytest.mark.parametrize("luck", [1, 2])
def test_a_worker_killed_at_any_line_costs_what_it_had_in_the_air(
    crew: Workers, server: ChatServer, round_: Round, luck: int
) -> None:
    chance = random.Random(luck)
    message = ("worker.run_chunks", round_.pk, "generating")
    deaths = written = 0
    while RoundChunk.objects.filter(round=round_, stage="generating").exclude(status="done").exists():
        ended = crew.wait(crew.start(*message, die_at=chance.randrange(1, 500) if deaths < 12 else 0))
        assert ended in (0, -signal.SIGKILL)
        deaths += ended != 0
        assert Trace.objects.count() >= written, "what is written stays"
        written = Trace.objects.count()
        let_leases_end(round_)
        RoundChunk.objects.filter(round=round_).update(attempts=0)  # this test needs more than five deaths
    assert deaths > 5
    assert_each_sample_once(round_)
    again = len(server.seeds) - PROBLEMS * SAMPLES
    assert again <= deaths * BATCH * IN_FLIGHT * 2, "asked for again: what was in the air, or came in that moment"


def test_two_workers_share_a_round_and_a_doubled_message_does_nothing(
    crew: Workers, server: ChatServer, round_: Round
) -> None:
    message = ("worker.run_chunks", round_.pk, "generating")
    pids = [crew.start(*message) for _ in range(3)]
    assert [crew.wait(pid) for pid in pids] == [0, 0, 0]
    assert_each_sample_once(round_)
    assert len(server.seeds) == PROBLEMS * SAMPLES
