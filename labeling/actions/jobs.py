"""Whose turn a job is: jobs are leased from their table, kept alive while they run, and found when lost.

A broker message only wakes a worker. Running a job twice, or losing its worker at any line, does no harm: the work is
done by whoever holds the lease, and what it wrote counts only when it still holds it.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from typing import Any, TypeVar
from uuid import uuid4

import psycopg
from celery import current_app
from django.db import DatabaseError, connection, transaction
from django.db.models import F, Q
from django.utils import timezone
from kombu.exceptions import OperationalError

from labeling.actions import audit_log
from labeling.errors import JobFinished
from labeling.models import User
from labeling.models.grading import GradingJob
from labeling.models.jobs import Export, ImportJob, Job
from labeling.models.rounds import RoundChunk
from labeling.models.training import Evaluation, TrainingRun

logger = logging.getLogger(__name__)
AnyJob = TypeVar("AnyJob", ImportJob, Export, GradingJob, TrainingRun, Evaluation)

LEASE = timedelta(seconds=60)
BEAT = 1.0  # seconds between two signs of life
MOST_ATTEMPTS = 5
RENEW = """
    UPDATE {table} SET leased_until = now() + make_interval(secs => %s), {progress}
    WHERE id = %s AND lease_token = %s AND status = 'running'
    RETURNING cancel_requested
"""


JOBS: tuple[tuple[str, type[Job]], ...] = (
    ("worker.run_import", ImportJob),
    ("worker.run_export", Export),
    ("worker.grade_traces", GradingJob),
    ("worker.train_prm", TrainingRun),
    ("worker.evaluate_prm", Evaluation),
)
WORDS: dict[type[Job], str] = {
    ImportJob: "import",
    Export: "export",
    GradingJob: "grading",
    TrainingRun: "training",
    Evaluation: "evaluation",
}


class JobCancelled(Exception):
    """Somebody asked for the job to stop."""


class LeaseLost(Exception):
    """The lease ran out and the job may be another worker's: stop without a trace."""


class Lease:
    """A running job's claim on its row. A thread gives signs of life, and writes the columns in `progress`."""

    def __init__(self, job: Job | RoundChunk) -> None:
        self.job = job
        self.progress: dict[str, Any] = {}
        self._cancelled = False
        self._lost = False
        self._stop = threading.Event()
        self._working = connection.connection  # what the thread interrupts when the job is to stop
        self._thread = threading.Thread(target=self._keep, daemon=True)

    def require(self) -> None:
        """Raises JobCancelled or LeaseLost when the job is to stop. Call it between pieces of work."""
        if self._lost:
            raise LeaseLost
        if self._cancelled:
            raise JobCancelled

    def start(self) -> None:
        """Begin the signs of life."""
        self._thread.start()

    def end(self) -> None:
        """No more signs of life; the row may be written by the caller now."""
        self._stop.set()
        self._thread.join()

    def _keep(self) -> None:
        with closing(connection):  # Django gives this thread a connection of its own
            while not self._stop.wait(BEAT):
                try:
                    self._renew()
                except DatabaseError:  # Postgres is away: the lease outlives a restart
                    logger.warning("job %s: no sign of life written", self.job.pk, exc_info=True)
                    connection.close()

    renew = RENEW  # answers one row while the lease holds: whether the work is to stop

    def _renew(self) -> None:
        progress = dict(self.progress)
        columns = ", ".join(f"{connection.ops.quote_name(name)} = %s" for name in progress) or "attempts = attempts"
        statement = self.renew.format(table=self.job._meta.db_table, progress=columns)
        with connection.cursor() as cursor:
            cursor.execute(statement, [LEASE.total_seconds(), *progress.values(), self.job.pk, self.job.lease_token])
            row = cursor.fetchone()
        self._lost, self._cancelled = row is None, row is not None and row[0]
        if (self._lost or self._cancelled) and not self._stop.is_set():
            self._working.cancel_safe()


def claim_job(model: type[AnyJob], job_id: int) -> AnyJob | None:
    """The job, now running and leased to the caller; None where it is nobody's turn or somebody else's."""
    now = timezone.now()
    free = Q(status=Job.Status.QUEUED) | Q(status=Job.Status.RUNNING, leased_until__lt=now)
    claimed = model.objects.filter(free, pk=job_id).update(
        status=Job.Status.RUNNING,
        lease_token=uuid4(),
        leased_until=now + LEASE,
        started_at=now,
        attempts=F("attempts") + 1,
    )
    if not claimed:
        return None
    job = model.objects.select_related("project", "created_by").get(pk=job_id)
    if job.attempts > MOST_ATTEMPTS:
        finish_job(job, Job.Status.FAILED, error=f"The worker died {MOST_ATTEMPTS} times on this job. See its log.")
        return None
    return job


@contextmanager
def leased(job: Job | RoundChunk, kind: type[Lease] | None = None) -> Iterator[Lease]:
    """Keeps the job's lease while the block runs; an interrupted statement becomes JobCancelled or LeaseLost."""
    connection.ensure_connection()
    lease = (kind or Lease)(job)
    lease.start()
    try:
        yield lease
    except (DatabaseError, psycopg.Error):  # COPY bypasses Django, and so its errors
        lease.require()
        raise
    finally:
        lease.end()


def finish_job(job: Job, status: Job.Status, **values: Any) -> bool:
    """Move a running job to its end, if it is still the caller's. Returns whether it was."""
    mine = type(job)._default_manager.filter(pk=job.pk, lease_token=job.lease_token, status=Job.Status.RUNNING)
    return bool(mine.update(status=status, finished_at=timezone.now(), leased_until=None, **values))


@transaction.atomic
def cancel_job(job: AnyJob, *, by: User) -> AnyJob:
    """Stop a queued job now and ask a running one to stop. Raises JobFinished."""
    rows = type(job)._default_manager.filter(pk=job.pk)
    queued = rows.filter(status=Job.Status.QUEUED)
    if not queued.update(status=Job.Status.CANCELLED, finished_at=timezone.now()):
        running = rows.filter(status=Job.Status.RUNNING)
        if not running.update(cancel_requested=True):
            job.refresh_from_db()
            raise JobFinished(status=job.status)
    kind = WORDS[type(job)]
    audit_log.record(f"{kind}.cancel", actor=by, project=job.project, target=f"{kind} {job.pk}")
    job.refresh_from_db()
    return job


def wake_worker(task: str, job_id: int) -> None:
    """Tell a worker, once the transaction is committed. A broker that is away does no harm: the sweep finds the job."""
    transaction.on_commit(lambda: send_task(task, job_id))


def send_task(task: str, *about: Any, **options: Any) -> None:
    """One message now. `options` are Celery's: queue, expires."""
    try:
        current_app.send_task(task, args=about, **options)
    except OperationalError:
        logger.warning("%s %s waits for the sweep: the broker is away", task, about)


def sweep_jobs(send: Callable[[str, int], None] = send_task) -> int:
    """Wake a worker for every job that waits, or whose worker died. Returns how many there were."""
    now = timezone.now()
    lost = Q(status=Job.Status.RUNNING, leased_until__lt=now)
    waiting = Q(status=Job.Status.QUEUED, created_at__lt=now - timedelta(seconds=10))
    found = 0
    for task, model in JOBS:
        for job_id in model._default_manager.filter(lost | waiting).values_list("pk", flat=True):
            send(task, job_id)
            found += 1
    return found
