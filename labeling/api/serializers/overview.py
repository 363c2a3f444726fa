"""A project's overview."""

from typing import Any

from rest_framework import serializers

from labeling.api.serializers.estimates import AsOf
from labeling.api.serializers.gradings import OutcomeCounts
from labeling.api.serializers.my_progress import DayOut, RatingCounts
from labeling.api.serializers.rounds import RoundOut
from labeling.models import Label, User


class Progress(serializers.Serializer):
    tasks = serializers.IntegerField()
    slots = serializers.IntegerField()
    submitted = serializers.IntegerField()
    open = serializers.IntegerField()
    surplus = serializers.IntegerField()


class StepCount(serializers.Serializer):
    step = serializers.IntegerField()
    n = serializers.IntegerField()


class LabelerRow(serializers.Serializer):
    id = serializers.IntegerField()
    kind = serializers.ChoiceField(User.Kind.values)
    display_name = serializers.CharField()
    is_active = serializers.BooleanField()
    labels = serializers.IntegerField()
    active_ms = serializers.IntegerField()
    timed_labels = serializers.IntegerField(help_text="Labels with active time.")
    steps = serializers.IntegerField()
    give_up = serializers.IntegerField()
    last_at = serializers.DateTimeField(allow_null=True)


class FinishCounts(serializers.Serializer):
    """How many labels had each finish reason. Reasons that never occurred are left out."""

    def get_fields(self) -> dict[str, Any]:
        """One field per finish reason."""
        return {reason: serializers.IntegerField(required=False) for reason in Label.FinishReason.values}


class MissingFigures(serializers.Serializer):
    problems = serializers.IntegerField(
        help_text="Problems with a drawing or an image in the text, which labelers do not see."
    )
    labels = serializers.IntegerField(help_text="Labels that call their problem bad because a figure is missing.")


class OverviewOut(AsOf):
    progress = Progress()
    label_mix = RatingCounts()
    finish_mix = FinishCounts()
    first_error_histogram = StepCount(many=True)
    by_day = DayOut(many=True)
    labelers = LabelerRow(many=True)
    outcomes = OutcomeCounts()
    rounds = RoundOut(many=True)
    missing_figures = MissingFigures()
    median_active_ms = serializers.FloatField(allow_null=True)
