"""Shapes of the review queue, of a task under review, and of a reviewer's decisions."""

from collections.abc import Iterable

from rest_framework import serializers

from labeling.api.answers import Shape, With
from labeling.api.parameters import LARGEST_ID
from labeling.api.serializers.labels import (
    MAX_STEPS,
    FinishDetail,
    Mistake,
    RatingsField,
    RoundRef,
    StepIndexField,
    TextField,
)
from labeling.api.serializers.people import PersonRef
from labeling.api.serializers.runs import RunMarks
from labeling.api.serializers.traces import TaskOut
from labeling.api.short_lists import ShortList
from labeling.models import Label, Problem, Project, ReviewDecision, ReviewKind, StepReply, Task
from labeling.queries.gold import gold_id_of
from labeling.queries.reviews import Reviewed, has_open_round, kinds_of

KINDS = ReviewKind.values


class BrowseReviewsIn(serializers.Serializer):
    kind = serializers.ChoiceField(KINDS, required=False, allow_blank=True)


class CountReviewsIn(serializers.Serializer):
    round = serializers.IntegerField(required=False, min_value=1, max_value=LARGEST_ID, help_text="The round's id.")


class WaitingTask(Shape):
    """A task prepared by `with_kinds`."""

    id = serializers.IntegerField()
    round = RoundRef()
    kinds = serializers.ListField(child=serializers.ChoiceField(KINDS))
    problem_text = serializers.CharField()
    step_count = serializers.IntegerField()
    outcome = serializers.ChoiceField(["correct", "wrong", "ungraded"], source="trace.outcome")

    def problem_text_of(self, task: Task) -> str:
        """The beginning of the problem's text."""
        return task.trace.problem.text[:160]

    def step_count_of(self, task: Task) -> int:
        """The number of steps in the trace."""
        return len(task.trace.steps)


class ReviewCounts(serializers.Serializer):
    kinds = serializers.DictField(child=serializers.IntegerField())
    tasks = serializers.IntegerField(help_text="Tasks that wait, for any reason.")


class DecisionOut(serializers.Serializer):
    kind = serializers.ChoiceField(KINDS)
    outcome = serializers.ChoiceField(ReviewDecision.Outcome.values)
    reason = serializers.CharField()
    by = PersonRef()
    at = serializers.DateTimeField()


class ReplyOut(serializers.Serializer):
    id = serializers.IntegerField()
    labeler_id = serializers.IntegerField()
    step = serializers.IntegerField(source="step_index")
    author = PersonRef()
    text = serializers.CharField()
    created_at = serializers.DateTimeField()


class ReviewOut(Shape):
    task = TaskOut()
    protocol = serializers.CharField(
        source="task.round.protocol", help_text="How the round's traces are labeled and rulings are made."
    )
    waiting = serializers.ListField(child=serializers.ChoiceField(KINDS))
    settlement = serializers.ChoiceField(Task.Settlement.values, source="task.settlement", allow_blank=True)
    verdict = serializers.IntegerField(source="task.verdict", allow_null=True)
    withdrawn = serializers.BooleanField(help_text="The task is off the queue: a bad problem, or a repaired split.")
    held = serializers.IntegerField(help_text="Labels in progress.")
    can_settle = serializers.BooleanField(help_text="The task is work, and its round is not closed.")
    answer_known = serializers.BooleanField(
        help_text="The task is not work but gold, screening, or imported quality control."
    )
    replaced_by = serializers.IntegerField(
        source="newer", allow_null=True, help_text="The task of the version with a different split."
    )
    replaces = serializers.IntegerField(source="older", allow_null=True, help_text="The task of the previous version.")
    gold = serializers.IntegerField(allow_null=True, help_text="The gold item that its trace is or was.")
    decisions = DecisionOut(source="task.decisions", many=True)
    replies = ReplyOut(many=True)

    def withdrawn_of(self, found: Reviewed) -> bool:
        """Whether the task is withdrawn, for any reason."""
        return found.task.withdrawn is not None

    def can_settle_of(self, found: Reviewed) -> bool:
        """Whether it can be settled: the labels of a closed round are frozen."""
        return has_open_round(found.task) and not self.answer_known_of(found)

    def answer_known_of(self, found: Reviewed) -> bool:
        """Whether the answer is known, because the task checks its labelers."""
        return found.task.kind != Task.Kind.WORK

    def gold_of(self, found: Reviewed) -> int | None:
        """The gold item's id. One query."""
        return gold_id_of(found.task.trace)


