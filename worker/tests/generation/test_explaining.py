"""A generator's text for a step that may be wrong, with a real HTTP server: on a -1, ahead, late, and never."""

import errno
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone

from labeling.actions.jobs import MOST_ATTEMPTS
from labeling.actions.suggestions import run_requests, sweep_requests
from labeling.models import Project, Round, Score, StepScorer, Suggestion, SuggestionAsk, SuggestionRequest, Trace
from labeling.tests.factories import make_member, make_project, make_round
from labeling.tests.gold.world import Labeler, make_gold_items, plan_gold
from worker.tests.generation.chat_server import ChatServer, Trouble, running
from worker.tests.generation.world import use
from worker.tests.rounds.world import run_task

pytestmark = pytest.mark.django_db(transaction=True)
EXPLAINING = {"generator": "qwen", "model": "q7", "explanations": 2, "alternatives": 3, "ahead": 1}


def written(prompt: str, seed: int) -> tuple[str, str]:
    """Return one explanation, the same each time, or alternatives that differ."""
    if "Only the step" not in prompt:
        return " The sum is off.\x00 ", "stop"
    return f"Step 2: So it is {seed % 3}.\n\nStep 3: And on.", "stop"


@pytest.fixture
def server(settings: Any) -> Iterator[ChatServer]:
    with running(written) as server:
        use(settings, server)
        yield server


def world(**fields: Any) -> tuple[Labeler, dict[str, Any]]:
    project = make_project(after_error={"explaining": EXPLAINING}, **fields)
    make_round(project, 3)
    labeler = Labeler(project, make_member(project))
    return labeler, labeler.claim()["label"]


def score_traces(project: Project, steps: list[float], *, gold: bool = True) -> None:
    """Score the traces with the PRM of the project's rounds; gold only if asked."""
    prm = StepScorer.objects.create(name=f"prm of {project.slug}", spec={}, status="ready")
    Round.objects.filter(project=project).update(scorer=prm)
    for trace in Trace.objects.filter(project=project, **({} if gold else {"gold": None})):
        about = {"project": project, "problem_id": trace.problem_id, "outcome": trace.outcome, "draw": trace.pk}
        Score.objects.create(scorer=prm, trace=trace, steps=steps, score=-1.0, **about)


def ask(labeler: Labeler, label: dict[str, Any], step: int | None = 1) -> dict[str, Any]:
    answer: dict[str, Any] = labeler.call("POST", f"/api/labels/{label['id']}/suggestions", {"step": step})
    return answer


def test_a_step_is_asked_for_once_and_what_came_is_kept_with_its_settings(server: ChatServer) -> None:
    labeler, label = world()
    assert ask(labeler, label) == {"state": "coming", "suggestions": []}
    assert ask(labeler, label)["state"] == "coming"
    run_task("worker.explain_steps")
    here = ask(labeler, label)
    assert here["state"] == "here"
    texts = [one["text"] for one in here["suggestions"] if one["kind"] == "explanation"]
    assert texts == ["The sum is off."], "two equal answers are one, without what the database cannot keep"
    steps = {one["text"] for one in here["suggestions"] if one["kind"] == "alternative"}
    assert steps == {"So it is 0.", "So it is 1.", "So it is 2."}
    [request] = SuggestionRequest.objects.all()
    assert (request.prompt_version, request.settings["model"], request.attempts) == ("mistake/1", "q7", 1)
    prompt = server.bodies[0]["messages"][0]["content"]
    assert label["problem"]["text"] in prompt
    assert prompt.endswith(f"Step 1: {label['steps'][0]}\n\nStep 2: {label['steps'][1]}")
    asked = len(server.bodies)
    run_task("worker.explain_steps")
    assert len(server.bodies) == asked
    mine = {"step": 1, "kind": "explanation", "number": 1, "rating": 1}
    body: dict[str, Any] = {"idempotency_key": "00000000-0000-4000-8000-000000000001", "finish_reason": "found_error"}
    body |= {"ratings": [1, -1, None], "suggestions": [mine]}
    labeler.call("POST", f"/api/labels/{label['id']}/submit", body)


def test_what_another_label_asked_for_before_comes_after_the_time_it_took_then(server: ChatServer) -> None:
    labeler, label = world(default_overlap=2)
    ask(labeler, label)
    run_task("worker.explain_steps")
    other = Labeler(labeler.project, make_member(labeler.project))
    same = other.claim()["label"]
    while same["problem"]["text"] != label["problem"]["text"]:
        other.submit(same, [1, 1, 1])
        same = other.claim()["label"]
    SuggestionRequest.objects.update(created_at=timezone.now() - timedelta(seconds=90), finished_at=timezone.now())
    assert ask(other, same) == {"state": "coming", "suggestions": []}
    SuggestionAsk.objects.filter(label=same["id"]).update(at=timezone.now() - timedelta(seconds=91))
    assert ask(other, same)["state"] == "here"
    assert other.call("GET", f"/api/labels/{same['id']}")["alternatives"] == []


def _wait_as_long_as_it_took() -> None:
    """An existing text is given to each further person only after the time that it took for the first."""
    SuggestionAsk.objects.update(at=timezone.now() - timedelta(minutes=1))


