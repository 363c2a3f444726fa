"""How jobs are run: leased from their table, kept alive while they run, and picked up again if their worker is lost.

A broker message only wakes a worker. Running a job twice, or losing its worker at any line, does no harm: only the
holder of the lease does the work, and its writes count only while it still holds the lease.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from typing import Any, TypeVar
from uuid import uuid4

import psycopg
from celery import current_app
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from kombu.exceptions import OperationalError
from kombu.pools import producers
from psycopg.types.json import Jsonb

from labeling.actions import audit_log
from labeling.actions.job_faults import is_the_machines, reason_of
from labeling.errors import JobFinished, LabelingError, ProjectArchived
from labeling.models import Project, User
from labeling.models.grading import GradingJob
from labeling.models.jobs import LEASE, Export, ImportJob, Job
from labeling.models.label_pushes import LabelPush
from labeling.models.paths import StepOffer
from labeling.models.project_moves import ProjectMove
from labeling.models.releases import Release, ReleasePush
from labeling.models.rounds import RoundChunk
from labeling.models.sources import SourceChunk
from labeling.models.step_scorers import PrmTrial, ScoreImport
from labeling.models.suggestions import SuggestionRequest
from labeling.models.training import Evaluation, TrainingRun
from labeling.queries.job_kinds import JOBS, WORDS
from labeling.queries.sql_slots import fill

logger = logging.getLogger(__name__)
AnyJob = TypeVar(
    "AnyJob",
    ImportJob,
    Export,
    GradingJob,
    TrainingRun,
    Evaluation,
    PrmTrial,
    ScoreImport,
    Release,
    ReleasePush,
    LabelPush,
    SourceChunk,
    ProjectMove,
)

INTO_PROJECT = (ImportJob, ScoreImport, GradingJob, SourceChunk, TrainingRun, Evaluation)  # their results stay in it
DELIVER = "worker.deliver"  # a message waiting to be sent
BEAT = 1.0  # seconds between two signs of life
MOST_ATTEMPTS = 5
# The columns of a job that has ended and is to be done again, or to go on: a late Cancel must not stop it this time.
QUEUED_AGAIN: dict[str, Any] = {
    "status": Job.Status.QUEUED,
    "attempts": 0,
    "cancel_requested": False,
    "error": "",
    "finished_at": None,
    "leased_until": None,
}
PAUSE = 30  # seconds before work that failed because of the machine is tried again
MOST_WOKEN = 50  # per kind and sweep; the next sweep wakes others
PATIENCE = 60.0  # seconds to keep trying to write the reason of a failure while the database is away
RENEW = """
    UPDATE {table} SET leased_until = now() + make_interval(secs => %s), {progress}
    WHERE id = %s AND lease_token = %s AND status = 'running'
    RETURNING cancel_requested
"""


class JobCancelled(Exception):
    """A person asked for the job to stop."""


class LeaseLost(Exception):
    """The lease ran out and another worker may have the job: stop without writing anything."""


class Lease:
    """A running job's claim on its row. A thread gives signs of life, and writes the columns in `progress`.

    The last `progress` is written with the job's ending, whatever that is.
    """

    def __init__(self, job: Job | RoundChunk | StepOffer | SuggestionRequest) -> None:
        self.job = job
        self.progress: dict[str, Any] = {}
        self._cancelled = False
        self._lost = False
        self._stop = threading.Event()
        self._working: Any = None  # the connection that the thread interrupts to stop the job
        self._thread = threading.Thread(target=self._keep, daemon=True)

    def require(self) -> None:
        """Raise JobCancelled or LeaseLost if the job is to stop. Call it between pieces of work."""
        if self._lost:
            raise LeaseLost
        if self._cancelled:
            raise JobCancelled

    def start(self) -> None:
        """Start giving signs of life."""
        connection.ensure_connection()
        self._working = connection.connection
        self._thread.start()

    def end(self) -> None:
        """Stop giving signs of life. From now on, the caller may write the row."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _keep(self) -> None:
        with closing(connection):  # Django gives this thread a connection of its own
            while not self._stop.wait(BEAT):
                try:
                    self._renew()
                except DatabaseError:  # Postgres is away: the lease outlives a restart
                    logger.warning("job %s: no sign of life written", self.job.pk, exc_info=True)
                    connection.close()

    length = LEASE
    renew = RENEW  # returns one row while the lease holds: whether the work is to stop

    def _renew(self) -> None:
        progress = {name: _as_sql(value) for name, value in self.progress.items()}
        columns = ", ".join(f"{connection.ops.quote_name(name)} = %s" for name in progress) or "attempts = attempts"
        statement = fill(self.renew, table=self.job._meta.db_table, progress=columns)
        with connection.cursor() as cursor:
            about = [self.length.total_seconds(), *progress.values(), self.job.pk, self.job.lease_token]
            cursor.execute(statement, about)
            row = cursor.fetchone()
        self._lost, self._cancelled = row is None, row is not None and row[0]
        if (self._lost or self._cancelled) and not self._stop.is_set():
            self._working.cancel_safe()


