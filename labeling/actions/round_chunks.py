"""How a chunk of a round's stage is done: claimed from the table, leased while it runs, finished by whoever holds it.

A worker that dies loses only its current chunk's unwritten part: the next worker does the rest. Everything here may run
twice, or stop at any line.
"""

import logging
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

from django.db import close_old_connections, connection, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from labeling.actions import audit_log
from labeling.actions.job_faults import is_the_machines, reason_of
from labeling.actions.jobs import (
    LEASE,
    MOST_ATTEMPTS,
    PAUSE,
    JobCancelled,
    Lease,
    LeaseLost,
    leased,
    write_patiently,
)
from labeling.configs.stages import WORKING
from labeling.errors import LabelingError, ProjectArchived
from labeling.models import Project, Round, RoundChunk

logger = logging.getLogger(__name__)
Status = RoundChunk.Status
TURN = 60.0  # seconds; then other rounds get a turn
# What is done of an abandoned chunk took the time until it was left (by a dead worker: until its last sign of life).
# Its start moves by the time since, so that a stage's speed and duration do not include pauses.
CLAIM = """
    UPDATE labeling_roundchunk SET status = 'running', lease_token = %(token)s, worker = %(worker)s,
        leased_until = now() + make_interval(secs => %(seconds)s), finished_at = NULL, attempts = attempts + 1,
        started_at = now() - CASE WHEN done = 0 OR started_at IS NULL THEN interval '0' ELSE greatest(interval '0',
            coalesce(finished_at, leased_until - make_interval(secs => %(seconds)s), started_at) - started_at) END
    WHERE id = (
        SELECT chunk.id FROM labeling_roundchunk AS chunk JOIN labeling_round AS round ON round.id = chunk.round_id
        WHERE chunk.round_id = %(round)s AND chunk.stage = %(stage)s AND round.planned = chunk.stage
            AND round.status = ANY(%(running)s) AND chunk.status IN ('queued', 'running')
            AND (chunk.leased_until IS NULL OR chunk.leased_until < now())
        ORDER BY chunk.number LIMIT 1 FOR UPDATE OF chunk SKIP LOCKED
    )
    RETURNING id
"""
RENEW = f"""
    UPDATE {{table}} AS chunk SET leased_until = now() + make_interval(secs => %s), {{progress}}
    FROM labeling_round AS round
    WHERE chunk.id = %s AND lease_token = %s AND chunk.status = 'running' AND round.id = chunk.round_id
    RETURNING round.status NOT IN ({", ".join(f"'{status}'" for status in WORKING)})
"""


class CannotGoOn(Exception):
    """A worker cannot do the stage until a person fixes something, which the text names. The round fails at once."""


class ChunkLease(Lease):
    """A chunk's lease. It asks to stop as soon as the round is paused, cancelled or failed."""

    renew = RENEW


# Does one chunk and returns how much of it is done. Must call `lease.require` before each problem.
Work = Callable[[RoundChunk, Lease], int]


def claim_chunk(round_id: int, stage: str, *, worker: str) -> RoundChunk | None:
    """Lease the next free chunk. Returns None if there is none, or the round is not running."""
    token = uuid4()
    about: dict[str, Any] = {"token": token, "worker": worker, "seconds": LEASE.total_seconds()}
    with connection.cursor() as cursor:
        cursor.execute(CLAIM, about | {"round": round_id, "stage": stage, "running": list(WORKING)})
        row = cursor.fetchone()
    if row is None:
        return None
    return RoundChunk.objects.select_related("round__project", "round__scorer").get(pk=row[0])


def run_chunks(round_id: int, stage: str, work: Work, *, worker: str, seconds: float = TURN) -> bool:
    """Do one chunk after another. Returns True if the turn is over and there is more to claim.

    The turn ends after `seconds`, so that one round does not keep a worker from the others. It also ends at a fault of
    the machine, which the next chunk would meet too: the sweep wakes a worker again.
    """
    end = time.monotonic() + seconds
    while (chunk := claim_chunk(round_id, stage, worker=worker)) is not None:
        if chunk.attempts > MOST_ATTEMPTS:
            _fail_chunk(chunk, f"A worker died {MOST_ATTEMPTS} times at {_place(chunk)}. See the workers' logs.")
        elif not run_chunk(chunk, work):
            return False
        if time.monotonic() > end:
            return True
    return False


