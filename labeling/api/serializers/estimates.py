"""The shape of a figure with its interval, the same wherever one is shown."""

from typing import Any

from rest_framework import serializers

from labeling.statistics.intervals import NO_INTERVAL, kept


class EstimateOut(serializers.Serializer):
    """A figure with its 95 % interval. `value` null: undefined. `low` and `high` null: there is no interval, and
    `no_interval` says why; `clusters` is how many independent units (problems, traces) it would rest on."""

    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    n = serializers.IntegerField()
    clusters = serializers.IntegerField(allow_null=True, default=None, read_only=True)
    no_interval = serializers.ChoiceField(NO_INTERVAL, allow_null=True, default=None, read_only=True)

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """What an older report holds is shown no narrower than it may be."""
        return super().to_representation(kept(instance))


class AsOf(serializers.Serializer):
    """Of a large project an answer may be a while old."""

    as_of = serializers.DateTimeField(help_text="When it was worked out; of a large project up to an hour ago.")