# Does a job under its lease. Returns the columns of its ending, or None if it has written them itself.
Work = Callable[[AnyJob, Lease], "dict[str, Any] | None"]
AtEnd = Callable[[AnyJob], object]


def run_job(
    model: type[AnyJob], job_id: int, work: Work[AnyJob], *, at_end: AtEnd[AnyJob] | None = None
) -> AnyJob | None:
    """Do a job that is queued or whose worker died. Returns None if it is not free, or if another worker got it.

    1. The row is claimed under a lease, which a thread keeps alive (`claim_job`, `leased`).
    2. `work` does the job, and calls `lease.require()` between pieces to learn whether to stop.
    3. The row gets its ending: succeeded; cancelled, if a person asked; failed, with the message of the rule that
       was broken, for example that the project was archived while the job waited. Any other fault is written on the row
       as its reason, and the job is tried again a little later, five times in all. A fault of the machine (a full disk,
       a database that is away) is retried until somebody has fixed it.
    4. `at_end` is called once the job is over for good, in any status. `cancel_job` calls it for a queued job. If a
       worker dies before this call, a sweep has to find what is left.
    """
    job = claim_job(model, job_id, at_end=at_end)
    if job is None:
        return None
    lease = Lease(job)
    try:
        with leased(job, lease):
            if isinstance(job, INTO_PROJECT) and job.project.status == Project.Status.ARCHIVED:
                raise ProjectArchived
            ending = work(job, lease)
            if ending is not None:
                lease.require()
                lease.end()
                if not _end(lease, Job.Status.SUCCEEDED, error="", **ending):
                    raise LeaseLost
    except LeaseLost:
        return None
    except JobCancelled:
        _end(lease, Job.Status.CANCELLED, error="")
    except KeyboardInterrupt:
        _end(lease, Job.Status.CANCELLED, error="Interrupted.")
        _tell_end(job, at_end)
        raise
    except LabelingError as broken:
        _end(lease, Job.Status.FAILED, error=broken.detail)
    except Exception as fault:  # whatever it is, the job's page shows it
        logger.exception("%s %s failed", WORDS[model], job.pk)
        _note_fault(lease, fault)
    _tell_end(job, at_end)
    return job


def _tell_end(job: AnyJob, at_end: AtEnd[AnyJob] | None) -> None:
    job.refresh_from_db()
    if at_end is not None and job.status not in (Job.Status.QUEUED, Job.Status.RUNNING):
        at_end(job)


def claim_job(model: type[AnyJob], job_id: int, *, at_end: AtEnd[AnyJob] | None = None) -> AnyJob | None:
    """Return the job, now running and leased to the caller, or None if it is not free. A job that has killed too many
    workers fails instead, and `at_end` is called.
    """
    claimed = model.objects.filter(_free(), pk=job_id).update(
        status=Job.Status.RUNNING,
        lease_token=uuid4(),
        leased_until=Now() + LEASE,
        started_at=timezone.now(),
        attempts=F("attempts") + 1,
    )
    if not claimed:
        return None
    job = model.objects.select_related("project", "created_by").get(pk=job_id)
    if job.attempts > MOST_ATTEMPTS:
        finish_job(job, Job.Status.FAILED, error=_why_given_up(job))
        _tell_end(job, at_end)
        return None
    return job


