"""The shape of a project's overview."""

from rest_framework import serializers

from labeling.api.serializers.labels import DayOut
from labeling.api.serializers.rounds import RoundOut


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
    display_name = serializers.CharField()
    is_active = serializers.BooleanField()
    labels = serializers.IntegerField()
    active_ms = serializers.IntegerField()
    steps = serializers.IntegerField()
    give_up = serializers.IntegerField()
    last_at = serializers.DateTimeField(allow_null=True)


class OverviewOut(serializers.Serializer):
    progress = Progress()
    label_mix = serializers.DictField(child=serializers.IntegerField())
    finish_mix = serializers.DictField(child=serializers.IntegerField())
    first_error_histogram = StepCount(many=True)
    by_day = DayOut(many=True)
    labelers = LabelerRow(many=True)
    outcomes = serializers.DictField(child=serializers.IntegerField())
    rounds = RoundOut(many=True)
    median_active_ms = serializers.FloatField(allow_null=True)