def run_chunk(chunk: RoundChunk, work: Work) -> bool:
    """Do a claimed chunk and record its ending. False: the machine must be fixed before another chunk."""
    try:
        with leased(chunk, ChunkLease(chunk)) as lease:
            if chunk.round.project.status == Project.Status.ARCHIVED:
                raise ProjectArchived
            done = work(chunk, lease)
            lease.require()
    except LeaseLost:
        logger.warning("chunk %s is another worker's by now", chunk.pk)
    except JobCancelled:
        _give_back(chunk)
    except (CannotGoOn, LabelingError) as fault:
        logger.warning("round %s cannot go on: %s", chunk.round_id, fault)
        close_old_connections()
        _give_back(chunk, error=str(fault))
        fail_round(chunk.round, str(fault))
    except Exception as fault:  # whatever it is, it is the chunk's: retried, then shown to people
        logger.exception("chunk %s of round %s, %s", chunk.number, chunk.round_id, chunk.stage)
        close_old_connections()
        write_patiently(partial(_note_failure, chunk, fault), f"chunk {chunk.pk}")
        return not is_the_machines(fault)
    else:
        _finish(chunk, lease.progress | {"done": done})
    return True


def fail_round(round_: Round, error: str) -> None:
    """Stop a running round with this reason. Its workers give their chunks back. Resuming it tries again."""
    with transaction.atomic():
        running = Round.objects.filter(pk=round_.pk, status__in=WORKING)
        if running.update(status=Round.Status.FAILED, resume_to=F("status"), error=error):
            audit_log.record(
                "round.fail", actor=None, project=round_.project, target=f"round {round_.number}", error=error
            )


def retry_failed_chunks(round_: Round) -> None:
    """Give failed chunks and those waiting after a failure five more attempts, now, and clear their errors."""
    unfinished = RoundChunk.objects.filter(round=round_, status__in=[Status.FAILED, Status.QUEUED])
    unfinished.update(status=Status.QUEUED, attempts=0, leased_until=None, error="")


def _finish(chunk: RoundChunk, progress: dict[str, Any]) -> None:
    now = timezone.now()
    _mine(chunk).update(**progress, status=Status.DONE, finished_at=now, leased_until=None, error="")


def _give_back(chunk: RoundChunk, error: str = "") -> None:
    """Let another worker have it at once. This does not count as an attempt, as it was not the chunk's fault."""
    left = {"status": Status.QUEUED, "lease_token": None, "leased_until": None, "finished_at": timezone.now()}
    _mine(chunk).update(**left, attempts=F("attempts") - 1, error=error)


def _note_failure(chunk: RoundChunk, fault: Exception) -> None:
    """Retry like a job: five attempts in all, but after a fault of the machine until somebody has fixed it."""
    machine, error = is_the_machines(fault), reason_of(fault)
    if not machine and chunk.attempts >= MOST_ATTEMPTS:
        _fail_chunk(chunk, f"{_place(chunk)} failed {MOST_ATTEMPTS} times. The last time: {error}")
    else:
        now = timezone.now()
        # Something that was away for a moment may be back.
        later = now + timedelta(seconds=PAUSE if machine else 2**chunk.attempts)
        left = {"status": Status.QUEUED, "lease_token": None, "leased_until": later, "finished_at": now}
        _mine(chunk).update(**left, attempts=F("attempts") - int(machine), error=error)


def _fail_chunk(chunk: RoundChunk, error: str) -> None:
    failed = {"status": Status.FAILED, "lease_token": None, "leased_until": None, "finished_at": timezone.now()}
    if _mine(chunk).update(error=error, **failed):
        fail_round(chunk.round, error)


def _mine(chunk: RoundChunk) -> QuerySet[RoundChunk]:
    return RoundChunk.objects.filter(pk=chunk.pk, lease_token=chunk.lease_token, status=Status.RUNNING)


def _place(chunk: RoundChunk) -> str:
    """Return the place in the stage, for people."""
    problems = f" (problems {chunk.first_problem} to {chunk.last_problem})" if chunk.last_problem else ""
    return f"{chunk.stage}, chunk {chunk.number + 1}{problems}"
