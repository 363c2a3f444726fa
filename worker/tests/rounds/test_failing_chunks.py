"""A failing chunk is retried later, then stops its round with the reason; other rounds' chunks are not affected. While
the machine is at fault, it waits until the fault is fixed.
"""

from typing import Any
from uuid import uuid4

import pytest

from labeling.actions.round_chunks import MOST_ATTEMPTS, fail_round, run_chunks
from labeling.actions.round_stages import advance_round
from labeling.actions.rounds import resume_round
from labeling.models import AuditEvent, Round, RoundChunk, Trace
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project
from worker.tests.rounds.world import make_samples, start

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def round_() -> Round:
    """A round in its grading stage, in one chunk."""
    project = make_project()
    make_samples(project, problems=2, samples=2)
    Trace.objects.update(outcome="ungraded")
    round_ = start(project, None, grade=True)
    advance_round(round_.pk)
    round_.refresh_from_db()
    assert (round_.status, round_.planned) == ("grading", "grading")
    return round_


def no_room(chunk: RoundChunk, lease: object) -> int:
    raise OSError(28, "No space left on device")


def breaks(chunk: RoundChunk, lease: object) -> int:
    raise ValueError("an odd answer")


def all_of_it(chunk: RoundChunk, lease: object) -> int:
    return int(chunk.total)


def shown_of(round_: Round) -> dict[str, Any]:
    """Return the grading stage as shown on the round's page."""
    page = Browser(make_member(round_.project, "researcher"))
    stages = page.call("GET", f"/api/rounds/{round_.pk}/progress")["stages"]
    return next(stage for stage in stages if stage["stage"] == "grading")


def test_it_waits_longer_each_time_and_the_fifth_failure_stops_the_round(round_):
    waits = []
    for _ in range(MOST_ATTEMPTS - 1):
        assert run_chunks(round_.pk, "grading", breaks, worker="ada") is False
        chunk = RoundChunk.objects.get()
        waits.append((chunk.leased_until - chunk.finished_at).total_seconds())
        assert chunk.status == "queued"
        assert "an odd answer" in chunk.error
        RoundChunk.objects.update(leased_until=None)
    assert waits == sorted(waits)
    assert waits[0] < waits[-1]
    run_chunks(round_.pk, "grading", breaks, worker="ada")
    round_.refresh_from_db()
    assert (round_.status, round_.resume_to) == ("failed", "grading")
    assert f"failed {MOST_ATTEMPTS} times" in round_.error
    assert "an odd answer" in round_.error


def test_on_a_full_disk_it_says_so_and_goes_on_when_there_is_room_however_long_that_takes(round_):
    for _ in range(MOST_ATTEMPTS + 2):
        RoundChunk.objects.update(leased_until=None)
        assert run_chunks(round_.pk, "grading", no_room, worker="ada") is False
    chunk = RoundChunk.objects.get()
    assert (chunk.status, chunk.attempts) == ("queued", 0)
    round_.refresh_from_db()
    assert (round_.status, round_.error) == ("grading", ""), "nobody has to resume it"
    shown = shown_of(round_)
    assert (shown["state"], shown["workers"]) == ("running", 0)
    assert shown["held_up"].startswith("The disk is full. Free some space")
    assert "No space left on device" in shown["held_up"]
    RoundChunk.objects.update(leased_until=None)
    run_chunks(round_.pk, "grading", all_of_it, worker="ada")
    advance_round(round_.pk)
    round_.refresh_from_db()
    assert (round_.status, shown_of(round_)["held_up"]) == ("scoring", "")


def test_on_a_full_disk_the_chunks_after_it_are_not_tried_in_the_same_turn(round_):
    RoundChunk.objects.create(round=round_, stage="grading", number=1, first_problem=0, last_problem=0)
    run_chunks(round_.pk, "grading", no_room, worker="ada")
    assert [chunk.error == "" for chunk in RoundChunk.objects.order_by("number")] == [False, True]
    RoundChunk.objects.update(leased_until=None)
    run_chunks(round_.pk, "grading", breaks, worker="ada")
    assert "an odd answer" in RoundChunk.objects.get(number=1).error, "what is the chunk's own fault holds up no other"


def test_resuming_forgets_why_it_failed_before(round_):
    RoundChunk.objects.update(attempts=MOST_ATTEMPTS - 1)
    run_chunks(round_.pk, "grading", breaks, worker="ada")
    resume_round(Round.objects.get(pk=round_.pk), by=make_member(round_.project, "admin"))
    assert shown_of(round_)["held_up"] == ""


def test_a_chunk_at_which_workers_die_is_not_tried_for_ever(round_):
    RoundChunk.objects.update(attempts=MOST_ATTEMPTS)
    run_chunks(round_.pk, "grading", lambda *_: pytest.fail("it was tried again"), worker="ada")
    round_.refresh_from_db()
    assert round_.status == "failed"
    assert f"A worker died {MOST_ATTEMPTS} times" in round_.error


def test_what_fails_after_its_lease_was_lost_changes_nothing(round_):
    def taken_meanwhile(chunk: RoundChunk, lease: object) -> int:
        RoundChunk.objects.update(lease_token=uuid4(), attempts=MOST_ATTEMPTS)
        chunk.attempts = MOST_ATTEMPTS
        raise ValueError("too late")

    run_chunks(round_.pk, "grading", taken_meanwhile, worker="ada")
    assert RoundChunk.objects.get().status == "running"
    round_.refresh_from_db()
    assert round_.status == "grading"


def test_a_round_that_no_worker_has_cannot_fail(round_):
    Round.objects.update(status="cancelled")
    fail_round(round_, "Too late.")
    round_.refresh_from_db()
    assert (round_.status, round_.error) == ("cancelled", "")
    assert not AuditEvent.objects.filter(action="round.fail").exists()
