"""Rounds in their generating stage, with a server under the operator's name `qwen`."""

import json
from typing import Any

from annotation_app.generators import read_generators
from labeling.actions.round_chunks import claim_chunk
from labeling.actions.round_stages import move_on, start_round
from labeling.api.serializers.candidates import GenerateIn
from labeling.configs import StagedConfig
from labeling.formats.normalise import problem_key
from labeling.models import Problem, Project, Round, RoundChunk
from worker.tests.generation.chat_server import ChatServer
from worker.tests.rounds.world import run_task


def solution(prompt: str, seed: int) -> tuple[str, str]:
    """Return what the server writes: two steps and an answer that depends on the seed."""
    return f"I look at the numbers.\n\nSo seed {seed} gives \\boxed{{{seed % 7}}}.", "stop"


def use(settings: Any, server: ChatServer, **manners: Any) -> None:
    """Set the server as the operator's generator `qwen`, which gives up soon."""
    record = {"url": server.url, "key": "sk-secret", "batch": 4, "in_flight": 2, "timeout": 2, "retries": 2, **manners}
    settings.GENERATORS = read_generators(json.dumps({"qwen": record}))


def make_problems(project: Project, count: int = 2) -> list[Problem]:
    texts = [f"What is {number} + {number}?" for number in range(count)]
    made = (Problem(project=project, text=text, answer="1", text_hash=problem_key(text)) for text in texts)
    return Problem.objects.bulk_create(made)


def start(project: Project, **asked: Any) -> Round:
    """Make a round at its generating stage."""
    body = GenerateIn(data={"generator": "qwen", "model": "q7", "n": 6, **asked})
    body.is_valid(raise_exception=True)
    config = StagedConfig(k=2, generate=body.validated_data)
    round_ = start_round(project, by=None, scorer=None, config=config)
    assert move_on(round_.pk) == "generating"
    return round_


def generate(round_: Round) -> Round:
    """Do what a worker does with a message, for this stage only."""
    run_task("worker.run_chunks", round_.pk, "generating")
    round_.refresh_from_db()
    return round_


def claimed(round_: Round) -> RoundChunk:
    chunk = claim_chunk(round_.pk, "generating", worker="here")
    assert chunk is not None
    return chunk


def lose_the_lease() -> None:
    RoundChunk.objects.update(leased_until="2020-01-01T00:00Z")


def go_on() -> None:
    """Never ask the worker to stop."""
