"""A settled trace's labels as its labelers see them, without names."""

from collections.abc import Sequence

from rest_framework import serializers

from labeling.api.answers import Shape, With
from labeling.api.serializers.finished_labels import own_ratings
from labeling.api.serializers.labels import VERDICT, FinishDetail, MistakeSaid, RatingsField
from labeling.api.serializers.runs import TypedStepShown
from labeling.formats.typed_steps import shown_steps
from labeling.models import Label, Task


class ComparedLabel(Shape):
    number = serializers.IntegerField(help_text="Its position here. It says nothing about who made it.")
    mine = serializers.BooleanField()
    ruling = serializers.BooleanField(help_text="A reviewer's label, which settled the task.")
    finish_reason = serializers.ChoiceField(Label.FinishReason.values)
    finish_detail = FinishDetail()
    verdict = serializers.IntegerField(allow_null=True, help_text=VERDICT)
    ratings = RatingsField()
    mistake = MistakeSaid(allow_null=True)

    def ruling_of(self, label: Label) -> bool:
        """From its status."""
        return label.status == Label.Status.RULING

    def ratings_of(self, label: Label) -> list[int | None]:
        """One per step of the trace."""
        return own_ratings(label)


class LabelComparisonOut(serializers.Serializer):
    label_id = serializers.IntegerField(source="pk")
    problem_text = serializers.CharField(source="task.trace.problem.text")
    answer = serializers.CharField(source="task.trace.problem.answer", allow_null=True)
    accepted_answers = serializers.ListField(
        child=serializers.CharField(), source="task.trace.problem.accepted_answers", help_text="Right too."
    )
    steps = serializers.ListField(child=serializers.CharField(), source="task.trace.steps")
    typed_steps = TypedStepShown(
        many=True, allow_null=True, help_text="Only for an agent's run; `steps` are its units."
    )
    outcome = serializers.ChoiceField(["correct", "wrong", "ungraded"], source="task.trace.outcome")
    settlement = serializers.ChoiceField(Task.Settlement.values, source="task.settlement")
    settled_at = serializers.DateTimeField(source="task.settled_at")
    verdict = serializers.IntegerField(
        source="task.verdict", allow_null=True, help_text="The first error, -1 for none. Null: a bad problem."
    )
    labels = ComparedLabel(many=True)


def with_labels(own: Label, stands: Sequence[Label]) -> With:
    """For LabelComparisonOut: a settled trace with its labels, your own first."""
    ordered = sorted(stands, key=lambda label: (label.pk != own.pk, label.pk))
    numbered = [With(label, number=number, mine=label.pk == own.pk) for number, label in enumerate(ordered, start=1)]
    typed = own.task.trace.typed_steps
    return With(own, labels=numbered, typed_steps=None if typed is None else shown_steps(typed))