class BlindReviewIn(serializers.Serializer):
    """A reviewer's own label."""

    ratings = RatingsField()
    finish_reason = serializers.ChoiceField(["found_error", "solution", "bad_problem"])
    finish_detail = FinishDetail(default=dict)
    mistake = Mistake(allow_null=True, default=None)
    note = TextField(default="", max_length=5000)


class SettleTaskIn(BlindReviewIn):
    """A reviewer's own label on a task whose labels the reviewer has seen."""

    run_marks = RunMarks(allow_null=True, default=None, help_text="Marks on an agent's run as a whole.")
    seen_ruling = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=LARGEST_ID,
        help_text="The id of the ruling that you saw, or null if there was none. If another ruling applies by now, "
        "the answer is 409 `ruling_changed`. If left out, any current ruling is replaced.",
    )


class WithdrawRulingIn(serializers.Serializer):
    ruling = serializers.IntegerField(
        min_value=1,
        max_value=LARGEST_ID,
        help_text="The id of the ruling to take back, which must still be the current one.",
    )


class DismissIn(serializers.Serializer):
    kinds = ShortList(child=serializers.ChoiceField(KINDS), allow_empty=False, max_length=len(KINDS))
    reason = serializers.CharField(max_length=5000)


class ReasonIn(serializers.Serializer):
    reason = serializers.CharField(max_length=5000)


class CorrectAnswerIn(ReasonIn):
    answer = serializers.CharField(max_length=2000)


class AcceptAnswerIn(CorrectAnswerIn):
    accepted = serializers.BooleanField(default=True, help_text="False takes it back.")


class RepairSplitIn(ReasonIn):
    steps = ShortList(
        child=serializers.CharField(max_length=100_000, trim_whitespace=False), allow_empty=False, max_length=MAX_STEPS
    )


class ReplyIn(serializers.Serializer):
    labeler_id = serializers.IntegerField(min_value=1, max_value=(1 << 63) - 1)
    step = StepIndexField()
    text = serializers.CharField(max_length=5000)


class OwnReplyIn(serializers.Serializer):
    step = StepIndexField()
    text = serializers.CharField(max_length=5000)


class ProblemStatusOut(serializers.Serializer):
    status = serializers.ChoiceField(Problem.Status.values)


class GradingStarted(serializers.Serializer):
    grading_id = serializers.IntegerField()


class SplitRepaired(serializers.Serializer):
    trace_id = serializers.IntegerField()
    task_id = serializers.IntegerField(allow_null=True, help_text="The new version's task in this round.")


class ThreadOut(Shape):
    """A reply prepared by `with_own_labels`. It does not say who wrote it."""

    id = serializers.IntegerField()
    label_id = serializers.IntegerField(allow_null=True)
    problem_text = serializers.CharField()
    step = serializers.IntegerField(source="step_index")
    mine = serializers.BooleanField()
    text = serializers.CharField()
    created_at = serializers.DateTimeField()

    def problem_text_of(self, reply: StepReply) -> str:
        """The beginning of the problem's text."""
        return reply.task.trace.problem.text[:160]

    def mine_of(self, reply: StepReply) -> bool:
        """Whether the labeler wrote it."""
        return reply.author_id == reply.labeler_id


def with_kinds(project: Project, tasks: Iterable[Task]) -> list[With]:
    """The data for WaitingTask: tasks of the review queue with the reasons why they wait."""
    tasks = list(tasks)
    kinds = kinds_of(project, tasks)
    return [With(task, kinds=kinds[task.pk]) for task in tasks]


def with_own_labels(replies: Iterable[StepReply]) -> list[With]:
    """The data for ThreadOut: replies to a labeler, with the label that each is about. One query in addition to the
    page's.
    """
    replies = list(replies)
    mine = Label.objects.filter(
        task__in={reply.task_id for reply in replies},
        labeler__in={reply.labeler_id for reply in replies},
        status=Label.Status.SUBMITTED,
    )
    labels = dict(mine.values_list("task", "pk"))
    return [With(reply, label_id=labels.get(reply.task_id)) for reply in replies]
