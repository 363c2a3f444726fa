"""Gradings and the differences they found."""

from rest_framework import serializers

from labeling.api.answers import Shape
from labeling.api.serializers.people import PersonRef
from labeling.models import GradingJob, Problem, Trace, TraceGrade
from labeling.queries.grading import keeps_imported

LONGEST = 500  # characters of a problem, and of its answer, in a list of differences
OUTCOMES = Trace.Outcome.values


class GradingIn(serializers.Serializer):
    """The traces to grade: all, those decided by nobody, or those decided by another grader or the import."""

    scope = serializers.ChoiceField(["all", "ungraded", "outdated"], default=GradingJob.Scope.ALL.value)


class OutcomeCounts(serializers.Serializer):
    correct = serializers.IntegerField()
    wrong = serializers.IntegerField()
    ungraded = serializers.IntegerField()


class GradingOut(Shape):
    """A grading. `counts` and `differences` show what was found so far; `changed` and `skipped`, what was applied."""

    # Of a row that was read with `can_apply` (queries.grading.with_readiness).

    id = serializers.IntegerField()
    status = serializers.ChoiceField(GradingJob.Status.values)
    stage = serializers.ChoiceField(GradingJob.Stage.values)
    scope = serializers.ChoiceField(
        GradingJob.Scope.values,
        help_text="`problem`: the traces of one problem, graded because its right answers changed.",
    )
    answer_kind = serializers.CharField()
    answer_tolerance = serializers.FloatField()
    grader_version = serializers.CharField()
    traces_total = serializers.IntegerField()
    traces_done = serializers.IntegerField()
    counts = OutcomeCounts()
    differences = serializers.IntegerField()
    kept = serializers.IntegerField(help_text="Differences that are not applied, because the import's outcome stays.")
    left_out = serializers.IntegerField(help_text="Differences that are not applied, because a person left them out.")
    can_apply = serializers.BooleanField()
    changed = serializers.IntegerField()
    skipped = serializers.IntegerField(help_text="Traces that somebody else changed since they were graded.")
    error = serializers.CharField()
    created_at = serializers.DateTimeField()
    created_by = PersonRef(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    applied_at = serializers.DateTimeField(allow_null=True)
    applied_by = PersonRef(allow_null=True)

    def counts_of(self, job: GradingJob) -> dict[str, int]:
        """0 if there are none yet."""
        return {outcome: job.counts.get(outcome, 0) for outcome in OUTCOMES}

    def differences_of(self, job: GradingJob) -> int:
        """0 if there are none yet."""
        return job.counts.get("differences", 0)

    def kept_of(self, job: GradingJob) -> int:
        """0 if there are none yet."""
        return job.counts.get("kept", 0)


class LeaveOutIn(serializers.Serializer):
    trace = serializers.IntegerField(min_value=1, max_value=2**63 - 1)
    left_out = serializers.BooleanField(help_text="False: it is applied again with the others.")


class BrowseDifferencesIn(serializers.Serializer):
    outcome = serializers.ChoiceField(OUTCOMES, required=False, allow_blank=True)
    outcome_before = serializers.ChoiceField(OUTCOMES, required=False, allow_blank=True)
    reason = serializers.CharField(max_length=40, required=False, allow_blank=True)
    unchanged = serializers.BooleanField(
        default=False, help_text="List the traces whose outcome would stay as it is instead."
    )


class GradedProblem(Shape):
    id = serializers.IntegerField()
    external_id = serializers.CharField()
    text = serializers.CharField(help_text=f"Its first {LONGEST} characters.")
    answer = serializers.CharField(allow_null=True, help_text=f"Its first {LONGEST} characters.")
    accepted_answers = serializers.ListField(
        child=serializers.CharField(), help_text="Other right answers, each cut to the same length."
    )

    def text_of(self, problem: Problem) -> str:
        """The beginning of the text."""
        return problem.text[:LONGEST]

    def answer_of(self, problem: Problem) -> str | None:
        """The beginning of the answer."""
        return None if problem.answer is None else problem.answer[:LONGEST]

    def accepted_answers_of(self, problem: Problem) -> list[str]:
        """The beginnings of the answers."""
        return [answer[:LONGEST] for answer in problem.accepted_answers]


class GradingDifference(Shape):
    """A trace whose outcome would change. `answer` is what `rule` found in it; `reason` is the grader's explanation."""

    trace_id = serializers.IntegerField()
    problem = GradedProblem(source="trace.problem")
    outcome_before = serializers.ChoiceField(OUTCOMES)
    outcome = serializers.ChoiceField(OUTCOMES)
    kept = serializers.BooleanField(help_text="Applying the grading leaves this trace unchanged.")
    left_out = serializers.BooleanField(
        help_text="A person left it out, so applying the grading leaves this trace unchanged as well."
    )
    reason = serializers.CharField()
    rule = serializers.CharField()
    answer = serializers.CharField()

    def kept_of(self, grade: TraceGrade) -> bool:
        """Whether the import's outcome stays."""
        return keeps_imported(grade.outcome, grade.outcome_before, grade.version_before)
