"""Long work takes turns: a project leaves processes to others, and all leave one for short work."""

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.core.cache import caches

from labeling.actions.imports import record_import
from labeling.actions.workers import record_heartbeat
from labeling.models import ImportJob, Project, Round, RoundChunk, TrainingRun
from labeling.tests.factories import make_project
from labeling.tests.imports.files import lines, neutral_row
from worker import tasks, turns
from worker.tests.rounds.world import make_prm, project_with_samples, start, work
from worker.turns import most_of_project, most_together, turn

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def four_processes() -> None:
    record_heartbeat("cpu@here", ["cpu"], processes=4)
    caches["valkey"].clear()


def recorded(project: Project, folder: Path) -> ImportJob:
    file = folder / f"{project.slug}.jsonl"
    file.write_bytes(lines(neutral_row("Why?")))
    asked = {"format": "", "dry_run": False, "skip_faulty": False}
    return record_import(project, by=None, path=str(file), file_name=file.name, **asked)


def status_of(job: ImportJob) -> str:
    job.refresh_from_db()
    return job.status


def attempts_of(run: TrainingRun) -> int:
    run.refresh_from_db()
    return run.attempts


def test_of_the_processes_one_stays_free_and_one_more_for_another_project() -> None:
    assert [most_together(processes) for processes in range(1, 6)] == [1, 2, 2, 3, 4]
    assert [most_of_project(processes) for processes in range(1, 6)] == [1, 1, 1, 2, 3]


def test_a_project_that_holds_its_turns_leaves_its_next_job_queued_and_not_another_projects(tmp_path: Path) -> None:
    busy, other = make_project("busy"), make_project("other")
    waits, goes_on = recorded(busy, tmp_path), recorded(other, tmp_path)
    with turn(busy.pk) as first, turn(busy.pk) as second:
        assert (first, second) == (True, True)
        tasks.run_import(waits.pk)
        assert status_of(waits) == "queued"
        tasks.run_import(goes_on.pk)
        assert status_of(goes_on) == "succeeded"
        assert waits.attempts == 0, "it was never begun"
    tasks.run_import(waits.pk)
    assert status_of(waits) == "succeeded"


def test_all_projects_together_leave_a_process_for_what_is_soon_done(tmp_path: Path) -> None:
    waits = recorded(make_project("late"), tmp_path)
    with ExitStack() as held:
        assert all(held.enter_context(turn(make_project().pk)) for _ in range(3))
        tasks.run_import(waits.pk)
        assert status_of(waits) == "queued"
        tasks.sweep()
        tasks.evaluate_labelers()


def test_a_rounds_chunks_take_turns_and_go_on_where_they_were() -> None:
    project = project_with_samples(problems=1)
    round_ = start(project, make_prm({"family": "step_classifier", "path": "classifier"}), grade=True)
    tasks.advance(round_.pk)
    with turn(project.pk), turn(project.pk):
        tasks.run_stage(round_.pk, "grading")
        assert set(RoundChunk.objects.values_list("status", flat=True)) == {"queued"}
    tasks.run_stage(round_.pk, "grading")
    assert not RoundChunk.objects.filter(stage="grading").exclude(status="done").exists()
    assert Round.objects.get().status == "scoring"


def test_a_training_leaves_the_gpu_to_a_round_that_was_asked_for_before_it() -> None:
    project = project_with_samples(problems=1)
    before = TrainingRun.objects.create(project=project, base="none", round_ids=[])
    round_ = start(project, make_prm({"family": "step_classifier", "path": "classifier"}))
    after = TrainingRun.objects.create(project=project, base="none", round_ids=[])
    tasks.train_prm(after.pk)
    assert attempts_of(after) == 0, "the round was just asked for"
    tasks.advance(round_.pk)
    tasks.train_prm(after.pk)
    assert attempts_of(after) == 0, "it is being scored"
    tasks.train_prm(before.pk)
    assert attempts_of(before) == 1
    record_heartbeat("gpu@one", ["gpu"], processes=2)
    tasks.train_prm(after.pk)
    assert attempts_of(after) == 1, "there is a process for each"
    TrainingRun.objects.filter(pk=after.pk).update(status="queued", attempts=0, leased_until=None)
    record_heartbeat("gpu@one", ["gpu"], processes=1)
    assert work(round_).status == "ready"
    tasks.train_prm(after.pk)
    assert attempts_of(after) == 1


def imports_that_are_woken() -> list[int]:
    """By messages that lie on the broker, which are taken away."""
    found: list[int] = []
    with current_app.connection_for_read() as connection:
        queue = current_app.amqp.queues["cpu"](connection.default_channel)
        while (message := queue.get(no_ack=True)) is not None:
            found += message.payload[0] if message.headers["task"] == "worker.run_import" else []
    return found


def test_who_got_no_turn_is_woken_at_the_end_of_one(tmp_path: Path) -> None:
    first, waits, after = (recorded(make_project(name), tmp_path) for name in ("first", "waits", "after"))
    imports_that_are_woken()
    tasks.run_import(first.pk)
    assert imports_that_are_woken() == [], "nobody waited"
    with ExitStack() as held:
        for _ in range(3):
            held.enter_context(turn(make_project().pk))
        tasks.run_import(waits.pk)
        assert imports_that_are_woken() == []
    tasks.run_import(after.pk)
    assert imports_that_are_woken() == [waits.pk]
    tasks.run_import(waits.pk)
    assert status_of(waits) == "succeeded"


def test_a_turn_ends_with_what_it_was_for_whatever_happens_there() -> None:
    project = make_project()
    for _ in range(5):
        with pytest.raises(ZeroDivisionError), turn(project.pk) as begun:
            raise ZeroDivisionError if begun else AssertionError


def test_the_turn_of_a_process_that_was_killed_here_is_the_next_ones_at_once() -> None:
    project = make_project()
    killed = subprocess.Popen([sys.executable, "-c", "pass"])
    killed.wait()
    for slot in range(2):
        caches["valkey"].add(f"turn:cpu:project:{project.pk}:{slot}", f"{turns.HERE}/{killed.pid}", 30)
    with turn(project.pk) as first, turn(project.pk) as second, turn(project.pk) as third:
        assert (first, second, third) == (True, True, False)
    for slot in range(2):
        caches["valkey"].add(f"turn:cpu:project:{project.pk}:{slot}", f"elsewhere/{killed.pid}", 30)
    with turn(project.pk) as begun:
        assert not begun, "of another machine nobody knows; its turn ends by itself"


def test_a_turn_outlasts_its_time_while_its_process_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "KEPT", 1)
    monkeypatch.setattr(turns, "SIGN_OF_LIFE", 0.2)
    project = make_project()
    with turn(project.pk), turn(project.pk):
        assert not turns.threading.Event().wait(2.5)
        with turn(project.pk) as third:
            assert not third


def test_without_valkey_work_goes_on(tmp_path: Path, settings: Any) -> None:
    away = {**settings.CACHES["valkey"], "LOCATION": "redis://127.0.0.1:1/0"}
    settings.CACHES = {**settings.CACHES, "valkey": away}
    job = recorded(make_project(), tmp_path)
    tasks.run_import(job.pk)
    assert status_of(job) == "succeeded"
