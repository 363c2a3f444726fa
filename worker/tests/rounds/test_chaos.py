"""Workers killed at any line, messages doubled and lost, two workers on one round: real processes, real SIGKILL."""

import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from labeling.actions.round_stages import advance_round
from labeling.actions.rounds import cancel_round, pause_round, resume_round
from labeling.configs.stages import WORKING
from labeling.models import Project, Round, RoundChunk, Score, StepScorer, Task
from labeling.queries.step_scorers import scored_counts
from worker.tests.rounds.world import (
    Workers,
    let_leases_end,
    make_prm,
    make_samples,
    project_with_samples,
    run_task,
    scores_of,
    set_chunk,
    start,
    work,
    workers,
)

pytestmark = pytest.mark.django_db(transaction=True)
CLASSIFIER = {"family": "step_classifier", "path": "classifier"}
PROBLEMS, SAMPLES = 6, 4


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    set_chunk(monkeypatch, "scoring", 2 * SAMPLES)
    set_chunk(monkeypatch, "grading", 4 * SAMPLES)


@pytest.fixture(scope="module")
def crew(models: Path, django_db_setup: None) -> Iterator[Workers]:
    with workers(models) as found:
        yield found


def wait_until(what: str, condition: Callable[[], Any], seconds: float = 180) -> Any:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.01)
    raise AssertionError(f"Waited in vain for {what}.")


def assert_all_scored_once(project: Project, round_: Round) -> None:
    """Expect one score per trace, every chunk done, and two tasks per problem."""
    round_.refresh_from_db()
    assert (round_.status, round_.error) == ("ready", "")
    assert Score.objects.filter(project=project).count() == project.traces.count() == PROBLEMS * SAMPLES
    chunks = RoundChunk.objects.filter(round=round_)
    assert set(chunks.values_list("status", flat=True)) == {"done"}
    assert all(chunk.done == chunk.total for chunk in chunks.filter(stage="scoring"))
    tasks = Task.objects.filter(round=round_)
    assert len(set(tasks.values_list("trace", flat=True))) == tasks.count() == round_.task_count == 2 * PROBLEMS
    assert set(tasks.values_list("rank", flat=True)) == set(range(2 * PROBLEMS))


def undisturbed(project: Project, prm: StepScorer, **asked: Any) -> tuple[dict[int, Any], list[tuple[Any, ...]]]:
    """Return the result of the same round without disturbances; its traces are scored again afterwards."""
    round_ = work(start(project, prm, **asked))
    found = scores_of(prm), list(round_.tasks.order_by("rank").values_list("trace", "reason", "rank"))
    cancel_round(round_, by=None)
    Score.objects.all().delete()
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("luck", "dtype"), [(1, "float32"), (2, "bfloat16")])
def test_a_worker_killed_at_any_line_costs_at_most_its_chunk(crew: Workers, luck: int, dtype: str) -> None:
    project = project_with_samples(problems=PROBLEMS, samples=SAMPLES)
    prm = make_prm({**CLASSIFIER, "dtype": dtype})
    scores, tasks = undisturbed(project, prm, rescore=1)
    round_ = start(project, prm, rescore=1)
    chance = random.Random(luck)
    deaths = 0
    for _ in range(60):
        round_.refresh_from_db()
        if round_.status not in WORKING:
            break
        message = (
            ("worker.run_chunks", round_.pk, round_.planned) if round_.planned else ("worker.advance_round", round_.pk)
        )
        ended = crew.wait(crew.start(*message, die_at=chance.randrange(1, 400)))
        assert ended in (0, -signal.SIGKILL)
        deaths += ended != 0
        before = dict(RoundChunk.objects.filter(round=round_, status="done").values_list("pk", "finished_at"))
        let_leases_end(round_)
        RoundChunk.objects.filter(round=round_).update(attempts=0)  # this test needs more than five deaths
        if chance.random() < 0.5:
            run_task("worker.advance_round", round_.pk)
        after = dict(RoundChunk.objects.filter(round=round_, status="done").values_list("pk", "finished_at"))
        assert before.items() <= after.items(), "what is done is never done again"
    assert deaths > 5
    assert_all_scored_once(project, work(round_))
    assert scores_of(prm).keys() == scores.keys()
    for trace, (steps, score, reason, exact) in scores_of(prm).items():
        # Processes may use different kernels, which round differently.
        close = {"abs": 1e-5 if exact else 0.02}
        assert steps == pytest.approx(scores[trace][0], **close)
        assert score == pytest.approx(scores[trace][1], **close)
        assert (reason, exact) == scores[trace][2:]
    assert list(round_.tasks.order_by("rank").values_list("trace", "reason", "rank")) == tasks


@pytest.mark.slow
def test_a_worker_killed_at_any_line_of_grading_gives_no_trace_a_wrong_outcome(crew: Workers) -> None:
    project = project_with_samples(problems=4, samples=SAMPLES)
    truth = dict(project.traces.values_list("pk", "outcome"))
    project.traces.update(outcome="ungraded")
    round_ = start(project, None, grade=True)
    chance = random.Random(3)
    run_task("worker.advance_round", round_.pk)
    for _ in range(6):
        crew.wait(crew.start("worker.run_chunks", round_.pk, "grading", die_at=chance.randrange(20, 150)))
        known = project.traces.exclude(outcome="ungraded").values_list("pk", "outcome")
        assert dict(known).items() <= truth.items()
        let_leases_end(round_)
    RoundChunk.objects.filter(round=round_).update(attempts=0)
    assert work(round_).status == "ready"
    assert dict(project.traces.values_list("pk", "outcome")) == truth


