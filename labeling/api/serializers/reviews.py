"""Shapes of the review queue, of a task under review, and of what a reviewer decides."""

from collections.abc import Iterable
from typing import Any

from rest_framework import serializers

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
from labeling.api.serializers.traces import TaskOut, task_out
from labeling.models import Label, Problem, Project, ReviewDecision, ReviewKind, StepReply, Task
from labeling.queries.gold import gold_id_of
from labeling.queries.reviews import Reviewed, has_open_round, kinds_of

KINDS = ReviewKind.values


class BrowseReviewsIn(serializers.Serializer):
    kind = serializers.ChoiceField(KINDS, required=False, allow_blank=True)


class WaitingTask(serializers.Serializer):
    id = serializers.IntegerField()
    round = RoundRef()
    kinds = serializers.ListField(child=serializers.ChoiceField(KINDS))
    problem_text = serializers.CharField()
    step_count = serializers.IntegerField()
    outcome = serializers.ChoiceField(["correct", "wrong", "ungraded"])


class ReviewCounts(serializers.Serializer):
    kinds = serializers.DictField(child=serializers.IntegerField())
    tasks = serializers.IntegerField(help_text="Tasks that wait, for whatever reason.")


class DecisionOut(serializers.Serializer):
    kind = serializers.ChoiceField(KINDS)
    outcome = serializers.ChoiceField(ReviewDecision.Outcome.values)
    reason = serializers.CharField()
    by = PersonRef()
    at = serializers.DateTimeField()


class ReplyOut(serializers.Serializer):
    id = serializers.IntegerField()
    labeler_id = serializers.IntegerField()
    step = serializers.IntegerField()
    author = PersonRef()
    text = serializers.CharField()
    created_at = serializers.DateTimeField()


class ReviewOut(serializers.Serializer):
    task = TaskOut()
    protocol = serializers.CharField(help_text="How the round's traces are labeled, and a ruling is made.")
    waiting = serializers.ListField(child=serializers.ChoiceField(KINDS))
    settlement = serializers.ChoiceField(Task.Settlement.values, allow_blank=True)
    verdict = serializers.IntegerField(allow_null=True)
    withdrawn = serializers.BooleanField(help_text="It is off the queue: a bad problem, or a repaired split.")
    held = serializers.IntegerField(help_text="Labels that are being worked on.")
    can_settle = serializers.BooleanField(help_text="Its round is not closed.")
    replaced_by = serializers.IntegerField(allow_null=True, help_text="The task of the version with another split.")
    replaces = serializers.IntegerField(allow_null=True, help_text="The task of the version before.")
    gold = serializers.IntegerField(allow_null=True, help_text="The gold item that its trace is or was.")
    decisions = DecisionOut(many=True)
    replies = ReplyOut(many=True)


class SettleTaskIn(serializers.Serializer):
    ratings = RatingsField()
    finish_reason = serializers.ChoiceField(["found_error", "solution", "bad_problem"])
    finish_detail = FinishDetail(default=dict)
    mistake = Mistake(allow_null=True, default=None)
    note = TextField(default="", max_length=5000)


class DismissIn(serializers.Serializer):
    kinds = serializers.ListField(child=serializers.ChoiceField(KINDS), allow_empty=False, max_length=len(KINDS))
    reason = serializers.CharField(max_length=5000)


class ReasonIn(serializers.Serializer):
    reason = serializers.CharField(max_length=5000)


class CorrectAnswerIn(ReasonIn):
    answer = serializers.CharField(max_length=2000)


class RepairSplitIn(ReasonIn):
    steps = serializers.ListField(
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


class ThreadOut(serializers.Serializer):
    id = serializers.IntegerField()
    label_id = serializers.IntegerField(allow_null=True)
    problem_text = serializers.CharField()
    step = serializers.IntegerField()
    mine = serializers.BooleanField()
    text = serializers.CharField()
    created_at = serializers.DateTimeField()


def waiting_out(project: Project, tasks: Iterable[Task]) -> list[dict[str, Any]]:
    """Tasks of the review queue with the reasons for which they wait."""
    tasks = list(tasks)
    kinds = kinds_of(project, tasks)
    return [
        {
            "id": task.pk,
            "round": {"id": task.round_id, "number": task.round.number, "name": task.round.name},
            "kinds": kinds[task.pk],
            "problem_text": task.trace.problem.text[:160],
            "step_count": len(task.trace.steps),
            "outcome": task.trace.outcome,
        }
        for task in tasks
    ]


def review_out(found: Reviewed) -> dict[str, Any]:
    """A task with all that a reviewer decides on."""
    task = found.task
    return {
        "task": task_out(task),
        "protocol": task.round.protocol,
        "waiting": found.waiting,
        "settlement": task.settlement,
        "verdict": task.verdict,
        "withdrawn": task.withdrawn is not None,
        "held": found.held,
        "can_settle": has_open_round(task),
        "replaced_by": found.newer,
        "replaces": found.older,
        "gold": gold_id_of(task.trace),
        "decisions": [
            {"kind": one.kind, "outcome": one.outcome, "reason": one.reason, "by": _person(one.by), "at": one.at}
            for one in task.decisions.all()
        ],
        "replies": [reply_out(one) for one in found.replies],
    }


def reply_out(reply: StepReply) -> dict[str, Any]:
    """One answer in a thread."""
    return {
        "id": reply.pk,
        "labeler_id": reply.labeler_id,
        "step": reply.step_index,
        "author": _person(reply.author),
        "text": reply.text,
        "created_at": reply.created_at,
    }


def threads_out(replies: Iterable[StepReply]) -> list[dict[str, Any]]:
    """What was answered to a labeler; who answered stays unsaid. One query beside the page's."""
    replies = list(replies)
    mine = Label.objects.filter(
        task__in={reply.task_id for reply in replies},
        labeler__in={reply.labeler_id for reply in replies},
        status=Label.Status.SUBMITTED,
    )
    labels = dict(mine.values_list("task", "pk"))
    return [
        {
            "id": reply.pk,
            "label_id": labels.get(reply.task_id),
            "problem_text": reply.task.trace.problem.text[:160],
            "step": reply.step_index,
            "mine": reply.author_id == reply.labeler_id,
            "text": reply.text,
            "created_at": reply.created_at,
        }
        for reply in replies
    ]


def _person(person: Any) -> dict[str, Any]:
    return {"id": person.pk, "display_name": person.shown_name}
