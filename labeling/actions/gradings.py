"""Gradings: grade a project's traces, show what would change, then apply it.

A grading writes its results next to the traces, chunk by chunk, each with its progress, so whoever holds the lease can
continue from there. Applying moves the outcomes over, for traces that nobody has changed in between.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.db.models import F
from django.utils import timezone

from labeling.actions import audit_log
from labeling.actions.jobs import QUEUED_AGAIN, Lease, keep, require_active, run_job, wake_worker
from labeling.errors import GradingNotReady, GradingRunning, InvalidFields, ProjectArchived
from labeling.grading import GRADER_VERSION, Grade, Question
from labeling.models import GradingJob, Problem, Project, TraceGrade, User
from labeling.queries.grading import (
    TraceToGrade,
    count_traces_to_grade,
    differences,
    keeps_imported,
    traces_to_grade,
    with_readiness,
)
from labeling.queries.planner import note_written

Grader = Callable[[Iterable[Question]], Iterator[Grade]]

CHUNK = 500  # traces: the most that a killed worker loses
APPLY_CHUNK = 20_000
TASK = "worker.grade_traces"

COPY_GRADES = """
    COPY labeling_tracegrade (job_id, trace_id, outcome, outcome_before, version_before, reason, rule, answer)
    FROM STDIN
"""
APPLY = """
    WITH next AS (
        SELECT * FROM labeling_tracegrade WHERE job_id = %(job)s AND trace_id > %(after)s AND NOT left_out
        ORDER BY trace_id LIMIT %(limit)s
    ), done AS (
        UPDATE labeling_trace AS trace SET outcome = next.outcome, grader_version = %(version)s
        FROM next WHERE trace.id = next.trace_id
            AND trace.outcome = next.outcome_before AND trace.grader_version = next.version_before
            AND NOT (next.outcome = 'ungraded' AND next.outcome_before <> 'ungraded' AND next.version_before = '')
        RETURNING next.outcome <> next.outcome_before AS changed
    ), skipped AS (
        SELECT count(*) AS number FROM next JOIN labeling_trace AS trace ON trace.id = next.trace_id
        WHERE (trace.outcome, trace.grader_version) <> (next.outcome_before, next.version_before)
    )
    SELECT (SELECT max(trace_id) FROM next), (SELECT count(*) FROM done WHERE changed), (SELECT number FROM skipped)
"""
# A separate statement, so that it also sees scores written while the previous one waited for their traces.
APPLY_TO_SCORES = """
    UPDATE labeling_score AS score SET outcome = trace.outcome
    FROM labeling_tracegrade AS grade JOIN labeling_trace AS trace ON trace.id = grade.trace_id
    WHERE grade.job_id = %(job)s AND grade.trace_id > %(after)s AND grade.trace_id <= %(last)s
        AND score.trace_id = trace.id AND score.outcome <> trace.outcome
