"""Shapes of active time and its cost."""

from rest_framework import serializers

from labeling.api.serializers.estimates import AsOf, EstimateOut


class MoneyOut(serializers.Serializer):
    """What the time costs at the project's hourly rate."""

    currency = serializers.CharField()
    hourly_rate = serializers.CharField()
    total = serializers.FloatField()
    per_trace = serializers.FloatField(allow_null=True)
    per_step = serializers.FloatField(allow_null=True)
    per_error = serializers.FloatField(allow_null=True)


class TimeSpent(serializers.Serializer):
    """Active minutes on ordinary work."""

    minutes = serializers.FloatField()
    traces = serializers.IntegerField(help_text="Finished.")
    steps = serializers.IntegerField(help_text="Rated.")
    confirmed_errors = serializers.IntegerField(help_text="Confirmed: found in a trace, by most of its labels.")
    per_trace = EstimateOut()
    per_step = EstimateOut()
    per_error = EstimateOut()
    money = MoneyOut(allow_null=True, help_text="Null where the project has no hourly rate.")


class SessionTimes(serializers.Serializer):
    """Active minutes a trace: where the labeler's trace before was of the same problem, and where it was not."""

    in_session = EstimateOut()
    shuffled = EstimateOut()
    ratio = EstimateOut(help_text="In session over shuffled.")


class TimeReportOut(AsOf):
    time = TimeSpent()
    sessions = SessionTimes()
