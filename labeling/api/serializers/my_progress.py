"""What labelers see of their own work: today, in the round, and in total."""

from typing import Any

from rest_framework import serializers

from labeling.models import Rating


class DayOut(serializers.Serializer):
    day = serializers.DateField()
    labels = serializers.IntegerField()
    active_ms = serializers.IntegerField()


class RoundProgress(serializers.Serializer):
    number = serializers.IntegerField()
    name = serializers.CharField()
    done = serializers.IntegerField()
    total = serializers.IntegerField()


class RatingCounts(serializers.Serializer):
    """How often each rating was given."""

    def get_fields(self) -> dict[str, Any]:
        """Ratings are not Python names, so they cannot be declared as fields."""
        return {str(rating): serializers.IntegerField() for rating in Rating.values}


class MyProgressIn(serializers.Serializer):
    """The round whose progress is wanted."""

    round = serializers.IntegerField(
        min_value=-(1 << 31),
        max_value=(1 << 31) - 1,
        required=False,
        help_text="The round's number. Default: the round that is served first.",
    )


class MyProgress(serializers.Serializer):
    """The header above the work: your own day (UTC), and the round's progress."""

    submitted_today = serializers.IntegerField()
    active_ms_today = serializers.IntegerField()
    round = RoundProgress(allow_null=True)
    floor_ms = serializers.IntegerField(help_text="A label with less active time per step than this is hasty.")


class MyStats(MyProgress):
    submitted = serializers.IntegerField()
    active_ms = serializers.IntegerField()
    steps_rated = serializers.IntegerField()
    rating_counts = RatingCounts()
    by_day = DayOut(many=True)
    hasty = serializers.IntegerField(help_text="Labels that took less active time per step than `floor_ms`.")
    judged = serializers.IntegerField(help_text="Labels with a rated step: the total for `hasty`.")
