"""Completions of paths from a real HTTP server: first those being viewed, then those that are likely next."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from labeling.actions.labels import claim_next_label
from labeling.actions.paths import look_at_path
from labeling.generation.prompts import write_next_step_prompt
from labeling.models import Label, StepOffer
from labeling.tests.factories import make_member
from labeling.tests.paths.world import open_paths, project_with_problem
from worker.tests.generation.chat_server import ChatServer, Trouble, running
from worker.tests.generation.world import use
from worker.tests.rounds.world import run_task, workers

pytestmark = pytest.mark.django_db(transaction=True)
COMPLETE = ("worker.complete_steps", 0)


def next_step(prompt: str, seed: int) -> tuple[str, str]:
    return f"Way {seed}.\n\nAnd a step too many.", "stop"


@pytest.fixture
def server(settings: Any) -> Iterator[ChatServer]:
    with running(next_step) as server:
        use(settings, server)
        yield server


def claimed(**asked: Any) -> Label:
    project = project_with_problem()
    open_paths(project, completions=5, **asked)
    label = claim_next_label(make_member(project), project).label
    assert label is not None
    return label


def let_leases_end() -> None:
    StepOffer.objects.exclude(leased_until=None).update(leased_until="2020-01-01T00:00Z")


def test_what_is_looked_at_comes_first_and_the_likely_next_step_after_it(server: ChatServer) -> None:
    label = claimed()
    run_task(*COMPLETE)
    path = look_at_path(label)
    texts = path.offer.texts
    assert (path.state, len(set(texts)), len(path.visible)) == ("first", 5, 1)
    assert all(text.startswith("Way ") and "many" not in text for text in texts)
    prompts = [body["messages"][0]["content"] for body in server.bodies]
    problem = path.trace.problem.text
    assert set(prompts[:2]) == {write_next_step_prompt("next_step", problem, [])}
    assert prompts[2:] == [write_next_step_prompt("next_step", problem, [texts[0]])]
    ahead = StepOffer.objects.exclude(prefix=[]).get()
    assert (ahead.prefix, len(ahead.texts), ahead.status) == ([texts[0]], 1, "done")


def test_a_server_that_is_down_is_said_in_words_and_asked_again(server: ChatServer) -> None:
    server.troubles.extend([Trouble(status=500)] * 20)
    label = claimed()
    run_task(*COMPLETE)
    path = look_at_path(label)
    assert (path.state, path.trouble, path.may_write) == ("waiting", "down", True)
    run_task(*COMPLETE)
    assert look_at_path(label).trouble == "down", "not before its pause is over"
    server.troubles.clear()
    let_leases_end()
    run_task(*COMPLETE)
    path = look_at_path(label)
    assert (path.state, path.trouble, len(path.offer.texts)) == ("first", None, 5)


@pytest.mark.slow
def test_a_worker_killed_at_any_line_changes_nothing_that_was_shown(
    server: ChatServer, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = {"url": server.url, "batch": 2, "in_flight": 2}
    monkeypatch.setenv("GENERATORS", json.dumps({"qwen": record}))
    label, deaths, places = claimed(), 0, iter((5, 15, 30, 50, 80, 120))
    shown: list[str] = []
    with workers(tmp_path) as crew:
        while StepOffer.objects.exclude(status="done").exists():
            ended = crew.wait(crew.start(*COMPLETE, die_at=next(places, 0)))
            assert ended in (0, -signal.SIGKILL)
            deaths += ended != 0
            texts = look_at_path(label).offer.texts
            assert texts[: len(shown)] == shown, "what was shown stays"
            shown = texts
            let_leases_end()
    assert deaths > 2
    assert len(set(shown)) == 5
    assert sorted(StepOffer.objects.values_list("wanted", flat=True)) == [1, 5]