def test_steps_that_the_prm_likes_least_are_asked_for_ahead_unless_that_would_tell_gold(server: ChatServer) -> None:
    labeler, label = world()
    score_traces(labeler.project, [0.9, 0.2, 0.3])
    assert ask(labeler, label, None) == {"state": "none", "suggestions": []}
    assert list(SuggestionRequest.objects.values_list("step_index", flat=True)) == [1]
    run_task("worker.explain_steps")
    ask(labeler, label)
    _wait_as_long_as_it_took()
    assert ask(labeler, label)["state"] == "here"

    project = make_project(after_error={"explaining": EXPLAINING}, gold_per_round=1)
    make_gold_items(project, 1)
    round_ = make_round(project, 2)
    score_traces(project, [0.9, 0.2, 0.3], gold=False)
    watched = Labeler(project, make_member(project))
    plan_gold(round_, watched.person, [1])
    ask(watched, watched.claim()["label"], None)
    assert SuggestionRequest.objects.count() == 1, "its gold is not scored, so nothing is asked ahead of anything"


def test_a_dead_worker_a_dead_server_and_a_refusal_each_end_and_keep_nothing_half(server: ChatServer) -> None:
    labeler, label = world()
    ask(labeler, label, 0)
    SuggestionRequest.objects.update(status="running", leased_until="2020-01-01T00:00Z", attempts=1)
    sweep_requests()
    run_task("worker.explain_steps")
    _wait_as_long_as_it_took()
    assert ask(labeler, label, 0)["state"] == "here"
    server.troubles.extend([Trouble(400, b'{"error": {"message": "no"}}')] * 20)
    ask(labeler, label, 1)
    run_task("worker.explain_steps")
    _wait_as_long_as_it_took()
    assert ask(labeler, label, 1) == {"state": "failed", "suggestions": []}
    assert "refused this step" in SuggestionRequest.objects.get(step_index=1).error
    server.troubles.clear()
    SuggestionRequest.objects.filter(step_index=1).update(finished_at=timezone.now() - timedelta(minutes=11))
    assert ask(labeler, label, 1)["state"] == "coming"
    SuggestionRequest.objects.update(leased_until=None)
    assert run_requests(lambda step, asked, stop: {"explanation": ["Late."]}) == 1
    assert Suggestion.objects.filter(step_index=1).count() == 1


def asked_at(step: int) -> SuggestionRequest:
    return SuggestionRequest.objects.get(step_index=step)


def test_a_step_that_kills_its_worker_each_time_is_given_up_and_others_are_done(server: ChatServer) -> None:
    labeler, label = world()
    ask(labeler, label, 0)
    ask(labeler, label, 1)
    SuggestionRequest.objects.filter(step_index=0).update(
        status="running", leased_until="2020-01-01T00:00Z", attempts=MOST_ATTEMPTS
    )
    asked: list[str] = []

    def explain(step: Any, settings: Any, stop: Callable[[], None]) -> dict[str, list[str]]:
        asked.append(step.step)
        return {}

    assert run_requests(explain) == 2
    assert asked == [label["steps"][1]], "the sixth worker is not sacrificed"
    assert (asked_at(0).status, asked_at(1).status) == ("failed", "done")
    assert f"died {MOST_ATTEMPTS} times" in asked_at(0).error
    _wait_as_long_as_it_took()
    assert ask(labeler, label, 0)["state"] == "failed"


def test_a_fault_of_ours_is_written_on_its_step_and_the_next_one_is_done(server: ChatServer) -> None:
    labeler, label = world()
    for step in (0, 1):
        ask(labeler, label, step)

    def faulty(step: Any, settings: Any, stop: Callable[[], None]) -> dict[str, list[str]]:
        if not step.before:
            raise ZeroDivisionError("a bug")
        return {"explanation": ["Off."]}

    assert run_requests(faulty) == 2
    assert (asked_at(0).status, asked_at(1).status) == ("failed", "done")
    assert asked_at(0).error.endswith("(ZeroDivisionError: a bug)")


def disk_is_full() -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def database_goes_away() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")


@pytest.mark.parametrize("trouble", [disk_is_full, database_goes_away])
def test_a_fault_of_the_machine_is_not_the_steps_which_is_asked_for_until_the_machine_is_mended(
    server: ChatServer, trouble: Callable[[], None]
) -> None:
    labeler, label = world()
    ask(labeler, label)

    def explain(step: Any, asked: Any, stop: Callable[[], None]) -> dict[str, list[str]]:
        trouble()
        return {"explanation": ["Late."]}

    assert run_requests(explain) == 1
    request = SuggestionRequest.objects.get()
    assert (request.status, request.attempts, request.error != "") == ("queued", 0, True)
    assert ask(labeler, label)["state"] == "coming"
    run_task("worker.explain_steps")
    assert len(server.bodies) == 0, "it waits a moment first"
    SuggestionRequest.objects.update(leased_until=timezone.now() - timedelta(seconds=1))
    run_task("worker.explain_steps")
    assert ask(labeler, label)["state"] == "here"


@pytest.mark.parametrize("waits", [True, False], ids=["while it asks", "as it ends"])
def test_who_lost_a_step_to_another_worker_keeps_nothing_of_what_came(server: ChatServer, waits: bool) -> None:
    labeler, label = world()
    ask(labeler, label)
    another = uuid4()

    def too_slow(step: Any, settings: Any, stop: Callable[[], None]) -> dict[str, list[str]]:
        SuggestionRequest.objects.update(lease_token=another)
        while waits:
            stop()
            time.sleep(0.05)
        return {"explanation": ["Mine."]}

    assert run_requests(too_slow) == 1
    assert not Suggestion.objects.exists()
    request = asked_at(1)
    assert (request.status, request.lease_token, request.error) == ("running", another, "")


def test_a_step_behind_the_last_is_refused_and_nobody_is_asked(server: ChatServer) -> None:
    labeler, label = world()
    address = f"/api/labels/{label['id']}/suggestions"
    refused = labeler.call("POST", address, {"step": len(label["steps"])}, status=422)
    assert refused["code"] == "submission_mismatch"
    assert not SuggestionRequest.objects.exists()
