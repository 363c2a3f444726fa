"""Shapes of gradings and of the differences they found."""

from typing import Any

from rest_framework import serializers

from labeling.api.serializers.people import PersonRef
from labeling.models import GradingJob, Trace, TraceGrade
from labeling.queries.grading import keeps_imported

LONGEST = 500  # characters of a problem, and of its answer, in a list of differences
OUTCOMES = Trace.Outcome.values

COLUMNS = (
    "id",
    "status",
    "stage",
    "scope",
    "answer_kind",
    "answer_tolerance",
    "grader_version",
    "traces_total",
    "traces_done",
    "can_apply",
    "changed",
    "skipped",
    "error",
    "created_at",
    "finished_at",
    "applied_at",
)


class GradingIn(serializers.Serializer):
    """Which traces: all, those nobody has decided, or those that another grader or the import decided."""

    scope = serializers.ChoiceField(["all", "ungraded", "outdated"], default=GradingJob.Scope.ALL.value)


class OutcomeCounts(serializers.Serializer):
    correct = serializers.IntegerField()
    wrong = serializers.IntegerField()
    ungraded = serializers.IntegerField()


class GradingOut(serializers.Serializer):
    """A grading: `counts` and `differences` are of what was found so far, `changed` and `skipped` of applying it."""

    id = serializers.IntegerField()
    status = serializers.ChoiceField(GradingJob.Status.values)
    stage = serializers.ChoiceField(GradingJob.Stage.values)
    scope = serializers.ChoiceField(
        GradingJob.Scope.values, help_text="problem: the traces of one whose answer was corrected, which starts it."
    )
    answer_kind = serializers.CharField()
    answer_tolerance = serializers.FloatField()
    grader_version = serializers.CharField()
    traces_total = serializers.IntegerField()
    traces_done = serializers.IntegerField()
    counts = OutcomeCounts()
    differences = serializers.IntegerField()
    kept = serializers.IntegerField(help_text="Differences that applying passes over: the import's outcome stays.")
    can_apply = serializers.BooleanField()
    changed = serializers.IntegerField()
    skipped = serializers.IntegerField(help_text="Traces that somebody else changed since they were graded.")
    error = serializers.CharField()
    created_at = serializers.DateTimeField()
    created_by = PersonRef(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    applied_at = serializers.DateTimeField(allow_null=True)
    applied_by = PersonRef(allow_null=True)


class BrowseDifferencesIn(serializers.Serializer):
    outcome = serializers.ChoiceField(OUTCOMES, required=False, allow_blank=True)
    outcome_before = serializers.ChoiceField(OUTCOMES, required=False, allow_blank=True)
    reason = serializers.CharField(max_length=40, required=False, allow_blank=True)


class GradedProblem(serializers.Serializer):
    id = serializers.IntegerField()
    external_id = serializers.CharField()
    text = serializers.CharField(help_text=f"Its first {LONGEST} characters.")
    answer = serializers.CharField(allow_null=True, help_text=f"Its first {LONGEST} characters.")


class GradingDifference(serializers.Serializer):
    """A trace whose outcome would change, and why: `answer` is what `rule` found in it, `reason` the grader's word."""

    trace_id = serializers.IntegerField()
    problem = GradedProblem()
    outcome_before = serializers.ChoiceField(OUTCOMES)
    outcome = serializers.ChoiceField(OUTCOMES)
    kept = serializers.BooleanField(help_text="Applying leaves this trace alone.")
    reason = serializers.CharField()
    rule = serializers.CharField()
    answer = serializers.CharField()


def grading_out(job: GradingJob) -> dict[str, Any]:
    """A grading as the API shows it. `job` was read with `can_apply` (queries.grading.with_readiness)."""
    return {
        **{column: getattr(job, column) for column in COLUMNS},
        "counts": {outcome: job.counts.get(outcome, 0) for outcome in OUTCOMES},
        "differences": job.counts.get("differences", 0),
        "kept": job.counts.get("kept", 0),
        "created_by": PersonRef(job.created_by).data if job.created_by else None,
        "applied_by": PersonRef(job.applied_by).data if job.applied_by else None,
    }


def difference_out(grade: TraceGrade) -> dict[str, Any]:
    """A difference as the API shows it."""
    problem = grade.trace.problem
    return {
        "trace_id": grade.trace_id,
        "problem": {
            "id": problem.pk,
            "external_id": problem.external_id,
            "text": problem.text[:LONGEST],
            "answer": None if problem.answer is None else problem.answer[:LONGEST],
        },
        "outcome_before": grade.outcome_before,
        "outcome": grade.outcome,
        "kept": keeps_imported(grade.outcome, grade.outcome_before, grade.version_before),
        "reason": grade.reason,
        "rule": grade.rule,
        "answer": grade.answer,
    }
