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
    traces = serializers.IntegerField(help_text="Finished traces.")
    steps = serializers.IntegerField(help_text="Rated steps.")
    confirmed_errors = serializers.IntegerField(help_text="Errors found in a trace by the majority of its labels.")
    timed_labels = serializers.IntegerField(
        allow_null=True,
        default=None,
        help_text="Labels that the rates are based on. Null in a report that was frozen before this was counted.",
    )
    untimed_labels = serializers.IntegerField(
        allow_null=True,
        default=None,
        help_text="Labels without active time: how long they took is unknown.",
    )
    per_trace = EstimateOut(help_text="Over traces whose labels all have times, as for errors.")
    per_step = EstimateOut(help_text="Over steps of labels with times.")
    per_error = EstimateOut()
    money = MoneyOut(allow_null=True, help_text="Null if the project has no hourly rate.")


class SessionTimes(serializers.Serializer):
    """Active minutes per trace, depending on whether the labeler's previous trace was of the same problem."""

    in_session = EstimateOut()
    shuffled = EstimateOut()
    ratio = EstimateOut(help_text="Same problem over different problem.")


class TimeReportOut(AsOf):
    time = TimeSpent()
    sessions = SessionTimes()