def _free() -> Q:
    """Match jobs that may be claimed: queued and not waiting after a failure, or left by a worker that died.

    Uses the database's clock, like every lease of a worker: the clocks of two machines may be a minute apart.
    """
    queued = Q(status=Job.Status.QUEUED) & (Q(leased_until=None) | Q(leased_until__lt=Now()))
    return queued | Q(status=Job.Status.RUNNING, leased_until__lt=Now())


def _why_given_up(job: Job) -> str:
    """Return the error of a job whose workers died before they could say what happened."""
    why = f"The worker died {MOST_ATTEMPTS} times on this job. It most likely ran out of memory: see its log."
    return f"{why} The last error before that: {job.error}" if job.error else why


def _note_fault(lease: Lease, fault: Exception) -> None:
    """Store the reason on the row and have the job tried again, or fail it after the last try."""
    job, reason = lease.job, reason_of(fault)
    machine = is_the_machines(fault)

    def note() -> None:
        if not machine and job.attempts >= MOST_ATTEMPTS:
            _end(lease, Job.Status.FAILED, error=f"It was tried {job.attempts} times. The last time: {reason}")
        else:
            _try_again(job, reason, PAUSE if machine else 2**job.attempts, count=not machine)

    write_patiently(note, f"job {job.pk}")


def write_patiently(note: Callable[[], object], what: str) -> None:
    """Write why work failed as soon as the database accepts it. Give up after a minute."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            note()
        except (DatabaseError, psycopg.Error):
            connection.close()
            if time.monotonic() > end:  # its lease runs out, and the next worker to claim it meets the failure again
                logger.warning("%s: the reason of its failure could not be written", what, exc_info=True)
                return
            time.sleep(1)
        else:
            return


def _try_again(
    job: Job | RoundChunk | StepOffer | SuggestionRequest, reason: str, seconds: int, *, count: bool
) -> None:
    mine = type(job)._default_manager.filter(pk=job.pk, lease_token=job.lease_token, status=Job.Status.RUNNING)
    waiting = {"status": Job.Status.QUEUED, "lease_token": None, "error": reason}
    later = Now() + timedelta(seconds=seconds)
    if mine.update(**waiting, leased_until=later, attempts=F("attempts") if count else F("attempts") - 1):
        task = next(name for name, model in JOBS if model is type(job))
        send_task(task, job.pk, countdown=seconds + 1)


def _end(lease: Lease, status: Job.Status, **values: Any) -> bool:
    """Write the job's ending along with its last progress. Returns whether the job was still the caller's."""
    assert isinstance(lease.job, Job)
    return finish_job(lease.job, status, **{**lease.progress, **values})


def keep(job: Job, **columns: Any) -> None:
    """Write columns of a running job that is still the caller's, in its transaction. Raises LeaseLost."""
    if not _mine(job).update(**columns):
        raise LeaseLost
    for name, value in columns.items():
        setattr(job, name, value)


def _as_sql(value: Any) -> Any:
    return Jsonb(value) if isinstance(value, dict | list) else value


@contextmanager
def leased(job: Job | RoundChunk | StepOffer | SuggestionRequest, lease: Lease | None = None) -> Iterator[Lease]:
    """Keep the job's lease while the block runs. An interrupted statement becomes JobCancelled or LeaseLost."""
    lease = lease or Lease(job)
    lease.start()
    try:
        yield lease
    except (DatabaseError, psycopg.Error):  # COPY bypasses Django, and so do its errors
        lease.require()
        raise
    finally:
        lease.end()


