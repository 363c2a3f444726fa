"""A figure with its interval. The shape is the same everywhere."""

from typing import Any

from rest_framework import serializers

from labeling.statistics.intervals import NO_INTERVAL, kept


class EstimateOut(serializers.Serializer):
    """A figure with its 95 % interval. If `value` is null, it is undefined. If `low` and `high` are null, there is no
    interval, and `no_interval` says why. `clusters` is the number of independent units (problems, traces) behind it.
    """

    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    n = serializers.IntegerField()
    clusters = serializers.IntegerField(allow_null=True, default=None, read_only=True)
    no_interval = serializers.ChoiceField(NO_INTERVAL, allow_null=True, default=None, read_only=True)

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """Figures of an older report are shown no narrower than they may be."""
        return super().to_representation(kept(instance))


class AsOf(serializers.Serializer):
    """For a large project, an answer may be somewhat out of date."""

    as_of = serializers.DateTimeField(
        help_text="When it was computed. For a large project, this can be up to an hour ago."
    )