"""


@transaction.atomic
def create_grading(
    project: Project,
    *,
    by: User | None,
    scope: str = GradingJob.Scope.ALL,
    problem: Problem | None = None,
    wake: bool = True,
) -> GradingJob:
    """Queue a grading of the project's traces by its current settings; with `wake`, wake a worker.

    With a `problem`, only its traces are graded, whatever the scope. Raises ProjectArchived, GradingRunning.
    """
    if project.status == Project.Status.ARCHIVED:
        raise ProjectArchived
    try:
        with transaction.atomic():
            job = GradingJob.objects.create(
                project=project,
                created_by=by,
                scope=GradingJob.Scope.PROBLEM if problem else scope,
                problem=problem,
                answer_kind=project.answer_kind,
                answer_tolerance=project.answer_tolerance,
                grader_version=GRADER_VERSION,
            )
    except IntegrityError as running:
        raise GradingRunning from running
    audit_log.record("grading.create", actor=by, project=project, target=f"grading {job.pk}", scope=job.scope)
    if wake:
        wake_worker(TASK, job.pk)
    return job


@transaction.atomic
def apply_grading(job: GradingJob, *, by: User | None, wake: bool = True) -> GradingJob:
    """Queue the second half: give the traces the outcomes that were found.

    Raises ProjectArchived, GradingNotReady, GradingRunning.
    """
    if job.project.status == Project.Status.ARCHIVED:
        raise ProjectArchived
    ready = with_readiness(GradingJob.objects.filter(pk=job.pk)).filter(can_apply=True)  # type: ignore[misc]  # by with_readiness
    try:
        with transaction.atomic():
            found = ready.update(**QUEUED_AGAIN, stage=GradingJob.Stage.APPLYING, last_trace_id=0, applied_by=by)
    except IntegrityError as running:
        raise GradingRunning from running
    job.refresh_from_db()
    if not found:
        raise GradingNotReady(status=job.status, stage=job.stage)
    audit_log.record("grading.apply", actor=by, project=job.project, target=f"grading {job.pk}")
    if wake:
        wake_worker(TASK, job.pk)
    return job


@transaction.atomic
def leave_out(job: GradingJob, *, by: User, trace: int, left_out: bool) -> GradingJob:
    """Make applying skip the trace of one difference, or no longer skip it. Nothing else changes.

    Raises GradingNotReady, InvalidFields (trace).
    """
    locked = GradingJob.objects.select_for_update(no_key=True, of=("self",)).get(pk=job.pk)
    if not with_readiness(GradingJob.objects.filter(pk=job.pk)).filter(can_apply=True).exists():  # type: ignore[misc]
        raise GradingNotReady(status=locked.status, stage=locked.stage)
    found = differences(job).filter(trace=trace)
    if not found.exists():
        raise InvalidFields(fields={"trace": ["This grading found no different outcome for that trace."]})
    if found.exclude(left_out=left_out).update(left_out=left_out):
        step = 1 if left_out else -1
        GradingJob.objects.filter(pk=job.pk).update(left_out=F("left_out") + step)
        about = {"trace": trace, "left_out": left_out}
        audit_log.record("grading.leave_out", actor=by, project=job.project, target=f"grading {job.pk}", **about)
    return job


def run_grading(job_id: int, grade: Grader) -> GradingJob | None:
    """Do a queued stage of a grading, or continue where a worker died. Returns None if it is not free.

    `grade` turns questions into grades in the same order (GradingPool.grade).
    """

    def work(job: GradingJob, lease: Lease) -> dict[str, Any]:
        if job.stage == GradingJob.Stage.GRADING:
            return _grade_traces(job, lease, grade)
        return _apply_grades(job, lease)

    return run_job(GradingJob, job_id, work)


def _grade_traces(job: GradingJob, lease: Lease, grade: Grader) -> dict[str, Any]:
    TraceGrade.objects.filter(
        job__project=job.project, job__stage=GradingJob.Stage.GRADING, job__pk__lt=job.pk
    ).delete()
    if job.traces_done == 0:
        keep(job, traces_total=count_traces_to_grade(job))
    while traces := traces_to_grade(job, CHUNK):
        grades = []
        for found in grade(trace.question for trace in traces):
            lease.require()
            grades.append(found)
        with transaction.atomic():
            _copy(job, traces, grades)
            done = job.traces_done + len(traces)
            counts = count_grades(job.counts, traces, grades)
            require_active(job)
            keep(job, last_trace_id=traces[-1].trace_id, traces_done=done, counts=counts)
    return {}


def count_grades(counts: dict[str, int], traces: list[TraceToGrade], grades: list[Grade]) -> dict[str, int]:
    """Return `counts` plus these: traces per outcome found, `differences` from their present outcomes, and `kept`.

    A difference is kept if applying skips it (queries.grading.keeps_imported).
    """
    found = Counter(counts)
    for trace, grade in zip(traces, grades, strict=True):
        found[grade.outcome] += 1
        found["differences"] += grade.outcome != trace.outcome
        found["kept"] += keeps_imported(grade.outcome, trace.outcome, trace.grader_version)
    return dict(found)


def _copy(job: GradingJob, traces: list[TraceToGrade], grades: list[Grade]) -> None:
    with connection.cursor() as cursor, cursor.copy(COPY_GRADES) as copy:
        for trace, found in zip(traces, grades, strict=True):
            before = (trace.outcome, trace.grader_version)
            answer = found.answer.replace("\x00", "")
            copy.write_row((job.pk, trace.trace_id, found.outcome, *before, found.reason, found.rule, answer))


def _apply_grades(job: GradingJob, lease: Lease) -> dict[str, Any]:
    with connection.cursor() as cursor:
        note_written(cursor, "labeling_tracegrade", job.traces_done)
    while True:
        with transaction.atomic(), connection.cursor() as cursor:
            place: dict[str, Any] = {
                "job": job.pk,
                "after": job.last_trace_id,
                "limit": APPLY_CHUNK,
                "version": job.grader_version,
            }
            cursor.execute(APPLY, place)
            last, changed, skipped = cursor.fetchone()
            if last is None:
                break
            cursor.execute(APPLY_TO_SCORES, place | {"last": last})
            progress = {"changed": job.changed + changed, "skipped": job.skipped + skipped}
            require_active(job)
            keep(job, last_trace_id=last, **progress)
        lease.require()
    return {"applied_at": timezone.now()}
