"""How a source's run ends: by what became of all its chunks, also of those whose workers never said so."""

from typing import Any

import pytest
from django.utils import timezone

from labeling.actions import jobs, source_runs
from labeling.actions.source_run_endings import settle_runs
from labeling.models import SourceChunk, SourceRun
from labeling.tests.factories import make_member, make_project, make_traces
from worker.tasks import sweep

pytestmark = pytest.mark.django_db(transaction=True)
PAST = "2020-01-01T00:00Z"


def nothing(*_: Any) -> None:
    """The work of a source that has nothing to say."""


def of_two_chunks(monkeypatch: pytest.MonkeyPatch) -> tuple[SourceRun, SourceChunk, SourceChunk]:
    """A run of the checks over two traces, each in a chunk of its own."""
    monkeypatch.setattr(source_runs, "CHUNK", 1)
    project = make_project()
    make_traces(project, 2)
    run = source_runs.verify_new_traces(project, by=None)
    assert run is not None
    first, second = run.chunks.order_by("pk")
    return run, first, second


def after_five_deaths(chunk: SourceChunk) -> None:
    """As the next worker finds a chunk that has killed five."""
    dead = {"status": "running", "leased_until": PAST, "attempts": jobs.MOST_ATTEMPTS}
    SourceChunk.objects.filter(pk=chunk.pk).update(**dead)
    assert source_runs.run_chunk(chunk.pk, nothing) is None


def ending_of(run: SourceRun) -> tuple[str, str]:
    run.refresh_from_db()
    assert (run.finished_at is None) == (run.status == "running")
    return run.status, run.error


def test_a_run_fails_with_its_last_chunk_when_workers_die_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    run, first, second = of_two_chunks(monkeypatch)
    source_runs.run_chunk(first.pk, nothing)
    after_five_deaths(second)
    status, error = ending_of(run)
    assert status == "failed"
    assert error.startswith("The worker died 5 times on this job.")


def test_a_run_whose_first_chunk_kills_its_workers_has_failed_and_goes_on_when_told_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run, first, second = of_two_chunks(monkeypatch)
    after_five_deaths(first)
    assert ending_of(run)[0] == "failed"
    source_runs.run_chunk(second.pk, nothing)
    assert ending_of(run)[0] == "failed", "a run without the marks of a chunk has not succeeded"
    source_runs.resume_run(run, by=make_member(run.project, "admin"))
    for chunk in (first, second):
        source_runs.run_chunk(chunk.pk, nothing)
    assert ending_of(run) == ("succeeded", "")


@pytest.mark.parametrize("found", ["failed", "cancelled", "succeeded"])
def test_the_sweep_ends_runs_whose_workers_died_before_they_could(monkeypatch: pytest.MonkeyPatch, found: str) -> None:
    run, first, second = of_two_chunks(monkeypatch)
    why = "The disk burned." if found == "failed" else ""
    SourceChunk.objects.filter(pk=first.pk).update(status=found, error=why, finished_at=timezone.now())
    assert settle_runs() == 0, "another chunk is still to be done"
    SourceChunk.objects.filter(pk=second.pk).update(status="succeeded", finished_at=timezone.now())
    sweep()
    assert ending_of(run) == (found, why)


def test_a_chunk_that_was_interrupted_at_a_terminal_leaves_a_run_that_can_be_gone_on_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run, first, second = of_two_chunks(monkeypatch)

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    source_runs.run_chunk(first.pk, nothing)
    with pytest.raises(KeyboardInterrupt):
        source_runs.run_chunk(second.pk, interrupted)
    assert ending_of(run) == ("cancelled", "Interrupted.")
    source_runs.resume_run(run, by=make_member(run.project, "admin"))
    source_runs.run_chunk(second.pk, nothing)
    assert ending_of(run) == ("succeeded", "")


def test_a_run_stopped_after_its_last_mark_succeeds_when_it_is_gone_on_with(monkeypatch: pytest.MonkeyPatch) -> None:
    run, *_ = of_two_chunks(monkeypatch)
    admin = make_member(run.project, "admin")
    source_runs.cancel_run(run, by=admin)
    run.chunks.update(status="succeeded")  # as if the Cancel had come too late for them
    source_runs.resume_run(run, by=admin)
    assert settle_runs() == 1
    assert ending_of(run) == ("succeeded", "")
