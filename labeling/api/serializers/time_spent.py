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
    timed_labels = serializers.IntegerField(
        allow_null=True,
        default=None,
        help_text="What the rates are of. Null in a report that was frozen before it was counted.",
    )
    untimed_labels = serializers.IntegerField(
        allow_null=True,
        default=None,
        help_text="Labels that came without active time: how long they took nobody knows.",
    )
    per_trace = EstimateOut(help_text="Over traces all of whose labels are timed, as are errors.")
    per_step = EstimateOut(help_text="Over steps of timed labels.")
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