@pytest.mark.slow
def test_workers_killed_at_random_moments_while_others_go_on(crew: Workers) -> None:
    project = project_with_samples(problems=PROBLEMS, samples=SAMPLES)
    prm = make_prm(CLASSIFIER)
    round_ = start(project, prm)
    advance_round(round_.pk)
    chance = random.Random(7)
    for _ in range(6):
        message = ("worker.run_chunks", round_.pk, "scoring")
        crewmates = [crew.start(*message) for _ in range(3)]
        time.sleep(chance.random() * 0.15)
        for pid in crewmates:
            if chance.random() < 0.7:
                crew.kill(pid)
        assert {crew.wait(pid) for pid in crewmates} <= {0, -signal.SIGKILL}
        let_leases_end(round_)
        RoundChunk.objects.filter(round=round_).update(attempts=0)
    assert_all_scored_once(project, work(round_))


def test_two_workers_share_a_round_and_no_trace_is_scored_twice(crew: Workers, monkeypatch) -> None:
    set_chunk(monkeypatch, "scoring", 1)
    project = project_with_samples(problems=20, samples=2)
    round_ = start(project, make_prm(CLASSIFIER))
    advance_round(round_.pk)
    message = ("worker.run_chunks", round_.pk, "scoring")
    pids = [crew.start(*message) for _ in range(2)]
    assert [crew.wait(pid) for pid in pids] == [0, 0]
    shares = Counter(RoundChunk.objects.filter(round=round_, stage="scoring").values_list("worker", flat=True))
    assert sum(shares.values()) == 20
    assert len(shares) == 2, "both took part"
    assert max(RoundChunk.objects.filter(round=round_).values_list("attempts", flat=True)) == 1
    assert work(round_).status == "ready"
    assert Score.objects.count() == 40
    assert scored_counts(project) == {round_.scorer_id: 40}


def test_messages_that_come_many_times_at_once_and_out_of_order_do_the_work_once(crew: Workers) -> None:
    project = project_with_samples(problems=PROBLEMS, samples=SAMPLES)
    round_ = start(project, make_prm(CLASSIFIER))
    messages = [("worker.advance_round", round_.pk)] * 3 + [
        ("worker.run_chunks", round_.pk, stage) for stage in ("selecting", "scoring", "grading", "scoring", "selecting")
    ]
    random.Random(9).shuffle(messages)
    for pid in [crew.start(*message) for message in messages * 2]:
        assert crew.wait(pid) == 0
    assert max(RoundChunk.objects.filter(round=round_).values_list("attempts", flat=True)) <= 1
    assert_all_scored_once(project, work(round_))


def test_a_worker_that_dies_five_times_at_a_chunk_fails_the_round_with_the_place(crew: Workers) -> None:
    project = project_with_samples(problems=2, samples=SAMPLES)
    round_ = start(project, make_prm(CLASSIFIER))
    advance_round(round_.pk)
    for _ in range(5):
        chunk = RoundChunk.objects.get(round=round_)
        pid = crew.start("worker.run_chunks", round_.pk, "scoring", die_at=40)
        assert crew.wait(pid) == -signal.SIGKILL
        chunk.refresh_from_db()
        assert chunk.status == "running"
        let_leases_end(round_)
    run_task("worker.run_chunks", round_.pk, "scoring")
    round_.refresh_from_db()
    assert (round_.status, round_.resume_to) == ("failed", "scoring")
    assert "A worker died 5 times at scoring, chunk 1 (problems" in round_.error
    resume_round(round_, by=None)
    assert work(round_).status == "ready"


@pytest.mark.slow
def test_a_pause_stops_a_worker_that_is_in_the_middle_and_nothing_is_lost(crew: Workers, monkeypatch) -> None:
    set_chunk(monkeypatch, "scoring", 10_000)
    project = project_with_samples(problems=1, samples=1)
    make_samples(project, problems=250, samples=1, outcome="wrong")
    round_ = start(project, make_prm(CLASSIFIER), k=1)
    advance_round(round_.pk)
    pid = crew.start("worker.run_chunks", round_.pk, "scoring")
    wait_until("the first scores", Score.objects.exists)
    pause_round(round_, by=None)
    assert crew.wait(pid) == 0
    scored = Score.objects.count()
    chunk = RoundChunk.objects.get(round=round_)
    assert 0 < scored < 251
    assert (chunk.status, chunk.attempts, chunk.lease_token) == ("queued", 0, None)
    run_task("worker.run_chunks", round_.pk, "scoring")
    assert Score.objects.count() == scored, "a paused round is nobody's turn"
    resume_round(round_, by=None)
    assert work(round_).status == "ready"
    assert Score.objects.count() == 251


def test_a_cancelled_round_lets_its_worker_go_and_keeps_its_scores(crew: Workers, monkeypatch) -> None:
    set_chunk(monkeypatch, "scoring", 10_000)
    project = project_with_samples(problems=1, samples=1)
    make_samples(project, problems=250, samples=1, outcome="wrong")
    round_ = start(project, make_prm(CLASSIFIER), k=1)
    advance_round(round_.pk)
    pid = crew.start("worker.run_chunks", round_.pk, "scoring")
    wait_until("the first scores", Score.objects.exists)
    cancel_round(round_, by=None)
    assert crew.wait(pid) == 0
    assert 0 < Score.objects.count() < 251
    assert Round.objects.get().status == "cancelled"
