"""Reads of grading: which traces to grade, and how grades differ from the traces' outcomes."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import BooleanField, Count, Exists, ExpressionWrapper, F, OuterRef, Q, QuerySet

from labeling.errors import NotFound
from labeling.grading import Question
from labeling.models import GradingJob, Project, Trace, TraceGrade, User
from labeling.queries.frozen_labels import CLOCKS_DIFFER
from labeling.queries.label_comparison import UNDO
from labeling.queries.projects import RESEARCHER, get_project_by_id_as

ANSWER_STEPS = 12  # a final answer is in the last steps; earlier ones are not read

# A path is graded once its labeler can no longer take it back; while it is being chosen, it has no answer. `settled` is
# a time before the job was created, so the paths counted first are also the ones graded later.
TO_GRADE = """
    FROM labeling_trace AS trace JOIN labeling_problem AS problem ON problem.id = trace.problem_id
    WHERE trace.project_id = %(project)s AND trace.id > %(after)s
        AND (%(scope)s = 'all' OR (%(scope)s = 'ungraded' AND trace.outcome = 'ungraded')
            OR (%(scope)s = 'outdated' AND trace.grader_version <> %(version)s)
            OR (%(scope)s = 'problem' AND trace.problem_id = %(problem)s))
        AND (NOT trace.is_path OR EXISTS (
            SELECT FROM labeling_task AS task JOIN labeling_label AS label ON label.task_id = task.id
            WHERE task.trace_id = trace.id AND label.status = 'submitted' AND label.submitted_at <= %(settled)s))
"""
COUNT = f"SELECT count(*) {TO_GRADE}"
TRACES_TO_GRADE = f"""
    SELECT trace.id, trace.outcome, trace.grader_version,
        trace.steps[greatest(1, cardinality(trace.steps) - %(last)s):], trace.final_answer, problem.answer,
        problem.accepted_answers
    {TO_GRADE}
    ORDER BY trace.id LIMIT %(limit)s
"""


class TraceToGrade(NamedTuple):
    """A trace with its current outcome, and the question for the grader."""

    trace_id: int
    outcome: str
    grader_version: str
    question: Question


def traces_to_grade(job: GradingJob, limit: int) -> list[TraceToGrade]:
    """Return the next traces of a grading, by id. One query."""
    with connection.cursor() as cursor:
        about = _about(job, job.last_trace_id) | {"limit": limit, "last": ANSWER_STEPS - 1}
        cursor.execute(TRACES_TO_GRADE, about)
        return [
            TraceToGrade(
                trace_id,
                outcome,
                version,
                Question(tuple(steps), final_answer, truth, job.answer_kind, job.answer_tolerance, tuple(accepted)),
            )
            for trace_id, outcome, version, steps, final_answer, truth, accepted in cursor.fetchall()
        ]


def count_traces_to_grade(job: GradingJob) -> int:
    """Return how many traces a grading will look at."""
    with connection.cursor() as cursor:
        cursor.execute(COUNT, _about(job, 0))
        return int(cursor.fetchone()[0])


def _about(job: GradingJob, after: int) -> dict[str, Any]:
    settled = job.created_at - UNDO - CLOCKS_DIFFER
    asked = {"scope": job.scope, "problem": job.problem_id, "version": job.grader_version}
    return {"project": job.project_id, "after": after, "settled": settled, **asked}


def gradings_of(project: Project) -> QuerySet[GradingJob]:
    """Return a project's gradings, each with `can_apply`."""
    return with_readiness(GradingJob.objects.filter(project=project)).select_related("created_by", "applied_by")


def with_readiness(jobs: QuerySet[GradingJob]) -> QuerySet[GradingJob]:
    """Add `can_apply` to each: finished, not applied, and no later grading has begun (which discards its grades)."""
    later = GradingJob.objects.filter(project=OuterRef("project"), pk__gt=OuterRef("pk"), started_at__isnull=False)
    graded = Q(stage=GradingJob.Stage.GRADING, status=GradingJob.Status.SUCCEEDED)
    return jobs.annotate(can_apply=ExpressionWrapper(graded & ~Exists(later), BooleanField()))


def get_visible_grading(user: User, grading_id: int) -> GradingJob:
    """Return a grading of a project in which this person is a researcher or admin. Raises NotFound."""
    jobs = with_readiness(GradingJob.objects.select_related("project", "created_by", "applied_by"))
    found = jobs.filter(pk=grading_id).first()
    if found is None:
        raise NotFound
    get_project_by_id_as(user, found.project_id, RESEARCHER)
    return found


def differences(job: GradingJob, *, unchanged: bool = False, **narrowed: str) -> QuerySet[TraceGrade]:
    """Return the grades that differ from the outcome the trace had, by trace, with their traces and problems.

    `unchanged` returns those that do not differ instead. `narrowed` may give an `outcome`, an `outcome_before` and a
    `reason`; an empty one means any.
    """
    chosen = {column: value for column, value in narrowed.items() if value}
    same = Q(outcome=F("outcome_before"))
    differing = TraceGrade.objects.filter(same if unchanged else ~same, job=job, **chosen)
    return differing.select_related("trace__problem").defer("trace__typed_steps").order_by("trace_id")


def keeps_imported(outcome: str, outcome_before: str, version_before: str) -> bool:
    """Return whether applying leaves a trace alone: "cannot tell" does not replace an outcome from the import."""
    ungraded = Trace.Outcome.UNGRADED.value
    return outcome == ungraded != outcome_before and version_before == ""


def grading_counts(job: GradingJob) -> dict[str, Any]:
    """Return `{outcomes: {before: {after: n}}, reasons: {reason: n}, differences, kept}` of a grading. Two queries."""
    pairs = TraceGrade.objects.filter(job=job).values_list("outcome_before", "outcome", "version_before")
    outcomes: dict[str, dict[str, int]] = {}
    differing = kept = 0
    for before, after, version, count in _counted(pairs):
        outcomes.setdefault(before, {}).setdefault(after, 0)
        outcomes[before][after] += count
        differing += count * (before != after)
        kept += count * keeps_imported(after, before, version)
    reasons = dict(_counted(TraceGrade.objects.filter(job=job).values_list("reason")))
    return {"outcomes": outcomes, "reasons": reasons, "differences": differing, "kept": kept}


def _counted(rows: QuerySet[TraceGrade, Any]) -> Sequence[Any]:
    return list(rows.annotate(count=Count("pk")).order_by())