def finish_job(job: Job, status: Job.Status, **values: Any) -> bool:
    """End a running job, if it is still the caller's. Returns whether it was.

    Clears the error unless one is given: the reason of an earlier retry no longer matters.
    """
    return _finish(_mine(job), status, **values)


def finish_unless_stopped(job: ImportJob | ScoreImport, **values: Any) -> None:
    """Set the job to succeeded, in the transaction of all its work. Raises LeaseLost, ProjectArchived, JobCancelled.

    A person who asks for the job to stop waits until that transaction ends, and learns that the job is over: its signs
    of life, a second apart, would have told the worker too late.
    """
    require_active(job)
    if _finish(_mine(job).filter(cancel_requested=False), Job.Status.SUCCEEDED, **values):
        return
    raise JobCancelled if _mine(job).exists() else LeaseLost


def require_active(job: ImportJob | ScoreImport | GradingJob) -> None:
    """Raise ProjectArchived if the project has been archived. Until the transaction ends, nobody can archive it."""
    if Project.objects.select_for_update(no_key=True).get(pk=job.project_id).status == Project.Status.ARCHIVED:
        raise ProjectArchived


def _mine(job: Job) -> QuerySet[Job]:
    return type(job)._default_manager.filter(pk=job.pk, lease_token=job.lease_token, status=Job.Status.RUNNING)


def _finish(mine: QuerySet[Job], status: Job.Status, **values: Any) -> bool:
    return bool(mine.update(status=status, finished_at=timezone.now(), leased_until=None, **{"error": "", **values}))


@transaction.atomic
def cancel_job(job: AnyJob, *, by: User, at_end: AtEnd[AnyJob] | None = None) -> AnyJob:
    """Stop a queued job now and ask a running one to stop. `at_end` is that of its `run_job`. Raises JobFinished."""
    rows = type(job)._default_manager.filter(pk=job.pk)
    if rows.filter(status=Job.Status.QUEUED).update(status=Job.Status.CANCELLED, finished_at=timezone.now()):
        transaction.on_commit(lambda: _tell_end(job, at_end), robust=True)  # it is cancelled, whatever goes wrong there
    elif not rows.filter(status=Job.Status.RUNNING).update(cancel_requested=True):
        job.refresh_from_db()
        raise JobFinished(status=job.status)
    kind = WORDS[type(job)]
    audit_log.record(f"{kind}.cancel", actor=by, project=job.project, target=f"{kind} {job.pk}")
    job.refresh_from_db()
    return job


def wake_worker(task: str, job_id: int) -> None:
    """Wake a worker once the transaction is committed. If the broker is away, the sweep finds the job."""
    transaction.on_commit(lambda: send_task(task, job_id))


def send_task(task: str, *about: Any, **options: Any) -> None:
    """Send one message now or never. `options` are Celery's: queue, expires (plus what clocks may differ by)."""
    if "expires" in options:
        options["expires"] += settings.CLOCKS_APART
    quick = current_app.connection_for_write(transport_options=settings.BROKER_PATIENCE)
    try:
        with producers[quick].acquire(block=True) as producer:
            current_app.send_task(task, args=about, producer=producer, retry=False, **options)
    except OperationalError:
        logger.warning("%s %s waits for the sweep: the broker is away", task, about)


def sweep_jobs(send: Callable[[str, int], None] = send_task, *, new_ones: bool = False) -> int:
    """Wake a worker for every job that waits or whose worker died. Returns the number of jobs.

    Jobs created in the last seconds are skipped, as their message is still on its way. `new_ones` includes them, for
    when messages were given up.
    """
    waited = timedelta(seconds=0 if new_ones else 10)
    old_enough = Q(status=Job.Status.RUNNING) | Q(created_at__lt=timezone.now() - waited)
    found = 0
    for task, model in JOBS:
        waiting = model._default_manager.filter(_free(), old_enough).order_by("pk")
        for job_id in waiting.values_list("pk", flat=True)[:MOST_WOKEN]:
            send(task, job_id)
            found += 1
    return found
