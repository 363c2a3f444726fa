"""Shapes of a settled trace's labels as their labelers see them: whose each one is stays unsaid."""

from collections.abc import Sequence
from typing import Any

from rest_framework import serializers

from labeling.api.serializers.label_shapes import own_ratings
from labeling.api.serializers.labels import VERDICT, FinishDetail, Mistake, RatingsField
from labeling.models import Label, Task


class ComparedLabel(serializers.Serializer):
    number = serializers.IntegerField(help_text="Its place here; it says nothing about who made it.")
    mine = serializers.BooleanField()
    ruling = serializers.BooleanField(help_text="A reviewer's own, which settled it.")
    finish_reason = serializers.ChoiceField(Label.FinishReason.values)
    finish_detail = FinishDetail()
    verdict = serializers.IntegerField(allow_null=True, help_text=VERDICT)
    ratings = RatingsField()
    mistake = Mistake(allow_null=True)


class LabelComparisonOut(serializers.Serializer):
    label_id = serializers.IntegerField()
    problem_text = serializers.CharField()
    answer = serializers.CharField(allow_null=True)
    steps = serializers.ListField(child=serializers.CharField())
    outcome = serializers.ChoiceField(["correct", "wrong", "ungraded"])
    settlement = serializers.ChoiceField(Task.Settlement.values)
    settled_at = serializers.DateTimeField()
    verdict = serializers.IntegerField(allow_null=True, help_text="The first error, -1: none, null: a bad problem.")
    labels = ComparedLabel(many=True)


def comparison_out(own: Label, stands: Sequence[Label]) -> dict[str, Any]:
    """A settled trace with its labels, one's own first."""
    task = own.task
    trace = task.trace
    ordered = sorted(stands, key=lambda label: (label.pk != own.pk, label.pk))
    return {
        "label_id": own.pk,
        "problem_text": trace.problem.text,
        "answer": trace.problem.answer,
        "steps": trace.steps,
        "outcome": trace.outcome,
        "settlement": task.settlement,
        "settled_at": task.settled_at,
        "verdict": task.verdict,
        "labels": [_compared(label, number, own) for number, label in enumerate(ordered, start=1)],
    }


def _compared(label: Label, number: int, own: Label) -> dict[str, Any]:
    return {
        "number": number,
        "mine": label.pk == own.pk,
        "ruling": label.status == Label.Status.RULING,
        "finish_reason": label.finish_reason,
        "finish_detail": label.finish_detail,
        "verdict": label.verdict,
        "ratings": own_ratings(label),
        "mistake": label.mistake,
    }
